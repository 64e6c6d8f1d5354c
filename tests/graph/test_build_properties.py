"""Graphs of drawn records: changed step by step, and seen from one of several projects."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st
from made import ALL, THEN, graph_of, link

from knowwhy.graph.build import Graph
from knowwhy.graph.names import mentions
from knowwhy.graph.nodes import OTHERS, type_of
from knowwhy.types import Draft, Filters, Record

KEYS = ("a", "b", "p::c", "p::d", "x/e.md", "person:ann smith", "~person:ann smith",
        "service:auth", "unknown:ADR-1")  # fmt: skip
NAMES = ("Ann Smith", "A. Smith", "Ann B. Smith", "Ann <ann@x.example>", "Keystone", "@ann")
TARGETS = (*KEYS, "ADR-1", "adr 2", "Use managed Kafka", "docs/x.md", "../docs/x.md", "x.md", "#7")
RELATIONS = ("SUPERSEDES", "SUPERSEDED_BY", "RELATES_TO", "DEPENDS_ON", "OWNED_BY", "AFFECTS")
LINKS = st.one_of(
    st.builds(link, st.sampled_from(RELATIONS), st.sampled_from(TARGETS),
              st.sampled_from(("record", "path", "issue", "service")), st.just("inline")),
    st.builds(link, st.just("OWNED_BY"), st.sampled_from(NAMES),
              st.sampled_from(("person", "team"))),
    st.builds(link, st.just("IMPORTS"), st.sampled_from(("docs.x:y", "docs.y", "os")),
              st.just("module"), st.just("import:1")),
)  # fmt: skip
RECORDS = st.builds(
    lambda links, **facts: Record(Draft(content="", **facts), tuple(links), THEN, THEN),
    st.lists(LINKS, max_size=4),
    id=st.sampled_from(KEYS),
    kind=st.sampled_from(("adr", "incident", "service", "code")),
    title=st.sampled_from(("Use managed Kafka", "Service: a", "auth")),
    label=st.sampled_from((None, "ADR-1", "ADR-2")),
    path=st.sampled_from((None, "docs/x.md", "docs/x.py", "docs/y.py", "docs/__init__.py")),
    project=st.sampled_from((None, "p", "q")),
    service=st.sampled_from((None, "auth", "orders")),
    authors=st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
)
CHANGES = st.lists(
    st.one_of(RECORDS, st.sampled_from(KEYS)).map(
        lambda change: (change, None) if isinstance(change, str) else (change.draft.id, change)
    ),
    max_size=4,
).map(dict)


@settings(max_examples=300, deadline=None)
@given(st.lists(CHANGES, max_size=8))
def test_a_changed_graph_equals_one_that_is_built_anew(sequence):
    graph, held = Graph(), {}
    for changes in sequence:
        graph.apply(changes)
        held |= changes
        held = {key: now for key, now in held.items() if now}

    assert nx.utils.graphs_equal(graph_of(*held.values()).net, graph.net)


def seen(graph, filters):
    return {
        (node, *tie)
        for node in graph.net
        if graph.sees(node, filters)
        for tie in graph.around(node, filters)
    }


@settings(max_examples=300, deadline=None)
@given(st.lists(RECORDS.filter(lambda r: type_of(r.draft.id) not in OTHERS), max_size=6))
def test_what_one_project_sees_is_what_its_own_records_and_everybodys_state(records):
    held = {record.draft.id: record for record in records}
    alone = graph_of(*(r for r in held.values() if r.draft.project in (None, "p")))
    of_p = Filters(project="p")
    text = f"{' ; '.join((*TARGETS, *NAMES))}; Auth service"

    assert seen(alone, ALL) == seen(graph_of(*held.values()), of_p)
    assert mentions(text, alone, ALL) == mentions(text, graph_of(*held.values()), of_p)
