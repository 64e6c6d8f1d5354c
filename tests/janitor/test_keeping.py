"""The house is kept: space, statistics, leftovers, and how much it has grown."""

import os
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from knowwhy.janitor import keeping
from knowwhy.janitor.night import Night
from knowwhy.tables import direct
from knowwhy.tables.homes import storage
from knowwhy.tables.touched import folder
from knowwhy.tables.write import append, queue, table

NOW = datetime.now(UTC)


def run(**more):
    given = {"run": "n-1", "now": NOW, "embedder": "wordhash"} | more
    return Night(**given)


def leave(name, *, hours):
    file = folder() / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("left")
    then = (NOW - timedelta(hours=hours)).timestamp()
    os.utime(file, (then, then))
    return file


def test_what_a_kill_left_goes_and_what_may_be_in_use_stays(store):
    old = leave("knowwhy-words.cache.fresh", hours=30)
    young = leave("tmp/young", hours=1)

    dry = keeping.step(NOW, True, run())
    assert old.exists()
    done = keeping.step(NOW, False, run())

    assert [{"key": old.name, "what": "removed", "why": "Nobody needs it."}] == list(done.changes)
    assert dry.changes == done.changes
    assert (False, True) == (old.exists(), young.exists())
    young.unlink()


def test_dead_rows_are_swept_and_counted_by_postgres(store):
    append("tasks", [task(n) for n in range(300)])
    table("tasks").delete()
    name = direct.physical_name("tasks")
    sweeps = "SELECT coalesce(max(vacuum_count), 0) AS n FROM pg_stat_user_tables"
    asked = text(f"{sweeps} WHERE relname = '{name}'")
    before = direct.select("counting sweeps", asked)[0]["n"]

    assert len(storage.TABLES) == keeping.step(NOW, False, run()).done

    assert before < direct.select("counting sweeps", asked)[0]["n"]


def task(n):
    return {"key": f"k-{n}", "task": "t", "at": NOW, "touched_at": NOW}


def test_many_versions_of_few_rows_are_told(store):
    append("tasks", [task(0)])
    with queue("tasks"):
        for n in range(12):
            table("tasks").batch_update([{"key": "k-0", "task": f"t {n}"}])

    told = keeping.step(NOW, True, run()).notes

    assert any(note.startswith("tasks: 1 rows, ") for note in told)
    assert any(note.startswith("the database takes ") for note in told)


def test_a_night_without_time_leaves_the_rest_to_the_next_one(store):
    done = keeping.step(NOW, False, run(deadline=0.0))

    assert (0, False) == (done.done, done.finished)


def test_the_backlog_is_told_through_the_door(knowwhy):
    knowwhy("say", "We deploy on Fridays.", "--user", "ann")

    done = knowwhy("nightly", "--only", "keeping", "--dry-run")

    assert 0 == done.code
    assert "learning: 1 turns to read" in done.out
