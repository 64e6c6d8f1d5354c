"""Whether what a server says of its tools is true: hints against the registry and the tables."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

import anyio.to_thread
import mcp_types as types

from knowwhy.mcp.proof.proof_client import Outcome
from knowwhy.mcp.proof.proof_place import Place
from knowwhy.mcp.toolbox.registry import ADDS, READS
from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.homes.marks import marks

LOOKS = 5  # at a tool that reads; the worker that learns may just have written in one of them
ASIDE = ("recalls", "audit")  # what searches leave behind, and what agents do


def false_hints(listed: Sequence[types.Tool]) -> Iterator[str]:
    """Gives each tool that is listed with other hints than what it does has."""
    for tool in listed:
        hints, own = tool.annotations, TOOLS.get(tool.name)
        if own is None:
            continue  # noted as one that cannot be called
        right = own.does == READS, own.does not in (READS, ADDS)
        came = (hints.read_only_hint, hints.destructive_hint) if hints else (None, None)
        if came != right:
            yield f"{tool.name} readOnlyHint {came[0]}, destructiveHint {came[1]}"


def read_only(listed: Sequence[types.Tool]) -> set[str]:
    """Names the tools that say that they only read."""
    return {tool.name for tool in listed if tool.annotations and tool.annotations.read_only_hint}


async def watched(
    place: Place, call: Callable[[], Awaitable[Outcome]]
) -> tuple[Outcome, list[str] | None]:
    """Makes a call that should only read; names the tables that moved, None where none exist."""
    first: Outcome | None = None
    for _ in range(LOOKS):
        before = await anyio.to_thread.run_sync(marks, place.home)
        done = await call()
        first = first or done
        after = await anyio.to_thread.run_sync(marks, place.home)
        moved = [name for name in after if after[name] != before.get(name) and name not in ASIDE]
        if not before or not moved:
            break
    return first or done, sorted(moved) if before else None
