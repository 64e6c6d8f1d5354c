"""What the nodes that an asker may see are called, indexed by first words, ids and files."""

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from knowwhy.graph import nodes
from knowwhy.graph.build import Graph, family
from knowwhy.graph.modules import CODE, module_of
from knowwhy.graph.phrases import Phrases, Words
from knowwhy.text.formats.naming import FOLDER_FAMILIES, family_of_folder
from knowwhy.text.question.question_grammar_words import DECISIONS, RECORD_NOUNS
from knowwhy.text.tokens import STOP_WORDS, canonical_id, stem
from knowwhy.types import Draft, Filters, Record

_SUFFIX = re.compile(r"(?<=[^/])\.[a-z][a-z0-9]{0,9}$")
_FOLDER = re.compile(r"[/\\]+|::")
_JOINT = re.compile(r"[./\\]+|::")
_PACKAGE_FILES = frozenset(("__init__", "index", "mod"))  # they stand for their folder
_OF_FOLDERS = frozenset(("readme", "index"))  # a file that is called by its folder
_NUMBERED_LABEL = re.compile(r"[A-Z]+(?:-[A-Z]+)*-(\d{1,6})")
_NUMBERED_FILE = re.compile(r"(?:[a-z]{2,10}[-_]?)?(\d{1,6})(?=[-_. ]|$)")
_DATED_FILE = re.compile(r"\d{4}[-_]\d{2}(?!\d)|\d{8}")
_TEAM, _SERVICE = ("team",), ("service",)
_NUMBERED_NOUNS = RECORD_NOUNS | {folder.removesuffix("s") for folder in FOLDER_FAMILIES}


