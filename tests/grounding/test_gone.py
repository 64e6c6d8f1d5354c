"""What a succession says is gone: it does not come back by being said again, however it came."""

from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding import checkpoints, lifecycle, review
from knowwhy.grounding.remember import remember
from knowwhy.tables.kept import memories
from knowwhy.types import Asker

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANN = Asker("ann", "orders")
RESEND = "We send mail with Resend."
MOVED = "We moved from Resend to Bento."


@pytest.fixture
def tell(store):
    def told(text, minutes=0, **given):
        now = NOW + timedelta(minutes=minutes)
        return remember(text, asker=ANN, embedder="wordhash", now=now, **given)

    return told


def status(*told):
    return [memories.memory(ANN, memory.key, now=NOW).status for memory in told]


def retract(memory):
    lifecycle.retract(ANN, memory.key, "It is wrong.", now=NOW)


def restore(memory):
    return lifecycle.restore(ANN, memory.key, "A mistake.", embedder="wordhash", now=NOW).status


@pytest.mark.parametrize(
    ("again", "given"),
    [
        (RESEND, {}),
        ("We use Resend for mail.", {}),
        ("Resend sends our mail.", {}),
        (RESEND, {"said_by": "import", "source": "https://x.example/old"}),
        (f"{RESEND[:-1]} (ADR-3).", {}),
    ],
)
def test_what_was_left_is_refused_beside_what_took_its_place(tell, again, given):
    old, new = tell(RESEND), tell(MOVED, 1)
    back = tell(again, 2, **given)

    assert ("refused", new.key) == (back.status, back.conflicts_with)
    assert ["superseded", "active"] == status(old, new)


@pytest.mark.parametrize("text", ["We send mail with Bento.", "Resend has a status page."])
def test_what_says_nothing_of_what_was_left_is_kept(tell, text):
    tell(RESEND)
    tell(MOVED, 1)

    assert "active" == tell(text, 2).status


def test_going_back_is_a_succession_too(tell):
    old, new = tell(RESEND), tell(MOVED, 1)
    back = tell("We moved from Bento back to Resend.", 2)

    assert ["superseded", "superseded", "active"] == status(old, new, back)
    assert "active" == tell("We send mail with Resend now.", 3).status


def test_a_correction_takes_the_place_of_the_succession(tell):
    tell(RESEND)
    new = tell(MOVED, 1)
    back = tell("Actually, we still send mail with Resend.", 2)

    assert ["superseded", "active"] == status(new, back)


@pytest.mark.parametrize("way", ["approve", "update", "restore"])
def test_a_succession_ends_all_that_it_speaks_of_in_whatever_way_it_comes(tell, way):
    kept = [tell("Sessions are stored in Redis."), tell("The rate limiter uses Redis.", 1)]
    text = "We moved from Redis to Valkey."
    if way == "approve":
        came = tell(text, 2, said_by="assistant")
        assert "pending" == came.status
        came = review.approve(ANN, came.key, embedder="wordhash", now=NOW)
    elif way == "update":
        came = lifecycle.update(ANN, kept[0].key, text, embedder="wordhash", now=NOW)
    else:
        came = tell(text, 2)
        retract(came)
        assert ["active"] * 2 == [restore(memory) for memory in kept]
        assert "active" == restore(came)

    assert ["superseded"] * 2 == status(*kept)
    assert ["active"] == status(came)


def test_what_a_roll_back_superseded_again_comes_back_when_its_successor_goes(tell):
    old, new = tell(RESEND), tell(MOVED, 1)
    checkpoints.create(ANN, "moved")
    retract(new)
    assert "active" == restore(old)
    checkpoints.roll_back(ANN, "moved")
    assert ["superseded", "active"] == status(old, new)
    retract(new)

    assert "active" == restore(old)
