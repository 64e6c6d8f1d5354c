"""Personalised PageRank from the nodes that a question names, a few hops far."""

from collections import defaultdict
from collections.abc import Mapping

from knowwhy.graph.build import Graph
from knowwhy.types import Filters

HOPS = 3  # relations away; farther is no longer about what was asked
KEPT = 0.35  # share of the mass that stays at each hop: 0.35, 0.23, 0.15 …
LEAST = 1e-5  # mass; what is less is not passed on
WIDEST = 200  # nodes that pass on at one hop, the heaviest: some milliseconds in a dense graph
FULL = 2.0  # weight; a node whose edges sum to less passes on less, so weak ties stay weak

STRONG, MEDIUM, WEAK, FAINT = 1.0, 0.5, 0.25, 0.08
# What each relation passes on, by how much it says that two texts are about one thing.
WEIGHTS = {
    "SUPERSEDES": STRONG, "IMPLEMENTS": STRONG, "DEPENDS_ON": STRONG, "EXTENDS": STRONG,
    "AMENDS": STRONG, "IMPORTS": STRONG, "CALLS": STRONG, "CAUSED_BY": STRONG,
    "RESOLVED_BY": STRONG, "CONFLICTS_WITH": STRONG, "HAD_INCIDENT": STRONG,
    "VALIDATES": MEDIUM, "USES": MEDIUM, "CONFIGURES": MEDIUM, "REFERENCES": MEDIUM,
    "RELATES_TO": WEAK, "AFFECTS": WEAK,
    # People write about many things: a prolific author must not pull all of them in.
    "OWNED_BY": FAINT, "AUTHORED_BY": FAINT, "APPROVED_BY": FAINT, "REVIEWED_BY": FAINT,
    "SPONSORED_BY": FAINT, "DELEGATED_TO": FAINT, "RESPONDED_BY": FAINT,
}  # fmt: skip


def pagerank(
    graph: Graph, seeds: Mapping[str, float], filters: Filters, k: int
) -> list[tuple[str, float]]:
    """Ranks the records near the seeds, seeds included; each hop away counts for less."""
    with graph.lock:
        mass = {node: weight for node, weight in seeds.items() if graph.sees(node, filters)}
        total = sum(mass.values())
        mass = {node: weight / total for node, weight in mass.items() if weight > 0}
        scores: dict[str, float] = defaultdict(float)
        for hop in range(HOPS + 1):
            kept = 1.0 if hop == HOPS else KEPT
            for node, weight in mass.items():
                scores[node] += kept * weight
            mass = {} if hop == HOPS else _spread(graph, mass, filters)
        found = [(n, s) for n, s in scores.items() if graph.passes(n, filters)]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def _spread(graph: Graph, mass: Mapping[str, float], filters: Filters) -> dict[str, float]:
    """Passes on what does not stay, along and against the edges, by the weights of relations."""
    passed: dict[str, float] = defaultdict(float)
    heaviest = sorted(mass, key=lambda node: (-mass[node], node))[:WIDEST]
    for node in heaviest:  # in a fixed order, so that sums do not vary in their last digits
        if mass[node] < LEAST:
            break
        ties: dict[str, float] = {}
        for relation, other, _ in graph.around(node, filters):
            ties[other] = max(ties.get(other, 0.0), WEIGHTS.get(relation, WEAK))
        share = (1 - KEPT) * mass[node] / max(FULL, sum(ties.values()))
        for other in sorted(ties):
            passed[other] += share * ties[other]
    return passed
