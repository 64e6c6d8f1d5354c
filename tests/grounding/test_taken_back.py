"""What a person has rejected or taken back stays out, until they say it again themselves."""

from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding import checkpoints, lifecycle, review
from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept.memories import ACTIVE, PENDING, REFUSED
from knowwhy.types import Asker

NOW = datetime.now(UTC)
ANN = Asker("ann", "orders")
HETZNER = "We run the shop on Hetzner."


def say(content, **more):
    given = {"kind": "fact", "user_id": "ann", "project": "orders", "said_by": "user", **more}
    return admit([Claim(content, **given)], embedder="wordhash", now=NOW)[0]


@pytest.fixture
def gone(store):
    kept = say(HETZNER)
    return lifecycle.retract(ANN, kept.key, "We are on OVH.", now=NOW)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        (HETZNER, {"said_by": "assistant"}),
        (HETZNER, {"said_by": "import"}),
        (HETZNER, {"valid_from": NOW - timedelta(days=700)}),
        ("We run our shop on Hetzner now.", {"said_by": "assistant"}),
    ],
)
def test_what_was_taken_back_is_refused_with_the_reason(gone, text, given):
    again = say(text, **given)

    assert (REFUSED, gone.key) == (again.status, again.copy_of)
    assert again.why == f"It says the same as {gone.key}, which was taken back: “We are on OVH.”"


@pytest.mark.parametrize("given", [{}, {"valid_from": NOW + timedelta(hours=1)}])
def test_a_user_who_says_it_again_later_is_believed(gone, given):
    again = say(HETZNER, **given)

    assert (ACTIVE, None) == (again.status, again.copy_of)
    assert again.key == say(HETZNER, said_by="assistant").copy_of


@pytest.mark.parametrize(
    "given", [{"user_id": "bob"}, {"project": None}, {"project": "shop"}, {"user_id": None}]
)
def test_what_was_taken_back_says_nothing_elsewhere(gone, given):
    assert PENDING == say(HETZNER, said_by="assistant", **given).status


@pytest.mark.parametrize("text", ["We run the shop on OVH.", "We do not run the shop on Hetzner."])
def test_what_says_something_else_is_not_held_back(gone, text):
    assert (PENDING, None) == ((told := say(text, said_by="assistant")).status, told.copy_of)


def test_what_was_rejected_waits_no_second_time(store):
    waits = say(HETZNER, said_by="assistant")
    review.reject(ANN, waits.key, "Not true, it is OVH.", now=NOW)
    again = say(HETZNER, said_by="assistant")

    assert (REFUSED, waits.key) == (again.status, again.copy_of)
    assert "rejected: “Not true, it is OVH.”" in again.why


def test_what_the_rules_refused_or_a_roll_back_took_is_nobodys_decision(store):
    checkpoints.create(ANN, "before")
    say(f"Maybe {HETZNER}", said_by="assistant")
    say(HETZNER)
    checkpoints.roll_back(ANN, "before")

    assert PENDING == say(HETZNER, said_by="assistant").status
    assert ACTIVE == say(HETZNER, valid_from=NOW - timedelta(days=700)).status


def test_what_is_given_back_holds_again(gone):
    lifecycle.restore(ANN, gone.key, "It was right.", embedder="wordhash", now=NOW)
    lifecycle.retract(ANN, gone.key, "No.", now=NOW)

    assert ACTIVE == lifecycle.restore(ANN, gone.key, "Yes.", embedder="wordhash", now=NOW).status
    assert gone.key == say(HETZNER, said_by="assistant").copy_of
