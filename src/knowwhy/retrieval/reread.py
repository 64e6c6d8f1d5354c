"""The second stage: the cross-encoder reads the best candidates again."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowwhy import models
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.fuse import fuse
from knowwhy.text.passages import in_context
from knowwhy.types import Passage

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Depth:
    """How much the cross-encoder reads: its time goes with the characters."""

    records: int
    characters: int


# Two cores read about 55 characters a millisecond: 130 ms, which leaves the answer under 200. That
# is 25 turns of a chat or 12 passages of a document.
DEPTHS = {
    "none": Depth(0, 0),
    "default": Depth(25, 7_500),
    "deep": Depth(50, 20_000),
}
EARLY = 10  # k when two orders of one short list are fused


@dataclass(frozen=True, slots=True)
class Reread:
    """Candidates in their last order, with the cross-encoder's score of each that it read."""

    keys: tuple[str, ...]
    scores: dict[str, float]
    note: str | None = None


def reread(
    asking: Asking,
    ordered: Sequence[str],
    passages: dict[str, Passage],
    *,
    weight: float,
    depth: str,
) -> Reread:
    """Orders the first candidates by what the cross-encoder and the first stage say of them."""
    head = _head(ordered, passages, DEPTHS[depth]) if weight else {}
    if not head:
        return Reread(tuple(ordered), {})
    usable, note = models.fallback_reranker(asking.reranker)
    if usable == "none":
        return Reread(tuple(ordered), {}, note)
    texts = list(head.values())
    try:
        found = models.rerank(asking.question, texts, usable, embedder=asking.embedder)
    except Exception as error:  # the first stage's order is an answer too
        LOG.exception("the cross-encoder failed")
        failed = f"the candidates could not be read again ({type(error).__name__})"
        return Reread(tuple(ordered), {}, failed)
    scores = dict(zip(head, found, strict=True))
    order = sorted(head, key=lambda key: -scores[key])
    both = fuse({"read": order, "fused": list(head)}, {"read": weight, "fused": 1.0}, EARLY)
    first = [key for key, _ in both]
    chosen = set(first)
    return Reread((*first, *(key for key in ordered if key not in chosen)), scores, note)


def _head(ordered: Sequence[str], passages: Mapping[str, Passage], depth: Depth) -> dict[str, str]:
    """Gives what is read of the first candidates, as many as there is time for."""
    head: dict[str, str] = {}
    left = depth.characters
    for key in ordered[: depth.records]:
        if key not in passages:
            continue
        passage = passages[key]
        text = in_context(passage.context, passage.pos, passage.search_text)
        left -= len(text)
        if left < 0 and head:
            break
        head[key] = text
    return head
