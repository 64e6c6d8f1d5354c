"""The extractor killed at random moments and started again: what is lost, what is doubled."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from evaluation.homes import ROOT, environment, run, throwaway_home

TIMES = 20
LATEST = 6.0  # seconds after the home is open: a few batches
SEED = 20261118
TURNS = 40  # that are new at each start: more than are learned from before the kill
EMBEDDER = "wordhash"  # its vectors take no time, so more kills meet the tables

# Says something new, tells how much is left of before, and learns until it is killed.
LEARNS = """
import sys
from datetime import UTC, datetime, timedelta
from knowwhy.config import Settings
from knowwhy.grounding.learn import Learner
from knowwhy.grounding.worker import Worker, standing
from knowwhy.tables.connect import connect
from knowwhy.tables.write import put_turns
from knowwhy.types import Turn
how = Learner(connect(Settings.from_environ()).embedder)
first, number, count = datetime(2025, 1, 1, tzinfo=UTC), int(sys.argv[1]), int(sys.argv[2])
def turn(n):
    said = (f"We decided to use broker{n} for team{n} because replay{n} is needed. "
            f"I prefer editor{n} over editor{n + 1}. We moved from tool{n} to tool{n + 1}. "
            f"To deploy service{n}, run make release{n} and then check page{n}.")
    return Turn(f"t{n}", f"user{n % 5}", "orders", f"s{n // 8}", "user", None, said, None,
                first + timedelta(minutes=n))
left = standing(how)
put_turns([turn(n) for n in range(number * count, (number + 1) * count)])
print(f"{left.turns}+{left.facts}", flush=True)
Worker(how).run()
"""

# Reads every row, of the tables themselves and not by what looks for gaps.
CHECK = """
import hashlib, json
from collections import Counter
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables.write import table
connect(Settings.from_environ())
def rows(name, *columns):
    source = table(name)
    return list(source.select(**{c: getattr(source, c) for c in columns}).collect())
turns = [row["key"] for row in rows("turns", "key")]
read = rows("extractions", "turn_key", "extractor_version", "facts", "failed", "attempts")
faults = []
times = Counter(row["turn_key"] for row in read)
faults += [f"{key} was read {times[key]} times" for key in turns if times[key] != 1]
faults += [f"{row['turn_key']} failed: {row['failed']}" for row in read if row["failed"]]
expected = Counter()
for row in read:
    for fact in row["facts"]:
        told = "\\n".join((row["turn_key"], row["extractor_version"], str(fact["number"])))
        expected["m-" + hashlib.sha256(told.encode()).hexdigest()[:20]] += 1
judged = Counter(row["key"] for row in rows("memories", "key"))
faults += [f"{key} was judged {judged[key]} times" for key in expected if judged[key] != 1]
faults += [f"{key} is of no fact" for key in judged if key not in expected]
noted = {row["memory_key"] for row in rows("changes", "memory_key", "what")
         if row["what"] == "added"}
faults += [f"{key} was not noted" for key in judged if key not in noted]
print(json.dumps({"faults": faults, "turns": len(turns), "facts": sum(expected.values())}))
"""


def measure(times: int = TIMES, turns: int = TURNS) -> dict[str, str]:
    """Kills and repeats in one home, with new turns each time; counts faults at the end."""
    dice = random.Random(SEED)
    killed, backlogs = 0, []
    with throwaway_home() as home:
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        for number in range(times):
            process = _python(LEARNS, str(number), str(turns), home=home)
            assert process.stdout is not None
            backlogs.append(process.stdout.readline().strip())
            try:
                process.communicate(timeout=dice.uniform(0, LATEST))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                killed += 1
        run("extract", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        told = json.loads(_ended(_python(CHECK, home=home)))
    return {
        "runs": str(times),
        "killed before their end": str(killed),
        "turns + facts left before each": " ".join(backlogs),
        "turns, facts": f"{told['turns']}, {told['facts']}",
        "faults at the end": "; ".join(told["faults"]) or "0",
    }


def _python(code: str, *arguments: str, home: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(
        command,
        env=environment(home, KNOWWHY_EMBEDDER=EMBEDDER),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a process failed:\n{err}")
    return out
