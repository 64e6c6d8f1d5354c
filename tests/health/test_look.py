"""A look at the search through its doors: what is measured, told, repaired, and left alone."""

import json

import numpy as np
import pytest
import sqlalchemy as sql
from searched import (
    NOW,
    PASSAGES,
    database,
    do,
    fill,
    physical,
    planner_of_a_large_table,
)

from knowwhy import models, telemetry
from knowwhy.grounding.remember import remember
from knowwhy.health import look
from knowwhy.health.golden_questions import GOLDEN
from knowwhy.janitor.night import Night
from knowwhy.tables import queries, write
from knowwhy.tables.only_one import only_one
from knowwhy.tables.vectors import health_checks, roads, vector_index
from knowwhy.tables.vectors.both_ways import comparing
from knowwhy.types import Asker, Recall

pytestmark = pytest.mark.usefixtures("few_questions")


def measured(knowwhy, *arguments):
    ran = knowwhy("health", "--json", *arguments)
    told = json.loads(ran.out)
    first = {m["view"]: m for m in told["measurements"] if m["filter"] == "everything"}
    return ran.code, told, first


def test_an_empty_memory_is_no_alarm(knowwhy):
    code, told, first = measured(knowwhy)

    assert (0, [], []) == (code, told["alarms"], told["notes"])
    assert {"passages", "memory_vectors", "extraction_vectors"} == set(first)
    assert [None] * 3 == [m["recall_at_10"] for m in first.values()]
    assert "nothing to find" in knowwhy("health").out


def test_a_small_memory_is_searched_exactly_and_says_so(knowwhy):
    fill()

    code, told, first = measured(knowwhy)

    passages = first["passages"]
    assert (0, []) == (code, told["alarms"])
    assert 1.0 == passages["recall_at_10"]
    assert PASSAGES == passages["rows"]
    asked = {"all": 56, "recalls": 8, "texts": 42, "golden": 6, "by_index": 0}
    assert asked == passages["queries"]
    assert not passages["is_baseline"], "of an index that nobody asked, nothing is known"
    assert "all found exactly" in knowwhy("health").out


def test_what_goes_over_the_index_is_seen_and_kept_as_the_baseline(knowwhy):
    fill()
    with planner_of_a_large_table():
        _, _, first = measured(knowwhy, "--queries", 20)
        _, _, second = measured(knowwhy, "--queries", 20)
        _, _, renewed = measured(knowwhy, "--queries", 20, "--baseline")

    looks = [look["passages"] for look in (first, second, renewed)]
    assert [26] * 3 == [look["queries"]["by_index"] for look in looks]
    assert [True, False, True] == [look["is_baseline"] for look in looks]
    assert [None, looks[0]["recall_at_10"], None] == [look["baseline"] for look in looks]
    assert "relaxed_order" == looks[0]["settings"]["hnsw.iterative_scan"]
    kept = health_checks.baselines("wordhash_v1")["passages", "everything"]
    assert renewed["passages"]["run"] == kept.run


def test_the_exact_search_is_exact_and_leaves_nothing_behind_in_the_pool(store):
    fill()
    write.table("records").delete(write.table("records").key == "r7")
    write.retire_records({"r8": None}, "Gone.")
    asked = models.embed_query("kafka ledger depot", "wordhash")
    passages = write.table("passages")
    live = passages.where(passages.retired_at == None)  # noqa: E711  # SQL
    vector = passages.search_text.embedding(idx="wordhash_v1")
    cosines = sorted(float(row["v"] @ asked) for row in live.select(v=vector).collect())[::-1]
    road = roads.roads("passages", "wordhash", NOW)[0]

    with planner_of_a_large_table(), comparing() as both:
        seen = [both.compare(lambda: road.ask(asked, 100)) for _ in range(12)]  # prepared after 5

    assert PASSAGES - 2 == len(cosines)
    assert all(one.by_index for one in seen)
    assert {100} == {len(one.exact) for one in seen}
    np.testing.assert_allclose(cosines[:100], seen[0].exact, atol=1e-5)


@pytest.mark.parametrize("view", ["memory_vectors", "extraction_vectors"])
def test_what_a_user_may_not_see_is_no_part_of_what_there_is_to_find(store, view, monkeypatch):
    monkeypatch.setattr(roads, "ENOUGH", 1)
    for number, user in enumerate(("ann", "ann", "bob")):
        said = f"Redis holds cart {number} for {90 + number} days."
        remember(said, asker=Asker(user), embedder="wordhash", now=NOW)
    asked = models.embed_query("redis cart", "wordhash")
    found = {}

    with comparing() as both:
        for road in roads.roads(view, "wordhash", NOW):
            found.setdefault(road.filter, []).append(
                len(both.compare(lambda r=road: r.ask(asked, 100)).exact)
            )

    if view == "memory_vectors":
        assert ([3], [2, 1]) == (found["everything"], found["user"])
    else:
        assert {"everything": [0]} == found


