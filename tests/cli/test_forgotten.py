"""What was to be kept until a day that is over is named by the commands, without its words."""

from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding import checkpoints, lifecycle, review
from knowwhy.grounding.remember import remember
from knowwhy.types import Asker

ANN = Asker("ann")
ASKED = (
    ("provenance", "KEY"),
    ("memories", "--status", "retracted"),
    ("review", "history"),
    ("review", "conflicts"),
    ("checkpoint", "diff", "before"),
    ("checkpoint", "rollback", "before", "--dry-run"),
    ("memories", "--status", "expired"),
    ("retract", "KEY", "--why", "It is old."),
    ("retract", "KEY", "--undo", "--why", "It is not."),
)


@pytest.mark.parametrize("is_retracted", [False, True])
def test_no_command_shows_the_words(knowwhy, is_retracted):
    told_at = datetime.now(UTC) - timedelta(days=2)
    kept = {"embedder": "wordhash", "now": told_at, "ttl": timedelta(days=1)}
    key = remember("The billing worker drains its queue.", asker=ANN, **kept).key
    checkpoints.create(ANN, "before")
    if is_retracted:
        lifecycle.retract(ANN, key, "It is wrong.", now=told_at)

    shown = [
        knowwhy(*[key if word == "KEY" else word for word in asked], "--user", "ann", *form)
        for form in ((), ("--json",))
        for asked in ASKED
    ]

    assert any(key in done.out for done in shown)
    assert not [done for done in shown if "billing" in done.out + done.err]


def test_the_history_of_judgements_repeats_no_words_of_what_is_forgotten(knowwhy):
    told_at = datetime.now(UTC) - timedelta(days=2)
    kept = {"asker": ANN, "embedder": "wordhash", "now": told_at, "ttl": timedelta(days=1)}
    remember("Invoices are archived after ninety days.", **kept)
    waits = remember("The billing worker drains its queue.", said_by="assistant", **kept)
    review.reject(ANN, waits.key, "Not “the billing worker”, another one.", now=told_at)

    shown = [knowwhy("review", "history", "--user", "ann", *form) for form in ((), ("--json",))]

    assert [True, True] == [waits.key in done.out for done in shown]
    assert not [done for done in shown if "billing" in done.out]
