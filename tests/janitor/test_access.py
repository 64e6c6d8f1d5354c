"""When each thing was last asked for is folded from the searches, each counted once."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from knowwhy import telemetry
from knowwhy.janitor import access
from knowwhy.janitor.night import Night
from knowwhy.tables.kept import accesses
from knowwhy.tables.kept.accesses import Given, folded, mark
from knowwhy.tables.write import append, queue, table

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def asked(*searches):
    """Notes searches: who made each, when, and what it gave."""
    rows = [
        {
            "key": f"r-{user}-{n}",
            "user_id": user,
            "question": "?",
            "result_count": len(keys),
            "result_keys": list(keys),
            "payload_bytes": 0,
            "at": at,
        }
        for n, (user, at, *keys) in enumerate(searches)
    ]
    append("recalls", rows)


def run(now, cursors=None, *, dry_run=False):
    night = Night("n-1", now, "wordhash", cursors=cursors if cursors is not None else {})
    return access.step(now, dry_run, night)


def counts():
    source = table("access")
    rows = source.select(source.user_id, source.item_key, source.times, source.last_at).collect()
    return {(row["user_id"], row["item_key"]): (row["times"], row["last_at"]) for row in rows}


def test_searches_are_counted_by_who_made_them(store):
    asked(("ann", NOON, "a", "b"), ("ann", NOON + HOUR, "a", "a"), ("bob", NOON, "a"))

    assert 3 == run(NOON + 2 * HOUR).done

    assert {
        ("ann", "a"): (2, NOON + HOUR),
        ("ann", "b"): (1, NOON),
        ("bob", "a"): (1, NOON),
    } == counts()
    assert {"a": NOON} == accesses.last_accesses("bob", ["a", "b"])


def test_the_next_night_counts_only_what_is_new(store):
    cursors = {}
    asked(("ann", NOON, "a"))
    run(NOON + HOUR, cursors)
    before = counts()

    assert 0 == run(NOON + HOUR, cursors).done
    assert before == counts()
    asked(("eve", NOON + HOUR, "a"))
    assert 1 == run(NOON + 2 * HOUR, cursors).done


def test_a_night_that_is_killed_before_it_noted_its_way_counts_nothing_twice(store, monkeypatch):
    monkeypatch.setattr(access, "PAGE", 2)
    asked(*(("ann", NOON + n * HOUR, "a", f"b{n}") for n in range(5)))
    accesses.fold(accesses.given(accesses.BEGINNING, NOON + 3 * HOUR, 100))

    run(NOON + 9 * HOUR)

    assert (5, NOON + 4 * HOUR) == counts()["ann", "a"]
    assert {1} == {count for (_, item), (count, _) in counts().items() if item != "a"}


def test_a_search_of_this_minute_waits_for_the_next_night(store):
    asked(("ann", NOON, "a"))

    assert 0 == run(NOON + timedelta(seconds=30)).done


def test_a_dry_run_tells_and_writes_nothing(store):
    asked(("ann", NOON, "a"))
    cursors = {}

    assert 1 == run(NOON + HOUR, cursors, dry_run=True).done
    assert ({}, {}) == (counts(), cursors)


SEARCHES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["ann", None]), st.sets(st.sampled_from("abc"))),
    max_size=12,
)


@given(SEARCHES, st.lists(st.integers(0, 12), max_size=3))
def test_however_it_is_cut_and_begun_again_each_search_counts_once(told, cuts):
    searches = [
        Given(mark(NOON + hour * HOUR, f"r{n:02}"), user, tuple(sorted(keys)), NOON + hour * HOUR)
        for n, (hour, user, keys) in enumerate(sorted(told, key=lambda one: one[0]))
    ]
    state = {}
    for cut in sorted(cuts):
        state = folded(searches[:cut], state)

    assert folded(searches, {}) == folded(searches, state)


def test_the_night_folds_what_was_asked_through_the_door(knowwhy):
    knowwhy("remember", "We deploy on Fridays.", "--user", "ann")
    assert 0 == knowwhy("recall", "When do we deploy?", "--user", "ann").code
    telemetry.flush()
    with queue("recalls"):
        table("recalls").update({"at": NOON})

    done = knowwhy("nightly", "--only", "access")

    assert (0, "") == (done.code, done.err)
    assert [1] == [count for count, _ in counts().values()]


def test_marks_sort_as_searches_were_made():
    moments = [NOON, NOON + timedelta(microseconds=1), NOON + HOUR, NOON + 400 * 24 * HOUR]
    marks = [mark(moment, key) for moment in moments for key in "az"]

    assert marks == sorted(marks)
