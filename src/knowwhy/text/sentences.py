"""Cuts a text into what is kept or left out as a whole: sentences, list items, rows, code lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from knowwhy.text.patterns import regex

MAX_HEADS = 4  # headings above a piece that come with it: a section, a table, a fence, a class
TAB_CHARS = 4  # columns of a tab, when indentations are compared

_LINE = regex(r"[^\n]*\n?")
_FENCE = regex(r"[ \t]*(`{3,}|~{3,})")
_HEADING = regex(r" {0,3}(#{1,6})[ \t]+\S")
_UNDERLINE = regex(r"(?:={3,}|-{3,}|~{3,}|\^{3,}|\"{3,})[ \t\r]*\n?\Z")
_TABLE_RULE = regex(r"[ \t]*+(?:\|[ \t]*+)?:?--[-:| \t\r]*+\n?\Z")
_ITEM = regex(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+\S")
_FIELD = regex(r"[A-Z][\w ./'()-]{0,40}:[ \t]")  # as in Status: accepted
_STOP = regex(r"""[.!?…][)\]"'”’*_`]{0,3}\s+(?=[^\sa-z])|[。！？]""")
_ABBREVIATION = regex(
    r"(?:\b(?:[A-Za-z]|e\.g|i\.e|etc|cf|vs|al|approx|Dr|Mr|Mrs|Ms|No|Fig|Sec|St|Inc|Ltd)|\.\w)\Z"
)
ABBREVIATION_CHARS = 8  # characters before a stop that are looked at
_CLOSED = (".", "!", "?", ":", ";", "。", "！", "？", "|")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, with the pieces before it that it cannot be read without."""

    start: int
    end: int
    block: int  # pieces of one paragraph, item or row have one number
    is_heading: bool = False  # says nothing alone
    head: int | None = None  # the piece that heads it; that one may have a head of its own
    tail: int | None = None  # the piece that closes what it opens
    kind: str = "text"  # of the lines that it is made of: heading, fence, code, row, item or field


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    kind: str  # heading, underline, fence, code, row, item, field, text or blank
    indent: int = 0
    level: int = 0  # of a heading; also of the row that heads a table


def pieces(text: str, *, code: bool = False) -> list[Piece]:
    """Returns the pieces of a text in order; between them is nothing but blanks."""
    lines = list(_code_lines(text) if code else _lines(text))
    return _headed_code(lines, text) if code else _headed(text, lines)


def heads(found: Sequence[Piece], place: int) -> Iterator[int]:
    """Yields the places of the pieces that one cannot be read without, the nearest head first."""
    head = found[place].head
    for _ in range(MAX_HEADS):
        if head is None:
            return
        yield head
        tail = found[head].tail
        if tail is not None:
            yield tail
        head = found[head].head


def first_heading(text: str) -> tuple[str, int]:
    """Returns the words of the heading that a text begins with and where it ends, or nothing."""
    first = next((line for line in _lines(text) if line.kind != "blank"), None)
    if first is None or first.kind != "heading":
        return "", 0
    return text[first.start : first.end].partition("\n")[0].strip().strip("#").strip(), first.end


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the spans of the sentences between two offsets."""
    begin = start
    for stop in _STOP.finditer(text, start, end):
        before = text[max(start, stop.start() - ABBREVIATION_CHARS) : stop.start()]
        is_number = text[begin : min(stop.start(), begin + ABBREVIATION_CHARS)].strip().isdigit()
        if text[stop.start()] == "." and (is_number or _ABBREVIATION.search(before)):
            continue
        yield begin, stop.start() + len(stop[0].rstrip())
        begin = stop.end()
    if last := len(text[begin:end].rstrip()):
        yield begin, begin + last


