"""Tools to find and call the tools that are not listed."""

import json
from collections.abc import Mapping, Sequence
from math import log
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from knowwhy.errors import BadInput, Error, NotFound
from knowwhy.mcp.arguments import read_arguments, shown
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.refusals import told
from knowwhy.mcp.toolbox.registry import NOTHING, READINESS, Said, Tool
from knowwhy.mcp.warm import opened
from knowwhy.text.tokens import stem
from knowwhy.types import Json

MOST_CALLS = 20  # in one run_tools
MOST_TEXT = 60_000  # characters of all their answers, about 15,000 tokens
NAME_WEIGHT = 1.5  # of a word in a tool's name, beside 1 in its description
RUNNERS = ("run_tool", "run_tools")  # which do not call each other

ToolName = Annotated[str, Field(min_length=1, max_length=100, examples=["ingest_adr"])]
Arguments = Annotated[
    dict[str, Any], Field(description="As find_tools shows them.", examples=[{"path": "docs/adr"}])
]


class Call(BaseModel):
    """One call of several."""

    model_config = ConfigDict(extra="forbid")

    name: ToolName
    arguments: Arguments = Field(default_factory=dict)


def find_tools(
    caller: Caller,
    query: Annotated[
        str,
        Field(
            max_length=500,
            description="What you want to do; empty: all of them.",
            examples=["undo changes to memories", "git history of a file"],
        ),
    ] = "",
    limit: Annotated[int, Field(ge=1, le=60, description="How many at most.")] = 6,
) -> Said:
    """Find tools beyond the listed ones; call them with run_tool.

    Use it when no listed tool does what you want. There are more for: ingesting code, decisions and
    incidents; jobs; git history and diffs; changing and retracting memories; rules; checkpoints,
    diff and rollback; conversations; listings, service overview, statistics; agents, pools and
    handoffs; several calls in one. Not for finding what is stored (semantic_search).
    """
    from knowwhy.mcp.toolbox.tools import TOOLS

    found = _ranked(query, [t for t in TOOLS.values() if t.name not in ("find_tools", "run_tool")])
    chosen = found[:limit] if query.strip() else list(TOOLS.values())
    if not chosen:
        names = ", ".join(sorted(TOOLS))
        return Said(f"No tool is about that. There are: {names}.", {"tools": []})
    told = [_told(tool, brief=not query.strip()) for tool in chosen]
    text = "\n\n".join(_written(one) for one in told)
    return Said(f"{text}\n\nCall one: run_tool(name, arguments).", {"tools": told})


def run_tool(caller: Caller, name: ToolName, arguments: Arguments = {}) -> Said:  # noqa: B006
    """Call a tool that find_tools has found, with its arguments.

    Use it for a tool that is not in your list; a listed one is called by its own name.
    Not for several calls at once (run_tools).
    """
    if name == "run_tool":
        raise BadInput("run_tool does not call itself; give the name of another tool.")
    return called(caller, name, arguments)


def run_tools(
    caller: Caller,
    calls: Annotated[
        list[Call],
        Field(
            min_length=1,
            max_length=MOST_CALLS,
            examples=[[{"name": "statistics"}, {"name": "git_diff", "arguments": {"path": "src"}}]],
        ),
    ],
    stop_on_error: Annotated[bool, Field(description="Leave out the rest after an error.")] = False,
) -> Said:
    """Call several tools in one, one after the other; each answers for itself.

    Use it from programs, and to save turns when the calls do not depend on each other. Not for a
    single call (run_tool).
    """
    results: list[dict[str, Json]] = []
    texts: list[str] = []
    for number, call in enumerate(calls, 1):
        one = _one(caller, call)
        results.append(one)
        shown_text = one["text"] if one["error"] else _whole(one["text"], texts)
        texts.append(f"[{number}] {call.name}: {shown_text}")
        caller.tell(number, len(calls), call.name)
        if (one["error"] and stop_on_error) or caller.stopped.is_set():
            break
    left = len(calls) - len(results)
    texts += [f"{left} more calls were left out."] if left else []
    return Said("\n\n".join(texts), {"results": results, "left_out": left})


def tool_named(name: str) -> Tool:
    """Gives a tool by its name."""
    from knowwhy.mcp.toolbox.tools import TOOLS

    if name not in TOOLS:
        raise NotFound(f"There is no tool {shown(name)}; find_tools finds them by what they do.")
    return TOOLS[name]