def test_rows_without_a_vector_are_an_alarm_that_names_none_of_them(knowwhy):
    fill()
    seen = physical()
    do(f"UPDATE {seen.relation} SET {seen.column} = NULL WHERE rowid IN (SELECT min(rowid) FROM "
       f"{seen.relation} WHERE v_max = 9223372036854775807)")  # fmt: skip

    code, told, first = measured(knowwhy)

    assert 1 == code
    assert ["vectors-missing"] == [alarm["code"] for alarm in told["alarms"]]
    assert f"1 of {PASSAGES} rows of passages" in told["alarms"][0]["text"]
    assert 1.0 == first["passages"]["recall_at_10"]
    assert [alarm["code"] for alarm in told["alarms"]] == [a.code for a in look.standing()]


def test_an_index_that_is_not_valid_is_built_anew(knowwhy):
    fill()
    seen = physical()
    index = vector_index.examine(seen.relation, seen.column)
    do(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{index.name}'::regclass")

    code, told, first = measured(knowwhy)

    assert (0, []) == (code, told["alarms"])
    assert "VACUUM and REINDEX" == first["passages"]["repaired"]
    assert vector_index.examine(seen.relation, seen.column).valid


def test_half_an_index_that_a_kill_left_is_an_alarm_until_a_look_has_built_it_anew(knowwhy):
    fill(8)
    seen = physical()
    index = vector_index.examine(seen.relation, seen.column)
    half = f"{index.name}_ccnew"
    with database().engine.connect() as connection:
        asked = {"n": index.name}
        made = connection.scalar(sql.text("SELECT pg_get_indexdef(to_regclass(:n))"), asked)
    do(
        made.replace(index.name, half),
        f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{half}'::regclass",
    )
    with only_one(look.PART):
        building = knowwhy("status")
    left, doctor = knowwhy("status"), knowwhy("doctor")

    code, told, _ = measured(knowwhy, "--queries", 0)

    assert (0, 1, 1) == (building.code, left.code, doctor.code)
    assert half in left.out
    assert "run: knowwhy health" in left.out
    assert (0, []) == (code, told["alarms"])
    assert any("half a build was there" in note for note in told["notes"])
    assert [] == queries.invalid_indexes()
    assert (0, 0) == (knowwhy("status").code, knowwhy("doctor").code)


def test_a_missing_index_is_an_alarm_that_stands(knowwhy):
    fill()
    seen = physical()
    name = vector_index.examine(seen.relation, seen.column).name
    with database().engine.connect() as connection:
        made = connection.scalar(sql.text("SELECT pg_get_indexdef(to_regclass(:n))"), {"n": name})
    do(f"DROP INDEX {name}")
    try:
        code, told, _ = measured(knowwhy)
    finally:
        do(made)

    assert 1 == code
    assert ["index-invalid"] == [alarm["code"] for alarm in told["alarms"]]
    assert any("REINDEX failed" in note for note in told["notes"])


def test_nothing_of_a_user_is_told_or_kept(knowwhy, monkeypatch):
    monkeypatch.setattr(roads, "ENOUGH", 1)
    remember("Zorbaiq pays for redis.", asker=Asker("zora", "virkoz"), embedder="wordhash", now=NOW)
    telemetry.store([Recall("What does zorbaiq pay?", (), 0, user_id="zora")])

    said = knowwhy("health").out + knowwhy("health", "--json").out
    kept = repr(list(write.table("health_checks").collect()))

    assert "user" in said
    for word in ("zorbaiq", "zora", "virkoz", "m-"):
        assert word not in (said + kept).lower()


def test_a_dry_night_measures_and_writes_no_row(store):
    fill()
    night = Night("n-1", NOW, "wordhash")

    dry = look.step(NOW, True, night)
    rows = write.table("health_checks").count()
    real = look.step(NOW, False, night)

    assert (("health", (), True), 0) == ((dry.name, dry.alarms, dry.finished), rows)
    assert dry.done == real.done > 0
    assert real.done <= write.table("health_checks").count()


def test_a_night_without_time_is_not_finished(store):
    night = Night("n-1", NOW, "wordhash", deadline=0.0)

    assert not look.step(NOW, False, night).finished
    assert 0 == write.table("health_checks").count()


def test_looks_with_time_for_one_table_come_to_all_of_them(store):
    fill()
    for day in range(len(roads.VIEWS)):
        times = iter((False, True))
        asked = look.Asked(queries=4, is_over=times.__next__)
        look.look("wordhash", NOW.replace(day=1 + day), asked)

    assert set(roads.VIEWS) == {check.searched for check in health_checks.last_looks()}


def test_two_looks_never_run_at_once(knowwhy):
    with only_one(look.PART):
        ran = knowwhy("health")

    assert 1 == ran.code
    assert look.BUSY in ran.err


def test_the_golden_questions_are_fifty_of_the_golden_set():
    from evaluation.homes import ROOT

    lines = (ROOT / "golden" / "questions.jsonl").read_text("utf-8").splitlines()
    assert 50 == len(set(GOLDEN))
    assert set(GOLDEN) <= {json.loads(line)["text"] for line in lines}
