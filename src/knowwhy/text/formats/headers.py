"""The fields that stand before a document: YAML or TOML front matter, and header lines."""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache

from knowwhy.errors import BadInput
from knowwhy.text.formats import fields
from knowwhy.text.patterns import regex
from knowwhy.types import Json

MAX_BROKEN = 20_000  # characters of a broken head of which the lines are read
MIN_HEADER_LINES = 2  # one "Key: value" line may be the beginning of prose

_FENCE = regex(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSE = {
    "---": regex(r"^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.M),
    "+++": regex(r"^\+\+\+[ \t]*(?:\r\n?|\n|\Z)", re.M),
}
_KEY_LINE = regex(
    r"""(?:[ \t]*(?:\#[^\n]*)?\n)*+[ \t]*["']?[\w][\w .\-/]{0,60}(?:["']|(?<! ))\s*+[:=]"""
)
_PAIR = regex(
    r"[ \t]{0,20}[\"']?([A-Za-z_][\w .\-/]{0,60}?)(?:[\"']|(?<! ))[ \t]*+[:=](?:[ \t]+(.*)|[ \t]*)$"
)
_ITEM = regex(r"[ \t]{0,20}-[ \t]+(\S.*)$")
_FILLED_IN = regex(r"\{\{|\{%|<%|\$\{")  # a place in which a program puts something
_CLOSES = {'"': '"', "'": "'", "[": "]", "{": "}"}
_HEADING = regex(r"^#{1,6}[ \t][^\n]{0,300}\n[ \t]*\n", re.M)  # a comment has no blank line below
_HEADER = regex(r"([A-Za-z][\w-]{0,40}+(?: [\w-]{1,40}+){0,3}):(?:[ \t]+(.*))?$")


def front_matter_end(text: str) -> int:
    """Give the offset where the body starts after front matter, or 0 when there is none."""
    span = _front_span(text)
    return span[3] if span else 0


def front_matter(text: str) -> tuple[dict[str, Json], int]:
    """Read the front matter into JSON values, with the offset where the body starts.

    Of one that cannot be read what its lines say counts; `head_fault` tells what is wrong.
    """
    span = _front_span(text)
    if not span:
        return {}, 0
    found, why = _front(text, span)
    if not isinstance(found, dict):
        return {}, span[3] if why else 0
    return {name: value for name, value in found.items() if not is_no_title(name, value)}, span[3]


def head_fault(text: str) -> str | None:
    """Say what is wrong with the front matter of a text, of which only lines could be read."""
    span = _front_span(text)
    return _front(text, span)[1] if span else None


def _front(text: str, span: tuple[str, int, int, int]) -> tuple[Json, str | None]:
    fence, start, end, body = span
    source = text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    language = "TOML" if fence == "+++" else "YAML"
    found, why = deepcopy(_read(source, language))
    if why is None and end == body:
        why = f"The {language} has no line {fence} at its end"
    return found, why


@lru_cache(maxsize=8)
def _read(source: str, language: str) -> tuple[Json, str | None]:
    try:
        return fields.read(source, language, first_line=2), None
    except BadInput as error:
        return _lines_of(source), str(error).rstrip(".")


def _lines_of(source: str) -> dict[str, Json]:
    """Read what the lines of a broken head say one by one: keys with a value, or a list below."""
    found: dict[str, Json] = {}
    key = ""
    for line in source[:MAX_BROKEN].split("\n"):
        item, pair = _ITEM.match(line), _PAIR.match(line)
        if item and key:
            listed = found.get(key)
            found[key] = [*(listed if isinstance(listed, list) else ()), _unquoted(item[1])]
        elif pair:
            key = pair[1].strip()
            found.setdefault(key, _unquoted(pair[2] or "") or None)
    return {name: value for name, value in found.items() if value is not None}


def _unquoted(value: str) -> str:
    value = value.strip().rstrip(",")
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def is_no_title(name: str, value: Json) -> bool:
    """Tell a title of which half is missing or that a program fills in, so that others count."""
    if name.strip().lower() != "title":
        return False
    if not isinstance(value, str):
        return isinstance(value, dict) and _FILLED_IN.search(str(value)[:MAX_BROKEN]) is not None
    written = value.strip()
    opens, closes = written[:1], _CLOSES.get(written[:1], "")
    is_half = bool(closes) and (
        closes not in written[1:] if opens != closes else written.count(opens) % 2 == 1
    )
    is_cut = written.endswith('"') and written.count('"') == 1
    return is_half or is_cut or _FILLED_IN.search(written) is not None


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
    found = {name: value for name, value in found.items() if not is_no_title(name, value)}
    return (found, end) if count >= MIN_HEADER_LINES else ({}, 0)


def _lines(text: str, start: int = 0) -> Iterator[tuple[int, str, int]]:
    position = start or (1 if text.startswith("\ufeff") else 0)
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
    if closing:
        source = text[opening.end() : closing.start()]
        if _has_keys(source) or _is_whole(source, opening[1]):
            return opening[1], opening.end(), closing.start(), closing.end()
    end = _open_end(text, opening.end())
    return (opening[1], opening.end(), end, end) if end else None


def _has_keys(source: str) -> bool:
    """Tell a head by its look, whether it can be read or not: most lines are of a key."""
    if _HEADING.search(source):
        return False
    lines = [line for line in source[:MAX_BROKEN].split("\n") if line.strip()]
    keyed = sum(
        line[:1] in " \t-#]}" or _PAIR.match(line.rstrip("\r")) is not None for line in lines
    )
    return 2 * keyed >= len(lines)


def _is_whole(source: str, fence: str) -> bool:
    """Tell an unusual head from a text that a rule further down seems to close."""
    found, why = _read(source.replace("\r\n", "\n"), "TOML" if fence == "+++" else "YAML")
    return why is None and isinstance(found, dict)


def _open_end(text: str, start: int) -> int:
    """Give where a head without a line at its end stops: with its last key; 0 when it is none."""
    count = end = 0
    for at, line, after in _lines(text, start):
        is_pair = _PAIR.match(line) is not None
        is_below = bool(count) and (line[:1] in (" ", "\t", "-") and bool(line.strip()))
        if at - start > MAX_BROKEN or not (is_pair or is_below):
            break
        count, end = count + is_pair, after
    return end if count >= MIN_HEADER_LINES else 0
