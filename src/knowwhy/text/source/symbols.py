"""Cuts source code into pieces along its symbols, for embedding and reranking."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowwhy.text.pages.chunks import HEADING_CHARS, MAX_CHARS, TARGET_CHARS
from knowwhy.text.patterns import regex
from knowwhy.text.source.grammars import parse
from knowwhy.text.source.symbol_lines import is_lead, line_marks
from knowwhy.text.source.symbol_marks import Mark
from knowwhy.text.source.symbol_nodes import marks
from knowwhy.text.spans import Span, first_nonblank, trimmed
from knowwhy.types import Chunk

PACKED_TOKENS = 195  # estimated; with 40 for a path and symbols, 256 at most on 999 of 1000
WHOLE_TOKENS = 220  # estimated; a function up to this stays whole: at worst its last line is cut
SCRAP_TOKENS = 40  # estimated; a piece of fewer, like a class line alone, says too little
HEAD_SHARE = 3  # imports of a third of a piece stand alone: no function is found by them
LEAST_SHARE = 3  # no piece of a cut symbol is under a third of what it may have

_TOKEN = regex(  # within 13 % of WordPiece on 8 of 10 stretches of Python and JavaScript
    r"[A-Z]?[a-z]{1,6}|[A-Z]{1,3}|\d{1,2}|[^\sa-zA-Z\d]"
)
_LINE = regex(r"\n")
_MARGIN = regex(r"[ \t]*")
_CONTINUED = regex(  # a line that goes on with what the line before it began
    r"[)\]}>.,?:&|+]|(?:else|elif|except|finally|catch|case|default|and|or|then|end|rescue)\b"
)
_STOPS = (regex(r"[;}]"), regex(r"[,)\]>]"), regex(r"\s"))


@dataclass(frozen=True, slots=True)
class _Unit:
    """Neighbouring symbols of one parent; the edges of its span are not blank."""

    start: int
    end: int
    home: tuple[str, ...]
    parts: tuple[tuple[int, str | None], ...]  # where each symbol starts, and its name
    tokens: int


def code_chunks(text: str, language: str | None) -> list[Chunk]:
    """Returns the pieces of a source file in order, headed by the symbols that they hold.

    Each non-blank character is in exactly one piece. Small neighbours share a piece, with their
    names joined by commas; what belongs to no symbol is headed by what is around it.
    """
    pieces = [
        (span, _heading(unit, span))
        for unit in _joined(_packed(_units(text, language)))
        for span in _pieces(text, unit)
    ]
    return [
        Chunk(position, heading, text[start:end], start, end)
        for position, ((start, end), heading) in enumerate(pieces)
    ]


def _heading(unit: _Unit, span: Span) -> str:
    """Names the symbols that a piece holds some of."""
    first = bisect_right(unit.parts, span[0], key=_begin) - 1
    parts = unit.parts[max(0, first) : bisect_left(unit.parts, span[1], key=_begin)]
    own = ", ".join(dict.fromkeys(name for _, name in parts if name))
    if len(own) > HEADING_CHARS:
        own = own[: HEADING_CHARS - 1].rsplit(", ", 1)[0] + "…"
    return " > ".join((*unit.home, own) if own else unit.home)


def _begin(part: tuple[int, str | None]) -> int:
    return part[0]


def _units(text: str, language: str | None) -> Iterator[_Unit]:
    tree = parse(text, language)
    is_parsed = tree is not None and not tree.root.is_error
    found = marks(tree) if tree and is_parsed else line_marks(text.split("\n"), language)
    if not found or found[0].row > 0:
        found = [Mark(0, ()), *found]
    starts = [0, *(match.end() for match in _LINE.finditer(text)), len(text)]
    rows = [*(mark.row for mark in found[1:]), -1]
    for mark, after in zip(found, rows, strict=True):
        span = trimmed(text, starts[mark.row], starts[after])
        if span:
            yield _Unit(*span, mark.home, ((span[0], mark.name),), _tokens(text, *span))


def _tokens(text: str, start: int, end: int) -> int:
    return len(_TOKEN.findall(text, start, end))


def _packed(units: Iterator[_Unit]) -> Iterator[_Unit]:
    """Joins small neighbours of the same parent up to the size of a piece."""
    group: _Unit | None = None
    for unit in units:
        if group and _belongs(unit, group):
            group = _sum(group, unit)
            continue
        if group:
            yield group
        group = unit
    if group:
        yield group


def _belongs(unit: _Unit, group: _Unit) -> bool:
    is_head = not group.home and not _names(group)
    if is_head and _names(unit) and group.tokens >= PACKED_TOKENS // HEAD_SHARE:
        return False
    is_small = group.tokens + unit.tokens <= PACKED_TOKENS
    return unit.home == group.home and is_small and unit.end - group.start <= TARGET_CHARS


def _names(unit: _Unit) -> bool:
    return any(name for _, name in unit.parts)


def _sum(group: _Unit, unit: _Unit) -> _Unit:
    tokens = group.tokens + unit.tokens
    return replace(group, end=unit.end, parts=group.parts + unit.parts, tokens=tokens)


def _joined(units: Iterator[_Unit]) -> Iterator[_Unit]:
    """Gives a scrap to what follows it under the same parent, or else to what it follows."""
    done: _Unit | None = None
    for unit in units:
        if done and done.home == unit.home and _is_scrap(done, unit):
            done = _sum(done, unit)
            continue
        if done:
            yield done
        done = unit
    if done:
        yield done


def _is_scrap(unit: _Unit, after: _Unit) -> bool:
    if min(unit.tokens, after.tokens) >= SCRAP_TOKENS:
        return False
    is_cut_anyway = not (_is_whole(unit) and _is_whole(after))
    return is_cut_anyway or _is_whole(_sum(unit, after))


def _is_whole(unit: _Unit) -> bool:
    return unit.tokens <= WHOLE_TOKENS and unit.end - unit.start <= MAX_CHARS


def _pieces(text: str, unit: _Unit) -> Iterator[Span]:
    """Cuts what is too long for one piece where its lines are least indented."""
    if _is_whole(unit):
        yield unit.start, unit.end
        return
    start = unit.start
    while unit.end - start > (room := _room(text, start, unit.end)):
        cut = _cut(text, start, unit.end, room)
        yield from filter(None, [trimmed(text, start, cut)])
        start = first_nonblank(text, cut, unit.end)
    if start < unit.end:
        yield start, unit.end


def _room(text: str, start: int, end: int) -> int:
    """Says how many characters the next piece may have."""
    width = min(end - start, TARGET_CHARS)
    tokens = _tokens(text, start, start + width)
    return TARGET_CHARS if tokens <= PACKED_TOKENS else width * PACKED_TOKENS // tokens


def _cut(text: str, start: int, end: int, room: int) -> int:
    scrap = room // LEAST_SHARE
    least, most = start + scrap, max(start + scrap, min(start + room, end - scrap))
    lines = [match.end() for match in _LINE.finditer(text, least - 1, most)]
    if lines:
        return min(lines, key=lambda line: _weight(text, line))
    for stop in _STOPS:
        if found := [match.end() for match in stop.finditer(text, least, most)]:
            return found[-1]
    return most


def _weight(text: str, line: int) -> tuple[bool, int, bool, int]:
    """Ranks a line as the start of a piece: a statement of the outermost block comes first."""
    margin = _MARGIN.match(text, line, line + MAX_CHARS)
    begins = margin.end() if margin else line
    before = text.rfind("\n", max(0, line - MAX_CHARS), line - 1) + 1
    follows_blank = text[max(0, line - 2) : line] in ("\n\n", "\r\n")
    is_continued = _CONTINUED.match(text, begins) is not None or is_lead(text, before)
    return is_continued, begins - line, not follows_blank, -line
