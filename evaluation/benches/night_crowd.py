"""A night beside four writers and four readers: who waits how long, and what is lost."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from evaluation import planting
from evaluation.benches.night import nightly, python, state
from evaluation.faults import added_up, undone
from evaluation.homes import ROOT, environment, run, throwaway_home

WRITERS, READERS = 4, 4
SIZE = 2_000  # memories that are planted
EMBEDDER = "wordhash"  # so that the figures are the store's and not a model's
ALONE_SECONDS = 60.0  # that the crowd works without a night, to be held against
LONGEST = 2.0  # seconds that a writer may wait; more is a fault
FEWEST = 3  # that each writer and reader does, however short the night is
WRITTEN = ("content", "status", "user_id", "project")  # of a claim, and not changed by a night
NONE = ("errors", "lost writes", "lost retractions", "lost originals", "traps merged")  # must be 0

Doing = TypeVar("Doing")
State = Mapping[str, Mapping[str, Any]]  # memories by their keys
Owned = tuple[str, str | None, str | None]  # a memory's key, its user and its project

# Remembers one claim after another until the night is over, and notes how long the queue took; the
# first writer takes back, after each of them, one of the memories that it is given.
WRITER = """
import contextlib, gc, itertools, json, os, sys, time
from datetime import UTC, datetime
from pathlib import Path
from knowwhy.cli import COLLECTED_AFTER
from knowwhy.config import Settings
from knowwhy.grounding import admit, lifecycle, steps
from knowwhy.grounding.claims import Claim
from knowwhy.tables.connect import connect
from knowwhy.types import Asker
gc.set_threshold(COLLECTED_AFTER)  # as every command and server has it
number, over, fewest = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
to_retract = iter(json.loads(sys.stdin.read()))
embedder = connect(Settings.from_environ()).embedder
waits, queue, written, retracted = [], admit.queue, {}, []
@contextlib.contextmanager
def timed(name):
    began = time.monotonic()
    with queue(name):
        waits.append(time.monotonic() - began)
        yield
admit.queue = steps.queue = timed
print("ready", flush=True)
while not over.exists() or len(written) < fewest:
    report = f"{os.getpid()}-{len(written)}"
    text = f"Writer {number} has written report {report} for the team of floor {number}."
    claim = Claim(text, user_id=f"writer{number}", project="shop", said_by="user", source="manual")
    for m in admit.admit([claim], embedder=embedder, now=datetime.now(UTC)):
        written[m.key] = [m.content, m.status, m.user_id, m.project]
    for key, user, project in itertools.islice(to_retract, 1):
        lifecycle.retract(Asker(user, project), key, "It is gone.", now=datetime.now(UTC))
        retracted.append(key)
print(json.dumps({"written": written, "retracted": retracted, "waits": waits}))
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
        planted, before = json.loads(told.read_text()), state(home)
        early, late = to_retract(planted, before)
        alone, _ = _crowd(home, lambda: time.sleep(ALONE_SECONDS), early)
        beside, night = _crowd(home, lambda: nightly(home=home), late)
        after = state(home)
    written = {**alone.written, **beside.written}
    retracted = [*alone.retracted, *beside.retracted]
    errors = undone([night.report])
    figures = {
        "writers, readers": f"{WRITERS}, {READERS}",
        "seconds of the night": f"{sum(step['seconds'] for step in night.report['reports']):.1f}",
        "claims written": str(len(written)),
        "memories retracted": f"{len(retracted)}, {len(beside.retracted)} of them beside the night",
        **waits(beside.waits, alone.waits),
        "longest hold of the night": night.hold,
        "searches": str(len(beside.asked)),
        "longest search": f"{beside.asked[-1]:.2f} s",
        "that one without a night": f"{alone.asked[-1]:.2f} s",
        "errors": f"{len(errors)} {'; '.join(errors)}".strip(),
        **lost(written, retracted, before, after),
        "traps merged": planting.faults({**planted, "count": len(after)}, after)["traps merged"],
    }
    return {**figures, "faults": str(added_up(figures, *NONE))}


def to_retract(planted: Mapping[str, Any], found: State) -> tuple[list[Owned], list[Owned]]:
    """Chooses what is taken back before a night, and beside it: what it supersedes comes first.

    Whichever of the two is first, a memory that is taken back is so in the end.
    """
    pairs = [*planted["copies"], *planted["clashes"], *planted["traps"]]
    plain = sorted(found.keys() - set(planted["ended"]).union(*pairs))
    owned = {key: (key, found[key]["user_id"], found[key]["project"]) for key in found}
    half = len(plain) // 2
    superseded = [old for old, _ in planted["clashes"]]
    return [owned[k] for k in plain[:half]], [owned[k] for k in (*superseded, *plain[half:])]


def lost(
    written: Mapping[str, Sequence[Any]], retracted: Iterable[str], before: State, after: State
) -> dict[str, str]:
    """Counts what is not there, or is not as those who wrote were told."""
    stored = {key: [row[name] for name in WRITTEN] for key, row in after.items()}
    words = {key: row["content"] for key, row in after.items()}
    back = [key for key in retracted if key not in after or after[key]["status"] != "retracted"]
    return {
        "lost writes": str(sum(stored.get(key) != list(row) for key, row in written.items())),
        "lost retractions": str(len(back)),
        "lost originals": str(sum(words.get(k) != row["content"] for k, row in before.items())),
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
    """What a crowd has done: what it wrote and took back; waits and searches, shortest first."""

    written: dict[str, list[Any]]  # of each claim by its key what its writer was told
    retracted: list[str]
    waits: list[float]  # seconds until it was a writer's turn
    asked: list[float]  # seconds of each search


def _crowd(
    home: Path, meanwhile: Callable[[], Doing], retractable: Sequence[Owned]
) -> tuple[_Done, Doing]:
    """Lets writers and readers work until something else is done; the first writer takes back."""
    with tempfile.TemporaryDirectory() as folder:
        over = Path(folder) / "over"
        given = [retractable, *([()] * (WRITERS - 1))]
        others = [_start(WRITER, home, n, over, some) for n, some in enumerate(given)]
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
    written = {key: told for row in wrote for key, told in row["written"].items()}
    waits = sorted(wait for row in wrote for wait in row["waits"])
    asked = sorted(took for row in read for took in row["asked"])
    return _Done(written, wrote[0]["retracted"], waits, asked), done


def _middle(some: list[float]) -> float:
    return some[len(some) // 2]


def _start(
    code: str, home: Path, number: int, over: Path, given: Sequence[Owned] = ()
) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(number), str(over), str(FEWEST)]
    process = subprocess.Popen(
        command,
        env=environment(home),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(given))
    process.stdin.close()
    process.stdin = None  # or its end would be written to once more
    return process


def _ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a process failed:\n{err}")
    told: dict[str, Any] = json.loads(out)
    return told
