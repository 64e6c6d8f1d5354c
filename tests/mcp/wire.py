"""An assistant's end of the wire: the SDK's own client, asked from plain functions."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from knowwhy.mcp.answers import ALL_DATA

READY_SECONDS = 60  # that a server may take to say where it serves, on a loaded machine
CALL_SECONDS = 120.0  # that a call may take before the test gives up
SERVE = ("-m", "knowwhy", "serve")


@dataclass(frozen=True)
class Answer:
    """What a tool answered."""

    text: str
    data: Any
    is_error: bool
    progress: tuple[tuple[float, float | None, str | None], ...] = ()


@dataclass
class Assistant:
    """A client of one server."""

    portal: BlockingPortal
    client: Client
    told: list[Any] = field(default_factory=list)

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        """Calls a tool and asks for its data, as programs do; an error is an answer too."""
        return self._called(tool, arguments, {ALL_DATA: True})

    def shown(self, tool: str, /, **arguments: Any) -> Answer:
        """Calls a tool as the clients of models do."""
        return self._called(tool, arguments, None)

    def _called(self, tool: str, arguments: dict[str, Any], meta: Any) -> Answer:
        progress: list[Any] = []

        async def told(done: float, total: float | None, message: str | None) -> None:
            progress.append((done, total, message))

        async def call() -> Any:
            return await self.client.call_tool(
                tool,
                arguments,
                progress_callback=told,
                read_timeout_seconds=CALL_SECONDS,
                meta=meta,
            )

        got = self.portal.call(call)
        text = "\n".join(part.text for part in got.content)
        return Answer(text, got.structured_content, bool(got.is_error), tuple(progress))

    def ok(self, tool: str, /, **arguments: Any) -> Answer:
        """Calls a tool that must not fail."""
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.text
        return answer

    def fails(self, tool: str, /, **arguments: Any) -> str:
        """Calls a tool that must fail; gives the sentence."""
        answer = self.call(tool, **arguments)
        assert answer.is_error, answer.text
        assert "Traceback" not in answer.text
        return answer.text

    def ask(self, method: str, *arguments: Any) -> Any:
        """Asks for anything else of the protocol."""
        return self.portal.call(getattr(self.client, method), *arguments)

    def tools(self) -> dict[str, Any]:
        """Lists the tools by name."""
        return {tool.name: tool for tool in self.ask("list_tools").tools}


@contextmanager
def connected(server: Any, **how: Any) -> Iterator[Assistant]:
    """Connects to a server, and leaves it as a client does."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, **how)) as client,
    ):
        yield Assistant(portal, client)


@contextmanager
def over_stdio(
    *options: str, home: Path | None = None, folder: Path | None = None, **how: Any
) -> Iterator[Assistant]:
    """Starts a server as a client's configuration does."""
    started = StdioServerParameters(
        command=sys.executable, args=[*SERVE, *options], env=environment(home), cwd=folder
    )
    with connected(started, **how) as assistant:
        yield assistant


@contextmanager
def over_http(url: str, token: str, **how: Any) -> Iterator[Assistant]:
    """Connects to a server that runs, with a token."""
    headers = {"authorization": f"Bearer {token}"}
    web = httpx2.AsyncClient(headers=headers, timeout=CALL_SECONDS)
    with connected(streamable_http_client(url, http_client=web), **how) as assistant:
        yield assistant


@contextmanager
def serving(*options: str, home: Path | None = None, files: int = 0, **more: str) -> Iterator[str]:
    """Runs a server on a free port of this machine; gives its URL.

    It may have only so many files open, where that is said, and has more settings.
    """
    command = [sys.executable, *SERVE, "--http", "127.0.0.1:0", *options]
    if files:
        command = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command]
    where = environment(home) | more
    with subprocess.Popen(command, env=where, stderr=subprocess.PIPE) as server:
        try:
            yield _url(server)
        finally:
            server.terminate()
            server.communicate(timeout=READY_SECONDS)


def _url(server: "subprocess.Popen[bytes]") -> str:
    said: list[bytes] = []
    assert server.stderr is not None
    for line in server.stderr:
        said.append(line)
        if found := re.search(rb"https?://\S+", line):
            return found[0].decode()
    raise AssertionError(b"".join(said).decode())


def environment(home: Path | None = None) -> dict[str, str]:
    """Gives the environment of a server: this run's, on another home where one is named."""
    return {**os.environ, **({"PIXELTABLE_HOME": str(home)} if home else {})}


def git(folder: Path, *arguments: str) -> None:
    """Runs git as somebody who has a name."""
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    command: Sequence[str] = ("git", *named, *arguments)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
