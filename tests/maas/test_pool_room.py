"""How much a pool lends, and how much it may: what was taken back, and what comes again."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from knowwhy.errors import PoolFull
from knowwhy.grounding import lifecycle
from knowwhy.maas import pools, shared
from lenders import ADA, SETTINGS, a_memory, a_pool, an_agent, kept

pytestmark = pytest.mark.usefixtures("store")


def test_a_pool_counts_what_it_lends_and_nothing_that_was_taken_back():
    planner = an_agent(ADA)
    pool = a_pool(ADA, planner)
    rows = [a_memory(number, f"Ada chose Redis {number}.", ADA) for number in (1, 2, 3)]
    kept(*rows)
    for row in rows:
        shared.share(ADA, SETTINGS, planner.key, pool.key, row.key)

    def number():
        (seat,) = pools.seats(ADA, SETTINGS, planner.key)
        return seat.shared

    assert 3 == number()
    lifecycle.retract(ADA, rows[0].key, "No.", now=datetime.now(UTC))
    assert 2 == number()
    shared.withdraw(ADA, SETTINGS, planner.key, pool.key, rows[1].key)
    assert 1 == number()


def test_what_was_taken_back_takes_no_room_among_what_a_pool_may_lend():
    limits = replace(SETTINGS, max_shared=2)
    planner = an_agent(ADA)
    pool = a_pool(ADA, planner)
    rows = [a_memory(number, f"Ada chose Redis {number}.", ADA) for number in range(1, 5)]
    kept(*rows)

    def share(row):
        shared.share(ADA, limits, planner.key, pool.key, row.key)

    share(rows[0])
    share(rows[1])
    with pytest.raises(PoolFull, match="lends 2 memories"):
        share(rows[2])
    lifecycle.retract(ADA, rows[0].key, "No.", now=datetime.now(UTC))
    share(rows[2])

    with pytest.raises(PoolFull, match="lends 2 memories"):
        share(rows[3])
    assert {rows[1].key, rows[2].key} == set(shared.may_query(ADA, limits, planner.key, pool.key))


def test_what_is_restored_is_not_lent_beyond_what_a_pool_may_lend():
    limits = replace(SETTINGS, max_shared=2)
    planner, now = an_agent(ADA), datetime.now(UTC)
    pool = a_pool(ADA, planner)
    rows = [a_memory(number, f"Ada chose Redis {number}.", ADA) for number in (1, 2, 3)]
    kept(*rows)
    for row in rows[:2]:
        shared.share(ADA, limits, planner.key, pool.key, row.key)
    lifecycle.retract(ADA, rows[0].key, "No.", now=now)
    shared.share(ADA, limits, planner.key, pool.key, rows[2].key)

    lifecycle.restore(ADA, rows[0].key, "Yes.", embedder="wordhash", now=now)

    assert {rows[1].key, rows[2].key} == set(shared.may_query(ADA, limits, planner.key, pool.key))
    assert [2] == [seat.shared for seat in pools.seats(ADA, limits, planner.key)]
    with pytest.raises(PoolFull, match="lends 2 memories"):
        shared.share(ADA, limits, planner.key, pool.key, rows[0].key)


def test_what_is_restored_is_lent_again_where_nothing_took_its_room():
    planner, now = an_agent(ADA), datetime.now(UTC)
    pool = a_pool(ADA, planner)
    rows = [a_memory(number, f"Ada chose Redis {number}.", ADA) for number in (1, 2)]
    kept(*rows)
    shared.share(ADA, SETTINGS, planner.key, pool.key, rows[0].key)
    lifecycle.retract(ADA, rows[0].key, "No.", now=now)
    shared.share(ADA, SETTINGS, planner.key, pool.key, rows[1].key)

    lifecycle.restore(ADA, rows[0].key, "Yes.", embedder="wordhash", now=now)

    assert {row.key for row in rows} == set(shared.may_query(ADA, SETTINGS, planner.key, pool.key))
