"""What becomes of a memory after it has come in."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from knowwhy import models
from knowwhy.errors import BadInput
from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.grounding.memorules import MEMORULE, memorule
from knowwhy.grounding.recheck import make_way
from knowwhy.grounding.remember import MANUAL, word_of
from knowwhy.grounding.similar import text_of
from knowwhy.grounding.steps import NO_HAND, alone, by_hand, reason, signed, take
from knowwhy.tables.kept import memories, memory_origins
from knowwhy.tables.kept.memories import ACTIVE, EXPIRED, LIVING, REFUSED, RETRACTED, SUPERSEDED
from knowwhy.tables.vectors.holders import ready_for_others, with_the_model_of_now
from knowwhy.types import SPEAKER, Asker, Change, Hand, Json, Memory

RESTORED = "restored"
LEFT_BY = {RETRACTED: RETRACTED, REFUSED: "rejected", SUPERSEDED: SUPERSEDED}  # status: the change
CARRIED = (  # of a memory into its next version
    *("kind", "user_id", "project", "service", "turn_key", "raw_source", "valid_until"),
    *("expires_at", "memorule_kind", "subject", "applies_to", "certainty", "evidence_signal"),
)


def update(
    asker: Asker,
    key: str,
    text: str,
    *,
    embedder: str,
    now: datetime,
    said_by: str = "user",
    source: str | None = None,
    session: str | None = None,
    persona: str | None = None,
    via: str | None = None,
    max_pending: int | None = None,
) -> Memory:
    """Says a memory anew; when that comes in, it supersedes the old version, which is kept.

    It is judged by who says it: while it waits for review the old version stays as it is.
    """
    claim = next_version(memories.memory(asker, key, now=now), text, asker, said_by)
    told = replace(
        claim,
        source=source or MANUAL,
        session_id=session,
        persona=persona,
        verified_via=word_of(via, said_by, claim.certainty),
    )
    return admit([told], embedder=embedder, now=now, max_pending=max_pending)[0]


def next_version(memory: Memory, text: str, asker: Asker, said_by: str = "user") -> Claim:
    """Gives a memory in other words as the claim of who says them."""
    if memory.status not in LIVING:
        raise BadInput(f"{memory.key} is {memory.status}; only what is active or waits can change.")
    if text.split() == memory.content.split():
        raise BadInput(f"{memory.key} says exactly that already.")
    if memory.kind == MEMORULE:
        memorule(memory.memorule_kind, memory.subject, text, memory.applies_to, memory.certainty)
    carried = {name: getattr(memory, name) for name in CARRIED}
    said = {name: value for name, value in memory.metadata.items() if name != SPEAKER}
    return Claim(
        text,
        said_by=said_by,
        by=signed(asker),
        source=memory.source,
        replaces=memory.key,
        metadata=said,
        **carried,
    )


def retract(asker: Asker, key: str, why: str, *, now: datetime, hand: Hand = NO_HAND) -> Memory:
    """Takes back what a search may show; it stays, with the reason."""
    said = reason(why)

    def step(memory: Memory) -> tuple[Memory, Change]:
        if memory.status not in (*LIVING, SUPERSEDED):
            raise BadInput(f"{key} is {memory.status}; there is nothing to take back.")
        after = replace(memory, status=RETRACTED, why=said)
        return after, Change(key, RETRACTED, said, signed(asker))

    return take(asker, key, now, step, hand)


@with_the_model_of_now
def restore(
    asker: Asker, key: str, why: str, *, embedder: str, now: datetime, hand: Hand = NO_HAND
) -> Memory:
    """Gives back what was retracted or rejected, or superseded by what is gone since."""
    said = reason(why)
    with _refound(memories.memory(asker, key, now=now), embedder), alone():
        memory = memories.memory(asker, key, now=now)
        after = replace(memory, **_status_before(asker, memory))
        if memories.as_of(after, now).status == EXPIRED:
            raise BadInput(f"{key} has expired; say it again with `knowwhy remember`.")
        gone = make_way(after, embedder=embedder, now=now) if after.status == ACTIVE else []
        changes = [Change(old.key, SUPERSEDED, old.why, signed(asker)) for old in gone]
        back = Change(key, RESTORED, said, signed(asker))
        done = memories.update([after, *gone], by_hand(hand, [back, *changes]))
        return memories.shown(done[0], now)


@contextmanager
def _refound(memory: Memory, embedder: str) -> Iterator[None]:
    """Embeds a refused memory before the queue is taken: it has no vector."""
    texts = [text_of(memory)] if memory.status == REFUSED else []
    models.prime(texts, embedder)
    try:
        with ready_for_others(texts, embedder):
            yield
    finally:
        models.release(texts, embedder)


def _status_before(asker: Asker, memory: Memory) -> dict[str, Json]:
    """Gives the columns of a memory as they were before it left."""
    ways = memories.changes_of(asker, memory.key)
    left = [change for change in ways if change.what == LEFT_BY.get(memory.status)]
    if not left:
        raise BadInput(f"{memory.key} is {memory.status}; there is nothing to restore.")
    if memory.status == SUPERSEDED:
        living = [m for m in memory_origins.successors(asker, memory) if m.status in LIVING]
        if living:
            raise BadInput(
                f"{living[0].key} stands in the place of {memory.key}; retract it first."
            )
    return _read(left[-1].before)  # a roll-back may have brought it to where it went then


def _read(columns: Mapping[str, Json]) -> dict[str, Json]:
    """Reads columns that a change noted as JSON."""
    moments = ("valid_until", "expires_at", "verified_at")
    return {
        name: datetime.fromisoformat(value) if name in moments and value else value
        for name, value in columns.items()
    }
