"""Gathers the words of a web page into Markdown blocks while its elements open and close."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from knowwhy.text.pages.markdown_writer import Item, MarkdownWriter, code_span, link
from knowwhy.text.patterns import regex

MAX_CLASSES = 500  # characters of an element's classes in which a language is looked for
MAX_ALT = 300  # characters of what an image shows; longer ones are not written for readers

HEADINGS = {f"h{level}": level for level in range(1, 7)}
Element = Any  # lxml's, which has no types

_BLOCKS_WORDS = """
address article aside blockquote body caption center dd details div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section
summary table tbody td tfoot th thead tr ul
"""
_BLOCKS = frozenset(_BLOCKS_WORDS.split())
_MARKED = {
    **dict.fromkeys(("b", "strong", "dt"), "strong"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    "a": "link",
}
_HAS_LANGUAGE = frozenset(("div", "figure", "pre", "code"))
_LANGUAGE = regex(r"(?:^|\s)(?:lang(?:uage)?|highlight(?:-source)?)-([a-z][\w+#]{0,20})")
_NO_LANGUAGE = frozenset(("default", "text", "none", "plaintext", "notranslate"))
_SPACE = regex(r"\s+")


@dataclass(slots=True)
class _Mark:
    """A run of words within a block that gets a mark around it."""

    kind: str
    start: int  # the place among the words where it begins
    block: int  # the block in which it began; a mark does not reach over blocks
    target: str


@dataclass(slots=True)
class PageBlocks:
    """A page that is being turned into Markdown."""

    layout: Collection[Element]  # tables that only place things
    markdown: MarkdownWriter = field(default_factory=MarkdownWriter)
    _words: list[str] = field(default_factory=list)
    _marks: list[_Mark | None] = field(default_factory=list)
    _open_kinds: set[str] = field(default_factory=set)
    _block: int = 0
    _heading: int = 0
    _pre: int = 0
    _language: str = ""
    _rows: list[list[str]] | None = None  # of the table that is open
    _counts: list[int] = field(default_factory=list)  # of open lists; -1 has no numbers

    def write(self, text: str) -> None:
        """Takes text as it stands in the page."""
        if text:
            self._words.append(text if self._pre else _SPACE.sub(" ", text))

    def open(self, element: Element) -> None:
        """Begins an element."""
        tag = element.tag
        if tag in _BLOCKS:
            self._end_block()
        if tag in _HAS_LANGUAGE and (tag != "code" or self._pre):
            self._language = _language(element) or self._language
        if tag in _MARKED:
            self._open_mark(_MARKED[tag], element.get("href") or "")
        elif tag == "br":
            self._words.append("\n")
        elif tag == "img" and (element.get("alt") or "").strip():
            self.write(f"(image: {element.get('alt').strip()[:MAX_ALT]})")
        elif tag == "pre":
            self._pre += 1
        elif self._rows is not None:
            self._open_cell(tag)
        elif not self._pre:
            self._open_block(tag, element)
        self.write(element.text or "")

    def close(self, element: Element) -> None:
        """Ends an element."""
        tag = element.tag
        if tag in _MARKED:
            self._close_mark()
        if tag == "pre":
            self._close_code()
        elif tag in _BLOCKS:
            self._end_block()
            self._close_block(tag)

    def text(self) -> str:
        """Gives the whole page as Markdown."""
        self._end_block()
        return self.markdown.text()

    def _open_block(self, tag: str, element: Element) -> None:
        self._heading = HEADINGS.get(tag, self._heading)
        if tag in ("ul", "ol"):
            self._counts.append(0 if tag == "ol" else -1)
        elif tag == "li":
            self.markdown.items.append(Item(self._marker()))
        elif tag == "blockquote":
            self.markdown.quotes += 1
        elif tag == "table" and element not in self.layout:
            self._rows = []

    def _marker(self) -> str:
        if not self._counts or self._counts[-1] < 0:
            return "- "
        self._counts[-1] += 1
        return f"{self._counts[-1]}. "

    def _open_cell(self, tag: str) -> None:
        if self._rows is not None and tag == "tr":
            self._rows.append([])
        elif self._rows and tag in ("td", "th"):
            self._rows[-1].append("")

    def _close_block(self, tag: str) -> None:
        if self._pre:
            return
        if self._rows is not None:
            if tag == "table":
                self.markdown.table(self._rows)
                self._rows = None
            return
        if tag in HEADINGS:
            self._heading = 0
        elif tag in ("ul", "ol"):
            self._counts.pop()
        elif tag == "li":
            self.markdown.items.pop()
        elif tag == "blockquote":
            self.markdown.quotes -= 1

    def _open_mark(self, kind: str, target: str) -> None:
        if self._pre or kind in self._open_kinds:
            self._marks.append(None)
            return
        self._open_kinds.add(kind)
        self._marks.append(_Mark(kind, len(self._words), self._block, target))

    def _close_mark(self) -> None:
        mark = self._marks.pop()
        if mark is None:
            return
        self._open_kinds.discard(mark.kind)
        inner = "".join(self._words[mark.start :]) if mark.block == self._block else ""
        if words := inner.strip():
            before = inner[: inner.index(words[0])]
            shown = words if "\n" in words else _marked(mark, words)
            self._words[mark.start :] = [before, shown, inner[len(before) + len(words) :]]

    def _close_code(self) -> None:
        self._pre -= 1
        if not self._pre:
            text = "".join(self._words)
            self._words.clear()
            self._block += 1
            self.markdown.code(text, self._language)
            self._language = ""

    def _end_block(self) -> None:
        """Writes the words that were gathered as a block of their own, or into their cell."""
        if self._pre:
            if self._words and not self._words[-1].endswith("\n"):
                self._words.append("\n")
            return
        text = "".join(self._words).strip()
        self._words.clear()
        self._block += 1
        if not text:
            return
        if self._rows and self._rows[-1]:
            self._rows[-1][-1] = f"{self._rows[-1][-1]} {_SPACE.sub(' ', text)}".strip()
        elif self._heading:
            self.markdown.heading(self._heading, text)
        else:
            self.markdown.paragraph(text)


def _marked(mark: _Mark, words: str) -> str:
    if mark.kind == "strong":
        return f"**{words}**"
    return code_span(words) if mark.kind == "code" else link(words, mark.target)


def _language(element: Element) -> str:
    match = _LANGUAGE.search((element.get("class") or "")[:MAX_CLASSES].lower())
    return match[1] if match and match[1] not in _NO_LANGUAGE else ""
