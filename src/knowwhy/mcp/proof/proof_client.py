"""The client's end of a proof: the SDK's own client, and what became of each call."""

import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from knowwhy import __version__
from knowwhy.mcp.answers import ALL_DATA
from knowwhy.mcp.proof.proof_calls import Known, Step
from knowwhy.mcp.proof.proof_place import Place
from knowwhy.text.characters import one_line

USER = "proof"
PROGRAM = cast(types.RequestParamsMeta, {ALL_DATA: True})  # asks for the data, as programs do
CALL_SECONDS = 300.0  # that a call may take; a first one exports models, and machines are suspended
SHOWN = 300  # characters of an answer that is not as expected
BROKEN = (MCPError, OSError, RuntimeError, ValueError, ExceptionGroup)  # a connection, as it fails


class Unanswered(Exception):  # what is asked after it would wait as long
    """A call has had no answer in time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one call."""

    how: str  # it was called
    is_good: bool
    expected: str
    came: str
    milliseconds: float = 0.0
    told: int = 0  # how often the work said how far of how much it was


@asynccontextmanager
async def connected(place: Place, profile: str) -> AsyncIterator[Client]:
    """Starts a server as a client's configuration does, and leaves it as a client does."""
    command = [*place.command, "serve", "--user", USER, "--profile", profile]
    server = StdioServerParameters(
        command=command[0],
        args=[*command[1:], "--repo", str(place.repository)],
        env=dict(place.environment),
    )
    who = types.Implementation(name="knowwhy doctor", version=__version__)
    with place.log.open("a", encoding="utf-8") as log:
        wire = stdio_client(server, errlog=log)
        async with Client(wire, client_info=who, read_timeout_seconds=CALL_SECONDS) as client:
            yield client


@asynccontextmanager
async def called(url: str, token: str) -> AsyncIterator[Client]:
    """Calls a server that runs at an address, with a token."""
    headers = {"authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers=headers) as web:
        wire = streamable_http_client(url, http_client=web)
        async with Client(wire, read_timeout_seconds=CALL_SECONDS) as client:
            yield client


async def taken(client: Client, step: Step, known: Known, listed: Sequence[str]) -> Outcome:
    """Takes a step and says what came of it; a tool that is not listed is called by run_tool."""
    how = "listed" if step.tool in listed else "by run_tool"
    try:
        arguments = known.filled(dict(step.arguments))
        expected = known.filled(step.expects)
    except KeyError as unknown:
        needed = f"an answer before that gives {unknown}"
        return Outcome(how, False, needed, "none did, so it was not called")
    called = {"name": step.tool, "arguments": arguments}
    name, given = (step.tool, arguments) if how == "listed" else ("run_tool", called)
    wanted = f"an answer with /{expected}/"
    told = 0

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        nonlocal told
        told += total is not None and progress <= total

    begun = time.monotonic()
    try:
        answer = await client.call_tool(
            name,
            given,
            progress_callback=tell,
            read_timeout_seconds=CALL_SECONDS,
            meta=PROGRAM,
        )
    except BROKEN as error:
        if isinstance(error, MCPError) and error.code == types.REQUEST_TIMEOUT:
            raise Unanswered(f"{step.tool} gave no answer in {CALL_SECONDS:.0f} s") from None
        return Outcome(how, False, wanted, f"no answer: {short(str(error))}")
    took = (time.monotonic() - begun) * 1_000
    text = "\n".join(part.text for part in answer.content if isinstance(part, types.TextContent))
    data = answer.structured_content
    if answer.is_error:
        return Outcome(how, False, wanted, f"an error: {short(text)}", took)
    if not isinstance(data, dict):
        return Outcome(how, False, "structured content", short(repr(data)), took)
    if not re.search(expected, text):
        return Outcome(how, False, wanted, short(text) or "no text", took)
    if step.keep is not None:
        field, kept = step.keep
        if not isinstance(data.get(field), str):
            return Outcome(how, False, f"data with {field!r}", f"{sorted(data)}", took)
        known.words[kept] = data[field]
        known.notes[kept] = "; ".join(map(str, data.get("notes") or ()))
    return Outcome(how, True, wanted, "", took, told)


def short(text: str) -> str:
    """Gives the beginning of what came, on one line."""
    line = one_line(text).strip()
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
