"""How the steps of a night go through what was written, and go on where they stopped."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from knowwhy.janitor import merge, passes
from knowwhy.janitor.night import Night
from knowwhy.tables.kept import nights
from nights_of import kept, now_of, ran, told

NOW = datetime.now(UTC)
LATER = NOW + timedelta(days=1)


def test_a_pass_that_has_nothing_to_do_is_noted_all_the_same(knowwhy, monkeypatch):
    monkeypatch.setattr(passes, "TOGETHER", 2)
    kept(*(told(n, f"The cache of team{n} is in Redis", user_id=f"u{n // 2}") for n in range(6)))
    night, noted = Night("n-1", NOW, "wordhash"), []
    night.keep = lambda: noted.append(night.cursors["merge"]["after"])

    merge.step(NOW, False, night)

    assert sorted(set(noted)) == noted
    assert 3 == len(noted)


def test_what_is_grouped_otherwise_than_before_is_looked_at_once_more(knowwhy):
    ran(knowwhy, "--only", "merge")
    last = nights.runs(1)[0]
    old = {**last.cursors["merge"], "by": ["user_id", "expires_at"], "since": LATER.isoformat()}
    nights.keep(replace(last, cursors={**last.cursors, "merge": old}))
    keys = kept(told(1, "The cache is in Redis"), told(2, "The cache is in Redis."))

    ran(knowwhy, "--only", "merge")

    assert ["active", "superseded"] == [memory.status for memory in now_of(*keys)]


def test_a_budget_never_looks_twice_at_what_there_is_nothing_to_do_with(knowwhy, monkeypatch):
    monkeypatch.setattr(passes, "TOGETHER", 2)
    apart = ("The cache is in Redis", "Mail is sent by Bento", "Orders are kept in Postgres")
    kept(*(told(n, text, user_id=f"u{n % 4}") for n in range(12) for text in apart[n // 4 :][:1]))

    runs = [ran(knowwhy, "--budget", "0", "--only", "merge") for _ in range(4)]

    assert ["stopped", "stopped", "stopped", "finished"] == [run["state"] for run in runs]
