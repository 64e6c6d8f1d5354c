"""What nobody asks for fades, to its floor and not for those who do ask."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.retrieval import fading
from knowwhy.retrieval.fading import faded, relevance
from knowwhy.tables.kept import accesses, memories
from knowwhy.tables.kept.accesses import Given, mark
from knowwhy.tables.kept.peers import taken_in
from knowwhy.tables.write import queue
from knowwhy.types import Change, Memory

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
FACT = Memory("m-1", "fact", "We use Kafka.", "ann", None, "active", NOW, NOW)


def aged(days, **more):
    return replace(FACT, created_at=NOW - days * DAY, **more)


def share(memory):
    return round(relevance(memory, fading._began(memory), NOW), 2)


@pytest.mark.parametrize(
    ("memory", "left"),
    [
        (aged(0), 1.0),
        (aged(90), 0.71),
        (aged(180), 0.5),
        (aged(3_650), 0.4),
        (aged(180, kind="preference"), 0.71),
        (aged(365, kind="decision"), 0.71),
        (aged(3_650, kind="memorule"), 0.6),
        (aged(3_650, kind="correction"), 0.6),
        (aged(3_650, verified_at=NOW - 3_000 * DAY), 0.8),
        (aged(3_650, verified_at=NOW), 1.0),
        (aged(-3), 1.0),
        (aged(3_650, metadata={"said_last": (NOW - 90 * DAY).isoformat()}), 0.71),
        (aged(3_650, metadata={"said_last": "yesterday"}), 0.4),
    ],
)
def test_relevance_goes_by_kind_and_age_down_to_a_floor(memory, left):
    assert left == share(memory)


@given(st.lists(st.text(), unique=True), st.dictionaries(st.text(), st.floats(0.4, 1.0)))
def test_the_order_of_what_has_not_faded_stays(keys, shares):
    order = faded(keys, shares)

    assert sorted(keys) == sorted(order)
    assert [k for k in keys if k not in shares] == [k for k in order if k not in shares]


def test_the_best_answer_of_all_stays_among_the_first_ten_however_faded():
    assert faded([str(n) for n in range(30)], {"0": fading.KEEPS}).index("0") < 10


def put(*rows):
    with queue("memories"):
        memories.put(rows, [Change(row.key, "added") for row in rows])


def told(knowwhy, user="ann"):
    done = knowwhy("recall", "Which broker do we use?", "--user", user, "--explain", "--json")
    found = [(hit["key"], hit["relevance"]) for hit in json.loads(done.out)["hits"]]
    return [pair for pair in found if pair[0] in ("m-1", "m-2", "m-3")]


def test_an_old_memory_makes_way_for_one_as_good_until_it_is_asked_for(knowwhy):
    put(
        aged(800, key="m-1", content="The broker that we use is Kafka."),
        aged(0, key="m-2", content="The broker that we use is NATS here."),
        aged(0, key="m-3", content="The broker that we use is Kafka.", user_id="bob"),
    )

    assert [("m-2", 1.0), ("m-1", 0.4)] == told(knowwhy)
    assert [("m-3", 1.0)] == told(knowwhy, "bob")

    accesses.fold([Given(mark(NOW, "r-1"), "bob", ("m-1",), NOW)])
    put(aged(0, key="m-4", content="Paint it blue."))
    assert [("m-2", 1.0), ("m-1", 0.4)] == told(knowwhy)

    accesses.fold([Given(mark(NOW, "r-2"), "ann", ("m-1",), NOW)])
    put(aged(0, key="m-5", content="Paint it red."))
    assert {("m-2", 1.0), ("m-1", 1.0)} == set(told(knowwhy))


def test_a_memory_is_as_fresh_as_what_was_merged_into_it_is_for_who_asks(knowwhy):
    put(
        aged(800, key="m-1", content="The broker that we use is Kafka."),
        aged(790, key="m-2", content="The broker that we use is Kafka"),
        aged(0, key="m-3", content="The broker that we use is NATS here.", kind="note"),
    )
    knowwhy("nightly", "--only", "merge")
    assert [("m-3", 1.0), ("m-1", 0.4)] == told(knowwhy)

    accesses.fold([Given(mark(NOW, "r-1"), "bob", ("m-2",), NOW)])
    put(aged(0, key="m-4", content="Paint it blue."))
    assert [("m-3", 1.0), ("m-1", 0.4)] == told(knowwhy)

    accesses.fold([Given(mark(NOW, "r-2"), "ann", ("m-2",), NOW)])
    put(aged(0, key="m-5", content="Paint it red."))
    assert {("m-3", 1.0), ("m-1", 1.0)} == set(told(knowwhy))


@pytest.mark.parametrize("merged", [None, "m-2", 7, [None, "m-2", {}, {"key": 7}], {"key": 7}])
def test_what_else_stands_where_merged_memories_are_named_is_passed_over(merged):
    assert [] == taken_in({"merged": merged})
    assert ["m-2"] == taken_in({"merged": [{"key": "m-2"}, merged]})
