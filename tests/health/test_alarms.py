"""Alarms: raised by what is really wrong, shown at every door."""

import json
import re
import shlex
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sql

from knowwhy import reembed
from knowwhy.config import Settings
from knowwhy.errors import BudgetSpent
from knowwhy.grounding import worker
from knowwhy.health import alarms
from knowwhy.janitor import keeping
from knowwhy.tables import write
from knowwhy.tables.homes import storage
from knowwhy.tables.kept import nights
from knowwhy.tables.kept.nights import FAILED, FINISHED, STOPPED, Run
from knowwhy.tables.only_one import only_one
from knowwhy.tables.talk import extractions, spends
from knowwhy.tables.talk.extractions import Reading
from knowwhy.tables.vectors import health_checks, reembeddings
from knowwhy.tables.vectors.health_checks import Check
from knowwhy.tables.write import append, queue, table
from knowwhy.types import Alarm, Turn

NOW = datetime.now(UTC)


def found(store, now: datetime = NOW, **settings: object) -> dict[str, str]:
    given = Settings.from_environ()
    told = alarms.standing(
        Settings(home=given.home, cache=given.cache, **settings), store.embedder, now
    )
    return {alarm.code: alarm.text for alarm in told}


def turn(number: int) -> Turn:
    return Turn(f"t{number}", "ada", None, "s", "user", None, f"I like tea {number}.", None, NOW)


def test_a_new_home_has_no_alarm(store):
    assert {} == found(store)
    assert {} == found(store, NOW + timedelta(days=400))


def test_turns_that_wait_for_a_day_are_an_alarm(store):
    write.put_turns([turn(1), turn(2)])

    assert {} == found(store)
    assert {
        "backlog-growing": "2 turns wait to be learned from, the first of them for 30 hours."
    } == found(store, datetime.now(UTC) + timedelta(hours=30, minutes=9))


def test_turns_that_nobody_could_read_are_an_alarm(store):
    write.put_turns([turn(1)])
    extractions.put([Reading(turn(1), "rules_v2", 3, (), "no")], store.embedder)

    assert {"turns-given-up": "1 turns could not be read and are given up."} == found(store)


def test_a_cap_that_is_reached_is_an_alarm_of_who_pays(store):
    key = spends.reserve("m", 1_000_000, 1.0, NOW)
    spends.settle(key, 1, 1, 1_000_000)

    assert {} == found(store)
    assert ["spend-cap-reached"] == list(found(store, extractor="anthropic"))
    assert {} == found(store, extractor="anthropic", daily_dollars=2.0)


def test_a_call_that_was_refused_for_its_price_is_an_alarm_for_the_day(store):
    try:
        worker.note_problem(BudgetSpent("$0.99 of the $1.00 a day are spent."))

        assert ["spend-cap-reached"] == list(found(store, extractor="anthropic"))
        assert {} == found(store, NOW + timedelta(days=1), extractor="anthropic")
    finally:
        worker.forget_problem()


def test_a_night_that_has_not_come_is_an_alarm_once_there_is_something_to_keep(store, knowwhy):
    assert 0 == knowwhy("remember", "We use Redis 7 for sessions (ADR-8).", "--user", "ada").code
    later = NOW + timedelta(hours=40)

    assert {} == found(store)
    assert ["nightly-overdue"] == list(found(store, later))
    nights.begin(Run("n-1", later - timedelta(hours=8), FINISHED, ended_at=later))
    assert {} == found(store, later)
    assert ["nightly-overdue"] == list(found(store, later + timedelta(hours=37)))


ADR = "# 7. Use PostgreSQL for orders\n\n## Decision\n\nOrders are kept in PostgreSQL 16.\n"


@pytest.mark.parametrize("what", ["record", "turn", "memory"])
def test_whatever_came_first_is_what_a_night_is_expected_after(store, knowwhy, tmp_path, what):
    (tmp_path / "0007-orders.md").write_text(ADR)
    said = "We use Redis 7 for sessions (ADR-8)."
    asked = {
        "record": ("ingest", "adr", tmp_path / "0007-orders.md"),
        "turn": ("say", "The loft is closed.", "--user", "ada"),
        "memory": ("remember", said, "--user", "ada"),
    }
    assert 0 == knowwhy(*asked[what]).code

    assert "nightly-overdue" not in found(store, NOW + timedelta(hours=35))
    told = found(store, NOW + timedelta(days=30))["nightly-overdue"]
    assert re.search(r"has ended at all; the first of what is kept came .* \((29|30) days\)", told)


