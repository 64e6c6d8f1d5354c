"""What strangers cost a server over HTTP: connections that say nothing or half of it, wrong tokens.

A user's calls are timed in turn with the strangers there and gone, each call over a connection of
its own, so that both meet the same machine. All of it stays on this machine's loopback interface.
"""

import argparse
import asyncio
import itertools
import json
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpx2
import psutil

from evaluation.assistants import http_server, log_file, token
from evaluation.benches.door import golden, settings_of
from evaluation.homes import ROOT
from evaluation.metrics import percentile

CROWD = 1_000  # connections that never come to their point
ADDRESSES = 5  # that they come from: one alone has fewer than may be in all
SAID = (  # by each in turn: nothing, half a head, a head without its body
    b"",
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer kw_",
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
)
KEPT = 2.0  # seconds that a connection is used again; a server closes those idle for 5
AGAIN = 100  # connections a second that come back after they were closed: all within 10 s
TIMES = 120  # calls with the strangers there, and as many without
ROUNDS = 4  # in which they come and go
MOST_DELAY = 100.0  # milliseconds by which they may delay a call
WRONG = 10_000 / 60  # tokens a second that nobody made
SECONDS = 20  # for which they come
MOST_SHARE = 0.05  # of a core that they may cost
REFUSED = {b"401", b"503"}  # 503: it gave way to the next before it was looked for
SETTLED = 3.0  # seconds until a server has done what came before
CALLS = {
    "find_tools": {"query": "undo changes"},
    "get": {"key": "ADR-5"},
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
READY = "ready"


def measure(times: int = TIMES, seconds: int = SECONDS, home: str | None = None) -> dict[str, str]:
    """Measures a server on a home with the golden corpus."""
    with golden(home) as folder, log_file() as log:
        settings = settings_of(folder)
        bearer = token("ada", folder, **settings)
        with http_server(folder, log, **settings) as (url, pid):
            rows = _delays(_User(url, bearer), times)
            for way, kept in (("kept connections", True), ("a connection each", False)):
                rows |= _wrong(url, pid, way, seconds, is_kept=kept)
    rows["faults"] = str(sum(int(rows.pop(name)) for name in list(rows) if name.endswith("!")))
    return rows


class _User:
    """Somebody with a token, who comes with each call anew."""

    def __init__(self, url: str, bearer: str) -> None:
        self.url = url
        self._named = {
            "authorization": f"Bearer {bearer}",
            "accept": "application/json, text/event-stream",
        }
        opened = httpx2.post(url, json=HELLO, headers=self._named, timeout=60)
        self._named["mcp-session-id"] = opened.headers["mcp-session-id"]
        for tool in CALLS:  # so that all is loaded
            self.call(tool)

    def call(self, tool: str) -> float:
        """Calls a tool over a connection of its own; gives the milliseconds."""
        asked = {"name": tool, "arguments": CALLS[tool]}
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked}
        began = time.perf_counter()
        told = httpx2.post(self.url, json=body, headers=self._named, timeout=60)
        took = (time.perf_counter() - began) * 1000
        if told.status_code != 200 or '"isError":true' in told.text:
            raise SystemExit(f"{tool} has failed: {told.status_code} {told.text[:300]}")
        return took


