"""Nights killed at random moments and run again, against one that nobody disturbed."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from evaluation.benches.night import OF_MEMORIES, differing, nightly, python, state
from evaluation.homes import ROOT, environment, run, stop, throwaway_home

TIMES = 20
SIZE = 1_000  # memories: some pages of each step
SEED = 20261118
EMBEDDER = "wordhash"  # its vectors take no time, so more kills meet the tables

# Says when the home is open, and how long the steps took that write to memories: a kill falls into
# these, and not into the measuring of the search, which takes the most of a night.
NIGHT = """
import sys
from datetime import UTC, datetime
from knowwhy.config import Settings
from knowwhy.nightly import run
from knowwhy.tables.connect import connect
embedder = connect(Settings.from_environ()).embedder
print("open", flush=True)
reports = run(embedder, datetime.now(UTC)).reports
print("over", sum(one["seconds"] for one in reports if one["name"] in sys.argv), flush=True)
"""


def measure(times: int = TIMES, size: int = SIZE) -> dict[str, str]:
    """Kills a night in each of several copies of one home, runs it again and compares."""
    dice, killed, faults = random.Random(SEED), 0, []
    with throwaway_home() as home:
        told = home.parent / "planted.json"
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        python(f"from evaluation.planting import fill; fill({size}, Path({str(told)!r}))", home)
        stop(home)
        _copy(home, home.parent / "planted")
        took = _undisturbed(home)
        wanted = state(home)
        for number in range(times):
            stop(home)
            shutil.rmtree(home)
            _copy(home.parent / "planted", home)
            killed += _killed(home, dice.uniform(0, took))
            nightly(home=home)
            if wrong := differing(wanted, state(home)):
                faults.append(f"night {number}: {wrong} memories")
            if changed := _changes(nightly(home=home).report):
                faults.append(f"night {number}: another one changed {changed}")
    return {
        "nights, of memories each": f"{times}, {len(wanted)}",
        "killed before their end": str(killed),
        "seconds that its steps of memories take": f"{took:.1f}",
        "other than after one undisturbed": "; ".join(faults) or "0",
    }


def _copy(home: Path, to: Path) -> None:
    """Copies a stopped home with its owners: its database runs as a user of its own."""
    subprocess.run(["cp", "-a", str(home), str(to)], check=True)


def _undisturbed(home: Path) -> float:
    """Runs a night to its end and gives the seconds of its steps that write to memories."""
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
        [sys.executable, "-c", NIGHT, *OF_MEMORIES],
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
    steps = [step for step in report["reports"] if step["name"] in OF_MEMORIES]
    found = {step["name"]: step["done"] for step in steps if step["done"]}
    return json.dumps(found) if found else ""
