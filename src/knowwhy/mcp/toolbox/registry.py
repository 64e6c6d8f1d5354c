"""What a tool is: a typed function with a docstring, what it does to the memory, who sees it."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from knowwhy.mcp.caller import Caller
from knowwhy.text.estimate import estimate_tokens
from knowwhy.types import READ, WRITE, Json, Seen

READS, ADDS, CHANGES = "reads", "adds", "changes"  # what a tool does to what is stored
NOTHING, HOME, MODELS = "nothing", "home", "models"  # what must be ready before it runs
READINESS = (NOTHING, HOME, MODELS)  # each with what stands before it
NO_RIGHT = ""  # of its own: what it calls is asked for its own
DEFAULT, ALL = "default", "all"
PROFILES = (DEFAULT, ALL)
MOST_DEFAULT = 13  # tools; each costs every conversation its description


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool answers: a text for a model, and the same as data for programs."""

    text: str
    data: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person is asked, and the memories that they are shown with it."""

    text: str
    seen: Seen


@dataclass(frozen=True)
class Tool:
    """A tool; its arguments are those of its function after the caller."""

    run: Callable[..., Said]
    title: str
    does: str = READS
    needs: str = HOME
    default: bool = False  # in the default profile
    asks: Callable[..., Asked | None] | None = None  # gives what a person is asked before it runs
    topic: str = ""  # words that people use for it, which its description does not have
    right: str | None = None  # that a token must have for it, where what it does does not say so

    def call(self, caller: Caller, /, **arguments: Any) -> Said:
        """Runs it for whoever has the right to it; there is no other way to a tool."""
        if self.right != NO_RIGHT:
            caller.check(self.right or (READ if self.does == READS else WRITE), self.name)
        return self.run(caller, **with_whole_ids(caller, arguments))

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return self.run.__name__

    @property
    def description(self) -> str:
        """When to use it and when not."""
        return inspect.getdoc(self.run) or ""

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The arguments as a model that checks them."""
        parameters = list(inspect.signature(self.run, eval_str=True).parameters.values())[1:]
        fields: dict[str, Any] = {
            p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in parameters
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @cached_property
    def schema(self) -> dict[str, Json]:
        """The arguments as JSON Schema, without what costs tokens and says nothing."""
        schema: dict[str, Json] = _plain(self.arguments.model_json_schema())
        return {"type": "object", "properties": {}, **schema, "additionalProperties": False}


def with_whole_ids(caller: Caller, arguments: dict[str, Any]) -> dict[str, Any]:
    """Gives arguments with whole ids, of what exists for the caller, where some were only begun."""
    from knowwhy.maas.typed_ids import are_typed, whole_ids

    return whole_ids(caller.asker, arguments) if are_typed(arguments) else arguments


def shown(tools: Iterable[Tool], profile: str) -> list[Tool]:
    """Gives the tools of a profile."""
    return [tool for tool in tools if tool.default or profile == ALL]


def cost(tools: Iterable[Tool]) -> int:
    """Estimates the tokens of a list of tools in a model's context."""
    import json

    told = [{"name": t.name, "description": t.description, "input_schema": t.schema} for t in tools]
    return estimate_tokens(json.dumps(told, ensure_ascii=False))


def answers_cost(tools: Iterable[Tool]) -> int:
    """Estimates the tokens of what a list says of the answers, where a client shows that."""
    import json

    from knowwhy.mcp.answers import answer_schema

    return estimate_tokens(json.dumps([answer_schema(tool.name) for tool in tools]))


def _plain(schema: Json) -> Json:
    """Leaves out titles and the null that only says that an argument may be left out."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        name: {inner: _plain(about) for inner, about in value.items()}
        if name in ("properties", "$defs")
        else _plain(value)
        for name, value in schema.items()
        if name != "title" and not (name == "default" and value is None)
    }
    choices = [choice for choice in kept.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    return kept