def _delays(user: _User, times: int) -> dict[str, str]:
    """Times calls with the strangers there and gone, in turn."""
    took: dict[tuple[str, bool], list[float]] = {(t, c): [] for t in CALLS for c in (False, True)}
    stood: list[int] = []
    port = httpx2.URL(user.url).port or 0
    each = max(1, times // ROUNDS // len(CALLS))
    for _ in range(ROUNDS):
        for tool in CALLS:
            took[tool, False] += [user.call(tool) for _ in range(each)]
        with _crowd(port) as standing:
            for tool in CALLS:
                took[tool, True] += [user.call(tool) for _ in range(each)]
            stood.append(standing())
    rows = {"strangers, at least and at most": f"{min(stood):,} to {max(stood):,} of {CROWD:,}"}
    for tool in CALLS:
        alone, crowded = took[tool, False], took[tool, True]
        more = [percentile(crowded, share) - percentile(alone, share) for share in (0.5, 0.95)]
        longest = max(crowded) - max(alone)
        rows[f"{tool}: alone"] = _told(alone)
        rows[f"{tool}: among strangers"] = _told(crowded)
        rows[f"{tool}: delayed by"] = (
            f"p50 {more[0]:.1f} ms, p95 {more[1]:.1f} ms, longest {longest:.1f} ms; asked: at most "
            f"{MOST_DELAY:.0f} ms"
        )
        rows[f"{tool}!"] = str(int(max(more) > MOST_DELAY))
    rows["too few strangers!"] = str(int(max(stood) < CROWD // 2))
    return rows


def _told(took: list[float]) -> str:
    return (
        f"{len(took)} calls, p50 {percentile(took, 0.5):.1f} ms, p95 {percentile(took, 0.95):.1f} "
        f"ms, longest {max(took):.1f} ms"
    )


@contextmanager
def _crowd(port: int) -> Iterator[Callable[[], int]]:
    """Keeps strangers at a server, in a process of their own; gives what counts them."""
    command = [sys.executable, "-m", "evaluation.benches.http_crowd", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        asks, answers = process.stdin, process.stdout
        assert asks is not None
        assert answers is not None

        def standing() -> int:
            asks.write("\n")
            asks.flush()
            return int(answers.readline())

        try:
            if answers.readline().strip() != READY:
                raise SystemExit("the strangers have not come")
            yield standing
        finally:
            asks.close()
            process.wait(60)


async def _stand(port: int) -> None:
    """Opens the connections, says how many there are when asked, and ends with its input."""
    loop = asyncio.get_running_loop()
    open_now: set[asyncio.StreamWriter] = set()
    turns = asyncio.Semaphore(0)

    async def one(number: int) -> None:
        source = (f"127.0.0.{number % ADDRESSES + 1}", 0)
        for _ in itertools.count():
            await turns.acquire()
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=source if sys.platform == "linux" else None
                )
                open_now.add(writer)
                try:
                    writer.write(SAID[number % len(SAID)])
                    while await reader.read(1_000):
                        pass
                finally:
                    open_now.discard(writer)
                    writer.close()

    async def let() -> None:
        while True:
            turns.release()
            await asyncio.sleep(1 / AGAIN)

    for _ in range(CROWD):
        turns.release()
    everybody = [asyncio.create_task(one(number)) for number in range(CROWD)]
    everybody.append(asyncio.create_task(let()))
    await asyncio.sleep(SETTLED)
    print(READY, flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(len(open_now), flush=True)
    for task in everybody:
        task.cancel()


@dataclass
class _Flood:
    """Wrong tokens on their way, and what became of them."""

    host: str
    port: int
    is_kept: bool
    codes: Counter[bytes] = field(default_factory=Counter)
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter, float]] = field(
        default_factory=list
    )

    async def one(self) -> None:
        """Asks with a token that nobody made."""
        body = json.dumps(HELLO).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Authorization: Bearer kw_{secrets.token_urlsafe(32)}\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        try:
            fresh = [one for one in self.idle if time.monotonic() < one[2]]
            self.idle = fresh[:-1]
            reader, writer = (
                fresh[-1][:2] if fresh else await asyncio.open_connection(self.host, self.port)
            )
            writer.write(head.encode() + body)
            told = await reader.readuntil(b"\r\n\r\n")
            length = int(told.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            self.codes[told[9:12]] += 1
            if self.is_kept:
                self.idle.append((reader, writer, time.monotonic() + KEPT))
            else:
                writer.close()
        except (OSError, EOFError, ValueError) as error:
            self.codes[type(error).__name__.encode()] += 1


async def _flood(url: str, seconds: float, *, is_kept: bool) -> tuple[Counter[bytes], float]:
    """Comes with wrong tokens at a steady rate."""
    asked = httpx2.URL(url)
    flood, coming = _Flood(str(asked.host), asked.port or 0, is_kept), set()
    began = time.monotonic()
    for number in range(int(seconds * WRONG)):
        await asyncio.sleep(max(0.0, began + number / WRONG - time.monotonic()))
        task = asyncio.create_task(flood.one())
        coming.add(task)
        task.add_done_callback(coming.discard)
    took = time.monotonic() - began
    await asyncio.gather(*coming)
    for _, writer, _ in flood.idle:
        writer.close()
    return flood.codes, took


def _wrong(url: str, pid: int, way: str, seconds: int, *, is_kept: bool) -> dict[str, str]:
    """Takes the processor time of a server that gets wrong tokens, less that of an idle one."""
    time.sleep(SETTLED)
    before = _used(pid)
    time.sleep(seconds)
    idle = (_used(pid) - before) / seconds
    before = _used(pid)
    codes, took = asyncio.run(_flood(url, seconds, is_kept=is_kept))
    share = (_used(pid) - before) / took
    counted = ", ".join(f"{n:,} of {code.decode()}" for code, n in codes.most_common())
    a_minute = codes.total() / took * 60
    return {
        f"wrong tokens over {way}": f"{a_minute:,.0f} a minute for {took:.0f} s: {counted}",
        f"they cost, over {way}": (
            f"{share - idle:.2%} of a core ({share:.2%} less {idle:.2%} when idle); asked: under "
            f"{MOST_SHARE:.0%}"
        ),
        f"{way}!": str(int(share - idle >= MOST_SHARE) + int(not set(codes) <= REFUSED)),
    }


def _used(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Keeps connections open that say nothing.")
    parser.add_argument("port", type=int)
    asyncio.run(_stand(parser.parse_args().port))
