"""The graph as a leg: walks that answer, and records near what a question names or is like."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from knowwhy.graph.build import Graph, family
from knowwhy.graph.rank import pagerank
from knowwhy.graph.walk import Reached, walk
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.understand import Understood
from knowwhy.text.citations import citations
from knowwhy.text.tokens import find_ids
from knowwhy.types import Chain, Filters, Passage

NEAR = 50  # records near what is named; farther ones share the last of the mass
EARLY = 10  # k of fusion inside the leg: its first ranks are what it is for


@dataclass(frozen=True, slots=True)
class Related:
    """What the graph says: records that answer by a walk, then records that are near."""

    answers: tuple[Reached, ...]
    near: tuple[str, ...]
    unknown: str = ""  # an id of our own families that no record has


def related(
    understood: Understood, alike: Sequence[Passage], graph: Graph, filters: Filters
) -> Related:
    """Walks where the question asks for a walk; else looks around what it names and is like."""
    answers = walked(understood, graph, filters)
    seeds = {node: 1.0 for mention in understood.mentions for node in mention.nodes}
    named = [key for key, _ in pagerank(graph, seeds, filters, NEAR)] if seeds else []
    said = [_names_in(passage.text) for passage in alike]
    voted = cited(alike, said, graph, filters)
    both = fuse({"named": named, "cited": voted}, {"named": 1.0, "cited": 1.0}, EARLY)
    first = [reached.key for reached in answers]
    anchors = understood.chain.anchors if understood.chain else ()
    near = dict.fromkeys([*first, *(key for key, _ in both if key not in anchors)])
    unknown = "" if answers else unknown_id(understood.question, said, graph, filters)
    return Related(tuple(answers), tuple(near), unknown)


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
    question: str, said: Iterable[frozenset[str]], graph: Graph, filters: Filters
) -> str:
    """Names a record that a question asks about and that nothing here is or speaks of."""
    named = [name for name, _, _ in find_ids(question)]
    if not named:
        return ""
    families, spoken_of = graph.families(filters), frozenset().union(*said)
    for name in named:
        there = any(graph.sees(key, filters) for key in graph.called(name))
        if family(name) in families and name not in spoken_of and not there:
            return name
    return ""


def cited(
    alike: Sequence[Passage], said: Sequence[frozenset[str]], graph: Graph, filters: Filters
) -> list[str]:
    """Ranks the records that are cited where the text is like the question."""
    votes: dict[str, float] = defaultdict(float)
    for rank, (passage, names) in enumerate(zip(alike, said, strict=True), start=1):
        called = {key for name in names for key in graph.called(name)} - {passage.key}
        targets = [key for key in called if graph.passes(key, filters)]
        for key in targets:
            votes[key] += 1 / (EARLY + rank) / math.sqrt(len(targets))
    return sorted(votes, key=lambda key: (-votes[key], key))


def _names_in(text: str) -> frozenset[str]:
    return frozenset(c.target for c in citations(text) if c.kind == "record")
