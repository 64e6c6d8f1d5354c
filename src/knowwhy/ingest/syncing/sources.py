"""Lists the files of a repository that are sources, each with its one kind."""

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path, PurePosixPath

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import (
    BESIDE,
    STATUS_NAMES,
    beginning,
    beside_of,
    holds_decision,
    is_attachment,
)
from knowwhy.ingest.document import AUTHOR_NAMES, by_name
from knowwhy.ingest.files import TEXT, Found, Tracked, reason
from knowwhy.ingest.syncing.conventions import why_skipped
from knowwhy.ingest.syncing.layout import NAME, Choice, Layout, Line, choose
from knowwhy.ingest.syncing.telling import Telling
from knowwhy.ingest.syncing.unread import (
    ABSENT,
    EXCLUDED,
    LINK,
    LINKED,
    NO_README,
    SETTINGS,
    by_content,
    why_link,
    why_unread,
)
from knowwhy.ingest.syncing.worktree import WorkTree, list_names
from knowwhy.text.characters import is_unicode
from knowwhy.text.formats.fields import read as yaml_fields
from knowwhy.text.source.languages import is_generated, is_source


@dataclass(slots=True)
class Sources:
    """What a repository holds, by names relative to its folder."""

    around: str  # what stands before each name where people read it
    files: dict[str, tuple[Choice, Found]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)  # files and folders, and why
    skipped: dict[str, str] = field(default_factory=dict)  # files among records, and why
    unread: dict[str, str] = field(default_factory=dict)  # all others, and why
    left_out: int = 0  # files that their names tell to be generated or vendored
    notes: list[tuple[str, str]] = field(default_factory=list)  # on what a layout says

    def refuses(self, name: str) -> bool:
        """Tells whether a file was refused, or a folder that it is in."""
        parts = name.split("/")
        return any("/".join(parts[: n + 1]) in self.refused for n in range(len(parts)))


def find_sources(
    root: Path,
    tree: WorkTree | None,
    layout: Layout,
    only: Tracked | None = None,
    as_before: Callable[[str], str | None] | None = None,
) -> Sources:
    """Goes through a repository once, deciding about every file.

    What a text says is not asked again of a file that is known as before.
    """
    prefix = tree.prefix if tree else ""
    found = Sources(around(root, prefix))
    top = found.around.partition("/")[0]

    def refuse(place: str, why: str) -> None:
        found.refused[place] = why

    def leave(place: str, why: str) -> None:
        found.unread[place] = why

    stands_here, telling = is_own(root), Telling()
    lines = _Lines(layout)
    for listed in dict.fromkeys(
        list_names(root, tree, refuse, only, leave)
    ):  # a conflict is listed thrice
        name, tracked = listed.name, listed.tracked
        lines.see(name)
        if not os.path.lexists(root / name):
            found.unread[name] = ABSENT
            continue
        is_code = partial(_is_code, root, tracked)
        holds = partial(holds_decision, root / name, frozenset(TEXT))
        before = as_before(name) if as_before is not None else None
        says = partial(telling.kind, root / name, found.around + name, before)
        choice = choose(
            name, prefix, layout, is_code, tracked=tracked, top=top, holds=holds, says=says
        )
        if PurePosixPath(name).name in BESIDE and _is_beside(root / name):
            choice = None
        elif choice == Choice("code", firm=False) and _states_facts(root / name):
            found.unread[name] = NO_README
            continue
        is_guess = choice is not None and choice.kind == "adr" and not choice.firm
        if is_guess and is_attachment(root / name, frozenset(TEXT)):
            choice = Choice("document", firm=False)
        if choice is None and not layout.exclude.match(name):
            if is_generated(name, "", tracked=tracked):
                found.left_out += 1
            elif why := why_skipped(prefix + name, top):
                found.skipped[name] = why
        lines.count(choice)
        if choice is None:
            if why := _why_unread(root, name, layout, tracked=tracked):
                found.unread[name] = why
            continue
        if not stands_here(os.path.dirname(name)):
            found.unread[name] = LINKED
            continue  # what is behind a linked folder stands elsewhere, or is none of ours
        why = fault(root, name)
        if why is None:
            found.files[name] = choice, Found(root / name, found.around + name)
        elif why:
            found.refused[name] = why
        elif left := by_content(root / name):
            found.unread[name] = left
    found.unread |= _links(root, found)
    if only is None:  # else not all was listed
        found.notes += lines.notes(found.unread)
    return found


