"""The fields that stand before a document: YAML or TOML front matter, and header lines."""

import re
from collections.abc import Iterator

from knowwhy.text.formats import fields
from knowwhy.text.patterns import regex
from knowwhy.types import Json

MIN_HEADER_LINES = 2  # one "Key: value" line may be the beginning of prose

_FENCE = regex(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSE = {
    "---": regex(r"^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.M),
    "+++": regex(r"^\+\+\+[ \t]*(?:\r\n?|\n|\Z)", re.M),
}
_KEY_LINE = regex(r"""(?:[ \t]*(?:\#[^\n]*)?\n)*+[ \t]*["']?[\w][\w .\-/]{0,60}["']?\s*[:=]""")
_HEADER = regex(r"([A-Za-z][\w-]{0,40}+(?: [\w-]{1,40}+){0,3}):(?:[ \t]+(.*))?$")


def front_matter_end(text: str) -> int:
    """Give the offset where the body starts after front matter, or 0 when there is none."""
    span = _front_span(text)
    return span[3] if span else 0


def front_matter(text: str) -> tuple[dict[str, Json], int]:
    """Read the front matter into JSON values, with the offset where the body starts."""
    span = _front_span(text)
    if not span:
        return {}, 0
    fence, start, end, body = span
    source = text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    found = fields.read(source, "TOML" if fence == "+++" else "YAML", first_line=2)
    return (found, body) if isinstance(found, dict) else ({}, 0)


def header_fields(text: str) -> tuple[dict[str, str], int]:
    """Read the `Key: value` lines that open a text, with the offset where its body starts."""
    parts: dict[str, list[str]] = {}
    key, count, end = "", 0, 0
    for start, line, after in _lines(text):
        if not line.strip():
            if count:
                break
        elif key and line[0] in " \t":
            parts[key] += [" ", line.strip()]
        else:
            match = _HEADER.match(line.rstrip())
            if not match:
                return {}, 0
            key, count = match[1], count + 1
            value = (match[2] or "").strip()
            parts.setdefault(key, []).extend([", ", value])
        end = after if line.strip() else start
    found = {name: "".join(written[1:]).strip() for name, written in parts.items()}
    return (found, end) if count >= MIN_HEADER_LINES else ({}, 0)


def _lines(text: str) -> Iterator[tuple[int, str, int]]:
    position = 1 if text.startswith("\ufeff") else 0
    while position < len(text):
        newline = text.find("\n", position)
        after = newline + 1 if newline >= 0 else len(text)
        yield position, text[position:after].rstrip("\r\n"), after
        position = after


def _front_span(text: str) -> tuple[str, int, int, int] | None:
    opening = _FENCE.match(text)
    if not opening or not _KEY_LINE.match(text, opening.end()):
        return None
    closing = _CLOSE[opening[1]].search(text, opening.end())
    return (opening[1], opening.end(), closing.start(), closing.end()) if closing else None
