"""Nights over planted memories: what is found, how long each step takes, and how that grows."""

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from evaluation import planting
from evaluation.faults import added_up, undone
from evaluation.homes import ROOT, environment, run, throwaway_home
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

SIZES = (1_000, 10_000, 100_000)
OF_MEMORIES = ("expire", "merge", "contradictions")
MOST_LEFT = 0.02  # of the planted duplicates; more are a fault
MOST_SECONDS = {10_000: 60.0, 100_000: 900.0}  # of the whole night, by memories; more is a fault
NONE = (  # counts among the figures of a size that have to be 0
    *("traps merged", "merged that were no copies", "originals that cannot be reached"),
    *("ended for no reason", "lost in 50 provenances", "changed by a second night"),
)
MOST_GROWTH = 2.0  # exponent of a step's seconds by memories; as much or more is a fault
SHORT = 1.0  # seconds; what takes less tells nothing of growth
ALL = ("contradictions settled and flagged", "expired")  # “500 of 500”: each one that was planted

# Exits with 1 where an alarm stands: that is no failure here.
NIGHT = """
import contextlib, json, resource, sys, time
from knowwhy.tables import write
queue, held = write.queue, {}
@contextlib.contextmanager
def timed(name, *wait):
    with queue(name, *wait):
        began = time.monotonic()
        try:
            yield
        finally:
            held[name] = max(held.get(name, 0.0), time.monotonic() - began)
write.queue = timed  # before the rooms that write take it
from knowwhy.cli import run
run(["nightly", "--json", *sys.argv[1:]])
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"kilobytes": most, "held": held}), file=sys.stderr)
"""
PROVENANCE = """
import json, sys
from datetime import UTC, datetime
from knowwhy.config import Settings
from knowwhy.grounding.origin import provenance
from knowwhy.tables.connect import connect
from knowwhy.types import Asker
connect(Settings.from_environ())
lost = 0
for stays, goes, user, project in json.loads(sys.stdin.read()):
    found = provenance(Asker(user, project), stays, now=datetime.now(UTC))
    lost += goes not in [memory.key for memory in found.earlier]
print(lost)
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """A night that was run: what it reports, its most memory, and how long it kept others out."""

    report: dict[str, Any]
    kilobytes: int
    held: Mapping[str, float]  # seconds: the longest time in the queue of each table

    @property
    def hold(self) -> str:
        """Gives the longest time for which writers of memories had to wait for the night alone."""
        return f"{self.held.get('memories', 0.0):.2f} s"


def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, str]:
    """Runs a dry night, a night and a second one at each size."""
    figures: dict[str, str] = {}
    took: dict[int, dict[str, float]] = {}
    for size in sizes:
        with throwaway_home() as home:
            found, took[size] = night(size, home)
        sized = {f"{size:,}: {name}": value for name, value in found.items()}
        tell(sized)
        figures |= sized
    steep = 0
    for small, large in pairwise(sizes):
        for step, seconds in took[large].items():
            power = math.log(max(seconds, 0.01) / max(took[small][step], 0.01))
            exponent = power / math.log(large / small)
            figures[f"{step}: growth from {small:,} to {large:,}"] = f"n^{exponent:.2f}"
            steep += exponent >= MOST_GROWTH and seconds >= SHORT
    return {**figures, "growth: faults": str(steep)}


def tell(figures: Mapping[str, str]) -> None:
    """Prints figures as soon as they are there: the next size may take a quarter of an hour."""
    for name, value in figures.items():
        print(f"{name}  {value}", file=sys.stderr, flush=True)


def night(
    size: int, home: Path, embedder: str = EMBEDDER
) -> tuple[dict[str, str], dict[str, float]]:
    """Plants memories, runs the night and tells what became of them, and each step's seconds."""
    run("init", home=home, KNOWWHY_EMBEDDER=embedder)
    told = home.parent / "planted.json"
    python(f"from evaluation.planting import fill; fill({size}, Path({str(told)!r}))", home=home)
    planted = json.loads(told.read_text())
    dry = nightly("--dry-run", home=home)
    first = nightly(home=home)
    after = state(home)
    again = nightly(home=home)
    seconds = {report["name"]: report["seconds"] for report in first.report["reports"]}
    nights = [dry.report, first.report, again.report]
    figures = {
        "the whole night": f"{sum(seconds.values()):.1f} s",
        **{name: f"{value:.2f} s" for name, value in seconds.items()},
        "most memory": f"{first.kilobytes / 1024:.0f} MB",
        "longest hold of the queue": first.hold,
        **planting.faults(planted, after),
        "lost in 50 provenances": _lost(planted, after, home),
        "the dry run told the same": _otherwise(dry.report, first.report),
        "changed by a second night": str(differing(after, state(home))),
        "seconds of the second night": f"{sum(r['seconds'] for r in again.report['reports']):.1f}",
        "alarms of the night": _alarms(first.report),
        "not done by the nights": "; ".join(undone(nights)) or "nothing",
    }
    count = faults(size, figures, sum(seconds.values())) + len(undone(nights))
    return {**figures, "faults": str(count)}, seconds