def test_a_run_of_one_step_is_no_night(store, knowwhy):
    assert 0 == knowwhy("remember", "We use Redis 7 for sessions (ADR-8).", "--user", "ada").code
    later = NOW + timedelta(hours=40)
    nights.begin(Run("n-1", later, FINISHED, only="expire", ended_at=later))

    assert ["nightly-overdue"] == list(found(store, later))


def test_many_runs_of_one_step_hide_no_night(store, knowwhy):
    assert 0 == knowwhy("remember", "We use Redis 7 for sessions (ADR-8).", "--user", "ada").code
    later = NOW + timedelta(hours=40)
    nights.begin(Run("n-0", later - timedelta(hours=9), FINISHED, ended_at=later))
    for n in range(alarms.RUNS):
        at = later + timedelta(minutes=n)
        nights.begin(Run(f"n-1-{n}", at, FINISHED, only="expire", ended_at=at))

    assert {} == found(store, later + timedelta(hours=1))


def test_nights_that_never_come_through_are_an_alarm_after_a_week(store):
    reports = ({"name": "expire", "finished": True}, {"name": "merge", "finished": False})
    for day in range(9):
        at = NOW + timedelta(days=day)
        state, done = (FINISHED, ()) if day == 0 else (STOPPED, reports)
        nights.begin(Run(f"n-{day}", at, state, ended_at=at, reports=done))

    assert {} == found(store, NOW + timedelta(days=6, hours=23))
    told = found(store, NOW + timedelta(days=8, hours=1))
    assert ["nightly-overdue"] == list(told)
    assert "come through all its steps since" in told["nightly-overdue"]
    assert told["nightly-overdue"].endswith("(8 days); the last one stopped in merge.")
    later = NOW + timedelta(days=8, hours=2)
    nights.begin(Run("n-9", later, FINISHED, ended_at=later))
    assert {} == found(store, later)


def test_nights_that_have_come_through_never_are_an_alarm_a_week_after_the_first(store):
    for day in range(9):
        at = NOW + timedelta(days=day)
        nights.begin(Run(f"n-{day}", at, STOPPED, ended_at=at))

    assert ["nightly-overdue"] == list(found(store, NOW + timedelta(days=8, hours=1)))


def test_a_night_that_failed_is_an_alarm_until_the_next_one(store):
    nights.begin(Run("n-1", NOW - timedelta(hours=1), FAILED, ended_at=NOW))
    failed = found(store)
    nights.begin(Run("n-2", NOW, FINISHED, ended_at=NOW))

    assert ["nightly-failed"] == list(failed)
    assert {} == found(store)


def test_a_night_that_was_killed_is_an_alarm_at_once_and_none_while_it_is_at_work(store, knowwhy):
    nights.begin(Run("n-1", NOW))
    with only_one(nights.PART):
        at_work = found(store)
        listed = knowwhy("nightly", "--runs").out
    killed = found(store)

    assert {} == at_work
    assert "running" in listed
    assert ["nightly-failed"] == list(killed)
    assert killed["nightly-failed"].endswith("was cut off.")
    assert "cut off" in knowwhy("nightly", "--runs").out


def test_a_contradiction_that_stands_is_an_alarm_until_one_is_taken_back(store, knowwhy):
    keys = [
        json.loads(knowwhy("remember", text, "--user", "ada b", "--project", "p", "--json").out)[
            "key"
        ]
        for text in ("We use Redis 7 for sessions (ADR-8).", "I prefer tea over coffee.")
    ]
    table("memories").batch_update([{"key": keys[0], "conflicts_with": keys[1]}])
    before = found(store)
    (alarm,) = json.loads(knowwhy("status", "--json").out)["alarms"]
    listed = knowwhy(*shlex.split(alarm["run"])[1:], "--json")
    assert 0 == knowwhy("retract", keys[1], "--user", "ada b", "--why", "It was wrong.").code

    assert [keys[0]] == [pair["memory"]["key"] for pair in json.loads(listed.out)]
    assert ["contradictions-waiting"] == list(before)
    assert all(key in before["contradictions-waiting"] for key in keys)
    assert {} == found(store)


