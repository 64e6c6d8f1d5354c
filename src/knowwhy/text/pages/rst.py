"""The headings and tables that only reStructuredText has."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from knowwhy.text.patterns import regex

MAX_COLUMNS = 50  # of a grid table; wider drawings are pictures

_ADORNMENT = regex(r"([!-/:-@\[-`{-~])\1{2,}+[ \t]*$")
_BORDER = regex(r"[ \t]*\+(?:-++\+|=++\+)++[ \t]*$")
_LIST_TABLE = regex(r"[ \t]*\.\. list-table::")
_ROW = regex(r"([ \t]+\*[ \t]+)-(?:[ \t]+(.*))?$")
_CELL = regex(r"([ \t]+)-(?:[ \t]+(.*))?$")

Title = tuple[str, tuple[str, bool], int]  # words, adornment with or without overline, lines
Rows = list[tuple[str, ...]]


def title_at(lines: list[str], at: int) -> Title | None:
    """Read the underlined title that starts at a line, if there is one."""
    if at and lines[at - 1].strip() and not lines[at - 1].startswith(".. "):
        return None
    following = [*lines[at + 1 : at + 3], "", ""]
    over = _ADORNMENT.match(lines[at])
    if over:
        title, under = following[0].strip(), following[1]
        framed = title and not _ADORNMENT.match(title) and lines[at] == under
        return (title, (over[1], True), 3) if framed and _is_long(under, title) else None
    title = lines[at]
    under_line = _ADORNMENT.match(following[0])
    if not under_line or not title or title[0].isspace() or title.startswith(".. "):
        return None
    return (title, (under_line[1], False), 2) if _is_long(following[0], title) else None


def _is_long(adornment: str, title: str) -> bool:
    return len(adornment) >= min(len(title), 4)  # docutils forgives from four on


def rst_tables(text: str) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """Read the grid tables and list tables of a text, as header and rows with their markup."""
    lines = text.splitlines()
    position = 0
    while position < len(lines):
        if _BORDER.match(lines[position]):
            end = _end(lines, position, _is_grid_line)
            yield _grid(lines[position:end])
        elif _LIST_TABLE.match(lines[position]):
            end = _end(lines, position + 1, _is_indented)
            yield _list_table(lines[position + 1 : end])
        else:
            end = position + 1
        position = end


def _end(lines: list[str], start: int, belongs: Callable[[str], bool]) -> int:
    return next((at for at in range(start, len(lines)) if not belongs(lines[at])), len(lines))


def _is_grid_line(line: str) -> bool:
    return line.lstrip()[:1] in ("+", "|")


def _is_indented(line: str) -> bool:
    return not line.strip() or line[0] in " \t"


def _grid(lines: list[str]) -> tuple[tuple[str, ...], Rows]:
    columns = [at for at, letter in enumerate(lines[0]) if letter == "+"][: MAX_COLUMNS + 1]
    spans = list(pairwise(columns))
    header: tuple[str, ...] = ()
    rows: Rows = []
    cells: list[list[str]] = [[] for _ in spans]
    for line in lines[1:]:
        if not _BORDER.match(line):
            for cell, (start, end) in zip(cells, spans, strict=True):
                cell.append(line[start + 1 : end].strip())
            continue
        if any(cells):
            rows.append(tuple(" ".join(filter(None, cell)) for cell in cells))
        cells = [[] for _ in spans]
        if "=" in line and rows and not header:
            header = rows.pop()
    return header, rows


def _list_table(lines: list[str]) -> tuple[tuple[str, ...], Rows]:
    rows: list[list[list[str]]] = []
    has_header = False
    column = 0  # where the dashes of this table's cells stand; deeper ones are lists in a cell
    for line in lines:
        row, cell = _ROW.match(line), _CELL.match(line)
        if row:
            rows.append([[row[2] or ""]])
            column = len(row[1])
        elif cell and rows and len(cell[1]) == column:
            rows[-1].append([cell[2] or ""])
        elif rows:
            rows[-1][-1].append(line.strip())
        elif line.strip().startswith(":header-rows: 1"):
            has_header = True
    joined = [tuple(" ".join(filter(None, cell)) for cell in row) for row in rows]
    return (joined[0], joined[1:]) if has_header and joined else ((), joined)
