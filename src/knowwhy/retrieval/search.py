"""From a question to hits: candidates by words and by meaning, fused, then read again in full."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from knowwhy import models
from knowwhy.errors import BadInput
from knowwhy.retrieval.bm25 import Bm25
from knowwhy.retrieval.fuse import fuse
from knowwhy.tables import queries
from knowwhy.types import Filters, Passage

CANDIDATES = 100  # passages a leg: seed figure for the pool, 50 to 100
RERANK = 30  # passages the cross-encoder reads: 7 ms a pair on two cores, about 200 ms in all
QUESTION_LIMIT = 2_000  # characters; more is a document, not a question
INDEXES_KEPT = 8  # filters whose index is kept; each holds its passages in memory
WEIGHTS = {"bm25": 1.0, "vector": 1.0}


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that answers, by its best passage."""

    passage: Passage
    score: float
    ranks: dict[str, int]  # each leg's rank of this passage, from 1; a leg that missed it is absent


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, and how it went."""

    question: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    legs: dict[str, int] = field(default_factory=dict)  # candidates of each leg
    milliseconds: dict[str, float] = field(default_factory=dict)  # of each step


def search(
    question: str,
    *,
    embedder: str,
    reranker: str,
    k: int = 5,
    filters: Filters | None = None,
) -> Answer:
    """Finds the k records that answer a question best, each by its best passage."""
    question = _checked(question, k)
    filters = filters or Filters()
    clock = Clock()

    by_words = words(question, filters)
    clock.lap("bm25")
    by_meaning = queries.nearest(
        models.embed_query(question, embedder), CANDIDATES, filters, embedder
    )
    clock.lap("vector")

    passages = {(p.key, p.pos): p for p, _ in (*by_words, *by_meaning)}
    rankings = {
        "bm25": [(p.key, p.pos) for p, _ in by_words],
        "vector": [(p.key, p.pos) for p, _ in by_meaning],
    }
    fused = fuse(rankings, WEIGHTS)
    clock.lap("fuse")

    ordered, note = _reread(question, [(passages[p], s) for p, s in fused], reranker, embedder)
    clock.lap("rerank")

    ranks = {leg: {p: rank for rank, p in enumerate(r, 1)} for leg, r in rankings.items()}
    hits = [
        Hit(p, score, {leg: at[p.key, p.pos] for leg, at in ranks.items() if (p.key, p.pos) in at})
        for p, score in _best_of_each(ordered)[:k]
    ]
    empty = [f"the {leg} leg found nothing" for leg, found in rankings.items() if not found]
    return Answer(
        question,
        tuple(hits),
        notes=(*([note] if note else []), *(empty if hits else [])),
        legs={leg: len(found) for leg, found in rankings.items()},
        milliseconds=clock.laps,
    )


def words(question: str, filters: Filters) -> list[tuple[Passage, float]]:
    """Ranks the passages that share words with a question by BM25."""
    passages, index = _index(filters)
    scores = index.scores(question)
    best = np.argsort(-scores, kind="stable")[:CANDIDATES]
    return [(passages[row], float(scores[row])) for row in best if scores[row] > 0]


def _reread(
    question: str, fused: Sequence[tuple[Passage, float]], reranker: str, embedder: str
) -> tuple[list[tuple[Passage, float]], str | None]:
    """Orders the best candidates by the cross-encoder; the others follow in fused order."""
    usable, note = models.fallback_reranker(reranker)
    head, tail = fused[:RERANK], fused[RERANK:]
    if usable == "none" or not head:
        return list(fused), note
    texts = [passage.search_text for passage, _ in head]
    scores = models.rerank(question, texts, usable, embedder=embedder)
    reread = sorted(zip(head, scores, strict=True), key=lambda pair: -pair[1])
    below = min(scores)
    return [(p, score) for (p, _), score in reread] + [(p, below - 1 + s) for p, s in tail], note


def _best_of_each(ordered: Sequence[tuple[Passage, float]]) -> list[tuple[Passage, float]]:
    """Keeps the first passage of each record."""
    best: dict[str, tuple[Passage, float]] = {}
    for passage, score in ordered:
        best.setdefault(passage.key, (passage, score))
    return list(best.values())


def _checked(question: str, k: int) -> str:
    question = question.strip()
    if not question:
        raise BadInput("The question is empty.")
    if len(question) > QUESTION_LIMIT:
        raise BadInput(
            f"The question is longer than {QUESTION_LIMIT} characters; ask in fewer words."
        )
    if not 1 <= k <= CANDIDATES:
        raise BadInput(f"k must be between 1 and {CANDIDATES}.")
    return question


class Clock:
    """Measures the steps of a search."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """Notes the milliseconds since the last lap."""
        now = time.perf_counter()
        self.laps[name] = round((now - self._since) * 1000, 1)
        self._since = now


@dataclass(slots=True)
class _Kept:
    version: int = -1
    indexes: dict[Filters, tuple[list[Passage], Bm25]] = field(default_factory=dict)


_kept = _Kept()


def _index(filters: Filters) -> tuple[list[Passage], Bm25]:
    """Keeps an index a filter while the table stands still; only what a filter leaves is in it."""
    version = queries.version("records")
    if version != _kept.version:
        _kept.version, _kept.indexes = version, {}
    if filters not in _kept.indexes:
        if len(_kept.indexes) >= INDEXES_KEPT:
            _kept.indexes.clear()
        passages = queries.passages(filters)
        _kept.indexes[filters] = passages, Bm25([passage.search_text for passage in passages])
    return _kept.indexes[filters]
