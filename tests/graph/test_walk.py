from datetime import UTC, datetime

import pytest
from made import ALL, graph_of, link, record, step

from knowwhy.graph.walk import walk
from knowwhy.types import Chain, Filters


def keys(graph, anchors, *steps, filters=ALL, **chain):
    return [found.key for found in walk(graph, Chain(anchors, steps, **chain), filters)]


def person(name):
    return link("AUTHORED_BY", name, "person")


CHAIN = graph_of(
    record("a", "DEPENDS_ON b"), record("b", "DEPENDS_ON c"), record("c", "DEPENDS_ON a"),
    record("d", "DEPENDS_ON b"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("the_step", "reached"),
    [
        (step("DEPENDS_ON"), ["b"]),
        (step("DEPENDS_ON", hops=2), ["b", "c"]),
        (step("DEPENDS_ON", hops=None), ["b", "c"]),
        (step("DEPENDS_ON", forward=False), ["c"]),
        (step("REQUIRED_BY"), ["c"]),
        (step("REQUIRED_BY", forward=False), ["b"]),
        (step("REQUIRED_BY", hops=None), ["c", "b", "d"]),
        (step("EXTENDS", hops=None), []),
    ],
)
def test_a_step_goes_along_or_against_a_relation_as_far_as_it_says(the_step, reached):
    assert reached == keys(CHAIN, ("a",), the_step)


def test_a_symmetrical_relation_is_walked_from_both_ends():
    graph = graph_of(record("a", "RELATES_TO b"), record("b"))

    assert ["a"] == keys(graph, ("b",), step("RELATES_TO"))
    assert ["b"] == keys(graph, ("a",), step("RELATES_TO", forward=False))


def test_a_step_may_mix_relations():
    graph = graph_of(record("a", "EXTENDS b", "DEPENDS_ON c"), record("b"), record("c"))

    assert ["b", "c"] == keys(graph, ("a",), step("EXTENDS", "DEPENDS_ON"))


BOOKS = graph_of(
    record("a", "SUPERSEDES b", person("Ann Smith"), status="Final"),
    record("b", person("Bo Dahl"), person("Cy Low"), status="Superseded"),
    record("c", person("Bo Dahl"), status="final (2020)", label="ADR-3",
           occurred_at=datetime(2020, 1, 1, tzinfo=UTC)),
    record("d", person("Bo Dahl"), person("Cy Low"), status="Draft", label="PEP-4",
           occurred_at=datetime(2021, 1, 1, tzinfo=UTC)),
    record("e", person("Cy Low"), kind="incident"),
)  # fmt: skip
OTHERS_BY_THE_AUTHORS = (
    step("SUPERSEDES"), step("AUTHORED_BY"), step("AUTHORED_BY", forward=False)
)  # fmt: skip


def test_what_led_to_the_people_is_no_answer_and_more_ways_come_first():
    found = walk(BOOKS, Chain(("a",), OTHERS_BY_THE_AUTHORS), ALL)

    assert [("d", 3, 2), ("c", 3, 1), ("e", 3, 1)] == [(r.key, r.hops, r.ways) for r in found]
    assert (("a", ""), ("b", "SUPERSEDES"), ("person:bo dahl", "AUTHORED_BY"),
            ("d", "AUTHORED_BY")) == found[0].path  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "reached"),
    [
        ({"statuses": ("FINAL",)}, ["c"]),
        ({"kinds": ("Incidents",)}, ["e"]),
        ({"kinds": ("pep",)}, ["d"]),
        ({"kinds": ("adrs", "person")}, ["d", "c"]),
        ({"people": ("person:cy low",)}, ["d", "e"]),
        ({"after": datetime(2020, 6, 1, tzinfo=UTC)}, ["d"]),
        ({"before": datetime(2021, 1, 1, tzinfo=UTC)}, ["c"]),
        ({"order": "first"}, ["c", "d", "e"]),
        ({"order": "last"}, ["d", "c", "e"]),
        ({"other_than": ("d",)}, ["c", "e"]),
    ],
)
def test_filters_keep_what_was_asked_for(filters, reached):
    assert reached == keys(BOOKS, ("a",), *OTHERS_BY_THE_AUTHORS, **filters)


def test_a_walk_may_end_at_people_and_never_at_what_is_not_known():
    graph = graph_of(record("a", "REFERENCES RFC-1", link("REFERENCES", "#7", "issue"),
                            person("Ann Smith")))  # fmt: skip

    assert ["person:ann smith"] == keys(graph, ("a",), step("AUTHORED_BY"))
    assert [] == keys(graph, ("a",), step("REFERENCES"))
    assert ["a"] == keys(graph, ("unknown:RFC-1",), step("REFERENCED_BY"))


