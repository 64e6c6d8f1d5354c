"""The ways a question is asked: every leg alone, fused, and the whole."""

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.metrics import DEEPEST, without
from evaluation.sets import EvaluationSet, Question
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer, search
from knowwhy.types import Filters, Memory

LEGS = ("bm25", "vector", "graph")
FUSED = "rrf"
WHOLE = "all"
# What search is called with; a way whose keywords it does not take is left out.
WAYS: dict[str, Mapping[str, Any]] = {
    **{leg: {"legs": (leg,), "rerank": "none"} for leg in LEGS},
    FUSED: {"rerank": "none"},
    WHOLE: {},
    "deep": {"rerank": "deep"},
}
QUALITY = (*LEGS, FUSED, WHOLE)  # the ways that a set is asked by, unless told otherwise


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question got, and how long it took."""

    ranked: tuple[str, ...]  # ids, best first
    milliseconds: float
    abstained: bool
    steps: Mapping[str, float] = field(default_factory=dict)  # milliseconds of each step


@dataclass(frozen=True, slots=True)
class How:
    """What is the same for all questions of a run."""

    given: EvaluationSet
    embedder: str
    reranker: str
    find: Callable[..., Answer] = search


def ask(question: Question, way: str, how: How) -> Asked | None:
    """Asks a question in one way; None when search does not offer it."""
    wanted: dict[str, Any] = {"reranker": how.reranker, **WAYS[way]}
    taken = inspect.signature(how.find).parameters
    if not wanted.keys() <= taken.keys():
        return None
    if question.exclude and "exclude" in taken:
        keys = {name: key for key, name in how.given.ids.items()}
        wanted["exclude"] = tuple(keys.get(name, name) for name in question.exclude)
    began = time.perf_counter()
    answer = how.find(
        question.text,
        embedder=how.embedder,
        k=DEEPEST + len(question.exclude),
        filters=_filters(question),
        **wanted,
    )
    took = (time.perf_counter() - began) * 1000
    ids = [how.given.ids.get(key, key) for key in map(_key, answer.hits)]
    return Asked(
        tuple(without(ids, question.exclude)), took, abstained(answer), answer.milliseconds
    )


def _filters(question: Question) -> Filters:
    if question.asker is None:
        return Filters(project=question.project)
    sources = ("memories", "turns")
    return Filters(project=question.project, asker=question.asker, sources=sources)


def _key(hit: Hit) -> str:
    """Names what was found; a memory by the turn that it was learned from."""
    learned_from = hit.said.turn_key if isinstance(hit.said, Memory) else None
    return learned_from or hit.passage.key


def abstained(answer: Answer) -> bool:
    """Tells whether an answer says that nothing is known; one without hits says it too."""
    return not answer.knows or not answer.hits
