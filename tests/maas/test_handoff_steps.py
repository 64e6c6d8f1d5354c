"""The states of a handoff: walked at random beside a small model that knows only their words."""

import random
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from handing import ADA, SETTINGS, crew, handed, late
from knowwhy.errors import IllegalStep
from knowwhy.maas import handoffs
from knowwhy.maas.handoff_steps import PENDING, STATES, STEPS, state_after, state_at
from knowwhy.tables.agents import audit_rows

# What may happen to a handoff, in one letter each: Accept, Reject, Complete, Fail, and eXpire.
WORD = re.compile("(a[cf]?|r|x)?")
NAMES = {"a": "accept", "r": "reject", "c": "complete", "f": "fail"}
ENDS = {"": "pending", "a": "accepted", "r": "rejected", "x": "expired", "ac": "completed"}
STATE_OF = {**ENDS, "af": "failed"}
START = datetime(2026, 3, 1, tzinfo=UTC)
WALKS, STEPS_OF_ONE = 3_000, 8
CREW_WALKS = 60  # through the store by one pair of agents, then by another


def legal(word):
    """The steps that the model allows after what has happened."""
    return {name for letter, name in NAMES.items() if WORD.fullmatch(word + letter)}


def test_any_sequence_of_steps_goes_as_the_model_says():
    dice, reached, refused = random.Random(8), set(), 0
    for _ in range(WALKS):
        lasts = timedelta(seconds=dice.choice([1, 60, 600]))
        expires_at, now = START + lasts, START
        state, word = PENDING, ""
        for _ in range(dice.randint(1, STEPS_OF_ONE)):
            now += timedelta(seconds=dice.choice([0, 0, 1, 59, 60]))
            word = "x" if word == "" and now >= expires_at else word
            assert STATE_OF[word] == state_at(state, expires_at, now)
            letter = dice.choice("arcf")
            if WORD.fullmatch(word + letter):
                word += letter
                state = state_after(state, NAMES[letter], expires_at, now)
                assert STATE_OF[word] == state
                continue
            with pytest.raises(IllegalStep) as illegal:
                state_after(state, NAMES[letter], expires_at, now)
            refused += 1
            said = str(illegal.value)
            assert f"is {STATE_OF[word]};" in said
            told = said.split("from there ")[1]
            assert legal(word) == set(re.findall("accept|reject|complete|fail", told))
        reached.add(STATE_OF[word])

    assert set(STATES) == reached
    assert refused > WALKS


def test_an_unknown_step_leads_nowhere():
    assert {"pending", "accepted"} == set(STEPS)
    with pytest.raises(IllegalStep, match="only accept or reject leads on"):
        state_after(PENDING, "expire", START, START - timedelta(seconds=1))


@pytest.mark.parametrize("walks", [200, pytest.param(2_000, marks=pytest.mark.slow)])
def test_what_is_stored_goes_as_the_model_says(store, walks):
    dice, reached = random.Random(walks), set()
    for start in range(0, walks, CREW_WALKS):
        reached |= walked_through_the_store(dice, min(CREW_WALKS, walks - start))

    assert set(STATES) == reached


def walked_through_the_store(dice, walks):
    """Walks with a pair of agents of their own; gives the states that were reached."""
    limits = replace(SETTINGS, acts_a_minute=100_000)
    planner, coder = crew()
    walked, acts = {}, 0
    for _ in range(walks):
        given, word = handed(planner, coder), ""
        while (letter := dice.choice("arcfx..")) != ".":
            if letter == "x":
                late(given)  # of what was accepted or has ended the time may pass too
                word = word or "x"
                continue
            step, acts = getattr(handoffs, NAMES[letter]), acts + 1
            if WORD.fullmatch(word + letter):
                word += letter
                assert STATE_OF[word] == step(ADA, limits, coder, given.key).state
            else:
                with pytest.raises(IllegalStep, match=f"is {STATE_OF[word]};"):
                    step(ADA, limits, coder, given.key)
        walked[given.key] = STATE_OF[word]

    for state in STATES:
        there = handoffs.received(ADA, limits, coder, state, most=200)
        expected = {key for key, ended in walked.items() if ended == state}
        assert expected == {one.key for one in there}
        assert {state} >= {one.state for one in there}
    noted = audit_rows.acts(agent_id=coder, most=10_000)
    assert acts + len(STATES) == len(noted)
    return set(walked.values())
