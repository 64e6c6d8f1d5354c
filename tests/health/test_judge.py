"""What a measurement is worth: recall with ties, the floor, drift, milestones."""

import pytest

from knowwhy.health.judge import helps_no_more, judged, may_be_baseline
from knowwhy.health.milestones import milestone, reviews
from knowwhy.health.recall import recall_of
from knowwhy.tables.vectors.both_ways import Compared
from knowwhy.tables.vectors.health_checks import Check

TEN = tuple(0.9 - n / 100 for n in range(10))


def compared(near, exact):
    return Compared(tuple(near), tuple(exact), "t", "c", True, {})


@pytest.mark.parametrize(
    ("near", "exact", "recall"),
    [
        (TEN, TEN, 1.0),
        (TEN[:4], TEN, 0.4),
        ((), TEN, 0.0),
        ((), (), None),
        (TEN[:3], TEN[:3], 1.0),
        (TEN[:2], TEN[:3], 2 / 3),
        ((*TEN[1:], 0.5), TEN, 0.9),
        ((0.9,) + (0.8,) * 9, (0.9,) + (0.8,) * 30, 1.0),  # whichever of those that are as near
        ((0.9,) + (0.7999,) * 9, (0.9,) + (0.8,) * 30, 0.1),
        ((*TEN, 0.95), TEN, 1.0),  # what came in while it was asked is no loss
    ],
)
def test_recall_counts_what_is_as_near_as_the_tenth(near, exact, recall):
    assert recall == recall_of(compared(sorted(near)[::-1], exact))


def check(recall, worst=None, **more):
    worst = recall if worst is None else worst
    given = {"queries": 10, "by_index": 10, **more}
    named = {"filtered_by": "kind", "embedder": "tag", "rows": 100}
    measured = {"recall_at_10": recall, "worst": worst}
    return Check("run", "passages", **{**named, **measured, **given})


@pytest.mark.parametrize(
    ("now", "worst", "before", "codes"),
    [
        (None, None, None, []),
        (None, None, 0.99, []),
        (1.0, 1.0, None, []),
        (0.91, 0.91, None, []),
        (0.89, 0.89, None, ["recall-below-floor"]),
        (0.97, 0.89, 0.97, ["recall-below-floor"]),
        (0.951, 0.951, 1.0, []),
        (0.949, 0.949, 1.0, ["recall-drift"]),
        (0.85, 0.8, 0.99, ["recall-below-floor", "recall-drift"]),
        (1.0, 1.0, 0.9, []),
    ],
)
def test_an_alarm_stands_below_the_floor_and_far_below_the_baseline(now, worst, before, codes):
    known = {} if before is None else {("passages", "kind"): check(before)}

    found = judged(check(now, worst), known, None)

    assert codes == [alarm.code for alarm in found.alarms]
    assert all(alarm.text.endswith(".") and alarm.run for alarm in found.alarms)
    assert before == found.against


def test_a_baseline_is_what_went_over_the_index_and_is_well():
    assert may_be_baseline(check(0.97))
    assert not may_be_baseline(check(None))
    assert not may_be_baseline(check(1.0, by_index=4))
    assert not may_be_baseline(judged(check(0.5), {}, None))


def low(recall, name="kind", rows=100, worst=None, before=None):
    known = {} if before is None else {("passages", name): check(before)}
    found = judged(check(recall, worst, filtered_by=name, rows=rows), known, None)
    assert found.alarms
    return found


WELL = check(0.99, filtered_by="project")


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        ([low(0.6), WELL], [low(0.6), WELL], True),
        ([low(0.6), WELL], [], False),  # nothing was built anew yet
        ([low(0.58)], [low(0.6)], True),
        ([low(0.56)], [low(0.6)], False),  # it finds less than it did
        ([low(0.95, worst=0.5)], [low(0.95, worst=0.6)], False),
        ([low(0.8)], [low(0.6)], True),
        ([low(0.6, rows=110)], [low(0.6)], True),
        ([low(0.6, rows=111)], [low(0.6)], False),  # another index than that one
        ([low(0.6, rows=89)], [low(0.6)], False),
        ([low(0.6), low(0.6, "project")], [low(0.6), WELL], False),  # this was well
        ([low(0.6, before=0.9)], [low(0.6)], False),  # another alarm
        ([WELL, low(0.6)], [low(0.7, "project"), low(0.6)], True),
    ],
)
def test_an_index_is_left_alone_where_building_it_anew_changed_nothing(now, then, said):
    assert said == helps_no_more(now, then)


def test_milestones_are_told_once_each():
    sizes = (9_999, 10_000, 50_000, 250_000)
    assert [None, 10_000, 50_000, 100_000] == [milestone(rows) for rows in sizes]
    assert [] == reviews(9_999, 0)
    assert [10_000, 50_000] == [size for size, _ in reviews(60_000, 0)]
    assert [100_000] == [size for size, _ in reviews(100_000, 50_000)]
    assert [] == reviews(100_000, 100_000)
