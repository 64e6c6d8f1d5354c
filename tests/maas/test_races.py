"""Several processes that want the same handoffs: each goes to exactly one of them."""

import os

from evaluation import racing
from evaluation.benches.handoffs import race

HANDOFFS, RACERS = 15, 3  # `python -m evaluation.bench handoffs` has 200 and 8


def test_of_several_processes_that_accept_at_once_one_does(store, tmp_path):
    prepared = racing.prepare(HANDOFFS)

    ended, _ = race(prepared, RACERS, tmp_path, dict(os.environ))

    assert HANDOFFS == sum(len(one["won"]) for one in ended)
    assert {0} == set(racing.outcome(prepared, ended).values())
