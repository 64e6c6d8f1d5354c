"""Several clients at once: no call fails, no write is lost, each is found by the next search."""

import asyncio
import os
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from evaluation import crowd
from evaluation.assistants import http_server, log_file, over_http, over_stdio
from evaluation.benches.clients import crowd as work_together
from evaluation.homes import environment
from knowwhy.tables.agents import bearers

SECONDS = 6.0  # after which no further doing begins; each client goes through all of them once
SHOWN = 10  # faults; pytest takes minutes to compare hundreds
SETTINGS = {"KNOWWHY_EMBEDDER": "wordhash", "KNOWWHY_RERANKER": "none"}


@pytest.fixture
def home(store):
    return Path(os.environ["PIXELTABLE_HOME"])


async def by_http(home, log, users, journal):
    tokens = {user: bearers.add(user)[0] for user in users}
    with http_server(home, log, **SETTINGS) as (url, _):
        async with AsyncExitStack() as stack:
            entered = [
                await stack.enter_async_context(over_http(url, tokens[user])) for user in users
            ]
            await work_together(entered, users, SECONDS, journal)


async def by_stdio(home, log, users, journal):
    async with AsyncExitStack() as stack:
        started = [over_stdio(home, log, user, **SETTINGS) for user in users]
        entered = [await stack.enter_async_context(client) for client in started]
        await work_together(entered, users, SECONDS, journal)


@pytest.mark.parametrize(
    ("way", "users"),
    [(by_http, ["ada", "bob", "ada", "cyd"]), (by_stdio, ["ada", "ada"])],
    ids=["http", "stdio"],
)
def test_what_clients_write_at_once_is_found_and_stays(home, way, users):
    journal = crowd.Journal()
    with log_file() as log:
        asyncio.run(way(home, log, users, journal))
        complaints = crowd.used_log(Path(log.name))
    faults = crowd.stored_faults(journal, environment(home, **SETTINGS))
    written = Counter(wrote.table for wrote in journal.wrote.values())

    assert [] == [*journal.faults, *complaints, *faults][:SHOWN]
    assert {"memories", "turns", "records"} == set(written)
    assert len(users) <= journal.judged["active"]
    assert len(users) <= len(journal.took["recall"])
