"""Handoffs that nobody took in their time: written as expired by night, and nothing else is."""

from datetime import UTC, datetime, timedelta

import pytest

from handing import ADA, SETTINGS, crew, handed, late
from knowwhy import nightly
from knowwhy.janitor import overdue
from knowwhy.janitor.night import Night
from knowwhy.maas import handoffs
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.tables.write import table

pytestmark = pytest.mark.usefixtures("store")


def states(*given):
    return [registries.one("handoffs", one.key)["state"] for one in given]


def run(now, *, dry_run=False, **more):
    return overdue.step(now, dry_run, Night("n-1", now, "wordhash", **more))


def test_what_nobody_took_in_its_time_is_written_as_expired_once():
    planner, coder = crew()
    old, new, taken = (handed(planner, coder) for _ in range(3))
    handoffs.accept(ADA, SETTINGS, coder, taken.key)
    late(old)
    late(taken)
    now = datetime.now(UTC)
    version = table("handoffs").get_metadata()["version"]

    told = run(now, dry_run=True)
    assert version == table("handoffs").get_metadata()["version"]
    done, again = run(now), run(now)

    assert told == done
    assert (1, True) == (done.done, done.finished)
    assert [(old.key, "expired")] == [(one["key"], one["what"]) for one in done.changes]
    assert ["expired", "pending", "accepted"] == states(old, new, taken)
    assert 0 == again.done


def test_pages_go_on_where_the_one_before_ended(monkeypatch):
    monkeypatch.setattr(overdue, "PAGE", 2)
    planner, coder = crew()
    given = [handed(planner, coder) for _ in range(5)]

    done = run(datetime.now(UTC) + timedelta(days=2))

    assert 5 == done.done
    assert ["expired"] * 5 == states(*given)


def test_each_handoff_that_a_night_expires_is_one_act_in_the_chain(monkeypatch):
    monkeypatch.setattr(overdue, "PAGE", 2)
    planner, coder = crew()
    given = [handed(planner, coder) for _ in range(3)]
    before, chain = audit_rows.broken()
    assert [] == chain
    now = datetime.now(UTC) + timedelta(days=2)

    run(now, dry_run=True)
    assert (before, []) == audit_rows.broken()
    run(now)
    noted = audit_rows.acts(user_id="ada", most=3)
    run(now)

    assert [
        ("nightly", "expire_handoff", key, "done", None) for key in sorted(one.key for one in given)
    ] == [(act.agent_id, act.act, act.target, act.outcome, act.reason) for act in noted]
    assert (before + 3, []) == audit_rows.broken()


def test_a_night_whose_time_is_over_goes_on_the_next_time():
    planner, coder = crew()
    given = handed(planner, coder)
    late(given)

    assert not run(datetime.now(UTC), deadline=0.0).finished
    assert ["pending"] == states(given)


def test_the_night_shift_has_the_step():
    assert ("handoffs", overdue.step) in nightly.STEPS
