"""What an old conversation says, and what was told since: the later word stands."""

from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, REFUSED, SUPERSEDED

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=2_500)
POSTGRES = "We use Postgres for the orders database."
MOVED = "We moved from Postgres to MySQL for the orders database."


def say(content, now=NOON, **more):
    claim = Claim(content, **{"kind": "fact", "user_id": "ann", "said_by": "user", **more})
    return admit([claim], embedder="wordhash", now=now)[0]


def stored(memory):
    return memories.held([memory.key])[memory.key]


@pytest.mark.parametrize(
    "old",
    [
        MOVED,
        "We moved from Postgres to MySQL.",
        "Actually, we use MySQL for the orders database, not Postgres.",
    ],
)
def test_what_was_said_long_ago_does_not_end_what_was_told_since(store, old):
    kept = say(POSTGRES)
    late = say(old, NOON + timedelta(hours=1), valid_from=LONG_AGO)

    assert (REFUSED, kept.key) == (late.status, late.conflicts_with)
    assert (ACTIVE, None) == (stored(kept).status, stored(kept).valid_until)


def test_a_history_that_comes_in_one_go_is_ordered_by_when_it_was_said(store):
    steps = ["We send mail with Resend.", "We moved from Resend to Bento.",
             "We moved from Bento to Postmark."]  # fmt: skip
    told = [say(text, valid_from=LONG_AGO + timedelta(days=n)) for n, text in enumerate(steps)]
    late = say("We moved from Postmark to Resend.", valid_from=LONG_AGO + timedelta(hours=1))

    assert [SUPERSEDED, SUPERSEDED, ACTIVE] == [stored(memory).status for memory in told]
    assert (REFUSED, told[2].key) == (late.status, late.conflicts_with)


def test_what_changed_long_ago_is_believed_of_who_says_it_today(store):
    kept = say("We use Kafka for events.", NOON - timedelta(days=1))
    said = say("In 2019 we moved from Kafka to NATS for events.")

    assert [SUPERSEDED, ACTIVE] == [stored(kept).status, said.status]
    assert NOON == stored(kept).valid_until


def test_what_is_ended_never_ends_before_it_began(store):
    kept = say(POSTGRES, LONG_AGO)
    say(MOVED, valid_from=LONG_AGO + timedelta(days=1))

    assert LONG_AGO + timedelta(days=1) == stored(kept).valid_until
