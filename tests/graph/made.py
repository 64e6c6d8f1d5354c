"""Records made by hand, for graphs in memory."""

from datetime import UTC, datetime

from knowwhy.graph.build import Graph, build_graph
from knowwhy.types import Draft, Edge, Filters, Record, Step

THEN = datetime(2024, 1, 1, tzinfo=UTC)
ALL = Filters()


def record(key, *links, **facts):
    """Makes a record; a link is "RELATION target", or an Edge."""
    facts = {"kind": "adr", "title": f"Title of {key}", "content": ""} | facts
    edges = tuple(edge if isinstance(edge, Edge) else link(*edge.split(" ", 1)) for edge in links)
    return Record(Draft(id=key, **facts), edges, THEN, THEN)


def link(relation, target, kind="record", origin="inline"):
    return Edge(relation, target, kind, origin)


def graph_of(*records) -> Graph:
    return build_graph(records)


def edges_of(graph):
    return {(tail, relation, head) for tail, head, relation in graph.net.edges(keys=True)}


def step(*relations, forward=True, hops=1):
    return Step(relations, forward, hops)
