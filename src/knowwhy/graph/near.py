"""What a node points to and what points to it, with where each edge was read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from knowwhy.errors import NotFound
from knowwhy.graph.build import Graph
from knowwhy.graph.names import mentions
from knowwhy.graph.nodes import CANONICAL, UNKNOWN
from knowwhy.graph.packages import members
from knowwhy.graph.spelled import spelled
from knowwhy.text.nearest import begins, did_you_mean, some
from knowwhy.text.relating.relation_words import INVERSE
from knowwhy.text.secrets.redact import redact
from knowwhy.text.tokens import canonical_id
from knowwhy.types import Edge, Filters, Record

EVERYTHING = Filters()
LONGEST_SHOWN = 120  # characters of a name that nothing has
COMPARED = 50_000  # nodes whose names a wrong one is compared with: half a second


@dataclass(frozen=True, slots=True)
class Tie:
    """One edge of the graph, with the records that state it and where they do."""

    hop: int
    tail: str
    relation: str
    head: str
    stated: tuple[tuple[str, str], ...]  # key of the record, origin


def find_node(graph: Graph, name: str, seeing: Filters = EVERYTHING) -> str:
    """Finds the one node that is called so: by node id, key, label, path, title or name.

    What the filters hide is what nothing is called.
    """
    with graph.lock:
        if graph.sees(name, seeing) or members(graph, name, seeing):
            return name
        found = _called(graph, name, seeing)
        if not found:
            found = _begun(graph, name, seeing)
        nearly = "" if found else did_you_mean(name, _names(graph, seeing))
    shown = repr(redact(name)[:LONGEST_SHOWN])
    if len(found) > 1:
        raise NotFound(f"{shown} names {len(found)} nodes: {some(found)}. Give one.")
    if not found:
        said = nearly or ". `knowwhy list` shows the keys."
        raise NotFound(f"Nothing in the graph is called {shown}{said}")
    (one,) = found  # the set is kept for the next question
    return one


def records_called(graph: Graph, name: str, seeing: Filters = EVERYTHING) -> set[str]:
    """Gives the keys of the records that are called so as a question calls them."""
    with graph.lock:
        return {node for node in _called(graph, name, seeing) if node in graph.records}


def _called(graph: Graph, name: str, seeing: Filters) -> set[str]:
    """Gives the nodes that are called so: by label, number, path, title or name."""
    found = spelled(graph, seeing).ids.get(canonical_id(name) or name.casefold(), set())
    for mention in mentions(name, graph, seeing):
        if len(name.strip()) == mention.end - mention.start and not found:
            found = set(mention.nodes)
    return found


def _begun(graph: Graph, name: str, seeing: Filters) -> set[str]:
    """Finds the nodes of records whose keys begin so."""
    return {key for key in graph.records if begins(key, name) and graph.sees(key, seeing)}


def _names(graph: Graph, seeing: Filters) -> Iterator[str]:
    """Gives what an asker's nodes are called, as many as can be compared at once."""
    for node in islice(graph.net.nodes, COMPARED):
        if graph.sees(node, seeing):
            yield node
            if (record := graph.records.get(node)) and record.draft.label:
                yield record.draft.label


def neighbourhood(
    graph: Graph, node: str, hops: int, relation: str | None = None, seeing: Filters = EVERYTHING
) -> list[Tie]:
    """Lists the edges around a node, hop by hop, each once; only such as the asker may see.

    Those of a package are the edges between what is in it and all else.
    """
    wanted = CANONICAL.get(relation, relation) if relation else None
    ties: list[Tie] = []
    with graph.lock:
        inside = frozenset(members(graph, node, seeing))
        seen, edge, shown = {node, *inside}, sorted(inside or {node}), set()
        for hop in range(1, hops + 1):
            found = [tie for at in edge for tie in _ties(graph, at, hop, seeing)]
            new = [t for t in found if wanted is None or t.relation == wanted]
            ties += [t for t in new if (t.tail, t.relation, t.head) not in shown]
            shown |= {(t.tail, t.relation, t.head) for t in new}
            edge = sorted({end for t in new for end in (t.tail, t.head)} - seen)
            seen |= set(edge)
    once: dict[tuple[str, str, str], Tie] = {}
    for tie in map(partial(_of_package, node, inside), ties):
        key = (tie.tail, tie.relation, tie.head)
        if tie.tail != tie.head or not inside:
            first = once.get(key, tie)
            stated = tuple(sorted({*first.stated, *tie.stated}))
            once[key] = replace(first, stated=stated)
    return sorted(once.values(), key=lambda t: (t.hop, t.relation, t.tail, t.head))


def _of_package(node: str, inside: frozenset[str], tie: Tie) -> Tie:
    """Returns an edge with a package for what is in it."""
    tail, head = (node if end in inside else end for end in (tie.tail, tie.head))
    return replace(tie, tail=tail, head=head)


def _ties(graph: Graph, node: str, hop: int, seeing: Filters) -> Iterator[Tie]:
    for tail, head, relation, stated in graph.edges(seeing, node):
        yield Tie(hop, tail, relation, head, stated)


def linked_from(graph: Graph, record: Record) -> list[tuple[str, Edge]]:
    """Lists what other records state of a record, as (key, edge), each from its own side."""
    key, label, project = record.draft.id, record.draft.label, record.draft.project
    # A retired one is named all the same, and what another project calls so is another one.
    node = key if key in graph.records else graph.apart(f"{UNKNOWN}:{label}")
    with graph.lock:
        found = {
            (by, Edge(_as_stated(tie, by), key, "record", origin))
            for tie in (neighbourhood(graph, node, 1) if node in graph.net else ())
            for by, origin in tie.stated
            if by != key and graph.records[by].draft.project == project
        }
    return sorted(found, key=lambda pair: (pair[0], pair[1].relation, pair[1].origin))


def _as_stated(tie: Tie, by: str) -> str:
    return tie.relation if by == tie.tail else INVERSE[tie.relation]