def _links(root: Path, found: Sources) -> dict[str, str]:
    """Says where links lead, once it is known what is read."""
    links = [name for name, why in found.unread.items() if why == LINK]
    if not links:
        return {}
    above = {folder.as_posix() for name in found.files for folder in PurePosixPath(name).parents}
    is_read = (above | found.files.keys()).__contains__
    return {name: why_link(root, root / name, is_read) for name in links}


@dataclass(slots=True)
class _Lines:
    """The lines of a layout that have not hit anything yet."""

    layout: Layout
    unseen: list[Line] = field(init=False)
    kinds: set[str] = field(default_factory=set)  # of which a file was taken as they say

    def __post_init__(self) -> None:
        """Begins with all lines that are patterns."""
        self.unseen = [line for line in self.layout.lines if line.globs.each]

    def see(self, name: str) -> None:
        """Strikes out the lines that hit a file."""
        if self.unseen:
            self.unseen = [line for line in self.unseen if line.globs.check(name) is None]

    def count(self, choice: Choice | None) -> None:
        """Notes that a file was taken as a section says."""
        if choice is not None and choice.firm:
            self.kinds.add(choice.kind)

    def notes(self, unread: Iterable[str]) -> list[tuple[str, str]]:
        """Says of each line that it hits nothing, and of each section that no file fits it."""
        for name in unread:
            self.see(name)
        told = [
            (line.file, f"{line.said(self.layout.text)}, which matches no file")
            for line in self.unseen
        ]
        hit = {line.section: line for line in self.layout.lines if line not in self.unseen}
        return told + [
            (line.file, f"{line.said(self.layout.text)}, where no file can be read as {section}")
            for section, line in hit.items()
            if section in self.layout.sources and section not in self.kinds
        ]


def _is_beside(file: Path) -> bool:
    """Tells a file that states the facts of the README beside it."""
    pages = (file.with_name(f"README{suffix}") for suffix in TEXT)
    return any(beside_of(page) == file for page in pages if page.is_file())


def _states_facts(file: Path) -> bool:
    """Tells a file that states the facts of a record which nothing beside it tells in words."""
    if file.name not in BESIDE:
        return False
    try:
        stated = yaml_fields(beginning(file) or "", "YAML")
    except (BadInput, OSError):
        return False
    names = set(by_name(stated)) if isinstance(stated, dict) else set()
    return "title" in names and bool(names & {*STATUS_NAMES, *AUTHOR_NAMES})


def _why_unread(root: Path, name: str, layout: Layout, *, tracked: bool) -> str:
    if name == NAME:
        return SETTINGS
    if layout.exclude.match(name):
        return EXCLUDED
    return why_unread(root / name, name, tracked=tracked)


def _is_code(root: Path, tracked: bool, name: str) -> bool:
    is_made = is_generated(name, "", tracked=tracked) is not None
    return is_source(name, tracked=tracked) or (is_script(root / name) and not is_made)


def around(folder: Path, prefix: str) -> str:
    """Names a folder from its repository, or from itself outside any: with a slash at the end."""
    top = folder.parents[prefix.count("/") - 1] if prefix else folder
    return f"{top.name}/{prefix}"


def is_own(root: Path) -> Callable[[str], bool]:
    """Gives a test of folders under a root: whether no link leads to what is in them."""
    return cache(lambda folder: os.path.realpath(root / folder) == os.path.normpath(root / folder))


def is_script(file: Path) -> bool:
    """Tells whether a file may be a program that only its first line tells about."""
    try:
        mode = 0 if "." in file.name else file.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IXUSR)


def fault(root: Path, name: str) -> str | None:
    """Says why a file is not taken; nothing ("") when there is nothing to take."""
    file = root / name
    if not is_unicode(name):
        return "has a name not in UTF-8"
    try:
        about = file.lstat()
    except FileNotFoundError:
        return ""  # git still knows it
    except OSError as error:
        return reason(error)
    if stat.S_ISLNK(about.st_mode):
        return _link_fault(root, file)
    if not stat.S_ISREG(about.st_mode):
        return "is not a regular file"
    return None if about.st_size else ""


def _link_fault(root: Path, link: Path) -> str:
    """Refuses links out of the folder or to nowhere; those inside show what is read anyway."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "is a link that leads nowhere or to itself"
    inside = target.is_relative_to(root)
    return "" if inside else "is a link out of the given folder; it was not followed"
