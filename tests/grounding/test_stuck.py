"""A turn that stops the worker is met twice, then left alone and named; the others are learned."""

import json
import signal
import subprocess
import sys

import pytest

from knowwhy.grounding import stuck
from knowwhy.tables.kept import memories
from learning import ANN, KAFKA, say

FREEZES = "This sentence freezes whoever reads it."
FRIDAYS = "We deploy on Fridays."
SECONDS = 120  # that a process may take to come to the turn, on a loaded machine

# A reader with a fault of the kind that this is for: the match holds every thread and never ends.
WITH_A_FAULT = f"""
import re, sys
from knowwhy.cli import run
from knowwhy.grounding import learn, stuck

stuck.STILL_AFTER, stuck.ENDS_AFTER, facts = 3.0, 6.0, learn.facts

def freezing(said, *about):
    if {FREEZES!r} in said:
        re.match("(a|a)+b", "a" * 99)
    return facts(said, *about)

learn.facts = freezing
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture
def notes(store):
    """Gives the notes of the home, and leaves none behind."""
    kept = [stuck._file(), stuck._stood()]
    yield kept
    for file in kept:
        file.unlink(missing_ok=True)


def run(*arguments):
    """Runs a worker with the fault; what does not end by itself is ended."""
    return subprocess.run(
        [sys.executable, "-c", WITH_A_FAULT, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@pytest.mark.slow
def test_a_turn_that_froze_two_workers_is_left_alone_and_named(notes, knowwhy):
    say(KAFKA)
    turn = say(FREEZES)
    say(FRIDAYS)

    frozen, again = run("extract"), run("extract")
    third = run("extract")

    assert [-signal.SIGPROF] * 2 == [frozen.returncode, again.returncode], frozen.stderr
    assert 0 == third.returncode, third.stderr
    assert "given up: 1 turns" in third.stderr
    found = {memory.content for memory in memories.memories(ANN, statuses=memories.STATUSES)}
    assert {KAFKA, FRIDAYS} == found
    named = f"{turn.key}: It has held the worker up 2 times"
    assert named in knowwhy("extract", "--status").out
    status = knowwhy("status")
    assert (1, True) == (status.code, named in status.out)
    assert "turns-given-up" in status.out
    assert 0 == json.loads(knowwhy("status", "--json").out)["to_read"]


def test_a_turn_at_which_workers_ended_is_tried_alone_and_last_until_it_is_read(notes, knowwhy):
    first = say(KAFKA)
    say(FRIDAYS)
    stuck._write(stuck._Notes([first.key]))

    done = knowwhy("extract")

    assert (0, "2 turns read, 2 facts judged") == (done.code, done.out.split(":")[0].strip())
    assert not stuck._file().exists()


def test_what_was_given_up_is_tried_anew_when_that_is_asked_for(notes, knowwhy):
    turn = say(KAFKA)
    stuck._write(stuck._Notes([], {turn.key: stuck.STILL_AT_MOST}))
    assert "0 turns read" in knowwhy("extract").out

    assert "1 turns read, 1 facts judged" in knowwhy("extract", "--again").out
    assert {} == stuck.given_up()


def test_a_turn_that_is_gone_counts_no_more(notes, knowwhy):
    stuck._write(stuck._Notes([], {"t-gone": stuck.STILL_AT_MOST}))

    assert "given up   0 turns" in knowwhy("extract", "--status").out
