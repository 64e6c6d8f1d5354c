"""What a night does to memories, through its command."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.errors import StoreFailed
from knowwhy.tables.kept import memories
from knowwhy.tables.only_one import only_one
from knowwhy.tables.write import table
from knowwhy.types import Asker
from nights_of import LONG_AGO, kept, now_of, ran, steps, told

TABLES = ("memories", "changes", "nightly_runs", "spends")


def every_row():
    """All rows of the tables that a night writes, with every version that they have had."""
    rows = {n: list(table(n).order_by(table(n).key).select(table(n).key).collect()) for n in TABLES}
    states = {name: table(name).get_metadata()["version"] for name in TABLES}
    return rows, states, memories.held(row["key"] for row in rows["memories"])


def test_what_says_the_same_becomes_one_memory_that_names_all_its_sources(knowwhy):
    first, copy, third = kept(
        told(1, "We use PostgreSQL for the orders database", source="a", confidence=0.6),
        told(2, "The orders database runs on PostgreSQL", 3, source="b", confidence=0.9),
        told(3, "PostgreSQL is used for the orders database.", 5, source="c", turn_key="t1"),
    )

    run = ran(knowwhy)

    stays, *gone = now_of(first, copy, third)
    assert 2 == steps(run)["merge"]["done"]
    assert ("active", 0.9) == (stays.status, stays.confidence)
    assert [("b", copy), ("c", third)] == sorted(
        (one["source"], one["key"]) for one in stays.metadata["merged"]
    )
    assert ["superseded"] * 2 == [memory.status for memory in gone]
    assert all(memory.why.startswith(f"Superseded by {first}:") for memory in gone)
    shown = knowwhy("provenance", first, "--user", "ann", "--project", "shop", "--json")
    assert {copy, third} == {one["key"] for one in json.loads(shown.out)["earlier"]}


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        ("The console listens on port 8443", "The console listens on port 9443", {}),
        ("orders runs Django 4.2 in production", "orders runs Django 5.0 in production", {}),
        ("tracking sends events to Kafka", "tracking does not send events to Kafka", {}),
        ("Backups are kept in two regions", "Backups are kept in two regions", {"user_id": "bob"}),
        ("Backups are kept in two regions", "Backups are kept in two regions", {"project": "b"}),
        ("Backups are kept in two regions", "Backups are kept in two regions", {"user_id": None}),
        ("Backups are kept in two regions", "Backups are kept in two regions", {"kind": "note"}),
        ("Backups are kept in two regions", "Backups are kept in two regions", {"service": "x"}),
        (
            "Backups are kept in two regions",
            "Backups are kept in two regions",
            {"valid_until": datetime(2999, 1, 1, tzinfo=UTC)},
        ),
        ("Ann Smith approves the releases", "Ann Jones approves the releases", {}),
        ("orders depends on billing", "billing depends on orders", {}),
        ("Redis for the sessions of orders ✅", "Redis for the sessions of orders ❌", {}),
        ("The US team owns the billing page", "The IT team owns the billing page", {}),
    ],
)
def test_what_differs_in_a_detail_or_is_somebody_elses_is_not_merged(knowwhy, one, other, more):
    keys = kept(told(1, one), told(2, other, 0, **more))

    run = ran(knowwhy, "--only", "merge")

    assert 0 == steps(run)["merge"]["done"]
    assert ["active", "active"] == [memory.status for memory in now_of(*keys)]


def test_pairs_that_are_alike_and_not_clearly_the_same_are_told_and_stay(knowwhy):
    keys = kept(
        told(1, "The orders team reviews every change of the console on Monday"),
        told(2, "The orders team reviews every change of the console on Monday morning"),
    )

    run = ran(knowwhy)

    assert ["active", "active"] == [memory.status for memory in now_of(*keys)]
    assert all(key in steps(run)["merge"]["notes"][0] for key in keys)


def test_what_a_person_has_verified_stays_whatever_is_older_or_surer(knowwhy):
    seen = {"verified_at": LONG_AGO, "verified_by": "ann"}
    old, verified = kept(
        told(1, "Redis holds the sessions", confidence=0.9),
        told(2, "Redis holds the sessions.", 9, confidence=0.5, **seen),
    )

    ran(knowwhy)

    assert ["superseded", "active"] == [memory.status for memory in now_of(old, verified)]
    assert 0.9 == now_of(verified)[0].confidence


def a_mixed_store():
    over = datetime(2026, 1, 1, tzinfo=UTC)
    return kept(
        told(1, "We use PostgreSQL for the orders database"),
        told(2, "The orders database runs on PostgreSQL", 3, confidence=0.7),
        told(3, "The API timeout is 30 s"),
        told(4, "The API timeout is 60 s", 9),
        told(5, "The timeout of the API is 60 s", 11),
        told(6, "The freeze lasts", expires_at=over),
        told(7, "The trial is on", valid_until=over, status="pending"),
        told(8, "Nothing else is like this one"),
    )


def test_a_dry_run_writes_no_row_and_tells_what_the_run_then_does(knowwhy):
    a_mixed_store()
    before = every_row()

    told_before = ran(knowwhy, "--dry-run")
    assert before == every_row()
    done = ran(knowwhy)

    names = ("name", "done", "changes", "notes", "alarms", "finished")
    for name, count in (("expire", 2), ("merge", 2), ("contradictions", 1)):
        one, other = steps(told_before)[name], steps(done)[name]
        assert {n: one[n] for n in names} == {n: other[n] for n in names}
        assert count == other["done"]


def test_the_second_run_changes_nothing(knowwhy):
    a_mixed_store()
    ran(knowwhy)
    before = memories.held(row["key"] for row in every_row()[0]["memories"])

    again = ran(knowwhy)

    assert [0, 0, 0] == [report["done"] for report in again["reports"][:3]]
    assert before == memories.held(before)


def test_undo_puts_back_exactly_what_the_run_changed(knowwhy):
    keys = a_mixed_store()
    before = [replace(memory, touched_at=LONG_AGO) for memory in now_of(*keys)]
    run = ran(knowwhy)

    undone = ran(knowwhy, "--undo", run["key"])

    assert before == [replace(memory, touched_at=LONG_AGO) for memory in now_of(*keys)]
    assert (run["key"], []) == (undone["undoes"], undone["reports"][0]["notes"])
    assert 0 == ran(knowwhy, "--undo", run["key"])["reports"][0]["done"]
    assert 0 == steps(ran(knowwhy))["merge"]["done"]  # what was put back is not merged again


def test_undo_leaves_alone_what_somebody_has_changed_since_and_says_so(knowwhy):
    keys = a_mixed_store()
    run = ran(knowwhy)
    assert (
        0 == knowwhy("retract", keys[0], "--why", "No.", "--user", "ann", "--project", "shop").code
    )

    undone = ran(knowwhy, "--undo", run["key"])

    assert ["retracted", "active"] == [memory.status for memory in now_of(*keys[:2])]
    assert keys[0] in undone["reports"][0]["notes"][0]


@pytest.mark.parametrize("budget", ["nan", "inf", "-inf", "-1"])
def test_a_budget_that_is_no_number_of_seconds_is_refused_in_one_sentence(knowwhy, budget):
    done = knowwhy("nightly", "--budget", budget)

    assert (1, "") == (done.code, done.out)
    said = f"knowwhy: --budget is {budget}; it must be a number of seconds, 0 or more.\n"
    assert said == done.err


def test_a_budget_stops_the_run_and_the_next_one_goes_on(knowwhy, monkeypatch):
    from knowwhy.janitor import passes

    monkeypatch.setattr(passes, "TOGETHER", 2)
    keys = [
        key
        for n in range(4)
        for key in kept(
            told(10 * n, f"The cache of team{n} is in Redis", user_id=f"u{n}"),
            told(10 * n + 1, f"The cache of team{n} is in Redis.", user_id=f"u{n}"),
        )
    ]

    first = ran(knowwhy, "--budget", "0", "--only", "merge")
    runs = [first]
    while runs[-1]["state"] == "stopped":
        runs.append(ran(knowwhy, "--budget", "0", "--only", "merge"))

    assert [1, 1, 1, 1] == [r["reports"][0]["done"] for r in runs][:4]
    assert "finished" == runs[-1]["state"]
    assert 4 == sum(memory.status == "active" for memory in now_of(*keys))


@pytest.mark.parametrize(
    ("error", "said"),
    [(StoreFailed("The disk is full."), "The disk is full."), (KeyError("x"), "nobody foresaw")],
)
def test_a_step_that_fails_is_an_alarm_and_keeps_no_other_from_its_work(
    knowwhy, monkeypatch, error, said
):
    def fail(*_):
        raise error

    end = {"expires_at": LONG_AGO + timedelta(days=3)}
    keys = kept(
        told(1, "The billing port is 8080"),
        told(2, "The billing port is 9090", 5),
        told(3, "Hi", **end),
    )
    monkeypatch.setattr("knowwhy.janitor.merge.look", fail)

    shown = knowwhy("nightly", "--dry-run", "--only", "merge")
    run = ran(knowwhy)

    did = {name: (report["failed"], report["done"]) for name, report in steps(run).items()}
    assert {"expire", "merge", "contradictions", "access", "handoffs", "keeping", "health"} == {
        *did
    }
    assert ((False, 1), (True, 0), (False, 1)) == tuple(did.values())[:3]
    assert "failed" == run["state"]
    assert said in steps(run)["merge"]["notes"][-1]
    failed = [alarm["text"] for alarm in run["alarms"] if alarm["code"] == "nightly-failed"]
    assert [True] == [text.endswith("failed in merge.") for text in failed]
    assert (1, True) == (shown.code, "FAILED" in shown.out)
    assert ["superseded", "active", "expired"] == [memory.status for memory in now_of(*keys)]


def test_what_is_shown_of_many_changes_says_that_there_are_more(knowwhy):
    kept(*(told(n, f"The freeze {n} lasts", expires_at=LONG_AGO) for n in range(1, 103)))

    shown = knowwhy("nightly", "--only", "expire", "--dry-run").out

    assert "102 memories would expire.\n" in shown
    assert 100 == shown.count("  expired m-")
    assert "  … and more; `knowwhy provenance KEY` tells what was done to a memory.\n" in shown


def test_two_runs_at_once_the_second_is_refused_in_one_sentence(knowwhy):
    with only_one("night shift"):
        refused = knowwhy("nightly")

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith("knowwhy: Another night run is at work in this home;")


def test_a_step_that_does_not_exist_is_refused_with_the_names_of_those_that_do(knowwhy):
    refused = knowwhy("nightly", "--only", "sweep")

    assert 1 == refused.code
    assert "expire, merge, contradictions" in refused.err


def test_a_run_that_does_not_exist_cannot_be_undone(knowwhy):
    refused = knowwhy("nightly", "--undo", "n-1")

    assert (1, "knowwhy: There is no night run 'n-1'; `knowwhy nightly --runs` lists them.\n") == (
        refused.code,
        refused.err,
    )


def test_runs_are_listed_the_newest_first(knowwhy):
    a_mixed_store()
    first, second = ran(knowwhy), ran(knowwhy, "--only", "merge")

    listed = json.loads(knowwhy("nightly", "--runs", "--json").out)

    assert [second["key"], first["key"]] == [run["key"] for run in listed]
    assert first["key"] in knowwhy("nightly", "--runs").out


def test_assistants_are_told_of_runs_by_counts_of_what_is_their_own_to_see(knowwhy):
    a_mixed_store()
    kept(
        told(21, "Redis holds the carts", user_id="bob"),
        told(22, "Redis holds the carts.", 3, user_id="bob"),
    )
    run = ran(knowwhy)

    by_ann, by_bob, by_eve = (runs_told_to(user, is_local=False) for user in ("ann", "bob", "eve"))
    on_the_machine = runs_told_to("eve", is_local=True)

    assert {"expire": 2, "merge": 2, "contradictions": 1} == changed(by_ann)
    assert ({"merge": 1}, {}) == (changed(by_bob), changed(by_eve))
    assert [run["key"]] == [one["run"] for one in by_eve.data["runs"]]
    for said in (by_ann, by_bob, by_eve, on_the_machine):
        assert "m-0" not in json.dumps(said.data) + said.text
    assert {None} == {step.get("of_all") for step in by_bob.data["runs"][0]["steps"]}
    assert [2, 3, 1] == [step["of_all"] for step in on_the_machine.data["runs"][0]["steps"][:3]]
    assert "merge 0 of yours 3 in all (" in on_the_machine.text
    ran(knowwhy, "--undo", run["key"])
    undone = runs_told_to("bob", is_local=False)
    assert "undo 2 of yours (" in undone.text.splitlines()[1]
    assert f"It undoes {run['key']}." in undone.text.splitlines()[1]


def runs_told_to(user, *, is_local):
    from knowwhy.config import Settings
    from knowwhy.mcp.caller import Caller, Serving
    from knowwhy.mcp.toolbox.listings import nightly_runs

    serving = Serving(Settings(), warm=None, jobs=None, profile="all", is_local=is_local)
    return nightly_runs(Caller(Asker(user, "shop"), serving, "s-1"))


def changed(said):
    steps = said.data["runs"][0]["steps"]
    return {step["name"]: step["yours"] for step in steps if step.get("yours")}