def _alarms(report: Mapping[str, Any]) -> str:
    """Tells what a night warns of, which is no fault of its own: the planted home may be so."""
    return "; ".join(f"{alarm['code']}: {alarm['text']}" for alarm in report["alarms"]) or "none"


def faults(size: int, figures: Mapping[str, str], seconds: float) -> int:
    """Adds up what the figures of a size may not tell, and whether its night took too long."""
    left, _, planted = figures["duplicates left"].split()[:3]
    wrong = (
        int(left) > MOST_LEFT * int(planted),
        figures["the dry run told the same"] != "yes",
        seconds > MOST_SECONDS.get(size, math.inf),
    )
    missed = sum(int(figures[name].split()[2]) - int(figures[name].split()[0]) for name in ALL)
    return added_up(figures, *NONE) + missed + sum(wrong)


def nightly(*options: str, home: Path) -> Ran:
    """Runs a night in a process of its own, whose queues are timed."""
    done = _ended(NIGHT, *options, home=home)
    return Ran(json.loads(done.stdout), **json.loads(done.stderr.splitlines()[-1]))


def python(code: str, home: Path) -> str:
    """Runs a few lines in a process of their own."""
    return _ended(f"from pathlib import Path\n{code}", home=home).stdout


def _ended(
    code: str, *options: str, home: Path, given: str = ""
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *options],
        env=environment(home),
        cwd=ROOT,
        capture_output=True,
        text=True,
        input=given,
    )
    if done.returncode != 0:
        raise SystemExit(f"a process failed:\n{done.stderr}{done.stdout}")
    return done


def state(home: Path) -> dict[str, dict[str, Any]]:
    """Gives every memory of a home, read by a process of its own."""
    code = "import json; from evaluation.planting import state; print(json.dumps(state()))"
    found: dict[str, dict[str, Any]] = json.loads(python(code, home).splitlines()[-1])
    return found


def _lost(planted: dict[str, Any], found: dict[str, dict[str, Any]], home: Path) -> str:
    """Asks the provenance of some survivors for what went into them."""
    merged = [k for k, row in found.items() if (row["why"] or "").endswith("It says the same.")]
    asked = [
        (found[key]["why"].removeprefix("Superseded by ").split(":")[0], key)
        for key in planting.chosen(sorted(merged), 50)
    ]
    pairs = [(a, b, found[b]["user_id"], found[b]["project"]) for a, b in asked]
    return _ended(PROVENANCE, home=home, given=json.dumps(pairs)).stdout.strip()


def _otherwise(dry: dict[str, Any], real: dict[str, Any]) -> str:
    """Names what two nights tell otherwise of memories; of tables and files each tells its own."""
    found = [
        f"{told['name']}: {name}"
        for told, done in zip(dry["reports"], real["reports"], strict=True)
        for name in told.keys() | done.keys()
        if told["name"] in OF_MEMORIES and name != "seconds" and told.get(name) != done.get(name)
    ]
    return f"no ({', '.join(sorted(found))})" if found else "yes"


def differing(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Counts the memories that are not the same in two states."""
    keys = before.keys() | after.keys()
    return sum(before.get(key) != after.get(key) for key in keys)