def test_what_the_walk_passed_through_comes_after_what_it_only_ends_at():
    graph = graph_of(record("a", "DEPENDS_ON b", "DEPENDS_ON c"), record("b", "DEPENDS_ON c"),
                     record("c", "DEPENDS_ON d"), record("d"))  # fmt: skip

    assert ["d", "c"] == keys(graph, ("a",), step("DEPENDS_ON"), step("DEPENDS_ON"))


def test_a_walk_that_returns_to_its_anchor_does_not_give_it():
    assert ["d"] == keys(CHAIN, ("a",), step("DEPENDS_ON"), step("REQUIRED_BY"))


TWO_PROJECTS = graph_of(
    record("p::a", "DEPENDS_ON q::b", "DEPENDS_ON p::c", person("Ann Smith"), project="p"),
    record("q::b", "DEPENDS_ON p::d", person("Ann Smith"), project="q"),
    record("p::c", person("Bo Dahl"), project="p", service="orders"),
    record("p::d", project="p"),
)


def test_a_walk_sees_only_the_asker_s_project():
    only_p = Filters(project="p")

    assert ["p::c"] == keys(TWO_PROJECTS, ("p::a",), step("DEPENDS_ON"))
    assert ["p::c"] == keys(TWO_PROJECTS, ("p::a",), step("DEPENDS_ON"), filters=only_p)
    assert ["p::c"] == keys(TWO_PROJECTS, ("p::a",), step("DEPENDS_ON", hops=None), filters=only_p)
    assert [] == keys(TWO_PROJECTS, ("q::b",), step("DEPENDS_ON"), filters=only_p)
    by_ann = (step("AUTHORED_BY", forward=False),)
    assert ["p::a"] == keys(TWO_PROJECTS, ("person:ann smith",), *by_ann, filters=only_p)
    assert ["p::a", "q::b"] == keys(TWO_PROJECTS, ("person:ann smith",), *by_ann)


def test_what_another_project_states_changes_no_answer():
    alone = graph_of(record("p::c", project="p"), record("p::d", project="p"))
    beside = graph_of(
        record("p::c", project="p"), record("p::d", project="p"),
        record("q::x", "DEPENDS_ON p::c", "SUPERSEDED_BY p::d", project="q"),
    )  # fmt: skip
    near = (step("DEPENDS_ON", "SUPERSEDES", hops=None),)

    for anchor in ("p::c", "p::d"):
        of_p = Filters(project="p")
        assert keys(alone, (anchor,), *near) == keys(beside, (anchor,), *near, filters=of_p)


def test_kind_and_service_limit_the_answers_and_not_the_way():
    graph = graph_of(
        record("a", "DEPENDS_ON b"),
        record("b", "DEPENDS_ON c", service="orders"),
        record("c", service="auth", kind="incident"),
    )
    far = (step("DEPENDS_ON", hops=None),)

    assert ["c"] == keys(graph, ("a",), *far, filters=Filters(service="auth"))
    assert ["c"] == keys(graph, ("a",), *far, filters=Filters(kinds=("incident",)))


def test_services_that_depend_on_one_and_had_incidents_can_be_walked_to():
    graph = graph_of(
        record("readme", link("DEPENDS_ON", "auth", "service"), kind="readme", service="orders"),
        record("inc-1", kind="incident", service="orders",
               occurred_at=datetime(2024, 3, 5, tzinfo=UTC)),
        record("inc-2", kind="incident", service="billing"),
    )  # fmt: skip
    dependents = step("REQUIRED_BY")

    assert ["service:orders"] == keys(graph, ("service:auth",), dependents, kinds=("service",))
    assert ["inc-1"] == keys(graph, ("service:auth",), dependents, step("HAD_INCIDENT"))


def test_a_long_chain_is_closed_in_linear_time():
    graph = graph_of(*(record(f"k{n}", f"DEPENDS_ON k{n + 1}") for n in range(900)))

    assert 899 == len(keys(graph, ("k0",), step("DEPENDS_ON", hops=None)))


def test_a_walk_from_nowhere_lists_what_fits():
    assert ["c", "a"] == keys(BOOKS, (), statuses=("final",))
    assert [] == keys(BOOKS, (), step("AUTHORED_BY"), statuses=("final",))


def test_answers_may_be_kept_to_a_month_of_any_year():
    graph = graph_of(
        *(record(f"r{month}", occurred_at=datetime(2020 + month, month, 5, tzinfo=UTC))
          for month in (2, 3)),
        record("undated"),
    )  # fmt: skip

    assert ["r3"] == keys(graph, (), month=3)
