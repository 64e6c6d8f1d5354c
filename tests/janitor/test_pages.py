"""How much a night writes at once: as little as keeps the queue free for others."""

import pytest

from knowwhy.janitor.joining import Pair, pages
from knowwhy.tables.kept import upkeep
from knowwhy.tables.kept.upkeep import FEWEST, HOLD, MOST, Pace
from knowwhy.tables.write import table
from nights_of import LONG_AGO, kept, ran, told


@pytest.fixture
def pace(monkeypatch):
    """The pace of the night as it is when a process begins."""
    monkeypatch.setattr(upkeep.pace, "rows", FEWEST)
    return upkeep.pace


def test_a_page_grows_while_the_ones_before_it_are_quick_up_to_the_most():
    pace, sizes = Pace(), []
    for _ in range(5):
        sizes.append(pace.rows)
        pace.took(pace.rows, pace.rows * HOLD / (2 * MOST))

    assert [FEWEST, 2 * FEWEST, 4 * FEWEST, MOST, MOST] == sizes


@pytest.mark.parametrize(
    ("rows", "seconds", "after"),
    [
        (200, 2 * HOLD, 100),
        (200, 100 * HOLD, FEWEST),
        (20, 2 * HOLD, FEWEST),
        (20, HOLD / 100, 200),  # so few tell nothing of many
        (0, HOLD / 100, 200),
        (200, HOLD, 200),
    ],
)
def test_a_page_that_held_the_queue_for_too_long_makes_the_next_one_smaller(rows, seconds, after):
    pace = Pace()
    pace.rows = 200

    pace.took(rows, seconds)

    assert after == pace.rows


def test_the_copies_of_a_page_are_as_many_as_its_moment_allows(pace):
    same = [
        [Pair(f"s{n}", f"g{n}-{m}", 0.9) for m in range(copies)]
        for n, copies in enumerate((3, 120, 1, 60, 60))
    ]
    written, sizes = [], []
    for page in pages(same):
        sizes.append((sum(len(pairs) + 1 for pairs in page), pace.rows))
        written += [pair for pairs in page for pair in pairs]
        pace.rows = 20 if pace.rows == FEWEST else FEWEST

    assert [pair for pairs in same for pair in pairs] == written
    assert [] == [size for size, most in sizes if size > most]


@pytest.mark.parametrize(("hold", "moments"), [(0.0001, 3), (1000.0, 2)])
def test_a_night_that_holds_up_others_writes_less_at_once(
    knowwhy, pace, monkeypatch, hold, moments
):
    monkeypatch.setattr(upkeep, "HOLD", hold)
    kept(*(told(n, f"The freeze {n} lasts", expires_at=LONG_AGO) for n in range(1, 121)))

    assert 120 == ran(knowwhy, "--only", "expire")["reports"][0]["done"]

    changes = table("changes")
    found = changes.where(changes.what == "expired").select(changes.at).collect()
    assert moments == len({row["at"] for row in found})
