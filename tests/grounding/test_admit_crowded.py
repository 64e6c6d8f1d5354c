"""Several processes that admit at once, and one that is killed while it does."""

import os
import random
import subprocess
import sys
import time
from collections import Counter

import pytest

from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, REFUSED, SUPERSEDED
from knowwhy.tables.write import table
from knowwhy.types import Asker

ANN = Asker("ann")
CLAIMS = 12  # that two processes admit at once
KILLS = 3

OPEN = """
import os, sys, time
from datetime import UTC, datetime
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept import memories
from knowwhy.tables.connect import connect
connect(Settings.from_environ())
def say(text, **more):
    claim = Claim(text, **{"kind": "fact", "user_id": "ann", "said_by": "user", **more})
    return admit([claim], embedder="wordhash", now=datetime.now(UTC))[0]
"""
SAME = """
own, other = (Path(path) for path in sys.argv[1:3])
own.touch()
while not other.exists():
    time.sleep(0.001)
for number in range(int(sys.argv[3])):
    say(f"The service s{number} listens on port {8000 + number}.")
"""
ENDS = """
memories._do = lambda *_: os._exit(9)
say("The API timeout is 45 s.", replaces=sys.argv[1])
"""
SUCCEEDS = """
last = sys.argv[1]
for number in range(31, 10_000):
    print(number, flush=True)
    last = say(f"The API timeout is {number} s.", replaces=last).key
"""


def start(code, *arguments):
    environ = {**os.environ, "KNOWWHY_EMBEDDER": "wordhash"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environ}
    return subprocess.Popen([sys.executable, "-c", OPEN + code, *map(str, arguments)], **pipes)


def say_here(text):
    from datetime import UTC, datetime

    from knowwhy.grounding.admit import admit
    from knowwhy.grounding.claims import Claim

    said = Claim(text, kind="fact", user_id="ann", said_by="user")
    return admit([said], embedder="wordhash", now=datetime.now(UTC))[0]


@pytest.mark.slow
def test_of_claims_that_two_processes_admit_at_once_one_each_is_active(store, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    both = [start(SAME, one, other, CLAIMS), start(SAME, other, one, CLAIMS)]

    for process in both:
        _, err = process.communicate(timeout=300)
        assert 0 == process.returncode, err
    rows = [(row["content"], row["status"]) for row in table("memories").collect()]
    assert {ACTIVE: CLAIMS, REFUSED: CLAIMS} == Counter(status for _, status in rows)
    assert {1} == set(Counter(rows).values())


@pytest.mark.slow
def test_a_process_that_ends_before_the_memories_are_written_leaves_no_trace(store):
    first = say_here("The API timeout is 30 s.")

    process = start(ENDS, first.key)
    _, err = process.communicate(timeout=300)

    assert 9 == process.returncode, err
    assert 3 == table("changes").count()
    assert [first] == memories.memories(ANN, statuses=memories.STATUSES)
    assert ["added"] == [change.what for change in memories.changes_of(ANN, first.key)]


@pytest.mark.slow
def test_a_process_that_is_killed_at_any_moment_leaves_exactly_one_version_active(store):
    chance = random.Random(11)
    active = say_here("The API timeout is 30 s.")
    for _ in range(KILLS):
        process = start(SUCCEEDS, active.key)
        for _ in range(3):
            assert process.stdout.readline(), process.stderr.read()
        time.sleep(chance.random() / 2)
        process.kill()
        process.communicate(timeout=60)

        kept = memories.memories(ANN, statuses=memories.STATUSES, limit=1_000)
        (active,) = [memory for memory in kept if memory.status == ACTIVE]
        gone = {memory.key for memory in kept if memory.status == SUPERSEDED}
        assert (
            {m.supersedes for m in kept if m.supersedes}
            == gone
            == {m.key for m in kept if m is not active}
        )
        for memory in kept:
            whats = [change.what for change in memories.changes_of(ANN, memory.key)]
            assert ["added", "superseded"][: 1 + (memory is not active)] == whats