@dataclass(slots=True)
class Spelled:
    """Every way to name a node, for one asker's view of one version of the graph."""

    types: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, frozenset[str]] = field(default_factory=dict)  # words that say what it is
    ids: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    titles: Phrases = field(default_factory=Phrases)
    names: Phrases = field(default_factory=Phrases)
    files: dict[str, list[tuple[Words, str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    numbered: dict[tuple[str, int], set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )  # by a word for the kind and the number
    programs: dict[str, str] = field(default_factory=dict)  # what a file of code is called
    surnames: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    stems: dict[str, Words] = field(default_factory=dict)  # of each record's title, in order
    holding: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by stem

    def rarity(self, word: str) -> float:
        """Returns how much a stem says of a title: the fewer titles hold it, the more."""
        held = len(self.holding.get(word, ()))
        return math.log(1 + len(self.stems) / held) if held else 0.0


def spelled(graph: Graph, filters: Filters) -> Spelled:
    """Returns the names that an asker may use, made once for each version of the graph."""
    key = ("spelled", filters.project)
    if key not in graph.derived:
        graph.derived[key] = _spelled(graph, filters)
    found: Spelled = graph.derived[key]
    return found


def _spelled(graph: Graph, filters: Filters) -> Spelled:
    found = Spelled()
    for node, facts in graph.net.nodes(data=True):
        if not graph.sees(node, filters):
            continue
        found.types[node] = facts["type"]
        if record := graph.records.get(node):
            _add_record(found, node, record)
        elif facts["type"] in (nodes.PERSON, nodes.TEAM, nodes.SERVICE):
            _add_name(found, node, facts["type"])
        elif facts["type"] != nodes.URL:
            title = facts["title"]
            found.ids[canonical_id(title) or title.casefold()].add(node)
    found.titles.settle()
    found.names.settle()
    return found


def _add_record(found: Spelled, node: str, record: Record) -> None:
    draft = record.draft
    found.kinds[node] = frozenset((*nodes.words(draft.kind), family(draft.label)))
    own = node.partition("::")[2] or node
    for name in {draft.label, node, own, module_of(record)} - {None}:
        found.ids[canonical_id(str(name)) or str(name).casefold()].add(node)
    for number in numbers_of(draft):
        for word in _called(draft):
            found.numbered[word, number].add(node)
    if draft.path:
        parts, suffix = parts_of(draft.path)
        found.files[parts[-1] if parts else ""].append((parts, suffix, node))
        if draft.kind == CODE:
            file = draft.path.replace("\\", "/").rpartition("/")[2]
            found.programs[node] = file.partition(".")[0]
    for name in {module_of(record) or own, own}:
        parts = dotted_parts(name)
        if len(parts) > 1:
            found.files[parts[-1]].append((parts, "", node))
    title = _without_label(nodes.words(draft.title), nodes.words(draft.label or ""))
    if title:
        found.titles.add(title, node)
        found.stems[node] = tuple(stem(word) for word in title if word not in STOP_WORDS)
        for word in found.stems[node]:
            found.holding[word].add(node)


def numbers_of(draft: Draft) -> set[int]:
    """Returns the numbers that a record has in its label and in its file's name."""
    label = _NUMBERED_LABEL.fullmatch(canonical_id(draft.label or "") or "")
    parts, _ = parts_of(draft.path or "") if draft.kind != CODE else ((), "")
    named = parts[-2:][0] if parts and parts[-1] in _OF_FOLDERS else "".join(parts[-1:])
    stem = None if _DATED_FILE.match(named) else _NUMBERED_FILE.match(named)
    return {int(found[1]) for found in (label, stem) if found} - {0}


def _called(draft: Draft) -> set[str]:
    """Returns the words that may stand before a record's number: its kind and its families.

    What else a folder is called is a topic: docs/kafka/0003-retention.md is no "Kafka 3".
    """
    folders = (draft.path or "").replace("\\", "/").split("/")[:-1]
    nouns = {word.removesuffix("s") for word in nodes.words(" ".join(folders))} & _NUMBERED_NOUNS
    own = (draft.kind, family(draft.label), family_of_folder(folders) or "")
    found = nouns | {word.lower() for word in own}
    if draft.kind.lower() in DECISIONS or found & {"adr", "madr"}:
        found |= {*DECISIONS, "record"}
    return found - {""}


def _without_label(title: Words, label: Words) -> Words:
    """Drops the label that many titles begin with, with or without the zeros of its number."""
    head = tuple(word.lstrip("0") or "0" for word in title[: len(label)])
    bare = tuple(word.lstrip("0") or "0" for word in label)
    return title[len(label) :] if label and head == bare else title


def _add_name(found: Spelled, node: str, kind: str) -> None:
    name = nodes.name_of(node)
    parts = nodes.words(name)
    if not parts:
        return
    forms = {parts}
    if kind == nodes.TEAM or (kind == nodes.PERSON and len(parts) == 1):
        forms |= {parts + _TEAM, _TEAM + parts}
    elif kind == nodes.SERVICE:
        forms.add(parts + _SERVICE)
    for form in forms:
        found.names.add(form, node)
    if kind == nodes.PERSON and len(parts) > 1:
        found.surnames[parts[-1]].add(node)
        found.surnames[parts[0]].add(node)


def parts_of(path: str) -> tuple[Words, str]:
    """Returns the folders and the file of a path, without __init__, and the file's suffix."""
    folded = path.casefold().strip("/\\")
    suffix = _SUFFIX.search(folded)
    bare = folded[: suffix.start()] if suffix else folded
    return _of_package(_FOLDER.split(bare)), suffix[0] if suffix else ""


def dotted_parts(name: str) -> Words:
    """Returns the parts of a dotted name, or of a path that is written without suffix."""
    return _of_package(_JOINT.split(name.casefold()))


def _of_package(split: list[str]) -> Words:
    parts = tuple(part for part in split if part)
    return parts[:-1] if len(parts) > 1 and parts[-1] in _PACKAGE_FILES else parts


def by_parts(found: Spelled, parts: Words, suffix: str | None = None) -> set[str]:
    """Returns the records whose path is these parts, else those whose path ends with them."""
    held = [
        (path, node)
        for path, ending, node in found.files.get(parts[-1] if parts else "", ())
        if suffix is None or ending == suffix
    ]
    exact = {node for path, node in held if path == parts}
    return exact or {node for path, node in held if path[-len(parts) :] == parts}


def commonest(counts: Counter[str], most: int) -> list[str]:
    """Returns the keys with the highest counts, in a fixed order."""
    return sorted(counts, key=lambda key: (-counts[key], key))[:most]
