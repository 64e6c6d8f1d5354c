"""Everything about one memory: where it comes from, what it stands on and what was done to it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from knowwhy.tables.kept import memories, memory_origins
from knowwhy.types import Asker, Change, Json, Memory, Turn

LONGEST_CHAIN = 1_000  # versions shown; a memory changed daily has as many in three years


@dataclass(frozen=True, slots=True)
class Provenance:
    """A memory with all that is known of how it came about."""

    memory: Memory
    tier: int  # 1 accept, 2 review, 3 refuse
    evidence: Json
    turn: Turn | None  # that it was read from, while the turn lives
    earlier: tuple[Memory, ...]  # whose place it has taken, or is to take; the nearest first
    later: tuple[Memory, ...]  # that took its place, or are to
    changes: tuple[Change, ...]  # oldest first


def provenance(asker: Asker, key: str, *, now: datetime) -> Provenance:
    """Gives everything about a memory that its asker may see; nothing of words to be forgotten."""
    memory = memories.memory(asker, key, now=now)
    tier, evidence = memory_origins.derived(asker, key)
    changes = memories.changes_of(asker, key)
    seen = memories.shown(memory, now)
    if seen != memory:
        evidence = {**evidence, "claim": seen.content}
        changes = [memories.without_words(change) for change in changes]
    return Provenance(
        memory=seen,
        tier=tier,
        evidence=evidence,
        turn=memory_origins.turn_of(asker, memory.turn_key, now) if memory.turn_key else None,
        earlier=_chain(asker, memory, memory_origins.predecessors, now),
        later=_chain(asker, memory, memory_origins.successors, now),
        changes=tuple(changes),
    )


def _chain(
    asker: Asker,
    memory: Memory,
    beside: Callable[[Asker, Memory], list[Memory]],
    now: datetime,
) -> tuple[Memory, ...]:
    """Follows the versions of a memory in one direction, each once."""
    found: dict[str, Memory] = {}
    waiting = [memory]
    while waiting and len(found) < LONGEST_CHAIN:
        for version in beside(asker, waiting.pop(0)):
            if version.key != memory.key and version.key not in found:
                found[version.key] = version
                waiting.append(version)
    return tuple(memories.shown(version, now) for version in found.values())
