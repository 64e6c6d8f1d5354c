"""Reads YAML, TOML and JSON fields with limits."""

import json
import math
import re
import tomllib
from collections.abc import Callable
from datetime import date, time
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.reader import ReaderError

from knowwhy.errors import BadInput
from knowwhy.text.characters import check_characters
from knowwhy.text.formats.toml_tables import load_toml
from knowwhy.text.patterns import regex
from knowwhy.types import Json

MAX_CHARS = 200_000  # characters of YAML or TOML; PyYAML reads about 100 kB in a second
MAX_ALIASES = 10  # nested by threes, ten aliases can multiply the text by no more than 39
MAX_VALUES = 50_000  # values in one source, after aliases are written out; more are an export
MAX_DEPTH = 40  # levels; real fields have four or five, and PyYAML's time grows with their square
MAX_WHOLE = 10**18  # what is larger is an identifier, and JSON columns hold 64 bits
MAX_PROBLEM = 200  # characters of what a parser says is wrong; some of them repeat the source

_WHOLE = regex(r"-?(?:0|[1-9]\d*)", re.ASCII)
_UNUSUAL = regex(r"[:_]")  # in a number: 14:05:00.5 would be read as 50700.5
_TOML_PLACE = " (at "  # ends what its reader says: (at line 3, column 5), or (at end of document)
_TOML_LINE = regex(r"line (\d{1,9})")


def read(source: str, language: str, first_line: int = 1) -> Json:
    """Reads YAML, TOML or JSON into what JSON can hold, or says in which line it cannot."""
    if language != "JSON" and len(source) > MAX_CHARS:
        raise BadInput(
            f"The {language} has {len(source):,} characters; at most {MAX_CHARS:,} are read."
            " Shorten or split it."
        )
    try:
        loaded = _LOADERS[language](source)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        line, problem = _fault(error, source)
        where = "" if line is None else f" at line {first_line + line}"
        problem = " ".join(problem[:MAX_PROBLEM].split()).rstrip(".")
        raise BadInput(f"The {language} cannot be read{where}: {problem}.") from error
    return _jsonable(loaded, [MAX_VALUES], 0)


class _Loader(yaml.SafeLoader):
    """Safe YAML that stops at bombs while it reads."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.aliases = self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Reads one value with all that is in it."""
        event = self.peek_event()  # type: ignore[no-untyped-call]  # its stub says nothing
        self.aliases += isinstance(event, yaml.AliasEvent)
        if self.aliases > MAX_ALIASES:
            problem = f"it has more than {MAX_ALIASES} aliases"
            raise ComposerError(None, None, problem, event.start_mark)
        if self.depth > MAX_DEPTH:
            raise ComposerError(None, None, "it is nested too deeply", event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


Constructor = Callable[[yaml.SafeLoader, yaml.ScalarNode], Any]


def _or_text(construct: Constructor) -> Constructor:
    """Keeps as text what looks like a date or a number and is none: 2023-13-02, `!!bool x`."""

    def constructed(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        try:
            return construct(loader, node)
        except (ValueError, LookupError, AttributeError, OverflowError):
            return loader.construct_scalar(node)

    return constructed


def _integer(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int | str:
    written = str(loader.construct_scalar(node))
    return int(written) if _WHOLE.fullmatch(written) else written


def _float(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float | str:
    written = str(loader.construct_scalar(node))
    return written if _UNUSUAL.search(written) else loader.construct_yaml_float(node)


for _tag, _construct in {
    "int": _integer,
    "float": _float,
    "bool": yaml.SafeLoader.construct_yaml_bool,
    "timestamp": yaml.SafeLoader.construct_yaml_timestamp,
}.items():
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _or_text(_construct))


def _yaml(source: str) -> Any:
    return yaml.load(source, Loader=_Loader)  # a SafeLoader


def _json(source: str) -> Any:
    return json.loads(source.removeprefix("\ufeff"))


_LOADERS: dict[str, Callable[[str], Any]] = {"YAML": _yaml, "TOML": load_toml, "JSON": _json}


def _fault(error: Exception, source: str) -> tuple[int | None, str]:
    """Says in which line, counted from 0, a parser failed and why."""
    match error:
        case yaml.MarkedYAMLError():
            mark = error.problem_mark or error.context_mark
            problem = ", ".join(filter(None, (error.context, error.problem)))
            return mark.line if mark else None, problem
        case ReaderError():
            line = source.count("\n", 0, error.position)
            return line, f"it has the control character U+{error.character:04X}"
        case json.JSONDecodeError():
            return error.lineno - 1, error.msg[:1].lower() + error.msg[1:]
        case tomllib.TOMLDecodeError():
            said = str(error)
            why, _, place = said.rpartition(_TOML_PLACE)
            found = _TOML_LINE.match(place) if why else None
            line = int(found[1]) - 1 if found else source.count("\n")
            return line, (why or said)[:1].lower() + (why or said)[1:]
        case RecursionError():
            return None, "it is nested too deeply"
    return None, "a number or a character in it is too large"


def _jsonable(value: Any, left: list[int], depth: int) -> Json:
    left[0] -= 1
    if left[0] < 0 or depth > MAX_DEPTH:
        raise BadInput(
            f"The fields have more than {MAX_VALUES:,} values or {MAX_DEPTH} levels; shorten them."
        )
    if isinstance(value, dict):
        return {str(_scalar(k)): _jsonable(inner, left, depth + 1) for k, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(inner, left, depth + 1) for inner in value]
    if isinstance(value, set):
        return sorted(str(_jsonable(inner, left, depth + 1)) for inner in value)
    return _scalar(value)


def _scalar(value: Any) -> Json:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return check_characters(value)
    is_finite = not isinstance(value, float) or math.isfinite(value)
    is_small = not isinstance(value, int) or abs(value) < MAX_WHOLE
    return value if is_finite and is_small else str(value)
