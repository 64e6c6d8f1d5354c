"""Serves one client over the standard streams; nothing else is ever written to them."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper

import anyio
from mcp.server.stdio import stdio_server

from knowwhy.mcp.caller import Serving
from knowwhy.mcp.server import WITHOUT_LIST, Door

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def take_streams() -> tuple[int, int]:
    """Keeps the client's streams for the protocol; what anybody prints goes to stderr.

    Children inherit an empty input and stderr, so that none of them holds the client's pipe.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return wire_in, wire_out


def serve_stdio(serving: Serving, user: str, wire: tuple[int, int]) -> None:
    """Serves until the client closes its end or a signal comes."""
    door = Door(serving, lambda ctx: user)
    try:
        asyncio.run(_serve(door, wire))
    finally:
        door.close()


async def _serve(door: Door, wire: tuple[int, int]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    for number in STOPPING:
        loop.add_signal_handler(number, lambda: task and task.cancel())
    loop.call_later(WITHOUT_LIST, door.serving.warm.start)
    reads = anyio.wrap_file(_text(wire[0], "r"))
    writes = anyio.wrap_file(_text(wire[1], "w"))
    server = door.server
    with suppress(asyncio.CancelledError):  # asked for by a signal
        async with stdio_server(reads, writes) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


def _text(descriptor: int, mode: str) -> TextIOWrapper:
    raw = os.fdopen(descriptor, f"{mode}b", closefd=False)
    errors = "replace" if mode == "r" else "strict"
    return TextIOWrapper(raw, encoding="utf-8", errors=errors, newline="\n")
