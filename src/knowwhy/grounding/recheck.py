"""Whether a memory that stands aside may stand among the active ones now."""

from dataclasses import fields
from datetime import datetime
from typing import Any

from knowwhy import models
from knowwhy.errors import BadInput, StoreFailed
from knowwhy.grounding import similar
from knowwhy.grounding.admit import quoted, succeeded
from knowwhy.grounding.claims import Claim
from knowwhy.grounding.rivals import Found, look
from knowwhy.grounding.similar import Beside
from knowwhy.tables.kept import memories, memory_search
from knowwhy.tables.kept.memories import ACTIVE, LIVING
from knowwhy.types import Memory

SHARED = tuple(  # what a claim and the memory that it became both say
    {f.name for f in fields(Claim)} & {f.name for f in fields(Memory)}
)


def make_way(memory: Memory, *, embedder: str, now: datetime) -> list[Memory]:
    """Gives what a memory takes the place of when it becomes active, as that is then.

    The caller holds the queue. What copies or contradicts an active memory is not let in.
    """
    found = _beside(memory, embedder, now)
    other = found.copied or found.contradicted
    if other is not None:
        says = "says the same as" if other is found.copied else "contradicts"
        raise BadInput(
            f"{memory.key} {says} {other.key}, which is active: {quoted(other, now)} "
            "Retract or update that one, or reject this one."
        )
    return [succeeded(old, memory, now) for old in found.replaced]


def _beside(memory: Memory, embedder: str, now: datetime) -> Found:
    """Looks at the active memories beside one, itself left out."""
    shared: dict[str, Any] = {name: getattr(memory, name) for name in SHARED}
    claim = Claim(**shared)
    vector = memory_search.vectors_of([memory.key], embedder).get(claim.text)
    if vector is None:  # no model could make it when the claim came
        vector = models.embed([claim.text], embedder)[0]
    candidate = similar.candidate(claim, vector, embedder)
    found = similar.beside([candidate], embedder, now)[memory.key]
    if found.failed is not None:
        raise StoreFailed(f"{memory.key} cannot be compared with what is kept: {found.failed}")
    others = Beside(
        near=tuple((m, score) for m, score in found.near if _stands(m, memory)),
        same_words=tuple(m for m in found.same_words if _stands(m, memory)),
        on_topic=tuple(m for m in found.on_topic if _stands(m, memory)),
        named=tuple(m for m in found.named if _stands(m, memory)),
        elsewhere=found.elsewhere,
    )
    return look(candidate, others, _replaced(memory, now), {}, {})


def _stands(other: Memory, memory: Memory) -> bool:
    return other.status == ACTIVE and other.key != memory.key


def _replaced(memory: Memory, now: datetime) -> Memory | None:
    """Gives what a memory was made to replace, while it lives."""
    stored = memories.held([memory.supersedes] if memory.supersedes else [])
    old = stored.get(str(memory.supersedes))
    return old if old is not None and memories.as_of(old, now).status in LIVING else None
