"""Writes Markdown block by block: headings, paragraphs, lists, quotes, code and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from knowwhy.text.patterns import regex

MAX_LEVELS = 8  # levels of lists that are shown; deeper ones would be mostly indentation
MAX_QUOTES = 3  # levels of quotes that are shown, for the same reason
MAX_COLUMNS = 50  # columns of a table that are kept; a wider one is a spreadsheet
MAX_TICKS = 50  # backticks in a row that a fence outdoes; code with more of them is indented
MAX_ADDRESS = 2000  # characters of a link's target; longer ones carry data

_SPACE = regex(r"\s+")
_TICKS = regex(r"`+")
_UNSAFE = regex(r"[\s()<>]")
_RULE_OR_HEADING = regex(r"#{1,6}(?:\s|$)|[=-]{3,}$")
_NO_TARGET = ("javascript:", "data:", "vbscript:", "#")


@dataclass(slots=True)
class Item:
    """A list item that is being written; its marker stands before its first line only."""

    marker: str
    used: bool = False

    def lead(self) -> str:
        """Gives what stands before the next line."""
        lead = " " * len(self.marker) if self.used else self.marker
        self.used = True
        return lead


@dataclass(slots=True)
class MarkdownWriter:
    """A Markdown text that grows by blocks."""

    items: list[Item] = field(default_factory=list)
    quotes: int = 0
    _pieces: list[str] = field(default_factory=list)
    _was_item: bool = False

    def paragraph(self, words: str) -> None:
        """Adds a paragraph, whose lines cannot be taken for headings or rules."""
        lines = [_SPACE.sub(" ", line).strip() for line in words.split("\n")]
        safe = [f"\\{line}" if _RULE_OR_HEADING.match(line) else line for line in lines if line]
        if safe:
            self._add(safe)

    def heading(self, level: int, words: str) -> None:
        """Adds a heading; within a list it is a paragraph of strong words."""
        title = " ".join(words.split()).strip("#* ")
        if title and self.items:
            self._add([f"**{title}**"])
        elif title:
            self._add([f"{'#' * level} {title}"])

    def code(self, text: str, language: str = "") -> None:
        """Adds code in a fence that is longer than any within it."""
        longest = max((len(run) for run in _TICKS.findall(text)), default=0)
        lines = [line.rstrip() for line in text.strip("\n").rstrip().split("\n")]
        fence = "`" * max(3, longest + 1)
        if not any(lines):
            return
        if longest < MAX_TICKS:
            self._add([fence + language, *lines, fence])
        else:
            self._add([f"    {line}" for line in lines])

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Adds a table; one of a single column becomes paragraphs."""
        filled = [row[:MAX_COLUMNS] for row in rows if any(row)]
        width = max(map(len, filled), default=0)
        if width < 2:
            for row in filled:
                self.paragraph(row[0])
            return
        lines = [_row([*row, *[""] * (width - len(row))]) for row in filled]
        self._add([lines[0], _row(["---"] * width), *lines[1:]])

    def text(self) -> str:
        """Gives all that was written."""
        return "".join(self._pieces).strip("\n")

    def _add(self, lines: Sequence[str]) -> None:
        starts_item = bool(self.items) and not self.items[-1].used
        shown = self.items[:MAX_LEVELS]
        quote = "> " * min(self.quotes, MAX_QUOTES)
        lead = quote + "".join(item.lead() for item in shown)
        indent = quote + "".join(" " * len(item.marker) for item in shown)
        if self.items:
            self.items[-1].used = True
        if self._pieces:
            self._pieces.append("\n" if starts_item and self._was_item else "\n\n")
        self._pieces.append(lead + lines[0])
        self._pieces += [f"\n{indent}{line}".rstrip(" ") for line in lines[1:]]
        self._was_item = bool(self.items)


def link(words: str, target: str) -> str:
    """Writes a link; one that leads nowhere is only its words."""
    address = target.strip()
    if not words or not address or len(address) > MAX_ADDRESS:
        return words
    if address.lower().startswith(_NO_TARGET) or words == address:
        return words
    safe = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", address)
    return f"[{words}]({safe})"


def code_span(words: str) -> str:
    """Writes code within a line."""
    longest = max((len(run) for run in _TICKS.findall(words)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {words} {ticks}" if longest else f"`{words}`"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
