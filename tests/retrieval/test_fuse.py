"""Weighted reciprocal rank fusion as arithmetic."""

import math

from hypothesis import given
from hypothesis import strategies as st

from knowwhy.retrieval.fuse import fuse

RANKING = st.lists(st.integers(0, 30), unique=True, max_size=15)


def test_a_score_is_the_sum_of_weight_over_k_plus_rank():
    fused = dict(fuse({"a": ["x", "y"], "b": ["y"]}, {"a": 2.0, "b": 1.0}, k=10))

    assert math.isclose(2 / 12 + 1 / 11, fused["y"])
    assert math.isclose(2 / 11, fused["x"])


@given(RANKING, RANKING)
def test_the_order_of_the_legs_does_not_change_a_score(first, second):
    weights = {"a": 1.0, "b": 0.5}
    one = dict(fuse({"a": first, "b": second}, weights))
    two = dict(fuse({"b": second, "a": first}, weights))

    assert one.keys() == two.keys()
    assert all(math.isclose(one[item], two[item]) for item in one)


@given(RANKING)
def test_one_leg_alone_keeps_its_order(ranking):
    assert ranking == [item for item, _ in fuse({"a": ranking}, {"a": 1.0})]


def test_no_leg_gives_no_hits():
    assert [] == fuse({"a": [], "b": []}, {})
