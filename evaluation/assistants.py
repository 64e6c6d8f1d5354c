"""Servers of a home, and the official client of the protocol to ask them."""

import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from evaluation.homes import GOLDEN, KNOWWHY, ROOT, environment, run

PLAIN = (sys.executable, "-m", "evaluation.plain_server")
CALL_SECONDS = 120.0  # that a call may take before it is a fault
GONE_SECONDS = 30  # that a server may take to end
CORPUS = (
    ("adr", "adr"),
    ("incident", "incidents"),
    ("meeting", "meetings"),
    ("document", "docs"),
    ("code", "code"),
    ("conversation", "conversations"),
)


def golden_home(home: Path, **more: str) -> None:
    """Fills a home with the golden corpus and learns all that its conversations say."""
    for kind, folder in CORPUS:
        whose = ("--everybody",) if kind == "conversation" else ()
        run("ingest", kind, GOLDEN / folder, *whose, home=home, **more)
    run("extract", home=home, **more)


def token(user: str, home: Path, **more: str) -> str:
    """Makes a token of a user."""
    told = run("token", "add", user, home=home, **more)
    found = re.search(r"kw_\S+", told)
    if not found:
        raise SystemExit(f"knowwhy token add printed no token:\n{told}")
    return found[0]


@contextmanager
def log_file() -> Iterator[TextIO]:
    """Gives a file for what servers complain of; gone afterwards."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as log:
        yield log


@contextmanager
def http_server(home: Path, log: TextIO, **more: str) -> Iterator[tuple[str, int]]:
    """Runs a server on a free port; gives its URL and process id."""
    with _serving(
        [*KNOWWHY, "serve", "--http", "127.0.0.1:0"], environment(home, **more), log
    ) as at:
        yield at


@contextmanager
def plain_http_server(answer: Path, log: TextIO) -> Iterator[str]:
    """Runs a server of the SDK alone, which hands back an answer; gives its URL."""
    with _serving([*PLAIN, str(answer), "--http"], None, log) as (url, _):
        yield url


@contextmanager
def _serving(
    command: list[str], where: dict[str, str] | None, log: TextIO
) -> Iterator[tuple[str, int]]:
    already = len(Path(log.name).read_text("utf-8"))
    with subprocess.Popen(command, env=where, cwd=ROOT, stderr=log, text=True) as server:
        try:
            yield _url(server, Path(log.name), already), server.pid
        finally:
            server.terminate()
            try:
                server.wait(GONE_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                raise SystemExit(f"the server did not end in {GONE_SECONDS} s") from None


def _url(server: "subprocess.Popen[str]", log: Path, already: int) -> str:
    while server.poll() is None:
        if found := re.search(r"http://\S+(?=\n)", log.read_text("utf-8")[already:]):
            return found[0]
        with suppress(subprocess.TimeoutExpired):
            server.wait(0.05)
    raise SystemExit(f"the server has ended:\n{log.read_text('utf-8')}")


def over_stdio(home: Path, log: TextIO, user: str, *options: str, **more: str) -> Client:
    """Gives a client that starts a server of its own when it is entered."""
    started = StdioServerParameters(
        command=sys.executable,
        args=[*KNOWWHY[1:], "serve", "--user", user, *options],
        env=environment(home, **more),
        cwd=ROOT,
    )
    return Client(stdio_client(started, log), mode="legacy", read_timeout_seconds=CALL_SECONDS)


def plain_over_stdio(answer: Path, log: TextIO) -> Client:
    """Gives a client of a server of the SDK alone, which hands back an answer."""
    started = StdioServerParameters(command=PLAIN[0], args=[*PLAIN[1:], str(answer)], cwd=ROOT)
    return Client(stdio_client(started, log), mode="legacy", read_timeout_seconds=CALL_SECONDS)


@asynccontextmanager
async def over_http(url: str, bearer: str) -> AsyncIterator[Client]:
    """Connects to a server that runs."""
    headers = {"authorization": f"Bearer {bearer}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=CALL_SECONDS) as web,
        Client(
            streamable_http_client(url, http_client=web),
            mode="legacy",
            read_timeout_seconds=CALL_SECONDS,
        ) as client,
    ):
        yield client


def text_of(answer: Any) -> str:
    """Gives what a tool has said."""
    return "\n".join(part.text for part in answer.content)
