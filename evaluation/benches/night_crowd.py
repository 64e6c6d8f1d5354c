"""A night beside four writers and four readers: who waits how long, and what is lost."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from evaluation import planting
from evaluation.benches.night import nightly, python, state
from evaluation.homes import ROOT, environment, run, throwaway_home

WRITERS, READERS = 4, 4
SIZE = 2_000  # memories that are planted
EMBEDDER = "wordhash"  # so that the figures are the store's and not a model's
FEWEST = 3  # that each writer and reader does, however short the night is

# Remembers one claim after another until the night is over, and notes how long the queue took.
WRITER = """
import contextlib, json, sys, time
from datetime import UTC, datetime
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.grounding import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.connect import connect
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
    text = f"Writer {number} has written report {len(keys)} for the team of floor {number}."
    claim = Claim(text, user_id=f"writer{number}", project="shop", said_by="user", source="manual")
    keys += [m.key for m in admit.admit([claim], embedder=embedder, now=datetime.now(UTC))]
print(json.dumps({"keys": keys, "waits": waits}))
"""
READER = """
import json, sys, time
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.retrieval.search import search
from knowwhy.tables.connect import connect
from knowwhy.types import Asker, Filters
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
    """Runs a night while others write and read, and looks for every claim afterwards."""
    with throwaway_home() as home:
        told, over = home.parent / "planted.json", home.parent / "over"
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        python(f"from evaluation.planting import fill; fill({size}, Path({str(told)!r}))", home)
        others = [_start(WRITER, home, n, over) for n in range(WRITERS)]
        others += [_start(READER, home, n, over) for n in range(READERS)]
        for process in others:
            assert process.stdout is not None
            if "ready" not in process.stdout.readline():
                raise SystemExit(f"a process failed:\n{process.communicate()[1]}")
        try:
            report, _ = nightly(home=home)
        finally:
            over.touch()
            ended = [_ended(process) for process in others]
        wrote, read = ended[:WRITERS], ended[WRITERS:]
        after, planted = state(home), json.loads(told.read_text())
    waits = sorted(wait for row in wrote for wait in row["waits"])
    asked = sorted(took for row in read for took in row["asked"])
    keys = [key for row in wrote for key in row["keys"]]
    found = planting.faults({**planted, "count": len(after)}, after)
    return {
        "writers, readers": f"{WRITERS}, {READERS}",
        "seconds of the night": f"{sum(step['seconds'] for step in report['reports']):.1f}",
        "claims written": str(len(keys)),
        "longest wait of a writer": f"{waits[-1]:.2f} s",
        "middle wait of a writer": f"{waits[len(waits) // 2] * 1000:.0f} ms",
        "searches": str(len(asked)),
        "longest search": f"{asked[-1]:.2f} s",
        "errors": "0",
        "lost writes": str(sum(key not in after for key in keys)),
        "lost originals": str(planted["count"] + len(keys) - len(after)),
        "traps merged": found["traps merged"],
    }


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
