"""The labelled claims get their tiers, and nothing that must be refused comes in."""

from collections import Counter

import pytest

from evaluation import claims
from evaluation.claims import HALVES, accuracy, read_claims, wrongly_accepted, wrongly_compared

ACCURATE = 0.95  # share of the claims that get their tier, of either half
MISTAKEN = 2  # claims of a half that may be held against the wrong memory


@pytest.fixture(scope="module")
def rows():
    return read_claims()


def test_the_set_is_large_and_both_halves_hold_every_tier(rows):
    assert 150 <= len(rows)
    assert len(rows) == len({row.id for row in rows})
    for half in HALVES:
        tiers = Counter(row.tier for row in rows if row.half == half)
        assert {1, 2, 3} == set(tiers)
        assert 25 <= min(tiers.values())


def test_the_pure_functions_give_the_labelled_tiers(rows):
    found = claims.judge_purely(rows, "wordhash")

    assert_good(rows, found)


@pytest.mark.slow
def test_admission_gives_the_labelled_tiers(store, rows):
    found = claims.judge_in_home(rows, "wordhash")

    assert_good(rows, found)


def assert_good(rows, found):
    for half in HALVES:
        of = [row for row in rows if row.half == half]
        assert ACCURATE <= accuracy(of, found)
        assert [] == wrongly_accepted(of, found)
        assert MISTAKEN >= len(wrongly_compared(of, found))
