"""Changes one value in a JSON file that people write: comments, order and layout stay."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from knowwhy.errors import BadInput
from knowwhy.text.patterns import regex
from knowwhy.types import Json

INDENT = 2  # spaces, where a file does not show another
DEEPEST = 100  # levels that are read; no settings nest deeper
_SPACE = regex(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = regex(r'"(?:[^"\\\n]|\\.)*"')
_REST_OF_LINE = regex(r"[ \t]*(?://[^\r\n]*)?")
_WORD = regex(r"[^\s,\]\}/:\"\[\{]+")


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object, by where it stands."""

    name: str
    start: int  # of its name
    value: int  # where its value starts
    end: int  # where its value ends


@dataclass(frozen=True, slots=True)
class _Item:
    """An object as it stands in the text."""

    start: int
    end: int
    members: tuple[_Member, ...] | None  # None when it is no object


def read_jsonc(text: str) -> Json:
    """Reads JSON with comments and commas before a closing bracket."""
    if not text.strip("\ufeff \t\r\n"):
        return {}
    value, end = _value(text, _skip(text, int(text.startswith("\ufeff"))), 0)
    if _skip(text, end) != len(text):
        raise BadInput(f"there is more after the end of the JSON, in line {_line(text, end)}")
    return value


def put(text: str, path: Sequence[str], value: Json) -> str:
    """Writes a value at a path of names, making the objects on the way; the rest stays as it is."""
    before = read_jsonc(text)
    if not isinstance(before, dict):
        raise BadInput("it holds no object")
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    unit = _unit(text)
    start = _skip(text, int(text.startswith("\ufeff")))
    for depth, name in enumerate(path):
        item = _item(text, start)
        if item.members is None:
            raise BadInput(f"{'.'.join(path[:depth])} is no object")
        found = next((m for m in reversed(item.members) if m.name == name), None)
        if found is None:
            return _insert(text, item, name, _nested(path[depth + 1 :], value), unit)
        start = found.value
    end = found.end if found is not None else start
    return text[:start] + _written(value, unit, _margin(text, start)) + text[end:]


def _nested(names: Sequence[str], value: Json) -> Json:
    for name in reversed(names):
        value = {name: value}
    return value


def _insert(text: str, item: _Item, name: str, value: Json, unit: str) -> str:
    """Adds a member at the end of an object."""
    margin = _margin(text, item.start)
    inner = margin + unit
    member = f"{json.dumps(name, ensure_ascii=False)}: {_written(value, unit, inner)}"
    members = item.members or ()
    if not members:
        rest = text[item.start + 1 : item.end - 1].rstrip()
        return f"{text[: item.start + 1]}{rest}\n{inner}{member}\n{margin}{text[item.end - 1 :]}"
    last = members[-1].end
    after = _skip(text, last)
    has_comma = text[after : after + 1] == ","
    if has_comma:  # its own style ends with a comma
        last = after + 1
    comma, tail = ("", ",") if has_comma else (",", "")
    line_end = last + len(_REST_OF_LINE.match(text, last)[0])  # type: ignore[index]  # it may be ""
    if text[line_end : line_end + 1] in ("\r", "\n"):
        kept = f"{text[:last]}{comma}{text[last:line_end]}"
        return f"{kept}\n{inner}{member}{tail}{text[line_end:]}"
    gap = " " if "\n" not in text[item.start : item.end] else f"\n{inner}"
    return f"{text[:last]}{comma}{gap}{member}{tail}{text[last:]}"


def _written(value: Json, unit: str, margin: str) -> str:
    indent: Any = unit if "\t" in unit else len(unit)
    return json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", f"\n{margin}")


def _margin(text: str, place: int) -> str:
    """Gives what the line of a place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else " " * INDENT


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _item(text: str, place: int) -> _Item:
    """Finds the members of the object that starts at a place."""
    if text[place : place + 1] != "{":
        return _Item(place, place, None)
    members: list[_Member] = []
    at = _skip(text, place + 1)
    while text[at : at + 1] != "}":
        start = at
        name, at = _value(text, at, 0)
        value = _skip(text, _skip(text, at) + 1)
        _, end = _value(text, value, 0)
        members.append(_Member(str(name), start, value, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return _Item(place, at + 1, tuple(members))


def _value(text: str, place: int, depth: int) -> tuple[Json, int]:
    """Reads a value and tells where it ends."""
    if depth > DEEPEST:
        raise BadInput(f"it nests deeper than {DEEPEST} levels")
    mark = text[place : place + 1]
    if mark == "{":
        return _object(text, place, depth)
    if mark == "[":
        return _list(text, place, depth)
    found = (_STRING if mark == '"' else _WORD).match(text, place)
    try:
        return json.loads(found[0] if found else ""), found.end() if found else place
    except ValueError:
        raise BadInput(f"it is no JSON, in line {_line(text, place)}") from None


def _object(text: str, place: int, depth: int) -> tuple[dict[str, Json], int]:
    read: dict[str, Json] = {}
    at = _skip(text, place + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise BadInput(f"it is no JSON, in line {_line(text, at)}")
        name, end = _value(text, at, depth)
        at = _expect(text, end, ":")
        read[name], end = _value(text, at, depth + 1)
        at = _next(text, end, "}")
    return read, at + 1


def _list(text: str, place: int, depth: int) -> tuple[list[Json], int]:
    read: list[Json] = []
    at = _skip(text, place + 1)
    while text[at : at + 1] != "]":
        item, end = _value(text, at, depth + 1)
        read.append(item)
        at = _next(text, end, "]")
    return read, at + 1


def _next(text: str, end: int, closing: str) -> int:
    """Goes on after a value: past its comma, or to the end of what holds it."""
    at = _skip(text, end)
    return at if text[at : at + 1] == closing else _expect(text, end, ",")


def _expect(text: str, end: int, mark: str) -> int:
    at = _skip(text, end)
    if text[at : at + 1] != mark:
        raise BadInput(f"it is no JSON: a {mark} is missing in line {_line(text, at)}")
    return _skip(text, at + 1)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
