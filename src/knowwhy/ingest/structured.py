"""Loads YAML and JSON with limits, and writes their fields as readable markdown."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from knowwhy.errors import BadInput
from knowwhy.ingest.entries import as_text, label
from knowwhy.types import Json

MAX_YAML = 200_000  # characters; PyYAML reads about 100 kB in a second
MAX_ALIASES = 10  # nested by threes, ten aliases can multiply the text by no more than 39
MAX_VALUES = 50_000  # values in one source; more are an export of many
MAX_DEPTH = 40  # levels; real ones have four or five
MAX_OPEN = 200  # brackets; PyYAML's time grows with the square of those that are open
MAX_INLINE = 120  # characters; a longer field is a section of its own

_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})", re.ASCII)


class _Loader(yaml.SafeLoader):
    """Safe YAML that keeps dates, bytes and unusual numbers as they are written."""


def _as_written(_: _Loader, node: yaml.ScalarNode) -> str:
    return str(node.value)


def _integer(_: _Loader, node: yaml.ScalarNode) -> int | str:
    written = str(node.value)
    return int(written) if _WHOLE_NUMBER.fullmatch(written) else written


for _tag in ("timestamp", "binary"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _as_written)
_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


def load(text: str, suffix: str) -> dict[str, Json]:
    """Loads the fields of one thing; a single key that holds them all is left out."""
    loaded = _load_json(text) if suffix == ".json" else _load_yaml(text)
    if isinstance(loaded, list) and len(loaded) == 1:
        loaded = loaded[0]
    if not isinstance(loaded, Mapping) or not loaded:
        kind = "JSON" if suffix == ".json" else "YAML"
        raise BadInput(f"The {kind} must be one group of named fields, such as `title: …`.")
    fields = {str(key): value for key, value in _clean(loaded, [MAX_VALUES], 0).items()}
    inner = next(iter(fields.values()))
    return inner if len(fields) == 1 and isinstance(inner, dict) and inner else fields


def _load_json(text: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=str)
    except json.JSONDecodeError as error:
        raise _broken("JSON", error.lineno, error.msg[:1].lower() + error.msg[1:]) from error
    except (RecursionError, ValueError) as error:
        raise _broken("JSON", 1, "it is nested too deeply or has too long a number") from error


def _load_yaml(text: str) -> Any:
    if len(text) > MAX_YAML:
        raise BadInput(
            f"The YAML has {len(text):,} characters; at most {MAX_YAML:,} are read."
            " Split it, or write it as JSON."
        )
    try:
        _refuse_open_brackets(text)
        _refuse_many_aliases(text)
        return yaml.load(text, Loader=_Loader)  # a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _broken("YAML", mark.line + 1 if mark else 1, error.problem or "") from error
    except yaml.YAMLError as error:
        raise _broken("YAML", 1, str(error).splitlines()[0]) from error
    except (RecursionError, ValueError, TypeError) as error:
        raise _broken("YAML", 1, "it is nested too deeply or has a value of no kind") from error


def _refuse_open_brackets(text: str) -> None:
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth = depth + 1 if bracket[0] in "[{" else max(0, depth - 1)
        if depth > MAX_OPEN:
            line = text.count("\n", 0, bracket.start()) + 1
            raise _broken("YAML", line, "it is nested too deeply")


def _refuse_many_aliases(text: str) -> None:
    aliases = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        aliases += isinstance(event, yaml.AliasEvent)
        if aliases > MAX_ALIASES:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise _broken("YAML", line, f"it has more than {MAX_ALIASES} aliases")


def _broken(language: str, line: int, problem: str) -> BadInput:
    return BadInput(f"The {language} cannot be read at line {line}: {problem.rstrip('.')}.")


def _clean(value: Any, budget: list[int], depth: int) -> Any:
    """Makes a value fit for JSON and for the store, or refuses it when it is too large."""
    budget[0] -= 1
    if budget[0] < 0 or depth > MAX_DEPTH:
        raise BadInput(
            f"The source has more than {MAX_VALUES:,} values or {MAX_DEPTH} levels; shorten it."
        )
    if isinstance(value, Mapping):
        return {
            _clean(str(key), budget, depth): _clean(inner, budget, depth + 1)
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple, set)):
        return [_clean(inner, budget, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return value


def markdown(title: str, fields: Mapping[str, Json]) -> str:
    """Writes fields as a document: short ones as a list below the title, others as sections."""
    short: list[str] = []
    sections: list[str] = []
    for key, value in fields.items():
        text = as_text(value)
        if not text or text == title:
            continue
        if isinstance(value, (Mapping, list)) or "\n" in text or len(text) > MAX_INLINE:
            sections.append(f"## {label(key)}\n\n{text}")
        else:
            short.append(f"- **{label(key)}:** {text}")
    return "\n\n".join(filter(None, [f"# {title}", "\n".join(short), *sections])) + "\n"
