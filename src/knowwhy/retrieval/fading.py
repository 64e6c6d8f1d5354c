"""What nobody asks for fades: how much of its relevance a memory still has."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import exp, log

from knowwhy.grounding.claims import ANCHORS
from knowwhy.grounding.memorules import MEMORULE
from knowwhy.tables.kept.accesses import last_accesses
from knowwhy.tables.kept.peers import SAID_LAST, read_moment, taken_in
from knowwhy.tables.recallable import Said
from knowwhy.types import Asker, Memory

HALF_LIFE = timedelta(days=180)  # seed figure: from half a year on another one is as good
HALF_LIVES = {  # of kinds that hold for longer, or shorter, than most
    "decision": timedelta(days=730),
    "preference": timedelta(days=365),
    "procedure": timedelta(days=365),
    MEMORULE: timedelta(days=730),
}
VERIFIED_KEEPS = 0.8  # of relevance, however long ago: somebody has vouched for it
ANCHOR_KEEPS = 0.6  # of what others are held against: rules, and what was set right
KEEPS = 0.4  # of any other: the best answer of all is still among the first ten
EARLY = 5  # as where the legs are added up: what a rank is worth is 1 / (5 + rank)
LONGEST = timedelta(days=36_500)  # a century: before everything
FRESH = 0.95  # what keeps so much by its age alone need not be looked up


def relevances(said: Mapping[str, Said], asker: Asker | None, now: datetime) -> dict[str, float]:
    """Gives what share of its relevance each faded memory still has; turns and new ones have all.

    It goes down with the time since the asker was last given it, or what was merged into it, and is
    never written down.
    """
    memories = {key: memory for key, memory in said.items() if isinstance(memory, Memory)}
    by_age = {key: relevance(m, _began(m), now) for key, m in memories.items()}
    old = [key for key, share in by_age.items() if share < FRESH]
    alike = {key: (key, *taken_in(memories[key].metadata)) for key in old}
    every = {one for keys in alike.values() for one in keys}
    asked = last_accesses(asker.user_id if asker else None, every)
    last = {
        key: max(_began(memories[key]), *(asked.get(one, now - LONGEST) for one in alike[key]))
        for key in old
    }
    return {key: relevance(memories[key], at, now) for key, at in last.items()}


def relevance(memory: Memory, last: datetime, now: datetime) -> float:
    """Gives the share of its relevance that a memory has when it was last asked for at a moment."""
    rate = log(2) / HALF_LIVES.get(memory.kind, HALF_LIFE).total_seconds()
    left = exp(-rate * max(0.0, (now - last).total_seconds()))
    return max(left, _floor(memory))


def faded(keys: Sequence[str], shares: Mapping[str, float]) -> tuple[str, ...]:
    """Orders keys anew by what their ranks are worth, of which a faded memory has only a share."""
    worth = {key: shares.get(key, 1.0) / (EARLY + rank) for rank, key in enumerate(keys, 1)}
    return tuple(sorted(keys, key=lambda key: -worth[key]))


def _began(memory: Memory) -> datetime:
    """Gives when a memory, or what was merged into it, was last vouched for by itself."""
    said_last = read_moment(memory.metadata.get(SAID_LAST))
    return max(at for at in (memory.created_at, memory.verified_at, said_last) if at is not None)


def _floor(memory: Memory) -> float:
    if memory.verified_at is not None:
        return VERIFIED_KEEPS
    return ANCHOR_KEEPS if memory.kind in ANCHORS else KEEPS
