"""The nodes that a question names: by id, title, path, or the name of a person, team or service."""

import calendar
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from knowwhy.graph import nodes
from knowwhy.graph.build import Graph
from knowwhy.graph.packages import Packages, packages
from knowwhy.graph.spelled import (
    Spelled,
    by_parts,
    commonest,
    dotted_parts,
    parts_of,
    spelled,
)
from knowwhy.text.identifiers import is_camel
from knowwhy.text.relating.relation_words import relation_of
from knowwhy.text.tokens import STOP_WORDS, canonical_id, find_ids, stem
from knowwhy.types import Filters

MOST_NODES = 8  # nodes; a name that fits more says nothing
MOST_ALIKE = 100  # records of one label or number; as many repositories begin with ADR-1
MOST_TITLES = 40  # titles that are compared with a question word by word
RARE_SHARE = 0.05  # share of the titles; a word that more of them hold finds none
RARE_AT_LEAST = 5  # titles; the same where there are few
COVERS = 0.6  # share of a title's rarity that a question must say to name it
COVERS_LONG, LONG_WORDS = 0.34, 3  # the same, when so many of its words stand in order
CLEARLY = 0.75  # the next best title must share less than this of what the best one shares
GAP = 2  # words that a question may put between two words of a title
QUOTE_REACH = 8  # characters between a title's first or last word and its quotation mark

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ID = re.compile(
    r"(?<![\w-])[A-Za-z][A-Za-z0-9]{0,12}(?:-[A-Za-z][A-Za-z0-9]{0,9}){0,3}[ \t_#-]{0,2}\#?"
    r"\d{1,10}(?:-\d{1,10}){0,3}(?!\w|\.\d)"
)
_RUN = re.compile(r"[#@~]?\w[\w@+:/\\.#-]{0,400}")
_KIND_AND_NUMBER = re.compile(
    r"(?<![\w-])([A-Za-z]{2,20}(?:[ -][Rr]ecord)?)[ \t]{1,3}"
    r"(?:[Nn]o\.?|[Nn]umber|[Nn]r\.?)?[ \t]{0,2}#?(\d{1,6})(?!\w|[.,-]\d)"
)
_OF_CODE = r"((?:sub)?package|folder|(?:sub)?directory|namespace|module)"
_PATH = r"([\w@](?:[\w@./\\:-]{0,200}\w)?)"
_NOUN_FIRST = re.compile(
    rf"(?<![\w-]){_OF_CODE}[ \t]{{1,3}}[`\"']?{_PATH}(?![\w/-])", re.IGNORECASE
)
_NOUN_LAST = re.compile(
    rf"(?<![\w./@-]){_PATH}[`\"']?[ \t]{{1,3}}{_OF_CODE}(?![\w/-])", re.IGNORECASE
)
_VERBS = ("s", "ed", "ing")
_SECTION = re.compile(r"[ \t]{0,2}§[ \t]?\d[\d.]{0,20}(?<!\.)")
_QUOTES = "\"'`“”‘’«»"
_DATES = frozenset(name.lower() for name in (*calendar.month_name, *calendar.day_name))
_RECORD_NOUNS = frozenset(
    ("decision", "record", "adr", "incident", "outage", "postmortem", "proposal", "spec", "meeting",
     "document", "doc", "page", "rfc")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a text that names a node; several nodes when it fits all of them equally."""

    nodes: tuple[str, ...]
    type: str
    start: int
    end: int
    how: str  # id, title, path, package, part or name


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: folded, with and without its possessive, and where it stands."""

    forms: tuple[str, ...]
    start: int
    end: int


def mentions(text: str, graph: Graph, filters: Filters) -> list[Mention]:
    """Finds the nodes that a text names and the asker may see; they never overlap."""
    with graph.lock:
        known = spelled(graph, filters)
        inside = packages(graph, filters)
    words = list(_words(text))
    full: list[Mention] = []
    short: list[Mention] = []
    for mention in _named(text, words, known):
        (short if mention.how == "name" and _is_one_word(text, mention) else full).append(mention)
    ids = [*_ids(text, known), *_numbers(text, known)]
    sure = _longest([*ids, *_packages(text, known, inside), *_runs(text, known, inside), *full])
    left = _outside(words, sure)
    parts = [*_parts(left, known), *_single(text, left, known), *short]
    parts += _surnames(text, left, known)
    found = (mention for mention in _longest([*sure, *parts]) if mention.nodes)
    return sorted(found, key=lambda mention: mention.start)


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        folded = nodes.fold(match[0])
        bare = nodes.fold(re.sub(r"['’]s$", "", match[0]))
        yield Word((folded,) if bare == folded else (folded, bare), match.start(), match.end())


def _mention(
    known: Spelled, found: set[str], start: int, end: int, how: str, most: int = MOST_NODES
) -> Iterator[Mention]:
    if 0 < len(found) <= most:
        ordered = tuple(sorted(found))
        yield Mention(ordered, known.types[ordered[0]], start, end, how)


def _outside(words: list[Word], found: list[Mention]) -> list[Word]:
    """Returns the words that are in no mention."""
    starts = [mention.start for mention in found]
    near = ((word, bisect(starts, word.start)) for word in words)
    pairs = ((word, found[max(0, at - 1) : at + 1]) for word, at in near)
    return [word for word, beside in pairs if not any(_overlap(word, m) for m in beside)]


def _is_one_word(text: str, mention: Mention) -> bool:
    return len(text[mention.start : mention.end].split()) == 1


def _overlap(one: Word | Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _longest(found: list[Mention]) -> list[Mention]:
    """Keeps the longest of those that overlap, and of equals the first given."""
    kept: list[Mention] = []  # by start
    for mention in sorted(found, key=lambda m: m.start - m.end):
        at = bisect(kept, mention.start, key=lambda m: m.start)
        if not any(_overlap(mention, other) for other in kept[max(0, at - 1) : at + 1]):
            kept.insert(at, mention)
    return kept


def named_ids(text: str) -> list[tuple[str, int, int]]:
    """Returns the ids in a text as (canonical, start, end), also those in small letters."""
    loose = ((canonical_id(m[0]), m.start(), m.end()) for m in _ID.finditer(text))
    return [*find_ids(text), *((label, start, end) for label, start, end in loose if label)]


def _ids(text: str, known: Spelled) -> Iterator[Mention]:
    for label, start, end in named_ids(text):
        section = _SECTION.match(text, end)
        reach = section.end() if section else end
        family, _, number = label.rpartition("-")
        numbered = known.numbered.get((family.lower(), int(number)), set())
        found = known.ids.get(label) or numbered
        yield from _mention(known, found, start, reach, "id", most=MOST_ALIKE)


def _numbers(text: str, known: Spelled) -> Iterator[Mention]:
    """Yields records that are named by their kind and number alone: "decision 39", "RFC 117"."""
    for match in _KIND_AND_NUMBER.finditer(text):
        found = known.numbered.get((match[1].lower(), int(match[2])), set())
        yield from _mention(known, found, match.start(), match.end(), "id", most=MOST_ALIKE)


def _packages(text: str, known: Spelled, inside: Packages) -> Iterator[Mention]:
    """Yields what is called a package or a folder: "package compact", "the billing folder"."""
    first = ((m, m[1], m[2]) for m in _NOUN_FIRST.finditer(text))
    last = ((m, m[2], m[1]) for m in _NOUN_LAST.finditer(text))
    for match, noun, name in (*first, *last):
        low = name.casefold()
        is_verb = low.endswith(_VERBS) and relation_of(low) is not None  # "which package uses"
        is_word = low in STOP_WORDS or is_verb
        is_file = noun.lower() == "module" and by_parts(known, dotted_parts(name))
        if not is_word and not is_file:
            yield from _package(inside, name, match.start(), match.end())


def _package(inside: Packages, name: str, start: int, end: int) -> Iterator[Mention]:
    found = inside.called(name)
    if 0 < len(found) <= MOST_NODES:
        yield Mention(tuple(sorted(found)), nodes.MODULE, start, end, "package")


def _runs(text: str, known: Spelled, inside: Packages) -> Iterator[Mention]:
    """Yields what is named by a key, a tracker's number, a path or a dotted name."""
    for match in _RUN.finditer(text):
        run = match[0].rstrip(".:/-")
        start, end = match.start(), match.start() + len(run)
        has_joints = any(mark in run for mark in "./\\:#@~-_") or any(c.isdigit() for c in run)
        is_marked = _is_quoted(text, start, end)
        if found := known.ids.get(run.casefold(), set()) if has_joints or is_marked else set():
            yield from _mention(known, found, start, end, "id")
        elif any(mark in run for mark in "./\\"):
            yield from _by_path(known, inside, run, start, end)
        elif is_camel(run):
            yield from _mention(known, _types(known, run), start, end, "path")


def _types(known: Spelled, name: str) -> set[str]:
    """Returns the files of code that are called like a type: CacheService.java."""
    files = by_parts(known, (name.casefold(),))
    return {node for node in files if known.programs.get(node) == name}


def _by_path(known: Spelled, inside: Packages, run: str, start: int, end: int) -> Iterator[Mention]:
    dotted = dotted_parts(run)
    found = by_parts(known, *parts_of(run)) or by_parts(known, dotted)
    if not found and (of := list(_package(inside, run, start, end))):
        yield from of
        return
    if not found and "." in run and len(dotted) > 2:  # a name inside a module: a.b.Name
        found = by_parts(known, dotted[:-1])
    yield from _mention(known, found, start, end, "path")


def _named(text: str, words: list[Word], known: Spelled) -> Iterator[Mention]:
    """Yields what is named in full: the titles of records, and people, teams and services."""
    forms = [word.forms for word in words]
    for at, word in enumerate(words):
        for title, found in known.titles.standing(forms, at):
            last = words[at + len(title) - 1]
            yield from _title(text, known, title, found, word.start, last.end)
        for name, found in known.names.standing(forms, at):
            last = words[at + len(name) - 1]
            meant = _meant(text, word, name, found)
            yield from _mention(known, meant, word.start, last.end, "name")


def _title(
    text: str, known: Spelled, title: tuple[str, ...], found: set[str], start: int, end: int
) -> Iterator[Mention]:
    left, right = _quote_before(text, start), _quote_after(text, end)
    if left is not None and right is not None:
        yield from _mention(known, found, left, right, "title")
    elif left is not None:  # what is quoted goes on: it is something else
        yield Mention((), "", start, end, "title")
    elif sum(word not in STOP_WORDS for word in title) > 1:
        yield from _mention(known, found, start, end, "title")


def _is_quoted(text: str, start: int, end: int) -> bool:
    return _quote_before(text, start) is not None and _quote_after(text, end) is not None


def _quote_before(text: str, start: int) -> int | None:
    """Returns where quoted text begins, when only marks stand between its quote and a place."""
    for at in range(start - 1, max(-1, start - 1 - QUOTE_REACH), -1):
        if text[at] in _QUOTES:
            is_doubled = at > 0 and text[at - 1] == text[at]  # ``code``
            opens = at == 0 or is_doubled or not text[at - 1].isalnum()
            return at + 1 if opens else None
        if text[at].isalnum() or text[at] == " ":
            return None
    return None


def _quote_after(text: str, end: int) -> int | None:
    for at in range(end, min(len(text), end + QUOTE_REACH)):
        if text[at] in _QUOTES:
            return at
        if text[at].isalnum() or text[at] == " ":
            return None
    return None


def _meant(text: str, word: Word, name: tuple[str, ...], found: set[str]) -> set[str]:
    """Returns what a name may stand for: one common word in small letters is no person."""
    has_capital = text[word.start].isupper() or "@" in text[max(0, word.start - 1) : word.start]
    if len(name) > 1 or has_capital:
        return found
    return {node for node in found if nodes.type_of(node) != nodes.PERSON}


def _parts(words: list[Word], known: Spelled) -> Iterator[Mention]:
    """Yields the title of which a question says enough rare words in order, if only one fits."""
    content = [(word, stem(word.forms[-1])) for word in words if _is_content(word.forms[0])]
    most = max(RARE_AT_LEAST, int(RARE_SHARE * len(known.stems)))
    shared: Counter[str] = Counter()
    for token in {token for _, token in content}:
        held = known.holding.get(token, ())
        if len(held) <= most:
            shared.update(dict.fromkeys(held, 1))
    fits = []
    for node in commonest(shared, MOST_TITLES):
        run = _run(content, known.stems[node], known)
        if run:
            rarity = sum(known.rarity(token) for _, token in run)
            fits.append((rarity, node, run))
    fits.sort(key=lambda fit: (-fit[0], fit[1]))
    if not fits or (len(fits) > 1 and fits[1][0] >= CLEARLY * fits[0][0]):
        return
    rarity, node, run = fits[0]
    covered = rarity / sum(known.rarity(token) for token in known.stems[node])
    if covered >= (COVERS_LONG if len(run) >= LONG_WORDS else COVERS):
        yield from _mention(known, {node}, run[0][0].start, run[-1][0].end, "part")


def _is_content(word: str) -> bool:
    """Tells a word that may be of a title: "uses Kafka" asks for a relation, not for that title."""
    return word not in STOP_WORDS and relation_of(word) is None


def _run(
    content: list[tuple[Word, str]], title: tuple[str, ...], known: Spelled
) -> list[tuple[Word, str]]:
    """Returns the rarest run of a question's words that a title holds in the same order."""
    best: list[tuple[Word, str]] = []
    weight = 0.0
    for first in range(len(content)):
        run: list[tuple[Word, str]] = []
        place, last = 0, first
        for at in range(first, len(content)):
            if at - last > GAP:
                break
            if content[at][1] in title[place:]:
                run.append(content[at])
                place, last = title.index(content[at][1], place) + 1, at
        rarity = sum(known.rarity(token) for _, token in run)
        if len(run) > 1 and rarity > weight:
            best, weight = run, rarity
    return best


def _single(text: str, words: list[Word], known: Spelled) -> Iterator[Mention]:
    """Yields what one word names beside the word for its kind: "the Kafka decision"."""
    for at, word in enumerate(words):
        held = known.holding.get(stem(word.forms[-1]), set())
        if len(held) != 1 or not text[word.start].isupper():
            continue
        node = next(iter(held))
        beside = {form for other in words[max(0, at - 1) : at + 2] for form in other.forms}
        if beside & (_RECORD_NOUNS | known.kinds[node]) - set(word.forms):
            yield from _mention(known, held, word.start, word.end, "part")


def _surnames(text: str, words: list[Word], known: Spelled) -> Iterator[Mention]:
    """Yields the person whom a first or last name fits alone, where it cannot be another word."""
    for word in words:
        name = word.forms[-1]
        found = known.surnames.get(name, set())
        is_common = stem(name) in known.holding or name in _DATES
        if len(found) == 1 and word.start and text[word.start].isupper() and not is_common:
            yield from _mention(known, found, word.start, word.end, "part")
