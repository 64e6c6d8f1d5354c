"""Where in a text a stated relation holds: under a heading, or on a line that opens with it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowwhy.text.pages.markdown import without_comments
from knowwhy.text.patterns import regex
from knowwhy.text.relating.relation_words import PEOPLE, RELATIONS, relation_of, relation_of_heading

HEAD = 3000  # characters before the first heading that may list authors and the like
MAX_HEADING_WORDS = 6  # words; a longer heading is a sentence


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of text in which what is named stands in one relation to the record."""

    start: int
    end: int
    relation: str
    origin: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's words, its level, and where it starts and ends."""

    words: str
    level: int
    start: int
    end: int


_FENCE = regex(r"^ {0,3}(?:[-*+>][ ]|\d+\.[ ])?[ ]{0,8}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_HEADING = regex(
    r"^(?P<marks>\#{1,6})[ \t]+(?P<words>\S.{0,120}?)[ \t#]*$"
    r"|^(?P<title>[^\s#|>*+-].{0,120})\n(?P<line>[=\-~^\"'*+#`.:_])(?P=line){2,}[ \t]*$",
    re.MULTILINE,
)
# Relations whose words open a line that names its target at once: "Supersedes ADR-5".
_SAYABLE = [name for name in RELATIONS if name not in {*PEOPLE, "AFFECTS", "REFERENCES"}]
_PHRASES = sorted({p for name in _SAYABLE for p in RELATIONS[name]}, key=lambda p: (-len(p), p))
_VERB = "|".join(p.replace(" ", "[ -]") for p in _PHRASES)
_TARGET = (
    r"(?:\[|`{1,2}[A-Z]|:[a-z]{2,10}:`|(?:[A-Z]{2,10}s?[-_ #]{0,2}|\#)\d|https?://"
    r"|\.{0,2}/?[\w-]+/)"
)
_OPENING = regex(r"^[^\w\n\[]{0,8}([A-Za-z]{3,20})", re.MULTILINE)
_OPENINGS = frozenset(phrase.split()[0] for phrase in _PHRASES)
_LEAD = regex(
    rf"(?P<lead>[^\w\n\[]{{0,8}})(?P<verb>(?i:{_VERB}))\b"
    rf"[*_]{{0,3}}:?[*_]{{0,3}}[ \t]+(?={_TARGET})"
)
_KEYED = regex(
    r"^[^\w\n\[]{0,12}(?P<key>[A-Za-z][A-Za-z /()_-]{0,38}?)[*_]{0,3}"
    r"(?:[ \t]*[:|][*_]{0,3}[ \t]+|\n[ \t]+-[ \t]+)(?P<value>\S.*)$",
    re.MULTILINE,
)
_STATED = regex(rf"\b({_VERB})\b", re.IGNORECASE)
_SENTENCE_END = regex(r"(?<!\[\d)(?<!\[\d\d)(?<!\[\d{3})(?<!\[\d{4})[.;](?=\s|$)|\n")  # [3. Foo]
_BLOCKS = frozenset(("status", "relationships", "relations", "links"))  # each line has its verb

_NUMBERING = regex(r"^[^A-Za-z]+")


def prose(content: str) -> str:
    """Return a text without its fenced code blocks and its comments."""
    kept, start, opening = [], 0, ""
    for fence in _FENCE.finditer(content):
        if "`" in fence[2] and fence[1][0] == "`":
            continue  # code within a line
        if not opening:
            kept.append(content[start : fence.start()])
            opening = fence[1]
        elif fence[1].startswith(opening) and not fence[2].strip():
            start, opening = fence.end(), ""
    return without_comments("".join(kept) if opening else "".join(kept) + content[start:])


def headings(text: str) -> list[Heading]:
    """Return the headings of a text; an underline's level is the order of its first use."""
    found, underlines = [], list[str]()
    for match in _HEADING.finditer(text):
        if match["marks"]:
            level, words = len(match["marks"]), match["words"]
        else:
            if match["line"] not in underlines:
                underlines.append(match["line"])
            level, words = underlines.index(match["line"]) + 1, match["title"]
        found.append(Heading(_NUMBERING.sub("", words).strip(" *_:"), level, *match.span()))
    return found


def sections(text: str, heads: list[Heading]) -> Iterator[Zone]:
    """Yield a zone for each section, or part of one, whose heading means a relation."""
    within: list[tuple[int, str, str]] = []  # level, relation and heading of the open sections
    for i, head in enumerate(heads):
        while within and within[-1][0] >= head.level:
            within.pop()
        is_short = len(head.words.split()) <= MAX_HEADING_WORDS
        relation = relation_of_heading(head.words) if is_short and _may_relate(head, text) else None
        if relation:
            within.append((head.level, relation, head.words))
        if within:
            end = heads[i + 1].start if i + 1 < len(heads) else len(text)
            yield Zone(head.end, end, within[-1][1], f"section:{within[-1][2]}")


def _may_relate(head: Heading, text: str) -> bool:
    """Tell a section from the title: a level-1 markdown heading names the record."""
    is_dated = any(letter.isdigit() for letter in head.words)  # "Update 2020-10-14", "REF-1"
    return not is_dated and (head.level > 1 or text[head.start] != "#")


def _head_end(text: str, heads: list[Heading]) -> int:
    """Return where the part that may list a record's fields line by line ends."""
    below = [head.start for i, head in enumerate(heads) if i or head.level > 1]
    return min(HEAD, below[0] if below else len(text))


def lines(text: str, heads: list[Heading]) -> Iterator[Zone]:
    """Yield a zone for each line, or part of one, that opens with the words of a relation."""
    end = _head_end(text, heads)
    for match in _KEYED.finditer(text):
        yield from _keyed(match, "header" if match.start() < end else "line")
    for opening in _OPENING.finditer(text):
        if opening[1].lower() in _OPENINGS and (led := _LEAD.match(text, opening.start())):
            yield from _led(led)
    for i, head in enumerate(heads):
        if head.words.lower() in _BLOCKS:
            until = heads[i + 1].start if i + 1 < len(heads) else len(text)
            yield from stated(text, head.end, until, f"section:{head.words}")


def _led(match: re.Match[str]) -> Iterator[Zone]:
    relation = relation_of(match["verb"])
    if relation and (match["lead"] or match["verb"][0].isupper()):
        text, start = match.string, match.end()
        yield _to_sentence_end(text, start, len(text), relation, f"line:{match['verb']}")


def stated(text: str, start: int, end: int, origin: str) -> Iterator[Zone]:
    """Yield a zone after each relation that the words of a status or of a list state."""
    matches = list(_STATED.finditer(text, start, end))
    until = [match.start() for match in matches[1:]] + [end]
    for match, stop in zip(matches, until, strict=False):
        if relation := relation_of(match[1]):
            yield _to_sentence_end(text, match.end(), stop, relation, origin)


def _keyed(match: re.Match[str], place: str) -> Iterator[Zone]:
    key = match["key"].strip()
    if key.lower() == "status":
        text = match.string
        yield from stated(text, match.start("value"), match.end("value"), f"{place}:{key}")
    elif relation := relation_of(key):
        yield Zone(*match.span("value"), relation, f"{place}:{key}")


def _to_sentence_end(text: str, start: int, stop: int, relation: str, origin: str) -> Zone:
    found = _SENTENCE_END.search(text, start, stop)
    return Zone(start, found.start() if found else stop, relation, origin)
