"""What stays of memories that say the same: from when on it holds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nights_of import LONG_AGO, kept, now_of, ran, steps, told

FAR = datetime(2999, 1, 1, tzinfo=UTC)
BACKUPS = "Backups are kept in two regions"


@pytest.mark.parametrize(
    ("froms", "since"),
    [
        ((None, LONG_AGO + timedelta(days=92)), LONG_AGO),
        ((None, FAR), LONG_AGO),
        ((FAR, None), LONG_AGO + timedelta(days=1)),
        ((FAR, LONG_AGO - timedelta(days=9)), LONG_AGO - timedelta(days=9)),
        ((None, None), None),
    ],
)
def test_what_stays_holds_from_when_the_first_of_them_did(knowwhy, froms, since):
    keys = kept(*(told(n, BACKUPS, n, valid_from=at) for n, at in enumerate(froms)))
    before = [replace(memory, touched_at=LONG_AGO) for memory in now_of(*keys)]

    run = ran(knowwhy, "--only", "merge")

    assert ["active", "superseded"] == [memory.status for memory in now_of(*keys)]
    assert since == now_of(keys[0])[0].valid_from
    ran(knowwhy, "--undo", run["key"])
    assert before == [replace(memory, touched_at=LONG_AGO) for memory in now_of(*keys)]


def test_a_copy_that_begins_later_makes_nothing_begin_later_in_a_dry_run_too(knowwhy):
    first, other, _ = kept(
        told(1, "The API timeout is 60 s", valid_from=FAR),
        told(2, "The API timeout is 30 s", 5),
        told(3, "The timeout of the API is 60 s", 9),
    )

    planned = steps(ran(knowwhy, "--dry-run"))["contradictions"]["changes"]
    changes = steps(ran(knowwhy))["contradictions"]["changes"]

    assert planned == changes
    assert [(other, first)] == [(change["key"], change["against"]) for change in changes]
