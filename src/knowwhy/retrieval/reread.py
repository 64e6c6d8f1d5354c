"""The second stage: the cross-encoder reads the best candidates again."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from knowwhy import models
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.plans import Plan
from knowwhy.text.estimate import estimate_tokens

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Depth:
    """How much the cross-encoder reads: its time goes with the tokens."""

    records: int
    tokens: int  # estimated


# Two cores read about 18 tokens a millisecond: 140 ms, which leaves the answer under 200. That
# is 25 turns of a chat or 14 passages of a document.
DEPTHS = {
    "none": Depth(0, 0),
    "default": Depth(25, 2_450),
    "deep": Depth(50, 6_000),
}
EARLY = 5  # k of the last sum: what a leg puts first stays near the top though it reads badly
SURE = 3  # first ones of each leg that are read even where the sum has them far behind


@dataclass(frozen=True, slots=True)
class Reread:
    """Candidates in their last order, with the cross-encoder's score of each that it read."""

    keys: tuple[str, ...]
    scores: dict[str, float]
    note: str | None = None


def candidates_of(ordered: Sequence[str], legs: Collection[Sequence[str]]) -> list[str]:
    """Orders what may be read, the most promising first: the best of each leg, then of the sum."""
    best = [key for place in range(SURE) for leg in legs for key in leg[place : place + 1]]
    known = set(ordered)
    both = dict.fromkeys([*(key for key in best if key in known), *ordered])
    return list(both)


def reread(
    asking: Asking,
    ordered: Sequence[str],
    texts: Mapping[str, str],
    legs: Mapping[str, Sequence[str]],
    plan: Plan,
    depth: str,
) -> Reread:
    """Orders candidates by what the cross-encoder and the legs say of them.

    The texts are read as they come, as many as there is time for.
    """
    chosen = _affordable(texts, DEPTHS[depth]) if plan.reread else set()
    head = {key: texts[key] for key in ordered if key in chosen}
    if not head:
        return Reread(tuple(ordered), {})
    usable, note = models.fallback_reranker(asking.reranker)
    if usable == "none":
        return Reread(tuple(ordered), {}, note)
    try:
        found = models.rerank(
            asking.question, list(head.values()), usable, embedder=asking.embedder
        )
    except Exception as error:  # the first stage's order is an answer too
        LOG.exception("the cross-encoder failed")
        failed = f"the candidates could not be read again ({type(error).__name__})"
        return Reread(tuple(ordered), {}, failed)
    scores = dict(zip(head, found, strict=True))
    order = sorted(head, key=lambda key: -scores[key])
    sums = fuse({"read": order, **legs}, {"read": plan.reread, **plan.weights}, EARLY)
    first = [key for key, _ in sums if key in head]
    return Reread((*first, *(key for key in ordered if key not in chosen)), scores, note)


def _affordable(texts: Mapping[str, str], depth: Depth) -> set[str]:
    """Gives the texts that there is time for, and always one."""
    chosen: set[str] = set()
    left = depth.tokens
    for key, text in texts.items():
        left -= estimate_tokens(text)
        if (left < 0 and chosen) or len(chosen) >= depth.records:
            break
        chosen.add(key)
    return chosen
