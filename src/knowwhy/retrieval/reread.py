"""The second stage: the cross-encoder reads the best candidates again."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowwhy import models
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.fuse import fuse
from knowwhy.text.passages import in_context
from knowwhy.types import Passage

DEPTHS = {"none": 0, "default": 20, "deep": 50}  # records that are read again
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
    head = [key for key in ordered[: DEPTHS[depth]] if key in passages]
    if not head or not weight:
        return Reread(tuple(ordered), {})
    usable, note = models.fallback_reranker(asking.reranker)
    if usable == "none":
        return Reread(tuple(ordered), {}, note)
    read = [passages[key] for key in head]
    texts = [in_context(p.context, p.pos, p.search_text) for p in read]
    found = models.rerank(asking.question, texts, usable, embedder=asking.embedder)
    scores = dict(zip(head, found, strict=True))
    order = sorted(head, key=lambda key: -scores[key])
    both = fuse({"read": order, "fused": head}, {"read": weight, "fused": 1.0}, EARLY)
    first = [key for key, _ in both]
    chosen = set(first)
    return Reread((*first, *(key for key in ordered if key not in chosen)), scores, note)
