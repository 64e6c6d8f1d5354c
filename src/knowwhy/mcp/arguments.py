"""Reads what a model gives to a tool, and says in a sentence what is wrong with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from knowwhy.errors import BadInput
from knowwhy.mcp.toolbox.registry import Tool
from knowwhy.text.characters import check_characters, one_line
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Json

MOST_CHARS = 1_000_000  # of all arguments of a call; a longer text is a file to ingest
MOST_VALUES = 20_000  # numbers, texts and names of them
DEEPEST = 20  # levels of lists and objects
SHOWN_CHARS = 60  # of a name or value that a message repeats
READ_CHARS = 1_000  # of it that are looked through for secrets
SHOWN_FAULTS = 5  # that one message names


def read_arguments(tool: Tool, given: Mapping[str, Json]) -> dict[str, Any]:
    """Gives the arguments of a call as its function takes them, or refuses them."""
    known = list(tool.arguments.model_fields)
    if unknown := [name for name in given if name not in known]:
        names = ", ".join(shown(name) for name in unknown[:SHOWN_FAULTS])
        has = f"it has {', '.join(known)}" if known else "it takes none"
        raise BadInput(f"{tool.name} has no argument {names}; {has}.")
    check_size(given)
    try:
        read = tool.arguments.model_validate(dict(given))
    except ValidationError as error:
        raise BadInput(f"{tool.name} cannot be called so: {_faults(error)}.") from None
    return {name: getattr(read, name) for name in known}


def check_size(given: Json) -> None:
    """Refuses what is too large, too deep, or cannot be stored, without recursion."""
    chars = values = 0
    level: list[Json] = [given]
    for depth in range(DEEPEST + 1):
        inner: list[Json] = []
        for value in level:
            values += 1
            if isinstance(value, str):
                chars += len(value)
                _check_text(value)
            elif isinstance(value, Mapping):
                inner += [*value, *value.values()]
            elif isinstance(value, Sequence):
                inner += value
            if chars > MOST_CHARS or values + len(inner) > MOST_VALUES:
                raise BadInput(
                    f"The arguments are too large: at most {MOST_CHARS:,} characters in "
                    f"{MOST_VALUES:,} values. Take a long text in as a file with `ingest`."
                )
        if not inner:
            return
        if depth == DEEPEST:
            raise BadInput(f"The arguments are nested deeper than {DEEPEST} levels.")
        level = inner


def shown(text: str) -> str:
    """Shows the beginning of what somebody gave, safely."""
    safe = one_line(redact(text[:READ_CHARS]))
    return repr(safe if len(safe) <= SHOWN_CHARS else f"{safe[:SHOWN_CHARS]}…")


def _check_text(value: str) -> None:
    try:
        check_characters(value)
    except BadInput as refused:
        raise BadInput(f"An argument {refused}.") from None


def _faults(error: ValidationError) -> str:
    told = []
    for fault in error.errors(include_url=False, include_input=False)[:SHOWN_FAULTS]:
        place = ".".join(str(part) for part in fault["loc"] if isinstance(part, str | int))
        why = "is missing" if fault["type"] == "missing" else _said(fault["msg"])
        told.append(f"{one_line(redact(place[:READ_CHARS]))[:SHOWN_CHARS]} {why}".strip())
    more = error.error_count() - len(told)
    return "; ".join(dict.fromkeys(told)) + (f"; and {more} more" if more > 0 else "")


def _said(message: str) -> str:
    """Turns the checker's words into the rest of a sentence."""
    return one_line(message.replace("Input should", "should").rstrip("."))[:200]
