"""What the MCP door costs: how soon it answers, what it adds to a search, what it does when idle.

The questions are asked twice in two processes: over the wire, and by the library call alone. A new
question is new to both and goes through every leg and the cross-encoder; asked again it is answered
from what both have kept, which leaves the door's own share and no noise of the models.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import psutil

from evaluation.assistants import (
    golden_home,
    http_server,
    log_file,
    over_http,
    over_stdio,
    plain_http_server,
    plain_over_stdio,
    text_of,
    token,
)
from evaluation.homes import ROOT, environment, run, stop, throwaway_home
from evaluation.metrics import percentile
from evaluation.plain_server import TOOL
from evaluation.sets import read_set
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

TIMES = 5  # starts; the middle of five
QUESTION = "Why did we move from RabbitMQ to Kafka?"
ASKED = 24  # golden questions that the overhead is measured on
AGAIN = 3  # times that each is asked again: an answer that was kept is quick
SEED = 20261118
USER = "ada"
LIMIT = 5  # hits asked for, over the wire and in the library
SETTLED = 5.0  # seconds after the last search until a server is called idle
IDLE = 20.0  # seconds over which an idle server is watched
PROFILES = ("default", "all")
FILLED = "golden-corpus-is-in"  # a file in a home that is kept
IMPORTS = {  # what a start is held against: what no server that stands on these can be without
    "a process that imports the SDK alone": "import mcp.server.stdio",
    "one that imports Pixeltable too": "import mcp.server.stdio, pixeltable",
}

Asking = Callable[[str], Any]


def measure(times: int = TIMES, home: str | None = None) -> dict[str, str]:
    """Measures one home with the golden corpus."""
    with golden(home) as folder:
        return asyncio.run(_measured(folder, times))


async def _measured(home: Path, times: int) -> dict[str, str]:
    with log_file() as log:
        where = _Where(home, log)
        rows = await _starts(where, times)
        rows |= await _costs(where)
        with _library(home) as library:
            rows |= await _overhead_of_stdio(where, library)
        rows |= await _plain(where)
        bearer = token(USER, home, **where.settings)
        with http_server(home, log, **where.settings) as (url, pid):
            async with over_http(url, bearer) as client:
                with _library(home) as library:
                    rows |= await _overhead("HTTP", client, library)
                rows["idle over HTTP, of one processor"] = await _idle(pid, client)
    return rows


class _Where:
    """A home, and how processes use it."""

    def __init__(self, home: Path, log: TextIO) -> None:
        self.home = home
        self.log = log
        self.settings = settings_of(home)

    def client(self, *options: str) -> Any:
        """Gives a client whose server has not been started yet."""
        return over_stdio(self.home, self.log, USER, *options, **self.settings)


def settings_of(home: Path) -> dict[str, str]:
    """Gives the settings of a measured home: its exported models are kept beside it."""
    return {"KNOWWHY_CACHE": str(home.parent / "cache"), "KNOWWHY_EMBEDDER": EMBEDDER}


@contextmanager
def golden(kept: str | None) -> Iterator[Path]:
    """Gives a home with the golden corpus: a kept one, or one that is gone afterwards."""
    if kept is None:
        with throwaway_home() as home:
            _fill(home)
            yield home
        return
    home = Path(kept).absolute()
    if not (home / FILLED).exists():
        _fill(home)
        (home / FILLED).touch()
    try:
        yield home
    finally:
        stop(home)


def _fill(home: Path) -> None:
    """Fills a home with the golden corpus, and searches once, which exports the models."""
    golden_home(home, **settings_of(home))
    run("search", QUESTION, home=home, **settings_of(home))


async def _starts(where: _Where, times: int) -> dict[str, str]:
    """Starts servers one after the other; the first warms the file cache and is not counted."""
    hello, listed, found = [], [], []
    for _ in range(times + 1):
        began = time.perf_counter()
        async with where.client() as client:
            hello.append(time.perf_counter() - began)
            await client.list_tools()
            listed.append(time.perf_counter() - began)
            _checked(await client.call_tool("semantic_search", {"query": QUESTION}))
            found.append(time.perf_counter() - began)
    stop(where.home)
    began = time.perf_counter()
    async with where.client() as client:
        _checked(await client.call_tool("semantic_search", {"query": QUESTION}))
        whole = time.perf_counter() - began
    return {
        "initialize answered, from exec": f"{_seconds(hello[1:])}; asked: 1 s",
        "tools/list answered, from exec": _seconds(listed[1:]),
        "first search answered, from exec": f"{_seconds(found[1:])}; asked: 6 s",
        "the same with the database to be started": f"{whole:.2f} s",
        **{name: _seconds(_runs(code, where, times)) for name, code in IMPORTS.items()},
    }


def _runs(code: str, where: _Where, times: int) -> list[float]:
    """Times processes that do nothing but this, from exec to their end."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment(where.home, **where.settings),
            check=True,
            capture_output=True,
        )
        took.append(time.perf_counter() - began)
    return took


async def _costs(where: _Where) -> dict[str, str]:
    """Counts the tokens of the list, with the estimate that all of the project uses."""
    from knowwhy.text.estimate import estimate_tokens

    rows = {}
    for profile in PROFILES:
        async with where.client("--profile", profile) as client:
            tools = (await client.list_tools()).tools
        shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
        told = [{name: t[name] for name in ("name", "description", "inputSchema")} for t in shown]
        model, whole = (
            estimate_tokens(json.dumps(part, ensure_ascii=False)) for part in (told, shown)
        )
        rows[f"tools/list, profile {profile}"] = (
            f"{len(tools)} tools, {model:,} tokens as a model is shown them, {whole:,} as sent"
        )
    return rows


