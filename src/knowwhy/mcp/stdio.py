"""Serves one client over the standard streams; nothing else is ever written to them."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

from anyio import BrokenResourceError, to_thread
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from knowwhy.mcp.caller import Serving
from knowwhy.mcp.lines import refusal, too_long
from knowwhy.mcp.server import WITHOUT_LIST, Door

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LINES_AHEAD = 16  # that are read before they are answered; then the client waits
MOST_LINE = 16_000_000  # characters; what a tool takes is bounded far below that
UNREAD_SECONDS = 1.0  # that answers wait to be read once the client has closed its end


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

    def stop() -> None:
        if task is not None:
            task.cancel()

    for number in STOPPING:
        loop.add_signal_handler(number, stop)
    loop.call_later(WITHOUT_LIST, door.serving.warm.start)
    reads: Any = _Lines(_text(wire[0], "r"))
    writes: Any = _Answers(_text(wire[1], "w"), stop)
    server = door.server
    try:
        async with stdio_server(reads, writes) as (incoming, outgoing):
            reads.answers = outgoing
            await server.run(incoming, outgoing, server.create_initialization_options())
            loop.call_later(UNREAD_SECONDS, stop)
    except* (asyncio.CancelledError, BrokenResourceError):
        pass  # asked to stop by a signal, or as nobody reads, while messages were on their way


class _Answers:
    """What the client reads, when it does; a write that waits does not hold up the end."""

    def __init__(self, target: TextIOWrapper, gone: Callable[[], None]) -> None:
        self._target = target
        self._gone = gone

    async def write(self, text: str) -> None:
        """Writes an answer whole; a client that has gone in the middle of a call ends us."""
        try:
            await to_thread.run_sync(self._write, text, abandon_on_cancel=True)
        except OSError:
            self._gone()

    async def flush(self) -> None:
        """Does nothing: what is written has been sent."""

    def _write(self, text: str) -> None:
        self._target.write(text)
        self._target.flush()


class _Lines:
    """What the client writes, line by line; a read that waits does not hold up the end."""

    def __init__(self, source: TextIOWrapper) -> None:
        self.answers: Any = None  # where a line is answered that the server cannot read
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._read: asyncio.Queue[str | JSONRPCError | None] = asyncio.Queue(LINES_AHEAD)
        threading.Thread(target=self._fill, name="reading", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        """Gives the messages until the client closes its end, and answers what is none."""
        while (read := await self._read.get()) is not None:
            if isinstance(read, str):
                yield read
            else:
                await self.answers.send(SessionMessage(read))

    def _fill(self) -> None:
        with suppress(RuntimeError, CancelledError):  # the loop has ended
            line = "more"
            while line:
                try:
                    line = self._source.readline(MOST_LINE + 1)
                    self._skip_rest(line)
                except (OSError, ValueError):
                    line = ""
                if not line.isspace():
                    read = (_refused(line) or line) if line else None
                    asyncio.run_coroutine_threadsafe(self._read.put(read), self._loop).result()

    def _skip_rest(self, line: str) -> None:
        """Reads what is left of a line that is too long, and keeps none of it."""
        while len(line) > MOST_LINE and line[-1] != "\n":
            line = self._source.readline(MOST_LINE + 1)


def _refused(line: str) -> JSONRPCError | None:
    return refusal(line) if len(line) <= MOST_LINE else too_long(line, MOST_LINE)


def _text(descriptor: int, mode: str) -> TextIOWrapper:
    raw = os.fdopen(descriptor, f"{mode}b", closefd=False)
    errors = "replace" if mode == "r" else "strict"
    return TextIOWrapper(raw, encoding="utf-8", errors=errors, newline="\n")
