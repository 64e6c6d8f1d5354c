"""Reads TOML, and changes one table in a file of it that people write: all else stays."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from knowwhy.errors import BadInput
from knowwhy.text.patterns import regex
from knowwhy.types import Json

MAX_PARTS = 40  # of a key; real ones have four or five

_HEADER = regex(r"\s*\[{1,2}([^\[\]]*)\]{1,2}\s*(?:#.*)?")
_BARE = regex(r"[A-Za-z0-9_-]+")

# The time and memory of tomllib grow with the square of the parts of a key: what stands in a text,
# a comment or a value is stepped over, as TOML reads it, to find a key with too many.
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"?+|'[^'\n]*+'?+)"""
_DOT = r"[ \t]*+\.[ \t]*+"
_LONG = rf"(?:{_PART}{_DOT}){{{MAX_PARTS}}}"
_TEXTS = (
    r"""\"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)"""
    r"""|'{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"""
)
_TO_LONG_KEY = regex(
    rf"""(?:{_TEXTS}|\#[^\n]*+|[^\w"'#-]++|(?!{_LONG}){_PART}(?:{_DOT}{_PART})*+)*+(?={_LONG})""",
    re.ASCII | re.DOTALL,
)


def load_toml(text: str) -> dict[str, Any]:
    """Parses TOML as `tomllib` does, except for keys that would take too long."""
    if before := _TO_LONG_KEY.match(text):
        line = text.count("\n", 0, before.end()) + 1
        problem = f"a key has more than {MAX_PARTS} parts (at line {line})"
        raise tomllib.TOMLDecodeError(problem)
    return tomllib.loads(text)


def read_toml(text: str) -> dict[str, Json]:
    """Reads TOML."""
    try:
        return load_toml(text)
    except ValueError as error:
        raise BadInput(f"it is no TOML: {error}") from None
    except RecursionError:
        raise BadInput("its values are nested too deeply") from None


def put_table(text: str, path: Sequence[str], values: Mapping[str, Json]) -> str:
    """Writes a table in place of the one that has its name, or at the end."""
    before = read_toml(text)
    lines = text.splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if _is_within(line, path)]
    written = _written(path, values)
    if not places:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        fresh = f"{text}{gap}{written}"
    else:
        spans = [(place, _end(lines, place)) for place in places]
        rest = {n for start, end in spans for n in range(start, end)}
        head = [line for n, line in enumerate(lines) if n < spans[0][0]]
        tail = [line for n, line in enumerate(lines) if n >= spans[0][0] and n not in rest]
        fresh = "".join((*head, written, *tail))
    if not _differs_only_there(before, fresh, path, values):
        raise BadInput(f"{'.'.join(path)} is written there in a way that cannot be changed safely")
    return fresh


def _is_within(line: str, path: Sequence[str]) -> bool:
    """Tells whether a line begins a table or a table inside it."""
    found = _HEADER.fullmatch(line.rstrip("\r\n"))
    if not found:
        return False
    names = [name.strip().strip("\"'") for name in found[1].split(".")]
    return names[: len(path)] == list(path)


def _end(lines: Sequence[str], start: int) -> int:
    """Finds where a table ends; comments before the next one belong to that."""
    after = (n for n in range(start + 1, len(lines)) if _HEADER.fullmatch(lines[n].rstrip("\r\n")))
    end = next(after, len(lines))
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip()[0] == "#"):
        end -= 1
    return end


def _written(path: Sequence[str], values: Mapping[str, Json]) -> str:
    rows = [f"{_name(name)} = {_value(value)}\n" for name, value in values.items()]
    return "".join((f"[{'.'.join(_name(name) for name in path)}]\n", *rows))


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    """Writes a string as JSON does, with the one character escaped that only TOML forbids."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Json) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_name(n)} = {_value(v)}' for n, v in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise BadInput(f"it holds a {type(value).__name__}, which cannot be written")


def _differs_only_there(
    before: Mapping[str, Json], fresh: str, path: Sequence[str], values: Mapping[str, Json]
) -> bool:
    """Proves that a change has changed nothing else."""
    try:
        after: Json = load_toml(fresh)
    except ValueError:
        return False
    one: Json = before
    for name in path[:-1]:
        others = {n: v for n, v in one.items() if n != name}
        if others != {n: v for n, v in after.items() if n != name}:
            return False
        one, after = one.get(name, {}), after.get(name, {})
        if not (isinstance(one, Mapping) and isinstance(after, Mapping)):
            return False
    last = path[-1]
    others = {n: v for n, v in one.items() if n != last}
    return others == {n: v for n, v in after.items() if n != last} and after.get(last) == values