def test_what_the_last_measurement_left_is_an_alarm_until_the_next_one(store):
    low = Alarm("recall-below-floor", "The vector search of passages (user) finds 0.84.", "x")
    check = Check(
        "h-1", "passages", "user", "wordhash_v1", 10_000, recall_at_10=0.84, alarms=(low,)
    )
    health_checks.keep([check])
    before = found(store)
    health_checks.keep([Check("h-2", "passages", "user", "wordhash_v1", 10_000, recall_at_10=0.97)])

    assert {"recall-below-floor": low.text} == before
    assert {} == found(store)


def test_a_look_that_had_no_time_for_a_table_leaves_its_alarm_standing(store):
    low = Alarm("recall-below-floor", "The vector search of memory_vectors finds 0.84.", "x")
    for run, searched, alarms_of_it in (
        ("h-1", "passages", ()),
        ("h-1", "memory_vectors", (low,)),
        ("h-2", "passages", ()),
    ):
        check = Check(run, searched, "everything", "wordhash_v1", 10_000, alarms=alarms_of_it)
        health_checks.keep([check])
    before = found(store)
    health_checks.keep([Check("h-3", "memory_vectors", "everything", "wordhash_v1", 10_000)])

    assert {"recall-below-floor": low.text} == before
    assert {} == found(store)


def test_the_last_looks_at_all_tables_are_read_at_once(store):
    for run, searched, filters, hour in (
        ("h-2", "memory_vectors", ("everything", "user"), 1),
        ("h-1", "memory_vectors", ("everything",), 0),
        ("h-1", "passages", ("everything", "kind"), 0),
        ("h-2", "gone_view", ("everything",), 1),
    ):
        of_it = {"run": run, "searched": searched, "embedder": "wordhash_v1", "rows": 9}
        settings = {"recall_at_10": 0.9, "settings": {"m": "24"}}
        at = [NOW + timedelta(hours=hour, minutes=minute) for minute in range(len(filters))]
        named = zip(filters, at, strict=True)
        health_checks.keep([Check(**of_it, **settings, filtered_by=f, at=a) for f, a in named])
    health_checks.last_looks()

    with statements() as asked:
        looks = health_checks.last_looks()

    assert [
        ("h-1", "passages", "everything"),
        ("h-1", "passages", "kind"),
        ("h-2", "memory_vectors", "everything"),
        ("h-2", "memory_vectors", "user"),
    ] == [(check.run, check.searched, check.filtered_by) for check in looks]
    assert [(0.9, "24", ())] * 4 == [(c.recall_at_10, c.settings["m"], c.alarms) for c in looks]
    assert 1 == len(asked)


