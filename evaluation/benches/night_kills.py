"""Nights killed at random moments and run again, against one that nobody disturbed."""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.benches.night import OF_MEMORIES, differing, nightly, python, state
from evaluation.faults import undone
from evaluation.homes import ROOT, environment, run, stop, throwaway_home

TIMES = 20
SIZE = 1_000  # memories: some pages of each step
SEED = 20261118
SEARCHES = 300  # that the night counts, in six pages
ENOUGH = 0.5  # of the nights have to be killed, and one of them in the middle of a pass
KILLED = (*OF_MEMORIES, "access")  # the steps into which kills fall
EMBEDDER = "wordhash"  # its vectors take no time, so more kills meet the tables

# Says when the home is open, and how long the steps took that are killed: a kill falls into these,
# and not into the measuring of the search, which takes the most of a night. Small pages, each noted
# at once, leave places in a step to go on from; a real night has these from 2,000 memories on.
NIGHT = """
import sys
from datetime import UTC, datetime
from knowwhy import nightly
from knowwhy.config import Settings
from knowwhy.janitor import access, passes
from knowwhy.tables.connect import connect
nightly.NOTED_EVERY, passes.TOGETHER, access.PAGE = 0.0, 100, 50
embedder = connect(Settings.from_environ()).embedder
print("open", flush=True)
reports = nightly.run(embedder, datetime.now(UTC)).reports
print("over", sum(one["seconds"] for one in reports if one["name"] in sys.argv), flush=True)
"""
# Searches that gave each memory to somebody, long enough ago to be counted.
ASKED = """
from datetime import UTC, datetime, timedelta
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables.write import table
from knowwhy.telemetry import store
from knowwhy.types import Recall
connect(Settings.from_environ())
memories, at = table("memories"), datetime.now(UTC) - timedelta(hours=1)
keys = sorted(row["key"] for row in memories.select(key=memories.key).collect())
store([Recall(f"Question {n}", tuple(keys[n::100]), 0, at=at) for n in range(%d)])
"""
ACCESSES = """
import json
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables.write import table
connect(Settings.from_environ())
access = table("access")
rows = access.select(item=access.item_key, times=access.times).collect()
print(json.dumps({f"accesses of {row['item']}": row["times"] for row in rows}))
"""
# Names the steps that the last night has left between two of their pages.
LEFT = """
import json
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables.kept.nights import nights
connect(Settings.from_environ())
cursors = [both for run in nights(1) for both in run.cursors.items()]
print(json.dumps([step for step, at in cursors if isinstance(at, dict) and at.get("after")]))
"""


def measure(times: int = TIMES, size: int = SIZE) -> dict[str, str]:
    """Kills a night in each of several copies of one home, runs it again and compares."""
    dice, killed, amid, wrong = random.Random(SEED), 0, list[str](), list[str]()
    with throwaway_home() as home:
        told = home.parent / "planted.json"
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        python(f"from evaluation.planting import fill; fill({size}, Path({str(told)!r}))", home)
        python(ASKED % SEARCHES, home)
        stop(home)
        _copy(home, home.parent / "planted")
        took = _undisturbed(home)
        wanted = _state(home)
        for number in range(times):
            stop(home)
            shutil.rmtree(home)
            _copy(home.parent / "planted", home)
            if _killed(home, dice.uniform(0, took)):
                killed += 1
                amid += json.loads(python(LEFT, home))
            wrong += [f"night {number}: {fault}" for fault in _faults(home, wanted)]
    return {
        "nights, of rows each": f"{times}, {len(wanted)}",
        "killed before their end": str(killed),
        "killed in the middle of a pass": f"{len(amid)} {_counted(amid)}".strip(),
        "seconds that its steps take": f"{took:.1f}",
        "other than after one undisturbed": "; ".join(wrong) or "0",
        "faults": str(len(wrong) + too_few(times, killed, len(amid))),
    }


def too_few(times: int, killed: int, amid: int) -> int:
    """Counts the kills that are missing: without them the nights have shown nothing."""
    return max(0, math.ceil(ENOUGH * times) - killed) + (amid == 0)


def _faults(home: Path, wanted: dict[str, Any]) -> list[str]:
    """Runs the night that follows a kill, and another one; names what is not as it should be."""
    night = nightly(home=home).report
    wrong = differing(wanted, _state(home))
    again = nightly(home=home).report
    found = [f"{wrong} rows"] if wrong else []
    found += [f"another one changed {changed}"] if (changed := _changes(again)) else []
    return [*undone([night, again]), *found]


def _state(home: Path) -> dict[str, Any]:
    """Gives every memory of a home, and how often each was given to somebody."""
    return {**state(home), **json.loads(python(ACCESSES, home))}


def _counted(steps: Sequence[str]) -> str:
    """Tells how often each step was left."""
    counts = Counter(steps)
    return f"({', '.join(f'{count} {step}' for step, count in counts.items())})" if counts else ""


def _copy(home: Path, to: Path) -> None:
    """Copies a stopped home with its owners: its database runs as a user of its own."""
    subprocess.run(["cp", "-a", str(home), str(to)], check=True)


def _undisturbed(home: Path) -> float:
    """Runs a night to its end and gives the seconds of the steps that are to be killed."""
    process = _start(home)
    out, err = process.communicate()
    if process.returncode != 0 or "over" not in out:
        raise SystemExit(f"a night failed:\n{err}")
    return float(out.split()[-1])


def _killed(home: Path, after: float) -> bool:
    """Starts a night and kills it; tells whether it had not ended."""
    process = _start(home)
    try:
        process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    return False


def _start(home: Path) -> subprocess.Popen[str]:
    """Starts a night and waits until its home is open."""
    process = subprocess.Popen(
        [sys.executable, "-c", NIGHT, *KILLED],
        env=environment(home),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    if "open" not in process.stdout.readline():
        raise SystemExit(f"a home could not be opened:\n{process.communicate()[1]}")
    return process


def _changes(report: dict[str, Any]) -> str:
    steps = [step for step in report["reports"] if step["name"] in KILLED]
    found = {step["name"]: step["done"] for step in steps if step["done"]}
    return json.dumps(found) if found else ""