async def _overhead_of_stdio(where: _Where, library: Asking) -> dict[str, str]:
    async with where.client() as client:
        (server,) = (
            child
            for child in psutil.Process().children()
            if "serve" in child.cmdline() and "--user" in child.cmdline()
        )
        rows = await _overhead("stdio", client, library)
        rows["idle over stdio, of one processor"] = await _idle(server.pid, client)
    return rows


async def _overhead(name: str, client: Any, library: Asking) -> dict[str, str]:
    """Asks the same over the wire and in the library, in turn, and compares each pair."""
    golden = [question.text for question in read_set(ROOT / "golden").questions]
    dice = random.Random(SEED)
    warming, *questions = dice.sample(golden, ASKED + 1)

    async def wire(question: str) -> float:
        began = time.perf_counter()
        _checked(await client.call_tool("semantic_search", {"query": question, "limit": LIMIT}))
        return (time.perf_counter() - began) * 1000

    await _pair(wire, library, warming, True)
    new, again = [], []
    for number, question in enumerate(questions):
        new.append(await _pair(wire, library, question, number % 2 == 0))
        again += [await _pair(wire, library, question, n % 2 == 0) for n in range(AGAIN)]
    return {
        f"overhead over {name}, new questions": _told(new),
        f"overhead over {name}, asked again": f"{_told(again)}; asked: 15 ms p50",
    }


async def _plain(where: _Where) -> dict[str, str]:
    """Times calls of a server that is nothing but the SDK and hands back as long an answer."""
    async with where.client() as client:
        answer = await client.call_tool("semantic_search", {"query": QUESTION, "limit": LIMIT})
    kept = where.home.parent / "answer.json"
    kept.write_text(answer.model_dump_json(by_alias=True, exclude_none=True), "utf-8")
    async with plain_over_stdio(kept, where.log) as client:
        over_pipes = await _calls(client)
    with plain_http_server(kept, where.log) as url:
        async with over_http(url, "none") as client:
            over_web = await _calls(client)
    return {
        "a call of a server that is the SDK alone, over stdio": over_pipes,
        "the same over HTTP": over_web,
    }


async def _calls(client: Any) -> str:
    taken = []
    for _ in range(ASKED * AGAIN):
        began = time.perf_counter()
        _checked(await client.call_tool(TOOL, {}))
        taken.append((time.perf_counter() - began) * 1000)
    return f"p50 {percentile(taken, 0.5):.1f} ms, p95 {percentile(taken, 0.95):.1f} ms"


async def _pair(wire: Any, library: Asking, question: str, wire_first: bool) -> tuple[float, float]:
    """Times both; neither always comes first, to whose question the database is cold."""
    if wire_first:
        through = await wire(question)
        return through, library(question)
    alone = library(question)
    return await wire(question), alone


async def _idle(pid: int, client: Any) -> str:
    """Watches a server that nobody asks any more, in the minute after the last question of git."""
    _checked(await client.call_tool("get_task_context", {}))
    await asyncio.sleep(SETTLED)
    before = _used(pid)
    await asyncio.sleep(IDLE)
    share = (_used(pid) - before) / IDLE
    return f"{share:.2%} over {IDLE:.0f} s; asked: under 1 %"


def _used(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@contextmanager
def _library(home: Path) -> Iterator[Asking]:
    """Runs a process that answers questions by the library; gives what asks it, in milliseconds."""
    with subprocess.Popen(
        [sys.executable, "-m", "evaluation.benches.door", str(home)],
        env=environment(home, **settings_of(home)),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asks, answers = process.stdin, process.stdout

        def ask(question: str) -> float:
            asks.write(json.dumps(question) + "\n")
            asks.flush()
            line = answers.readline()
            if not line:
                raise SystemExit("the process that asks by the library has ended")
            return float(line)

        try:
            yield ask
        finally:
            asks.close()


def _answer(home: Path) -> None:
    """Answers questions by the library, as the server's tool asks it."""
    from knowwhy import models
    from knowwhy.config import Settings
    from knowwhy.retrieval.search import search
    from knowwhy.session.git import open_repository
    from knowwhy.tables.connect import connect
    from knowwhy.types import Asker, Filters

    settings = Settings.from_environ()
    embedder = connect(settings).embedder
    models.embed_query(QUESTION, embedder)
    filters = Filters(asker=Asker(USER, open_repository(ROOT).identity()))
    wire = sys.stdout
    for line in sys.stdin:
        began = time.perf_counter()
        search(
            json.loads(line),
            embedder=embedder,
            reranker=settings.reranker,
            k=LIMIT,
            filters=filters,
        )
        wire.write(f"{(time.perf_counter() - began) * 1000}\n")
        wire.flush()


def _checked(answer: Any) -> None:
    if answer.is_error:
        raise SystemExit(f"a search has failed: {text_of(answer)}")


def _seconds(taken: Sequence[float]) -> str:
    return f"{percentile(taken, 0.5):.2f} s (worst {max(taken):.2f} s)"


def _told(pairs: Sequence[tuple[float, float]]) -> str:
    more = [through - alone for through, alone in pairs]
    through, alone = (percentile(times, 0.5) for times in zip(*pairs, strict=True))
    return (
        f"p50 {percentile(more, 0.5):.1f} ms, p95 {percentile(more, 0.95):.1f} ms "
        f"({through:.1f} ms over the wire, {alone:.1f} ms in the library)"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Answers questions, one a line, by the library.")
    parser.add_argument("home", type=Path)
    _answer(parser.parse_args().home)