@contextmanager
def statements():
    """Gives what the database is asked meanwhile."""
    from pixeltable.env import Env

    asked = []

    def note(connection, cursor, statement, *_):
        asked.append(statement)

    sql.event.listen(Env.get().engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sql.event.remove(Env.get().engine, "before_cursor_execute", note)


def test_the_night_tells_the_alarms_that_stand(store, knowwhy):
    quiet = knowwhy("nightly", "--only", "expire")
    write.put_turns([turn(1)])
    extractions.put([Reading(turn(1), "rules_v2", 3, (), "no")], store.embedder)
    told, as_json = (
        knowwhy("nightly", "--only", "expire"),
        knowwhy("nightly", "--only", "expire", "--json"),
    )

    assert (0, 1, 1) == (quiet.code, told.code, as_json.code)
    assert "turns-given-up: 1 turns could not be read" in told.out
    assert ["turns-given-up"] == [alarm["code"] for alarm in json.loads(as_json.out)["alarms"]]


def test_an_alarm_is_shown_by_status_and_doctor_and_in_the_exit_code(store, knowwhy):
    quiet = knowwhy("status"), knowwhy("doctor")
    nights.begin(Run("n-1", NOW - timedelta(hours=1), FAILED, ended_at=NOW))
    status, doctor = knowwhy("status"), knowwhy("doctor")
    as_json = [json.loads(knowwhy(name, "--json").out) for name in ("status", "doctor")]

    assert (0, 0, 1, 1) == tuple(ran.code for ran in (*quiet, status, doctor))
    assert "nightly-failed: The night run n-1" in status.out
    assert "nightly-failed: The night run n-1" in doctor.out
    assert "run: knowwhy nightly" in status.out
    assert ["nightly-failed"] == [alarm["code"] for alarm in as_json[0]["alarms"]]
    assert "nightly-failed" in [one["what"] for one in as_json[1] if one["state"] == "alarm"]


def test_a_changed_setting_of_the_model_is_an_alarm_at_every_door(store, knowwhy, monkeypatch):
    monkeypatch.setenv("KNOWWHY_EMBEDDER", "bge-small")
    doors = [knowwhy("status"), knowwhy("doctor"), knowwhy("nightly", "--only", "expire")]
    refused = knowwhy("search", "Where are orders kept?")
    monkeypatch.setenv("KNOWWHY_EMBEDDER", "wordhash")

    said = "embedder-changed: This home's vectors were made by 'wordhash'"
    assert [(1, True)] * 3 == [(door.code, said in door.out) for door in doors]
    assert "run: knowwhy reembed" in doors[0].out
    assert (1, "") == (refused.code, refused.out)
    assert 0 == knowwhy("status").code


@pytest.fixture
def begun(store):
    """A change of the model that was begun and came no further; given up at the end."""
    one = reembeddings.begin("minilm", "minilm_53aa5117", "wordhash")
    yield one
    reembeddings.move(one, reembeddings.GIVEN_UP)


def test_a_change_of_the_model_that_nobody_is_at_is_an_alarm_until_it_ends(store, begun):
    with only_one(reembed.PART):
        at_work = found(store)
        too_long = found(store, begun.at + timedelta(hours=25, minutes=1))
    killed = found(store)
    reembeddings.move(begun, reembeddings.DONE)
    done = found(store)

    text = f"The change of the model to minilm, begun {alarms._day(begun.at)}, is at staging and "
    assert ({}, {}) == (at_work, done)
    assert {"reembed-unfinished": f"{text}not finished: no process is at it."} == killed
    assert f"{text}not finished: a process is at it for 25 hours." == too_long["reembed-unfinished"]


def test_a_change_of_the_model_that_was_killed_is_told_at_every_door(knowwhy, begun):
    doors = [knowwhy("status"), knowwhy("doctor"), knowwhy("nightly", "--only", "expire")]
    (alarm,) = json.loads(knowwhy("status", "--json").out)["alarms"]

    said = "reembed-unfinished: The change of the model to minilm"
    assert [(1, True)] * 3 == [(door.code, said in door.out) for door in doors]
    assert ("reembed-unfinished", "knowwhy reembed --to minilm") == (alarm["code"], alarm["run"])


def test_a_database_of_old_versions_is_an_alarm_once_a_night_has_seen_it(
    store, knowwhy, monkeypatch
):
    append("tasks", [{"key": "k-0", "task": "t", "at": NOW, "touched_at": NOW}])
    with queue("tasks"):
        for n in range(12):
            table("tasks").batch_update([{"key": "k-0", "task": f"t {n}"}])
    quiet = knowwhy("nightly", "--only", "keeping")
    monkeypatch.setattr(keeping, "OLD_MB", 0)
    monkeypatch.setattr(keeping, "OLD_SHARE", 0.0)
    told = knowwhy("nightly", "--only", "keeping")
    monkeypatch.undo()

    assert (0, 1) == (quiet.code, told.code)
    assert "disk-growing: " in told.out
    assert "are old versions of rows" in told.out
    assert [1, 1] == [knowwhy("status").code, knowwhy("doctor").code]
    assert 0 == knowwhy("nightly", "--only", "keeping").code
    assert 0 == knowwhy("status").code


def test_a_disk_that_is_full_soon_at_the_pace_of_a_week_is_an_alarm(store, knowwhy, monkeypatch):
    week_ago = NOW - timedelta(days=7)
    sizes = [[week_ago.isoformat(), storage.size() - 1_000_000]]
    nights.begin(Run("n-1", week_ago, FINISHED, cursors={"keeping": sizes}, ended_at=NOW))
    monkeypatch.setattr(keeping, "FULL_WITHIN", float("inf"))
    told = knowwhy("nightly", "--only", "keeping")
    status = knowwhy("status")

    assert (1, 1) == (told.code, status.code)
    assert "disk-growing: The database grows by " in told.out
    assert "disk-growing: The database grows by " in status.out
    assert sizes[0] == nights.runs(1)[0].cursors["keeping"][0]