def needs_of(tool: Tool, arguments: Mapping[str, Json]) -> str:
    """Says what must be ready before a call: the most that a tool needs that it calls.

    However deep calls are in each other: what is too deep to be a call was refused before.
    """
    return max((one.needs for one, _ in calls_in(tool, arguments)), key=READINESS.index)


def calls_in(tool: Tool, arguments: Mapping[str, Json]) -> list[tuple[Tool, Json]]:
    """Gives a call and those inside it, as they were given: their arguments may be of any shape."""
    from knowwhy.mcp.toolbox.tools import TOOLS

    found: list[tuple[Tool, Json]] = [(tool, arguments)]
    waiting = _inner(tool.name, arguments)
    while waiting:
        name, given = waiting.pop(0)
        if isinstance(name, str) and name in TOOLS:
            found.append((TOOLS[name], given))
            waiting += _inner(name, given)
    return found


def _inner(name: str, given: Json) -> list[tuple[Json, Json]]:
    """Gives name and arguments of the calls in a call, which nobody has checked yet."""
    if name not in RUNNERS or not isinstance(given, Mapping):
        return []
    if name == "run_tool":
        return [(given.get("name"), given.get("arguments"))]
    calls = given.get("calls")
    several = calls if isinstance(calls, list) else []
    plain = [dict(call) if isinstance(call, Call) else call for call in several]
    return [(c.get("name"), c.get("arguments")) for c in plain if isinstance(c, Mapping)]


def called(caller: Caller, name: str, arguments: Mapping[str, Json]) -> Said:
    """Calls a tool by its name; no tool opens the home beside the one thread that does."""
    tool = tool_named(name)
    given = read_arguments(tool, arguments)
    if tool.needs != NOTHING:
        opened(caller.serving.warm)
    return tool.call(caller, **given)


def _one(caller: Caller, call: Call) -> dict[str, Json]:
    """Calls one of several; what was foreseen does not hold up the others."""
    try:
        if call.name in RUNNERS:
            raise BadInput(f"{call.name} cannot be called from run_tools.")
        said = called(caller, call.name, call.arguments)
    except Error as error:
        return {"name": call.name, "error": error.code, "text": told(str(error)), "data": None}
    return {"name": call.name, "error": None, "text": said.text, "data": dict(said.data)}


def _whole(answer: str, before: Sequence[str]) -> str:
    """Gives an answer whole or not at all: one that is cut has lost the end of its quotes."""
    if not before or sum(map(len, before)) + len(answer) <= MOST_TEXT:
        return answer
    return (
        f"It was done; its answer of {len(answer):,} characters does not fit here. If it only "
        "reads, call it alone."
    )


def _ranked(query: str, tools: list[Tool]) -> list[Tool]:
    """Orders tools by the words of a query that they are described with, rare ones first."""
    named = {tool.name: _words(f"{tool.name.replace('_', ' ')} {tool.title}") for tool in tools}
    said = {tool.name: _words(f"{tool.description} {tool.topic}") for tool in tools}
    wanted = _words(query)
    weights = {
        word: log((len(tools) + 1) / (1 + sum(word in named[n] | said[n] for n in named)))
        for word in wanted
    }

    def score(tool: Tool) -> float:
        by_name, by_text = wanted & named[tool.name], wanted & said[tool.name]
        return sum(NAME_WEIGHT * weights[w] for w in by_name) + sum(weights[w] for w in by_text)

    fitting = [tool for tool in tools if score(tool) > 0]
    return sorted(fitting, key=lambda tool: -score(tool))


def _words(text: str) -> set[str]:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return {stem(word) for word in words if word not in SMALL}


SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "what",
        "with",
    ]
)


def _told(tool: Tool, *, brief: bool) -> dict[str, Json]:
    first = tool.description.split("\n\n")[0].replace("\n", " ")
    told = {"name": tool.name, "description": first if brief else tool.description}
    told |= {"does": tool.does}
    return told if brief else {**told, "arguments": tool.schema}


def _written(told: Mapping[str, Json]) -> str:
    if "arguments" not in told:
        return f"{told['name']}: {told['description']}"
    properties = told["arguments"]["properties"]
    needed = told["arguments"].get("required", [])
    arguments = {name if name in needed else f"{name}?": p for name, p in properties.items()}
    return (
        f"{told['name']}\n{told['description']}\n"
        f"arguments: {json.dumps(arguments, ensure_ascii=False)}"
    )
