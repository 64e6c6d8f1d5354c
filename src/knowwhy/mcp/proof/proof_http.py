"""Proves a server over HTTP: started, called with a token and without one, and ended."""

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import anyio
import anyio.to_thread

from knowwhy.errors import Error
from knowwhy.mcp.proof.proof_calls import Known, Step
from knowwhy.mcp.proof.proof_client import CALL_SECONDS, Outcome, called, taken
from knowwhy.mcp.proof.proof_place import END_SECONDS, Place

POLL = 0.1  # seconds between two looks at what the server says
REFUSED = 401


async def asked_over_http(place: Place, token: str, step: Step, known: Known) -> Outcome:
    """Starts a server over HTTP, asks it one thing with a token, and once without."""
    async with _serving(place) as url:
        if (status := await anyio.to_thread.run_sync(_status, url, "")) != REFUSED:
            return Outcome("over HTTP", False, f"{REFUSED} without a token", str(status))
        if (status := await anyio.to_thread.run_sync(_status, url, token)) == REFUSED:
            return Outcome("over HTTP", False, "to be let in with a new token", str(status))
        async with called(url, token) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            return await taken(client, step, known, listed)


def _status(url: str, token: str) -> int:
    """Tells how the server answers a request that says nothing."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    asked = Request(url, b"{}", {"content-type": "application/json", **headers})
    try:
        with urlopen(asked, timeout=CALL_SECONDS) as answer:
            return int(answer.status)
    except HTTPError as refused:
        return refused.code


@asynccontextmanager
async def _serving(place: Place) -> AsyncIterator[str]:
    """Runs a server on a free port of this machine; gives its URL."""
    command = [*place.command, "serve", "--http", "127.0.0.1:0", "--repo", str(place.repository)]
    log = place.folder / "http.log"
    with log.open("w", encoding="utf-8") as said:
        process = await anyio.open_process(
            command, env=place.environment, stdin=None, stdout=None, stderr=said
        )
    try:
        yield await _url(process, log)
        process.terminate()
        with anyio.move_on_after(END_SECONDS):
            await process.wait()
        if process.returncode != 0:
            raise Error(f"The server did not end well when told to ({process.returncode}).")
    finally:
        if process.returncode is None:
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.wait()


async def _url(process: anyio.abc.Process, log: Path) -> str:
    until = time.monotonic() + CALL_SECONDS
    while time.monotonic() < until and process.returncode is None:
        said = log.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"http://\S{1,300}(?=\n)", said):
            return found[0]
        await anyio.sleep(POLL)
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    raise Error(f"It did not say where it serves. Its last words: {last[-1] if last else 'none'}")