def _code_lines(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        if match[0].strip():
            end = match.start() + len(match[0].rstrip())
            yield _Line(match.start(), end, "code", _indent(match[0]))


def _indent(line: str) -> int:
    margin = line[: len(line) - len(line.lstrip())]
    return len(margin.replace("\t", " " * TAB_CHARS))


def _headed_code(lines: list[_Line], text: str) -> list[Piece]:
    """Heads each line of code by the nearest line above it that is less indented."""
    found: list[Piece] = []
    above: list[int] = []
    for place, line in enumerate(lines):
        while above and lines[above[-1]].indent >= line.indent:
            above.pop()
        head = above[-1] if above else None
        found.append(Piece(line.start, line.end, place, head=head, kind=line.kind))
        if any(char.isalnum() for char in text[line.start : line.end]):  # no lone bracket
            above.append(place)
    return found


def _lines(text: str) -> Iterator[_Line]:
    """Yields the lines of a text with what each is; a rule is joined to the line above it."""
    fence, before = "", None
    for match in _LINE.finditer(text):
        if not match[0]:
            continue
        line = _read(match, fence, before)
        if line.kind == "fence":
            mark = _FENCE.match(match[0])
            fence = "" if fence else (mark[1] if mark else "")
        if before and line.kind in ("underline", "rule"):
            kind = "heading" if line.kind == "underline" else "row"
            before = replace(before, end=line.end, kind=kind, level=line.level)
            continue
        if before:
            yield before
        before = line
    if before:
        yield before


def _read(match: re.Match[str], fence: str, before: _Line | None) -> _Line:
    """Says what one line is, by itself and by the line before it."""
    written, start = match[0], match.start()
    end, indent = start + len(written.rstrip()), _indent(written)
    if not written.strip():
        return _Line(start, start, "blank")
    mark = _FENCE.match(written)
    if fence:
        closes = mark is not None and mark[1].startswith(fence)
        return _Line(start, end, "fence" if closes else "code", indent)
    if mark:
        return _Line(start, end, "fence", indent)
    if hashes := _HEADING.match(written):
        return _Line(start, end, "heading", level=len(hashes[1]))
    if before and before.kind in ("text", "field") and _UNDERLINE.match(written):
        return _Line(start, end, "underline", level=1 if written[0] == "=" else 2)
    if before and before.kind == "row" and _TABLE_RULE.match(written):
        return _Line(start, end, "rule", indent, level=1)
    if written.lstrip().startswith("|"):
        return _Line(start, end, "row", indent)
    if _ITEM.match(written):
        return _Line(start, end, "item", indent)
    return _Line(start, end, "field" if _FIELD.match(written) else "text", indent)


def _headed(text: str, lines: list[_Line]) -> list[Piece]:
    """Cuts paragraphs into sentences, and heads every piece by what it stands under."""
    outline = _Outline()
    for number, (start, end, line) in enumerate(_blocks(text, lines)):
        whole = line.kind not in ("text", "field")
        for begin, stop in [(start, end)] if whole else sentences(text, start, end):
            outline.add(begin, stop, number, line)
    return outline.found


class _Outline:
    """The pieces of a text as they come, under the headings, tables and fences that are open."""

    def __init__(self) -> None:
        self.found: list[Piece] = []
        self._sections: list[tuple[int, int]] = []  # level and place of each open heading
        self._table: int | None = None
        self._fence: int | None = None

    def add(self, start: int, end: int, block: int, line: _Line) -> None:
        """Takes in the next piece."""
        if line.kind == "heading":
            while self._sections and self._sections[-1][0] >= line.level:
                self._sections.pop()
        place, head = len(self.found), self._head(line)
        is_heading = line.kind in ("heading", "fence") or (line.kind == "row" and line.level > 0)
        self.found.append(Piece(start, end, block, is_heading, head, kind=line.kind))
        if line.kind == "heading":
            self._sections.append((line.level, place))
        elif line.kind == "fence":
            self._mark(place)
        self._table = self._in_table(place) if line.kind == "row" else None

    def _head(self, line: _Line) -> int | None:
        if self._fence is not None:
            return self._fence
        if line.kind == "row" and self._table is not None:
            return self._table
        return self._sections[-1][1] if self._sections else None

    def _mark(self, place: int) -> None:
        if self._fence is None:
            self._fence = place
            return
        self.found[self._fence] = replace(self.found[self._fence], tail=place)
        self._fence = None

    def _in_table(self, place: int) -> int:
        return place if self._table is None else self._table


def _blocks(text: str, lines: list[_Line]) -> Iterator[tuple[int, int, _Line]]:
    """Joins the lines of a paragraph and those of a list item."""
    group: tuple[int, int, _Line] | None = None
    after_blank = True
    for line in lines:
        if group and _goes_on(text, group, line, after_blank):
            group = (group[0], line.end, group[2])
        elif line.kind != "blank":
            if group:
                yield group
            group = (line.start, line.end, line)
        after_blank = line.kind == "blank"
    if group:
        yield group


def _goes_on(text: str, group: tuple[int, int, _Line], line: _Line, after_blank: bool) -> bool:
    """Tells whether a line goes on with what was begun."""
    begun = group[2].kind
    if begun not in ("item", "text", "field"):
        return False
    if line.kind == "field":
        if begun == "field" or after_blank:
            return False
        return not text.endswith(_CLOSED, 0, group[1]) and begun == "text"
    if begun == "item" and after_blank:
        return line.kind == "text" and line.indent > group[2].indent
    return line.kind == "text" and not after_blank
