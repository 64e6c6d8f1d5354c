import pytest
from made import ALL, graph_of, link, record

from knowwhy.errors import NotFound
from knowwhy.graph.audit import audit
from knowwhy.graph.near import find_node, linked_from, neighbourhood
from knowwhy.graph.twins import same_thing
from knowwhy.types import Filters

ONE = Filters(project="one")
TWO_PROJECTS = (
    record("one::a", link("AFFECTS", "orders", "service"), project="one", authors=("Ann Lee",)),
    record("one::b", link("AFFECTS", "auth", "service"), "EXTENDS a", project="one", label="a"),
    record("free", link("OWNED_BY", "Ann Lee", "person"), project=None),
    *(
        record(f"two::{n}", link("DEPENDS_ON", "auth", "service"), "EXTENDS a", service="Orders",
               project="two", authors=("Ann Lee <ann@merger.example>",))
        for n in range(4)
    ),
)  # fmt: skip


@pytest.mark.parametrize(("project", "by"), [("p", ["p::a"]), ("q", ["q::a"]), (None, [])])
def test_a_retired_record_is_named_by_records_of_its_own_project(project, by):
    graph = graph_of(
        record("p::a", "SUPERSEDES ADR-5", project="p"),
        record("q::a", "SUPERSEDES ADR-5", project="q"),
    )

    retired = record("gone", label="ADR-5", project=project)
    assert by == [key for key, _ in linked_from(graph, retired)]


def test_the_audit_tells_of_records_of_that_name_in_the_same_project_only():
    graph = graph_of(
        record("p::a", "SUPERSEDES ADR-5", project="p"),
        *(record(f"{project}::{n}", label="ADR-5", project=project)
          for project in ("p", "q") for n in (1, 2)),
    )  # fmt: skip

    assert [("ADR-5", ("p::1", "p::2"))] == [
        (found.target, found.called_so) for found in audit(graph).unresolved
    ]


def test_a_service_and_its_page_are_one_thing_beside_a_record_with_the_key_of_the_service():
    graph = graph_of(
        record("page", kind="service", title="Orders", service="orders"),
        record("service:orders", title="Another page"),
    )

    assert ["~service:orders", "page"] == same_thing(graph, "~service:orders", ALL)
    assert ["page", "~service:orders"] == same_thing(graph, "page", ALL)
    assert ["service:orders"] == same_thing(graph, "service:orders", ALL)


@pytest.mark.parametrize("hops", [1, 2, 5])
def test_a_project_is_shown_the_graph_that_its_own_records_make(hops):
    shared = graph_of(*TWO_PROJECTS)
    own = graph_of(*(r for r in TWO_PROJECTS if ONE.within(r.draft.project)))

    for node in own.net.nodes:
        assert neighbourhood(own, node, hops) == neighbourhood(shared, node, hops, seeing=ONE)
        assert own.title(node, ALL) == shared.title(node, ONE)
    assert sorted(own.edges(ALL)) == sorted(shared.edges(ONE))
    assert audit(own) == audit(shared, ONE)
    assert audit(own) != audit(shared)


def test_a_name_of_many_long_nodes_is_refused_in_a_sentence():
    folder = "a folder/" + "of words " * 12
    graph = graph_of(*(record(f"{folder}{n}", label="ADR-5") for n in range(9)))

    with pytest.raises(NotFound) as refused:
        find_node(graph, "ADR-5")

    assert "names 9 nodes" in str(refused.value)
    assert "more. Give one." in str(refused.value)
    assert 400 > len(str(refused.value))
