"""Which of many filters a look asks: always the same, some by turns, and what was low again."""

import json
from datetime import UTC, datetime

import pytest

from knowwhy.grounding.remember import remember
from knowwhy.health import asking_set, recall
from knowwhy.health.golden_questions import GOLDEN
from knowwhy.health.judge import judged
from knowwhy.health.recall import DRAWN, STEADY, Query, measure
from knowwhy.tables.vectors import health_checks, roads
from knowwhy.tables.vectors.both_ways import Compared
from knowwhy.tables.vectors.health_checks import Check
from knowwhy.tables.vectors.roads import Road
from knowwhy.types import Alarm, Asker

NOW = datetime.now(UTC)
QUERIES = [Query("recalls", n) for n in range(20)]
EXACT = tuple(1 - n / 100 for n in range(10))
USERS = 40


class Searched:
    """Compares what filters give, as they are said to be; notes whom it asked how often."""

    def __init__(self):
        self.asked = {}

    def compare(self, ask):
        mark, found = ask()
        self.asked[mark] = self.asked.get(mark, 0) + 1
        return Compared(EXACT[:found], EXACT, "t", "c", True, {})


def road(number, found=10, rows=None):
    """The filter of a user; those with small numbers have the most rows."""
    mark = f"u{number:02}"
    return Road("v", "user", rows or 10_000 >> number // 4, lambda *_: (mark, found), mark)


def look(given, seed, again=frozenset()):
    searched = Searched()
    found = measure(given, QUERIES, searched, seed, lambda: None, again)
    return found["user"], searched.asked


def test_the_largest_filters_are_asked_each_time_and_others_by_turns():
    given = [road(n) for n in range(USERS)]

    asked = [look(given, seed)[1].keys() for seed in range(60)]

    always = set.intersection(*map(set, asked))
    assert STEADY == len(always)
    assert {"u00", "u01", "u02", "u03"} < always
    assert {STEADY + DRAWN} == set(map(len, asked))
    assert {one.mark for one in given} == set.union(*map(set, asked))


def test_a_few_rows_more_change_nothing_of_what_is_asked_each_time():
    some = [road(n, rows=600 + n) for n in range(USERS)]
    more = [road(n, rows=600 + 7 * (USERS - n)) for n in range(USERS)]

    steady = [set(look(given, 1)[0].marks[:STEADY]) for given in (some, more)]

    assert steady[0] == steady[1]


def test_what_is_compared_with_the_baseline_is_the_mean_of_those_asked_each_time():
    given = [road(n, found=10 if n < USERS // 2 else 5) for n in range(USERS)]

    tallies = [look(given, seed)[0] for seed in range(20)]

    assert {1.0} == {tally.recall for tally in tallies}
    assert 0.5 in {tally.worst for tally in tallies}
    assert {USERS} == {tally.there for tally in tallies}


def test_a_filter_below_the_floor_is_asked_each_question_again_until_it_is_well():
    given = [road(n, found=8 if n == USERS - 1 else 10) for n in range(USERS)]
    found = next(tally for seed in range(200) if (tally := look(given, seed)[0]).low)
    again = frozenset(found.low)

    tallies = [look(given, seed, again) for seed in range(20)]
    well = look([road(n) for n in range(USERS)], 1, again)[0]

    assert (f"u{USERS - 1}",) == found.low
    assert [found.low] * 20 == [tally.low for tally, _ in tallies]
    assert {len(QUERIES)} == {asked[f"u{USERS - 1}"] for _, asked in tallies}
    assert {0.8} == {round(tally.worst, 6) for tally, _ in tallies}
    assert () == well.low


@pytest.mark.parametrize(
    ("filters", "every", "said"),
    [(10, 240, "(user, 10 of 240 asked)"), (4, 4, "(user)"), (4, None, "(user)")],
)
def test_an_alarm_says_how_many_filters_of_how_many_were_asked(filters, every, said):
    measured = Check("r", "v", "user", "t", 9, filters, every, recall_at_10=0.97, worst=0.5)

    (alarm,) = judged(measured, {}, None).alarms

    assert f"The vector search of v {said} finds 0.50" in alarm.text


def test_the_command_measures_again_what_the_last_look_found_low_and_tells_of_how_many(
    knowwhy, store, monkeypatch
):
    monkeypatch.setattr(roads, "ENOUGH", 2)
    monkeypatch.setattr(recall, "STEADY", 1)
    monkeypatch.setattr(recall, "DRAWN", 0)
    monkeypatch.setattr(asking_set, "GOLDEN_QUESTIONS", GOLDEN[:2])
    for number, user in enumerate(("ann", "ann", "ann", "ann", "bob", "bob", "eve")):
        said = f"Redis holds cart {number} for {90 + number} days."
        remember(said, asker=Asker(user), embedder="wordhash", now=NOW)
    low = Alarm("recall-below-floor", "The vector search of memory_vectors (user) is low.", "x")
    lost = roads._mark("user", ["eve", None, None])  # of whom fewer rows are left than are enough
    check = Check("h-1", "memory_vectors", "user", "wordhash_v1", 6, alarms=(low,), low=(lost,))
    health_checks.keep([check])
    assert 1 == knowwhy("status").code

    looks = [knowwhy("health", "--queries", 2, "--json") for _ in range(2)]
    shown = knowwhy("health", "--queries", 2).out

    users = [
        next(m for m in json.loads(one.out)["measurements"] if m["filter"] == "user")
        for one in looks
    ]
    assert [(2, 3), (1, 2)] == [(m["filters"], m["all_filters"]) for m in users]
    assert [0, 0] == [one.code for one in looks]
    assert "user ×1 of 2 " in shown
    assert 0 == knowwhy("status").code
