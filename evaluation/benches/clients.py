"""Clients at once, mixed reads and writes: of one HTTP server, and each of a server of its own.

Nothing may fail, no write may be lost, and every write is found by its writer's next search.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TextIO

from evaluation.assistants import http_server, log_file, over_http, over_stdio, token
from evaluation.benches.door import golden, settings_of
from evaluation.crowd import Assistant, Journal, stored_faults, used_log
from evaluation.homes import ROOT, environment
from evaluation.metrics import percentile
from evaluation.sets import read_set

SECONDS = 60
CLIENTS = {"http": 8, "stdio": 4}
USERS = ("ada", "bob", "cyd", "dan")  # two clients and more of each share what they remember
SHOWN_FAULTS = 30


def measure(
    seconds: int = SECONDS,
    clients: int | None = None,
    over: str | None = None,
    home: str | None = None,
) -> dict[str, str]:
    """Lets clients work on a home with the golden corpus, over HTTP, then by stdio."""
    rows: dict[str, str] = {}
    with golden(home) as folder:
        for way in [over] if over else CLIENTS:
            rows |= asyncio.run(together(way, folder, clients or CLIENTS[way], seconds))
    return rows


async def together(way: str, home: Path, clients: int, seconds: float) -> dict[str, str]:
    """Runs one crowd and compares what it wrote with what is stored."""
    journal = Journal()
    users = [USERS[number % len(USERS[: max(1, clients // 2)])] for number in range(clients)]
    with log_file() as log:
        if way == "http":
            await _by_http(home, log, users, seconds, journal)
        else:
            await _by_stdio(home, log, users, seconds, journal)
        journal.faults += used_log(Path(log.name))
    where = environment(home, **settings_of(home))
    journal.faults += stored_faults(journal, where)
    return told(way, clients, seconds, journal)


async def _by_http(
    home: Path, log: TextIO, users: Sequence[str], seconds: float, journal: Journal
) -> None:
    settings = settings_of(home)
    bearers = {user: token(user, home, **settings) for user in dict.fromkeys(users)}
    with http_server(home, log, **settings) as (url, _):
        async with AsyncExitStack() as stack:
            entered = [
                await stack.enter_async_context(over_http(url, bearers[user])) for user in users
            ]
            await crowd(entered, users, seconds, journal)


async def _by_stdio(
    home: Path, log: TextIO, users: Sequence[str], seconds: float, journal: Journal
) -> None:
    async with AsyncExitStack() as stack:
        started = [over_stdio(home, log, user, **settings_of(home)) for user in users]
        entered = [await stack.enter_async_context(client) for client in started]
        await crowd(entered, users, seconds, journal)


async def crowd(
    clients: Sequence[Any], users: Sequence[str], seconds: float, journal: Journal, least: int = 1
) -> None:
    """Lets clients work side by side for a while, each through all it can do at least once."""
    questions = [question.text for question in read_set(ROOT / "golden").questions]
    until = time.monotonic() + seconds
    assistants = [
        Assistant(client, user, number, journal, questions)
        for number, (client, user) in enumerate(zip(clients, users, strict=True))
    ]
    await asyncio.gather(
        *(one.work(until, least, is_alone=users.count(one.user) == 1) for one in assistants)
    )


def told(way: str, clients: int, seconds: float, journal: Journal) -> dict[str, str]:
    """Tells the times by tool, the writes, and every fault."""
    calls = sum(map(len, journal.took.values()))
    judged = ", ".join(f"{count} {status}" for status, count in journal.judged.items())
    tables = [wrote.table for wrote in journal.wrote.values()]
    faults = journal.faults
    rows = {f"{way}: clients, seconds": f"{clients}, {seconds:.0f}"}
    for tool, took in sorted(journal.took.items()):
        rows[f"{way}: {tool}"] = (
            f"{len(took):>4} calls, p50 {percentile(took, 0.5):7.1f} ms, "
            f"p95 {percentile(took, 0.95):7.1f} ms, max {max(took):7.1f} ms"
        )
    rows[f"{way}: calls"] = f"{calls:,}, {calls / seconds:.1f} a second"
    rows[f"{way}: written"] = ", ".join(f"{tables.count(t)} {t}" for t in sorted(set(tables)))
    rows[f"{way}: memories judged"] = judged
    rows[f"{way}: faults"] = str(len(faults))
    for number, fault in enumerate(faults[:SHOWN_FAULTS], 1):
        rows[f"{way}: fault {number}"] = fault
    return rows
