"""Messages kept and read back, one at a time, while another process learns from the others."""

import json
import os
import subprocess
import sys
import time

from evaluation.homes import ROOT, environment, run, start, throwaway_home
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

TIMES = 200  # messages that are timed, and as many reads
STORED = 10_000  # turns that are there already

# Times each message, a reading and a bare insert in turn, so that all three meet the same load.
TIMED = """
import json, sys, time
from datetime import UTC, datetime, timedelta
import pixeltable as pxt
from knowwhy.config import Settings
from knowwhy.tables.talk import gaps
from knowwhy.tables.connect import connect
from knowwhy.tables.talk.said import Saying, add_turn
from knowwhy.tables.talk.turns import history
from knowwhy.tables.write import table

connect(Settings.from_environ())
columns = {n: pxt.String for n in ("key", "user_id", "project", "session_id", "role", "content")}
bare = pxt.create_table("bare", {**columns, "at": pxt.Timestamp}, if_exists="ignore")
took = {"said": [], "read": [], "found": [], "bare": []}
def timed(name, work):
    began = time.perf_counter()
    work()
    took[name].append((time.perf_counter() - began) * 1000)
def text(number):
    return f"Number {number}: we decided to use Kafka for orders because replay is needed."
for number in range(int(sys.argv[1]) + 10):
    whose = (f"user{number % 10}", "orders", f"live{number % 7}")
    now = datetime.now(UTC)
    timed("said", lambda: add_turn(Saying(text(number), *whose)))
    timed("read", lambda: history(*whose, None, 20, now + timedelta(seconds=1)))
    timed("found", lambda: history(whose[0], None, None, "kafka replay", 20, now))
    row = dict(zip(columns, (f"k{number}", *whose, "user", text(number))))
    timed("bare", lambda: bare.insert([{**row, "at": now}]))
waiting = gaps.backlog("rules_v1", datetime.now(UTC))
took = {name: sorted(times[10:]) for name, times in took.items()}  # the first ones warm up
print(json.dumps({"took": took, "turns": table("turns").count(), "left": waiting.turns}))
"""

# Fills a home with conversations, from which the extractor then has enough to learn.
FILL = """
import sys
from datetime import UTC, datetime, timedelta
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables.write import analyze, put_turns
from knowwhy.types import Turn
connect(Settings.from_environ())
first, count = datetime(2025, 1, 1, tzinfo=UTC), int(sys.argv[1])
def turn(n):
    said = f"Number {n}: the service{n % 97} now listens on port {2000 + n}, because {n} was taken."
    at = first + timedelta(seconds=n)
    return Turn(f"t{n:06}", f"user{n % 10}", "orders", f"s{n // 20}", "user", None, said, None, at)
for start in range(0, count, 1000):
    put_turns([turn(n) for n in range(start, min(count, start + 1000))])
analyze(count)
"""


def measure(times: int = TIMES, stored: int = STORED) -> dict[str, str]:
    """Times messages while the extractor works on what is there."""
    with throwaway_home() as home:
        where = environment(home, KNOWWHY_EMBEDDER=EMBEDDER)
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        _python(FILL, str(stored), where=where)
        alone = json.loads(_python(TIMED, str(times), where=where))
        extractor = start("extract", "--watch", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        try:
            _wait_until_at_work(home)
            beside = json.loads(_python(TIMED, str(times), where=where))
        finally:
            extractor.terminate()
            extractor.communicate()
    return {
        "turns stored": f"{beside['turns']:,}, of which the extractor has read "
        f"{beside['turns'] - beside['left']:,}",
        **_figures("alone", alone["took"]),
        **_figures("while the extractor works", beside["took"]),
        "cores": str(os.cpu_count()),
    }


def _figures(when: str, took: dict[str, list[float]]) -> dict[str, str]:
    """Gives the middle and the slowest twentieth of each, and how they compare."""
    ratio = _at(took["said"], 0.5) / _at(took["bare"], 0.5)
    return {
        f"a message, {when}": _told(took["said"]),
        f"a bare Pixeltable insert, {when}": _told(took["bare"]),
        f"a message to a bare insert, {when}": f"{ratio:.2f} times",
        f"reading a session back, {when}": _told(took["read"]),
        f"finding two words in it, {when}": _told(took["found"]),
    }


def _told(times: list[float]) -> str:
    return f"p50 {_at(times, 0.5):.1f} ms, p95 {_at(times, 0.95):.1f} ms"


def _at(times: list[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


def _python(code: str, *arguments: str, where: dict[str, str]) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, env=where, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"a process failed:\n{done.stderr}")
    return done.stdout


def _wait_until_at_work(home: object) -> None:
    while True:
        told = run("extract", "--status", "--json", home=home, KNOWWHY_EMBEDDER=EMBEDDER)  # type: ignore[arg-type]
        if json.loads(told)["running"]:
            return
        time.sleep(0.5)
