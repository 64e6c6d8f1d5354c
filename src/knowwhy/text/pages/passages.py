"""How a record becomes passages, and what the search engines read of each."""

from bisect import bisect_right
from functools import lru_cache

from knowwhy.text.pages.chunks import chunks
from knowwhy.text.pages.forms import OWN_WAY, form_of
from knowwhy.text.patterns import regex
from knowwhy.text.source.languages import language_of
from knowwhy.text.source.symbols import code_chunks
from knowwhy.types import Chunk

CODE = "code"  # the kind of record that is cut along its symbols
_WORD = regex(r"[^\W\d_]{3}|[^\W\d_a-zA-Z]{2}")  # D14:30 is none, ADR and 决定 are
KEPT = 256  # records; each is cut before its batch is embedded and again when it is written


@lru_cache(maxsize=KEPT)
def cut(content: str, kind: str, path: str | None) -> tuple[Chunk, ...]:
    """Cuts a record's content by the form that its path announces."""
    if kind == CODE:
        return tuple(code_chunks(content, language_of(path or "", content)))
    suffix = form_of(path) if path else ""
    return tuple(chunks(content, ".md" if suffix in RENDERED else suffix))


# Sources that are stored as the Markdown that their reader made of them.
RENDERED = (".json", ".yaml", ".yml", ".html", ".htm", ".pdf", ".vtt", ".srt", *OWN_WAY)


def search_text(title: str | None, heading: str | None, text: str) -> str:
    """Joins title, heading path and text; a title that is only a number or repeated is left out."""
    told = title if title and _WORD.search(title) else None
    parts = [told, heading if heading != title else None, text]
    return "\n".join(part for part in parts if part)


def in_context(context: str | None, position: int, text: str) -> str:
    """Puts the end of the turn that it answers before a turn, but not before each later part."""
    return f"{context}\n{text}" if context and position <= 0 else text


class LineCounter:
    """Gives the line number of a character offset in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [i for i, char in enumerate(text) if char == "\n"]

    def at(self, offset: int) -> int:
        """Returns the 1-based line of an offset."""
        return bisect_right(self._ends, offset - 1) + 1
