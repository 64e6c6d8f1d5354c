"""Which records a name leads to, which people a project names, and who asked for each name."""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from knowwhy.graph import nodes
from knowwhy.text.tokens import canonical_id
from knowwhy.types import Draft, Edge, Record

Name = tuple[str, ...]  # what a record or a person can be looked up by: ("id", "ADR-5")

# Files that every folder may have: alone they say nothing.
_EVERYWHERE = frozenset(("readme", "index", "main", "mod", "lib", "__init__", "package"))
_OF_FOLDERS = frozenset(("readme", "index"))  # what speaks of its whole folder
_PAGES = re.compile(r"\.(?:html?|md|rst)$|/$")
_HOSTED = re.compile(
    r"https?://[^/\s]+/.{1,200}?/(?:blob|tree|raw|src)/(?:branch/)?[^/\s]+/([^?#]+)"
)
BESIDE = "beside"  # names that hold within one folder
FEWEST_LETTERS = 3  # of what two families of labels share at their ends: ADR and MADR
TITLE_WORDS = 2  # words; a title of one word is also the name of a service


@dataclass(slots=True)
class Register:
    """What names lead to; everything that resolving an edge looks at."""

    leads: dict[Name, set[str]] = field(default_factory=lambda: defaultdict(set))
    people: dict[Name, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    asked: dict[Name, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, record: Record) -> None:
        """Takes in a record's own names and the people whom it names."""
        for name in names_of(record.draft):
            self.leads[name].add(record.draft.id)
        for name, person in people_of(record):
            self.people[name][person] += 1

    def remove(self, record: Record) -> None:
        """Forgets what a record brought."""
        for name in names_of(record.draft):
            _discard(self.leads, name, record.draft.id)
        for name, person in people_of(record):
            self.people[name][person] -= 1
            if self.people[name][person] == 0:
                del self.people[name][person]
            if not self.people[name]:
                del self.people[name]

    def ask(self, key: str, names: Iterable[Name]) -> None:
        """Notes that a record's edges depend on what these names lead to."""
        for name in names:
            self.asked[name].add(key)

    def apart(self, node: str) -> str:
        """Returns the id of a node that is no record: another one where it is a record's key."""
        while node_name(node) in self.leads:
            node = f"{nodes.APART}{node}"
        return node

    def forget(self, key: str, names: Iterable[Name]) -> None:
        """Drops the notes of a record."""
        for name in names:
            _discard(self.asked, name, key)


def _discard(index: dict[Name, set[str]], name: Name, key: str) -> None:
    index[name].discard(key)
    if not index[name]:
        del index[name]


def names_of(draft: Draft) -> set[Name]:
    """Returns everything that a record can be found by."""
    own = draft.id.partition("::")[2] or draft.id
    found: set[Name] = {id_name(name) for name in (draft.label, draft.id, own) if name}
    if nodes.type_of(draft.id) in nodes.OTHERS:
        found.add(node_name(draft.id))
    title = nodes.words(draft.title)
    if len(title) >= TITLE_WORDS:
        found.add(("title", *title))
    if draft.path:
        path = draft.path.replace("\\", "/").casefold()
        folder, _, file = path.rpartition("/")
        found |= {("path", path), ("file", file), ("file", _PAGES.sub("", file))}
        if _PAGES.sub("", file) in _OF_FOLDERS:  # 0007-use-kafka/README.md is called by its folder
            found |= {("path", folder), ("file", folder.rpartition("/")[2])}
        found |= set(_beside(draft.label, draft.path, own=True))
    return found


def _beside(label: str | None, path: str | None, *, own: bool) -> Iterator[Name]:
    """Yields the names under which a record is known to those in its folder: MADR-94 for ADR-94.

    Two families are one where one ends with the other, or where the folder is called like it.
    """
    family, _, number = (canonical_id(label or "") or "").rpartition("-")
    folder = folder_of(path or "")
    if not family or not folder:
        return
    letters = family.replace("-", "").casefold()
    for start in range(len(letters) - FEWEST_LETTERS + 1):
        yield BESIDE, folder, letters[start:], number
    if own:
        called = folder.rpartition("/")[2].removesuffix("s")
        yield BESIDE, folder, called, number


def folder_of(path: str) -> str:
    """Returns the folder in which a record is kept, that of its own folder when it has one."""
    folder, _, file = path.replace("\\", "/").casefold().rpartition("/")
    return folder.rpartition("/")[0] if _PAGES.sub("", file) in _OF_FOLDERS else folder


def people_of(record: Record) -> Iterator[tuple[Name, str]]:
    """Yields the people and teams that a record names, each with the group of its short forms."""
    project = record.draft.project or ""
    for edge in record.links:
        if edge.target_type == "team":
            name = nodes.team_name(edge.target)
            yield ("team", project, name), name
        elif edge.target_type == "person":
            yield from _person(project, edge.target)
    for author in record.draft.authors:
        yield from _person(project, author)


def _person(project: str, text: str) -> Iterator[tuple[Name, str]]:
    name = nodes.person_name(text)
    if group := nodes.initials(name):
        yield ("person", project, *group), name


def lookups(edge: Edge, draft: Draft) -> Iterator[Name]:
    """Yields the names by which an edge's target is looked up, the surest first."""
    target = edge.target
    if edge.target_type == "url":
        hosted = _HOSTED.match(target)
        if hosted:
            yield ("path", unquote(hosted[1]).casefold())
        return
    yield id_name(target)
    if draft.project:
        yield id_name(f"{draft.project}::{target}")
    if edge.target_type == "path" or "/" in target:
        yield from _paths(target, draft.path or "")
        return
    if edge.target_type == "record":
        yield from _beside(target, draft.path, own=False)
    if edge.target_type != "issue" and len(nodes.words(target)) >= TITLE_WORDS:
        yield ("title", *nodes.words(target))


def id_name(text: str) -> Name:
    """Returns the name under which an id is found, however it is written."""
    return "id", canonical_id(text) or text.casefold()


def node_name(node: str) -> Name:
    """Returns the name under which a record is found whose key is the id of another node."""
    return "node", node


def _paths(target: str, own: str) -> Iterator[Name]:
    target = unquote(re.split(r"[?#]", target, maxsplit=1)[0]).replace("\\", "/").casefold()
    folder = posixpath.dirname(own.replace("\\", "/").casefold())
    if not target.startswith("/"):
        yield ("path", posixpath.normpath(posixpath.join(folder, target)))
    yield ("path", posixpath.normpath(target).lstrip("/"))
    file = target.rstrip("/").rpartition("/")[2]
    stem = _PAGES.sub("", file)
    if file and file not in (".", "..") and stem.split(".")[0] not in _EVERYWHERE:
        yield ("file", file)
        yield ("file", stem)


def nearest(found: Iterable[str], drafts: Mapping[str, Draft], near: Draft) -> str | None:
    """Returns the record of a project that is nearest to another: its service, its folder."""
    own = (key for key in found if drafts[key].project == near.project)
    ranked = sorted(((_nearness(drafts[key], near), key) for key in own), reverse=True)
    is_clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][0] > ranked[1][0])
    return ranked[0][1] if is_clear else None


def _nearness(draft: Draft, near: Draft) -> tuple[bool, int]:
    service = draft.service is not None and draft.service == near.service
    folders = zip((draft.path or "").split("/")[:-1], (near.path or "").split("/")[:-1])  # noqa: B905
    shared = 0
    for one, other in folders:
        if one != other:
            break
        shared += 1
    return service, shared
