"""Typed walks: from anchors along relations, to the nodes that answer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from knowwhy.graph.build import Graph, family
from knowwhy.graph.nodes import CANONICAL, NO_ANSWERS, RECORD, SYMMETRICAL
from knowwhy.types import Between, Chain, Filters, Step

ALL_HOPS = 1000  # rounds of a closure at most; each must reach something new, so it is never met
MADE_BY = frozenset(("AUTHORED_BY", "OWNED_BY", "APPROVED_BY"))
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reached:
    """A node that a walk ends at."""

    key: str
    hops: int
    ways: int  # in how many ways the walk gets there
    path: tuple[tuple[str, str], ...]  # each node with the relation that led to it, anchor first


def walk(graph: Graph, chain: Chain, filters: Filters) -> list[Reached]:
    """Follows a chain through what the asker may see; the best answers come first."""
    with graph.lock:
        starts = chain.anchors if chain.anchors or chain.steps else tuple(graph.records)
        anchors = [node for node in starts if graph.sees(node, filters)]
        found = {node: Reached(node, 0, 1, ((node, ""),)) for node in sorted(set(anchors))}
        given: set[str] = set(chain.anchors) | set(chain.other_than)
        passed: set[str] = set()
        for step in chain.steps:
            before, found = found, _take(graph, found, step, filters)
            passed |= before.keys()
            if _is_all_but_records(graph, found):  # back from people comes what led to them
                given |= before.keys()
        answers = [r for r in found.values() if r.key not in given and _is_simple(r)]
        kept = [r for r in answers if _fits(graph, r.key, chain, filters)]
        return _ordered(graph, kept, passed, chain.order)


def _take(
    graph: Graph, start: dict[str, Reached], step: Step, filters: Filters
) -> dict[str, Reached]:
    """Takes one step: everything that is reached in one hop, or in as many as it allows."""
    along = set(_directed(step))
    found: dict[str, Reached] = {}
    edge = start
    for _ in range(ALL_HOPS if step.hops is None else step.hops):
        reached = _hop(graph, edge, along, filters)
        edge = {node: r for node, r in reached.items() if node not in found}
        if not edge:
            break
        found |= edge
    return found


def _directed(step: Step) -> Iterator[tuple[str, bool]]:
    """Yields each canonical relation of a step with the direction in which it is followed."""
    for name in step.relations:
        relation = CANONICAL.get(name, name)
        yield relation, step.forward == (relation == name)
        if relation in SYMMETRICAL:
            yield relation, not step.forward


def _hop(
    graph: Graph, start: dict[str, Reached], along: set[tuple[str, bool]], filters: Filters
) -> dict[str, Reached]:
    found: dict[str, Reached] = {}
    for node, here in start.items():
        steps = {
            (other, relation)
            for relation, other, forward in graph.around(node, filters)
            if (relation, forward) in along and other != node
        }
        for other, relation in sorted(steps):
            known = found.get(other)
            if known is None:
                path = (*here.path, (other, relation))
                found[other] = Reached(other, here.hops + 1, here.ways, path)
            else:
                ways = known.ways + here.ways
                found[other] = Reached(other, known.hops, ways, known.path)
    return found


def _is_all_but_records(graph: Graph, found: dict[str, Reached]) -> bool:
    return bool(found) and not any(node in graph.records for node in found)


def _is_simple(reached: Reached) -> bool:
    return all(node != reached.key for node, _ in reached.path[:-1])


def _fits(graph: Graph, node: str, chain: Chain, filters: Filters) -> bool:
    """Tells whether a node is an answer: its kind, status, people and date are those asked for."""
    facts = graph.net.nodes[node]
    if facts["type"] in NO_ANSWERS:
        return False
    if chain.kinds and not _kinds(graph, node) & {_singular(kind) for kind in chain.kinds}:
        return False
    if facts["type"] != RECORD:
        return not (chain.statuses or chain.people or chain.after or chain.before or chain.month)
    return (
        (filters.kinds is None or facts["kind"] in filters.kinds)
        and (filters.service is None or facts["service"] == filters.service)
        and filters.dated.holds(facts["occurred_at"])
        and (not chain.statuses or has_status(facts["states"], chain.statuses))
        and (not chain.people or _is_by(graph, node, chain.people, filters))
        and Between(chain.after, chain.before).holds(facts["occurred_at"])
        and (chain.month is None or _is_in(facts["occurred_at"], chain.month))
    )


def _kinds(graph: Graph, node: str) -> set[str]:
    record = graph.records.get(node)
    if record is None:
        return {str(graph.net.nodes[node]["type"])}
    return {RECORD, _singular(record.draft.kind), _singular(family(record.draft.label))}


def _singular(word: str) -> str:
    low = word.casefold()
    return low[:-1] if low.endswith("s") and not low.endswith("ss") else low


def has_status(states: Iterable[str], wanted: Iterable[str]) -> bool:
    """Tells whether one of a record's states begins with a wanted one, without case."""
    asked = [text.casefold().split() for text in wanted]
    written = [state.casefold().split() for state in states]
    return any(words[: len(w)] == w for words in written for w in asked)


def _is_by(graph: Graph, node: str, people: tuple[str, ...], filters: Filters) -> bool:
    return any(
        forward and relation in MADE_BY and other in people
        for relation, other, forward in graph.around(node, filters)
    )


def _is_in(at: datetime | None, month: int) -> bool:
    return at is not None and at.month == month


def _ordered(
    graph: Graph, found: list[Reached], passed: set[str], order: str | None
) -> list[Reached]:
    """Puts few hops first, then many ways, then the newest; or goes by date when asked to.

    What the walk also passed through comes last: it is in the question as much as in the answer.
    """
    by_date = sorted(sorted(found, key=lambda r: r.key), key=lambda r: -_seconds(graph, r.key))
    if order is None:
        return sorted(by_date, key=lambda r: (r.key in passed, r.hops, -r.ways))
    dated = [r for r in by_date if graph.net.nodes[r.key].get("occurred_at")]
    undated = [r for r in by_date if not graph.net.nodes[r.key].get("occurred_at")]
    return (dated if order == "last" else dated[::-1]) + undated


def _seconds(graph: Graph, node: str) -> float:
    at = graph.net.nodes[node].get("occurred_at") or LONG_AGO
    return (at - LONG_AGO).total_seconds()
