"""What a look does to an index that finds too little, and what it leaves alone."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sql
from searched import (
    PASSAGES,
    database,
    do,
    fill,
    physical,
    planner_of_a_large_table,
)

from knowwhy.health import judge, look, recall
from knowwhy.janitor.night import Night
from knowwhy.tables.vectors import health_checks, roads, vector_index
from knowwhy.tables.vectors.health_checks import Check

pytestmark = pytest.mark.usefixtures("few_questions")


def file_of_index(seen):
    name = vector_index.examine(seen.relation, seen.column).name
    with database().engine.connect() as connection:
        asked = sql.text("SELECT pg_relation_filenode(to_regclass(:name))")
        return connection.scalar(asked, {"name": name})


def test_nights_do_not_repeat_a_repair_that_did_not_help(knowwhy, monkeypatch):
    monkeypatch.setattr(judge, "FLOOR", 1.01)  # nothing helps against that
    fill()
    seen = physical()
    files, notes = [file_of_index(seen)], []
    for arguments in (("nightly", "--only", "health"),) * 2 + (("health",),):
        ran = knowwhy(*arguments)
        assert 1 == ran.code
        notes.append(" ".join(ran.out.split()))
        files.append(file_of_index(seen))

    first, second, by_hand = notes
    assert "passages: REINDEX took" in first
    assert "passages: VACUUM and REINDEX did not help on" in second
    assert "recall-below-floor" in second
    assert "REINDEX took" not in second
    assert "passages: REINDEX took" in by_hand
    assert 3 == len(set(files)), "built by the first night and by hand"
    assert files[1] == files[2]


def test_what_did_not_help_is_tried_again_after_a_week_and_for_another_model(store, monkeypatch):
    monkeypatch.setattr(judge, "FLOOR", 1.01)
    fill()
    now = datetime.now(UTC)
    told = [
        " ".join(look.step(at, False, Night("n-1", at, "wordhash")).notes)
        for at in (now, now, now + timedelta(days=8))
    ]
    since = now - timedelta(days=1)

    assert [False, True, False] == ["did not help on" in notes for notes in told]
    assert health_checks.last_after(look.BOTH, "passages", "wordhash_v1", since)
    assert not health_checks.last_after(look.BOTH, "passages", "another_model", since)
    assert not health_checks.last_after(look.BOTH, "memory_vectors", "wordhash_v1", since)


def test_what_was_well_meanwhile_is_repaired_again_within_the_week(store, monkeypatch):
    fill()
    now = datetime.now(UTC)
    told = []
    for floor in (1.01, 0.9, 1.01, 1.01):
        monkeypatch.setattr(judge, "FLOOR", floor)
        told.append(" ".join(look.step(now, False, Night("n-1", now, "wordhash")).notes))

    assert [True, False, True, False] == ["REINDEX took" in notes for notes in told]
    assert [False, False, False, True] == ["did not help on" in notes for notes in told]


@pytest.mark.parametrize("is_vacuumed", [False, True])
def test_after_a_vacuum_of_its_own_a_look_measures_again_only_what_was_an_alarm(
    store, monkeypatch, is_vacuumed
):
    monkeypatch.setattr(roads, "ENOUGH", 1)
    fill()
    relation = physical().relation
    now = datetime.now(UTC)
    if is_vacuumed:  # as by the night's own keeping of the house
        do(f"VACUUM {relation}")
    beyond = Check("h-1", "passages", "kind", "wordhash_v1", PASSAGES, is_baseline=True,
                   recall_at_10=1.2)  # fmt: skip
    health_checks.keep([beyond])
    asked = []

    def noted(ways, *others):
        asked.append((ways[0].view, {road.filter for road in ways}))
        return recall.measure(ways, *others)

    monkeypatch.setattr(look, "measure", noted)

    found = look.look("wordhash", now, look.Asked(queries=4))

    whole, *again, last = [sorts for view, sorts in asked if view == "passages"]
    assert {"everything", "project", "kind"} <= whole
    assert ([] if is_vacuumed else [{"kind"}]) == again
    assert whole == last, "another index may be worse elsewhere"
    kept = [check for check in found.checks if check.searched == "passages"]
    assert whole == {check.filtered_by for check in kept}
    assert {"VACUUM and REINDEX"} == {check.repaired for check in kept}


def test_what_was_measured_before_a_vacuum_is_no_baseline(store, monkeypatch):
    monkeypatch.setattr(roads, "ENOUGH", 1)
    monkeypatch.setattr(vector_index, "REPAIR_WAIT", "200ms")
    fill()
    beyond = Check("h-1", "passages", "kind", "wordhash_v1", PASSAGES, is_baseline=True,
                   recall_at_10=1.2)  # fmt: skip
    health_checks.keep([beyond])
    seen = physical()
    with planner_of_a_large_table(), database().engine.connect() as writer:
        writer.exec_driver_sql(f"LOCK TABLE {seen.relation} IN ROW EXCLUSIVE MODE")
        found = look.look("wordhash", datetime.now(UTC), look.Asked(queries=4))

    assert any("REINDEX failed" in note for note in found.notes)
    halves = {c.filtered_by: c for c in found.checks if c.searched == "passages"}
    assert ("VACUUM", None) == (halves["kind"].repaired, halves["project"].repaired)
    assert halves["project"].by_index
    assert not halves["project"].is_baseline
