"""What stands beside a claim in its way, and what makes way for it."""

from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, PENDING, REFUSED

RETRIES = "The gateway retries a request three times."
NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


def say(content, **more):
    claim = Claim(content, **{"kind": "fact", "user_id": "ann", "said_by": "user", **more})
    return admit([claim], embedder="wordhash", now=NOON)


def statuses(*keys):
    stored = memories.held(keys)
    return [stored[key].status for key in keys]


@pytest.mark.parametrize("text", [RETRIES, "I think that our gateway retries three times."])
def test_a_copy_that_would_wait_too_does_not_approve_what_waits(store, text):
    (waits,) = say(text, said_by="assistant")
    (copy,) = say(text, said_by="assistant" if text == RETRIES else "user")

    assert (PENDING, REFUSED, waits.key) == (waits.status, copy.status, copy.copy_of)
    assert "waits for review" in copy.why
    assert [PENDING] == statuses(waits.key)


def test_a_user_who_says_what_waits_is_believed_and_it_makes_way(store):
    (waits,) = say(RETRIES, said_by="assistant")
    (said,) = say(RETRIES)

    assert (PENDING, ACTIVE, waits.key) == (waits.status, said.status, said.supersedes)
    assert said.copy_of is None
    assert ["superseded"] == statuses(waits.key)


def test_what_waits_does_not_help_in_what_contradicts_what_is_kept(store):
    (waits,) = say("The API timeout is 45 s.", said_by="assistant")
    say("The API timeout is 30 s.")
    (again,) = say("The API timeout is 45 s.")

    assert REFUSED == again.status
    assert [PENDING] == statuses(waits.key)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ({"applies_to": {"persona": "writer"}}, {"applies_to": {"persona": "Reviewer"}}),
        ({"service": "orders"}, {"service": "billing"}),
    ],
)
def test_what_holds_elsewhere_is_neither_copied_nor_contradicted(store, here, there):
    say("Answers are short here.", **here)

    assert [ACTIVE, ACTIVE] == [
        say(text, **there)[0].status
        for text in ("Answers are short here.", "Answers are not long here.")
    ]
    assert REFUSED == say("Answers are short here.", **here)[0].status


def test_what_a_user_says_for_longer_takes_the_place_of_what_ends_sooner(store):
    soon = {"expires_at": NOON + timedelta(days=1)}
    (short,) = say(RETRIES, **soon)
    (copy,) = say(RETRIES, **soon)
    (guess,) = say(RETRIES, said_by="assistant")
    (said,) = say(RETRIES)
    (again,) = say(RETRIES, **soon)

    assert (REFUSED, short.key) == (copy.status, copy.copy_of)
    assert (REFUSED, short.key) == (guess.status, guess.copy_of)
    assert (ACTIVE, short.key) == (said.status, said.supersedes)
    assert ["superseded"] == statuses(short.key)
    assert (REFUSED, said.key) == (again.status, again.copy_of)


@pytest.mark.parametrize(
    ("kept", "moved"),
    [
        ("Resend sends our mail.", "We moved from Resend to Bento."),
        ("We deploy with Jenkins.", "We switched from Jenkins to GitLab CI."),
    ],
)
def test_what_all_have_left_is_superseded_however_it_was_said(store, kept, moved):
    (old,) = say(kept)
    (new,) = say(moved)

    assert (ACTIVE, old.key) == (new.status, new.supersedes)
    assert ["superseded"] == statuses(old.key)
