"""What a night does to memories that contradict each other, through its command."""

import json
from datetime import UTC, datetime, timedelta

from knowwhy import nightly
from nights_of import LONG_AGO, kept, now_of, ran, steps, told


def test_of_two_that_contradict_each_other_the_newer_wins_and_the_pair_is_flagged(knowwhy):
    old, new = kept(told(1, "The API timeout is 30 s"), told(2, "The API timeout is 60 s", 9))

    run = ran(knowwhy)

    before, after = now_of(old, new)
    assert ("superseded", "active") == (before.status, after.status)
    assert new == before.conflicts_with
    assert before.why.startswith(f"Superseded by {new}:")
    assert after.created_at == before.valid_until
    assert [(old, "contradicted", new)] == [
        (c["key"], c["what"], c["against"]) for c in steps(run)["contradictions"]["changes"]
    ]


def test_what_was_said_again_is_as_new_as_it_was_said_last(knowwhy):
    first, other, again = kept(
        told(1, "The API timeout is 30 s"),
        told(2, "The API timeout is 60 s", 5),
        told(3, "The timeout of the API is 30 s", 9),
    )

    planned = steps(ran(knowwhy, "--dry-run"))["contradictions"]["changes"]
    changes = steps(ran(knowwhy))["contradictions"]["changes"]

    stays, between, _ = now_of(first, other, again)
    assert ["active", "superseded"] == [stays.status, between.status]
    assert LONG_AGO + timedelta(days=9) == between.valid_until
    assert planned == changes
    assert [(other, first)] == [(change["key"], change["against"]) for change in changes]


def test_what_is_written_or_begins_during_a_night_is_looked_at_by_the_next_one(knowwhy):
    old, new, soon, then = kept(
        told(1, "The API timeout is 30 s"),
        told(2, "The API timeout is 60 s", created_at=datetime.now(UTC)),
        told(3, "The cache lifetime is 5 min"),
        told(4, "The cache lifetime is 9 min", 1, valid_from=datetime.now(UTC)),
    )
    began = datetime.now(UTC) - timedelta(minutes=10)

    nightly.run("wordhash", began, nightly.Asked(only="contradictions"))
    during = [memory.status for memory in now_of(old, new, soon, then)]
    ran(knowwhy, "--only", "contradictions")

    assert ["active"] * 4 == during
    assert ["superseded", "active"] * 2 == [m.status for m in now_of(old, new, soon, then)]


def test_a_succession_is_no_contradiction(knowwhy):
    old, _ = kept(told(1, "orders uses MySQL"), told(2, "orders moved from MySQL to PostgreSQL", 9))

    run = ran(knowwhy)

    assert "succeeded" == steps(run)["contradictions"]["changes"][0]["what"]
    assert (None, "superseded") == (now_of(old)[0].conflicts_with, now_of(old)[0].status)


def test_what_is_verified_of_the_same_moment_or_ends_first_is_flagged_and_stays(knowwhy):
    keys = kept(
        told(1, "The API timeout is 30 s", verified_at=LONG_AGO, verified_by="ann"),
        told(2, "The API timeout is 60 s", 9),
        told(3, "The cache lifetime is 5 min", 2),
        told(4, "The cache lifetime is 9 min", 2),
        told(5, "The session lifetime is 2 h", 2),
        told(6, "The session lifetime is 9 h", 3, valid_until=datetime(2999, 1, 1, tzinfo=UTC)),
    )

    run = ran(knowwhy)
    again = ran(knowwhy)

    assert ["active"] * 6 == [memory.status for memory in now_of(*keys)]
    assert {keys[1]: keys[0], keys[3]: keys[2], keys[5]: keys[4]} == {
        m.key: m.conflicts_with for m in now_of(*keys) if m.conflicts_with
    }
    assert (3, 0) == tuple(steps(r)["contradictions"]["done"] for r in (run, again))


def test_what_contradicts_later_what_was_put_back_is_flagged(knowwhy):
    old, other = kept(told(1, "The API timeout is 30 s"), told(2, "The API timeout is 60 s", 9))
    run = ran(knowwhy, "--only", "contradictions")
    ran(knowwhy, "--undo", run["key"])
    after = steps(ran(knowwhy, "--only", "contradictions"))["contradictions"]["done"]
    (new,) = kept(told(3, "The API timeout is 90 s", created_at=datetime.now(UTC)))

    ran(knowwhy, "--only", "contradictions")

    found = now_of(old, other, new)
    assert 0 == after
    assert ["active", "superseded", "active"] == [memory.status for memory in found]
    assert (None, new, old) == tuple(memory.conflicts_with for memory in found)


def test_a_flagged_pair_is_listed_for_its_owner_until_somebody_has_looked_at_it(knowwhy):
    old, new = kept(
        told(1, "The API timeout is 30 s"),
        told(2, "The API timeout is 60 s", 9),
    )
    ran(knowwhy)
    whose = ("--user", "ann", "--project", "shop")

    listed = json.loads(knowwhy("review", "conflicts", *whose, "--json").out)
    shown = knowwhy("review", "conflicts", *whose).out
    others = knowwhy("review", "conflicts", "--user", "bob", "--project", "shop").out

    assert [(old, new)] == [(pair["memory"]["key"], pair["against"]["key"]) for pair in listed]
    assert f"against {new}" in shown
    assert "Nothing is flagged.\n" == others
    assert 0 == knowwhy("review", "settle", old, *whose).code
    assert "Nothing is flagged.\n" == knowwhy("review", "conflicts", *whose).out
    assert 0 == steps(ran(knowwhy))["contradictions"]["done"]
    again = knowwhy("review", "settle", old, *whose)
    assert (1, f"knowwhy: {old} is not flagged;") == (again.code, again.err[: len(old) + 25])
