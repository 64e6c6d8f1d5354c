"""What stays of memories that say the same: from when on it holds, and until when it is kept."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.janitor import passes
from knowwhy.janitor.night import Night
from knowwhy.tables import direct
from knowwhy.tables.kept.peers import ONE
from nights_of import LONG_AGO, kept, now_of, ran, steps, told

FAR = datetime(2999, 1, 1, tzinfo=UTC)
BACKUPS = "Backups are kept in two regions"
SOON = datetime(2998, 1, 1, tzinfo=UTC)
READ = {"turn_key": "t1", "fact_number": 0}
SEEN = {"verified_at": LONG_AGO, "verified_by": "ann"}
TICK = timedelta(microseconds=1)


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


def test_a_verified_copy_holds_from_when_an_older_one_did(knowwhy):
    keys = kept(told(1, BACKUPS), told(2, BACKUPS, 9, verified_at=LONG_AGO, verified_by="ann"))

    ran(knowwhy, "--only", "merge")

    assert ["superseded", "active"] == [memory.status for memory in now_of(*keys)]
    older, stays = now_of(*keys)
    assert older.created_at == stays.valid_from


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


@pytest.mark.parametrize(
    ("ends", "stays"),
    [
        ((SOON, SOON + TICK, SOON - TICK), 1),
        ((SOON, None, SOON + TICK), 1),
        ((SOON, SOON, SOON), 0),
        ((None, SOON, None), 0),
    ],
)
def test_of_copies_that_live_for_some_time_the_one_that_is_kept_longest_stays(knowwhy, ends, stays):
    keys = kept(*(told(n, BACKUPS, n, expires_at=end, **READ) for n, end in enumerate(ends)))

    done = [steps(ran(knowwhy, "--only", "merge"))["merge"]["done"] for _ in range(2)]

    assert [2, 0] == done
    gone = [memory for memory in now_of(*keys) if memory.status == "superseded"]
    assert ["active"] == [m.status for m in now_of(keys[stays])]
    assert [True, True] == [m.why.startswith(f"Superseded by {keys[stays]}:") for m in gone]
    assert ends[stays] == now_of(keys[stays])[0].expires_at


@pytest.mark.parametrize(
    ("firm", "other"),
    [
        (SEEN, {}),
        ({"said_by": "user"}, {"said_by": "assistant"}),
        ({}, READ),
    ],
)
def test_what_weighs_more_and_is_forgotten_first_takes_in_only_what_is_forgotten_by_then(
    knowwhy, firm, other
):
    keys = kept(
        told(1, BACKUPS, 3, expires_at=SOON, **firm),
        told(2, BACKUPS, 0, **other),
        told(3, BACKUPS, 1, expires_at=SOON - TICK, **other),
        told(4, BACKUPS, 2, expires_at=SOON + TICK, **other),
    )

    report = steps(ran(knowwhy, "--only", "merge"))["merge"]

    statuses = [memory.status for memory in now_of(*keys)]
    assert ["active", "active", "superseded", "superseded"] == statuses
    into = {change["key"]: change["into"] for change in report["changes"]}
    assert {keys[2]: keys[0], keys[3]: keys[1]} == into
    assert [] == report["notes"]
    listed = knowwhy("review", "alike", "--user", "ann", "--project", "shop", "--json")
    assert [] == json.loads(listed.out)


def test_pairs_that_are_alike_are_told_where_one_could_go_into_the_other(knowwhy):
    morning = f"{BACKUPS} this morning"
    could = kept(told(1, BACKUPS, expires_at=SOON), told(2, morning, expires_at=FAR))
    not_so = kept(
        told(3, BACKUPS, expires_at=SOON, user_id="bob", **SEEN), told(4, morning, user_id="bob")
    )

    (note,) = steps(ran(knowwhy, "--only", "merge"))["merge"]["notes"]

    assert ([True, True], [False, False]) == (
        [key in note for key in could],
        [key in note for key in not_so],
    )


def test_a_stopped_step_leaves_nothing_out_however_the_database_orders_texts(store, monkeypatch):
    select = direct.select
    monkeypatch.setattr(direct, "select", lambda *given, **named: select(*given, **named)[::-1])
    monkeypatch.setattr(passes, "TOGETHER", 2)
    users = ("ann", "Bob", "zoe")
    kept(*(told(2 * n + c, BACKUPS, c, user_id=u) for n, u in enumerate(users) for c in (0, 1)))
    night = Night("n-1", datetime.now(UTC), "wordhash")

    stopped = passes.through("merge", ONE, night.now, night)
    seen = [page for _, page in zip(range(2), stopped, strict=False)]
    seen += passes.through("merge", ONE, night.now, night)

    assert {*users} == {json.loads(group.label)[0] for page in seen for group in page}
