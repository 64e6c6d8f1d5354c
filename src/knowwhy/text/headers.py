"""The fields that stand before a document: YAML or TOML front matter, and header lines."""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

import yaml

from knowwhy.errors import BadInput

MAX_FRONT_MATTER = 100_000  # characters; PyYAML reads about 100 kB in a second
MAX_ALIASES = 10  # nested by threes, ten aliases can multiply the text by no more than 39
MAX_VALUES = 20_000  # values in one front matter, after aliases are written out
MAX_DEPTH = 40  # levels; real front matter has three or four
MIN_HEADER_LINES = 2  # one "Key: value" line may be the beginning of prose

_FENCE = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSE = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.M),
    "+++": re.compile(r"^\+\+\+[ \t]*(?:\r\n?|\n|\Z)", re.M),
}
_KEY_LINE = re.compile(r"""(?:[ \t]*(?:\#[^\n]*)?\n)*+[ \t]*["']?[\w][\w .\-/]{0,60}["']?\s*[:=]""")
_HEADER = re.compile(r"([A-Za-z][\w-]{0,40}+(?: [\w-]{1,40}+){0,3}):(?:[ \t]+(.*))?$")


def front_matter_end(text: str) -> int:
    """Give the offset where the body starts after front matter, or 0 when there is none."""
    span = _front_span(text)
    return span[3] if span else 0


def front_matter(text: str) -> tuple[dict[str, Any], int]:
    """Read the front matter into JSON values, with the offset where the body starts."""
    span = _front_span(text)
    if not span:
        return {}, 0
    fence, start, end, body = span
    source = text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    if len(source) > MAX_FRONT_MATTER:
        raise BadInput(
            f"The front matter has {len(source):,} characters; at most {MAX_FRONT_MATTER:,} are"
            " read. Move the text below the closing line."
        )
    fields = _read_toml(source) if fence == "+++" else _read_yaml(source)
    return (fields, body) if fields is not None else ({}, 0)


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
    fields = {name: "".join(written[1:]).strip() for name, written in parts.items()}
    return (fields, end) if count >= MIN_HEADER_LINES else ({}, 0)


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


class _Loader(yaml.SafeLoader):
    """Safe YAML that keeps numbers with leading zeros, and dates that do not exist, as text."""


def _timestamp(loader: _Loader, node: yaml.ScalarNode) -> Any:
    try:
        return loader.construct_yaml_timestamp(node)
    except (ValueError, OverflowError):
        return node.value


def _integer(loader: _Loader, node: yaml.ScalarNode) -> Any:
    written = str(node.value)
    return int(written) if re.fullmatch(r"[-+]?(?:0|[1-9]\d{0,17})", written, re.A) else written


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _timestamp)
_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


def _read_yaml(source: str) -> dict[str, Any] | None:
    try:
        _refuse_bombs(source)
        loaded = yaml.load(source, Loader=_Loader)  # a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _broken("YAML", (mark.line if mark else 0) + 2, error.problem or "") from error
    except yaml.YAMLError as error:
        raise _broken("YAML", 2, str(error).splitlines()[0]) from error
    except (RecursionError, ValueError, TypeError) as error:
        raise _broken("YAML", 2, "it has a value that its type does not allow") from error
    return _json_fields(loaded) if isinstance(loaded, dict) else None


def _refuse_bombs(source: str) -> None:
    aliases = depth = 0
    for event in yaml.parse(source, Loader=yaml.SafeLoader):
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 2 if event.start_mark else 2
        if aliases > MAX_ALIASES:
            raise _broken("YAML", line, f"it has more than {MAX_ALIASES} aliases")
        if depth > MAX_DEPTH:
            raise _broken("YAML", line, f"it is nested deeper than {MAX_DEPTH} levels")


def _read_toml(source: str) -> dict[str, Any] | None:
    try:
        return _json_fields(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line (\d+)", str(error))
        line = int(where[1]) + 1 if where else source.count("\n") + 1
        raise _broken("TOML", line, re.sub(r" \(at .*\)$", "", str(error))) from error
    except RecursionError as error:
        raise _broken("TOML", 2, "it is nested too deeply") from error


def _broken(language: str, line: int, problem: str) -> BadInput:
    return BadInput(
        f"The front matter cannot be read as {language} at line {line}: {problem.rstrip('.')}."
    )


def _json_fields(loaded: Mapping[Any, Any]) -> dict[str, Any]:
    budget = [MAX_VALUES]
    return {str(_jsonable(key, budget, 0)): _jsonable(v, budget, 1) for key, v in loaded.items()}


def _jsonable(value: Any, budget: list[int], depth: int) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth > MAX_DEPTH:
        raise BadInput(
            f"The front matter has more than {MAX_VALUES:,} values or {MAX_DEPTH} levels;"
            " shorten it."
        )
    if isinstance(value, dict):
        return {str(key): _jsonable(inner, budget, depth + 1) for key, inner in value.items()}
    if isinstance(value, set):
        return sorted(str(inner) for inner in value)
    if isinstance(value, (list, tuple)):
        return [_jsonable(inner, budget, depth + 1) for inner in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
