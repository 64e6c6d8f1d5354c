"""A night beside four writers and four readers: who waits how long, and what is lost."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from evaluation import planting
from evaluation.benches.night import nightly, python, state
from evaluation.homes import ROOT, environment, run, throwaway_home

WRITERS, READERS = 4, 4
SIZE = 2_000  # memories that are planted
EMBEDDER = "wordhash"  # so that the figures are the store's and not a model's
ALONE_SECONDS = 60.0  # that the crowd works without a night, to be held against
LONGEST = 2.0  # seconds that a writer may wait; more is a fault
FEWEST = 3  # that each writer and reader does, however short the night is

Doing = TypeVar("Doing")

# Remembers one claim after another until the night is over, and notes how long the queue took.
WRITER = """
import contextlib, gc, json, os, sys, time
from datetime import UTC, datetime
from pathlib import Path
from knowwhy.cli import COLLECTED_AFTER
from knowwhy.config import Settings
from knowwhy.grounding import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.connect import connect
gc.set_threshold(COLLECTED_AFTER)  # as every command and server has it
number, over, fewest = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
embedder = connect(Settings.from_environ()).embedder
waits, queue, keys = [], admit.queue, []
@contextlib.contextmanager
def timed(name):
    began = time.monotonic()
    with queue(name):
        waits.append(time.monotonic() - began)
        yield
admit.queue = timed
print("ready", flush=True)
while not over.exists() or len(keys) < fewest:
    report = f"{os.getpid()}-{len(keys)}"
    text = f"Writer {number} has written report {report} for the team of floor {number}."
    claim = Claim(text, user_id=f"writer{number}", project="shop", said_by="user", source="manual")
    keys += [m.key for m in admit.admit([claim], embedder=embedder, now=datetime.now(UTC))]
print(json.dumps({"keys": keys, "waits": waits}))
"""
READER = """
import gc, json, sys, time
from pathlib import Path
from knowwhy.cli import COLLECTED_AFTER
from knowwhy.config import Settings
from knowwhy.retrieval.search import search
from knowwhy.tables.connect import connect
from knowwhy.types import Asker, Filters
gc.set_threshold(COLLECTED_AFTER)
over, fewest = Path(sys.argv[2]), int(sys.argv[3])
embedder = connect(Settings.from_environ()).embedder
whose = Filters(project="shop", asker=Asker(None, "shop"))
asked = []
print("ready", flush=True)
while not over.exists() or len(asked) < fewest:
    began = time.monotonic()
    found = search("Redis is used for the sessions", embedder=embedder, reranker="none",
                   filters=whose)
    assert found.hits, "a search found nothing"
    asked.append(time.monotonic() - began)
print(json.dumps({"asked": asked}))
"""


def measure(size: int = SIZE) -> dict[str, str]:
    """Lets others write and read, alone and then beside a night, and looks for every claim."""
    with throwaway_home() as home:
        told = home.parent / "planted.json"
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        python(f"from evaluation.planting import fill; fill({size}, Path({str(told)!r}))", home)
        alone, _ = _crowd(home, lambda: time.sleep(ALONE_SECONDS))
        beside, night = _crowd(home, lambda: nightly(home=home))
        after, planted = state(home), json.loads(told.read_text())
    keys = [*alone.keys, *beside.keys]
    found = planting.faults({**planted, "count": len(after)}, after)
    return {
        "writers, readers": f"{WRITERS}, {READERS}",
        "seconds of the night": f"{sum(step['seconds'] for step in night.report['reports']):.1f}",
        "claims written": str(len(keys)),
        **waits(beside.waits, alone.waits),
        "longest hold of the night": night.hold,
        "searches": str(len(beside.asked)),
        "longest search": f"{beside.asked[-1]:.2f} s",
        "that one without a night": f"{alone.asked[-1]:.2f} s",
        "errors": "0",
        "lost writes": str(sum(key not in after for key in keys)),
        "lost originals": str(planted["count"] + len(keys) - len(after)),
        "traps merged": found["traps merged"],
    }


def waits(beside: list[float], alone: list[float]) -> dict[str, str]:
    """Tells how long writers waited beside a night and without one, the shortest wait first."""
    return {
        "longest wait of a writer": f"{beside[-1]:.2f} s",
        "the same without a night": f"{alone[-1]:.2f} s",
        f"waits beyond {LONGEST:g} s: faults": str(sum(wait > LONGEST for wait in beside)),
        "middle wait of a writer": f"{_middle(beside) * 1000:.0f} ms",
        "that without a night": f"{_middle(alone) * 1000:.0f} ms",
    }


@dataclass(frozen=True, slots=True)
class _Done:
    """What a crowd has done: the claims it wrote, and its waits and searches, shortest first."""

    keys: list[str]
    waits: list[float]  # seconds until it was a writer's turn
    asked: list[float]  # seconds of each search


def _crowd(home: Path, meanwhile: Callable[[], Doing]) -> tuple[_Done, Doing]:
    """Lets writers and readers work until something else is done."""
    with tempfile.TemporaryDirectory() as folder:
        over = Path(folder) / "over"
        others = [_start(WRITER, home, n, over) for n in range(WRITERS)]
        others += [_start(READER, home, n, over) for n in range(READERS)]
        for process in others:
            assert process.stdout is not None
            if "ready" not in process.stdout.readline():
                raise SystemExit(f"a process failed:\n{process.communicate()[1]}")
        try:
            done = meanwhile()
        finally:
            over.touch()
            ended = [_ended(process) for process in others]
    wrote, read = ended[:WRITERS], ended[WRITERS:]
    keys = [key for row in wrote for key in row["keys"]]
    waits = sorted(wait for row in wrote for wait in row["waits"])
    return _Done(keys, waits, sorted(took for row in read for took in row["asked"])), done


def _middle(some: list[float]) -> float:
    return some[len(some) // 2]


def _start(code: str, home: Path, number: int, over: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(number), str(over), str(FEWEST)]
    return subprocess.Popen(
        command,
        env=environment(home),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(process: subprocess.Popen[str]) -> dict[str, list[Any]]:
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a process failed:\n{err}")
    told: dict[str, list[Any]] = json.loads(out)
    return told
