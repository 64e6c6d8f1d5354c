"""The graph as a leg: walks that answer, and records near what a question names or is like."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from knowwhy.graph.build import Graph, family
from knowwhy.graph.names import named_ids
from knowwhy.graph.rank import pagerank
from knowwhy.graph.twins import same_thing
from knowwhy.graph.walk import Reached, walk
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.understand import Understood, meant
from knowwhy.tables.touched import Place
from knowwhy.text.tokens import canonical_id
from knowwhy.types import Chain, Filters

NEAR = 50  # records near what is named; farther ones share the last of the mass
NEAREST = 2  # labels that stand in for one that no record has
EARLY = 10  # k of fusion inside the leg: its first ranks are what it is for


@dataclass(frozen=True, slots=True)
class Related:
    """What the graph says: records that answer by a walk, then records that are near."""

    answers: tuple[Reached, ...]
    near: tuple[str, ...]
    passed: tuple[str, ...] = ()  # records that the walks to the answers lead through
    unknown: str = ""  # an id of our own families that no record has


def related(
    understood: Understood,
    alike: Sequence[Place],
    said: Sequence[frozenset[str]],
    graph: Graph,
    filters: Filters,
) -> Related:
    """Walks where the question asks for a walk; else looks around what it names and is like.

    With the passages that are like it come the names of the records that each of them cites.
    """
    answers = walked(understood, graph, filters)
    mentioned = [node for mention in understood.mentions for node in mention.nodes]
    seeds = [same for node in mentioned for same in meant(graph, node, filters)]
    named = _around(dict.fromkeys(seeds, 1.0), graph, filters)
    voted = cited(alike, said, graph, filters)
    both = fuse({"named": named, "cited": voted}, {"named": 1.0, "cited": 1.0}, EARLY)
    passed = _passed(answers, graph, filters)
    walks = [*(reached.key for reached in answers), *passed]
    near = dict.fromkeys([*walks, *(key for key, _ in both)])
    unknown = "" if answers else unknown_id(understood, said, graph, filters)
    return Related(tuple(answers), tuple(near), passed, unknown)


def _around(seeds: Mapping[str, float], graph: Graph, filters: Filters) -> list[str]:
    return [key for key, _ in pagerank(graph, seeds, filters, NEAR)] if seeds else []


def _passed(answers: Sequence[Reached], graph: Graph, filters: Filters) -> tuple[str, ...]:
    """Gives the records on the way to the answers, and services' pages; what was named last."""
    ends = {reached.key for reached in answers}
    between = [node for reached in answers for node, _ in reached.path[1:-1]]
    named = [reached.path[0][0] for reached in answers if len(reached.path) > 1]
    same = (key for node in [*between, *named] for key in same_thing(graph, node, filters))
    return tuple(k for k in dict.fromkeys(same) if k not in ends and graph.passes(k, filters))


def walked(understood: Understood, graph: Graph, filters: Filters) -> list[Reached]:
    """Takes the walk that a question asks for, else the wider one."""
    for chain in (understood.chain, understood.wider):
        found = [*walk(graph, chain, filters), *_onward(chain, graph, filters)] if chain else []
        records: dict[str, Reached] = {}
        for reached in found:
            if reached.key in graph.records:
                records.setdefault(reached.key, reached)
        if records:
            return list(records.values())
    return []


def _onward(chain: Chain, graph: Graph, filters: Filters) -> list[Reached]:
    """Follows what replaced a thing to what replaced that: who asks wants what holds now."""
    if [step.relations for step in chain.steps] != [("SUPERSEDES",)] or chain.steps[0].forward:
        return []
    return walk(graph, replace(chain, steps=(replace(chain.steps[0], hops=None),)), filters)


def unknown_id(
    understood: Understood, said: Iterable[frozenset[str]], graph: Graph, filters: Filters
) -> str:
    """Names a record that a question asks about and that nothing here is or speaks of."""
    own = (m for m in understood.mentions if any(node in graph.records for node in m.nodes))
    known = [(m.start, m.end) for m in own if m.how == "id"]
    asked = [
        name
        for name, start, end in named_ids(understood.question)
        if not any(start < last and first < end for first, last in known)
    ]
    if not asked:
        return ""
    families, spoken_of = graph.families(filters), frozenset().union(*said)
    for name in asked:
        there = any(graph.sees(key, filters) for key in graph.called(name))
        if family(name) in families and name not in spoken_of and not there:
            return name
    return ""


def nearest_labels(name: str, graph: Graph, filters: Filters) -> tuple[str, ...]:
    """Gives the labels of the same family whose numbers are nearest to one that no record has."""
    wanted = family(name)
    number = int(name.rpartition("-")[2])
    with graph.lock:
        labels = {
            label
            for key, record in graph.records.items()
            if (label := canonical_id(record.draft.label or "")) and family(label) == wanted
            if graph.passes(key, filters)
        }
    ordered = sorted(labels, key=lambda label: abs(int(label.rpartition("-")[2]) - number))
    return tuple(ordered[:NEAREST])


def cited(
    alike: Sequence[Place], said: Sequence[frozenset[str]], graph: Graph, filters: Filters
) -> list[str]:
    """Ranks the records that are cited where the text is like the question."""
    votes: dict[str, float] = defaultdict(float)
    for rank, ((own, _), names) in enumerate(zip(alike, said, strict=True), start=1):
        called = {key for name in names for key in graph.called(name)} - {own}
        targets = [key for key in called if graph.passes(key, filters)]
        for key in targets:
            votes[key] += 1 / (EARLY + rank) / math.sqrt(len(targets))
    return sorted(votes, key=lambda key: (-votes[key], key))
