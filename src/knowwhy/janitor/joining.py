"""What becomes of memories that say the same: one stays and names all that went into it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from knowwhy.grounding.admit import quoted
from knowwhy.grounding.moments import began, said_last
from knowwhy.tables.kept.memories import ACTIVE, SUPERSEDED
from knowwhy.tables.kept.peers import SAID_LAST, Peer
from knowwhy.tables.kept.signed import MERGED
from knowwhy.tables.kept.upkeep import Plan, pace
from knowwhy.types import Change, Json, Memory

SAYS_THE_SAME = "It says the same."
Rank = tuple[bool, bool, bool, timedelta, datetime, str]
FOR_GOOD = datetime.max.replace(tzinfo=UTC)  # until when what has no end is kept
MOST_SOURCES = 50  # that a memory names itself; its provenance names all


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that say the same, or may do, and how near they are."""

    stays: str
    goes: str
    score: float


def rank(one: Peer | Memory) -> Rank:
    """Orders memories: what somebody has verified first, then what a user said, the longest kept.

    Before how long it is kept what was told comes before what was read in a conversation, which
    pools do not lend in the place of what they did. Of what is kept as long the oldest comes first.
    """
    vouched = one.verified_at is None, one.said_by != "user", one.fact_number is not None
    return *vouched, FOR_GOOD - _kept_until(one), one.created_at, one.key


def is_kept_as_long(stays: Peer | Memory, goes: Peer | Memory) -> bool:
    """Tells whether one memory may stand for another: it is not to be forgotten before that."""
    return _kept_until(stays) >= _kept_until(goes)


def pages(same: Sequence[list[Pair]]) -> Iterator[list[list[Pair]]]:
    """Gives what is written in one transaction each; one memory's copies may need several."""
    page: list[list[Pair]] = []
    left = pace.rows
    for pairs in same:
        start = 0
        while start < len(pairs):
            some = pairs[start : start + pace.rows - 1]
            if page and len(some) + 1 > left:
                yield page
                page, left = [], pace.rows  # which may be another than before
                continue
            page.append(some)
            left -= len(some) + 1
            start += len(some)
    if page:
        yield page


def plan(pairs: Sequence[Pair], by: str, said: str = SAYS_THE_SAME) -> Plan:
    """Plans to take into one memory what says the same."""
    keys = (pairs[0].stays, *(pair.goes for pair in pairs))

    def decide(stored: dict[str, Memory]) -> list[tuple[Memory, Change]]:
        stays = stored.get(keys[0])
        going = [stored[key] for key in keys[1:] if key in stored]
        going = [memory for memory in going if memory.status == ACTIVE]
        if stays is None or stays.status != ACTIVE or not going:
            return []
        gone = [_superseded(memory, stays, said) for memory in going]
        took = f"It says the same as {_named([memory.key for memory in going])}."
        return [
            (_enriched(stays, going), Change(stays.key, MERGED, took, by)),
            *((memory, Change(memory.key, SUPERSEDED, memory.why, by)) for memory in gone),
        ]

    return Plan(keys, decide)


def _kept_until(one: Peer | Memory) -> datetime:
    return one.expires_at or FOR_GOOD


def _superseded(memory: Memory, stays: Memory, said: str) -> Memory:
    why = f"Superseded by {stays.key}: {quoted(stays, memory.expires_at)} {said}"
    return replace(memory, status=SUPERSEDED, why=why)


def _enriched(stays: Memory, going: Sequence[Memory]) -> Memory:
    """Gives a memory with the sources and the best confidence of all that it stands for."""
    every = (stays, *going)
    sure = [memory.confidence for memory in every if memory.confidence is not None]
    since = min(map(began, every))
    is_told = began(stays) > since or any(memory.valid_from is not None for memory in every)
    merged = [
        *_merged(stays),
        *(s for memory in going for s in (_source(memory), *_merged(memory))),
    ]
    return replace(
        stays,
        confidence=max(sure, default=None),
        valid_from=since if is_told else None,
        metadata={
            **stays.metadata,
            MERGED: merged[:MOST_SOURCES],
            SAID_LAST: max(map(said_last, every)).astimezone(UTC).isoformat(),
        },
    )


def _merged(memory: Memory) -> list[Json]:
    told = memory.metadata.get(MERGED)
    return list(told) if isinstance(told, list) else []


def _source(memory: Memory) -> dict[str, Json]:
    told = {
        "key": memory.key,
        "source": memory.source,
        "turn": memory.turn_key,
        "said_by": memory.said_by,
    }
    return {name: value for name, value in told.items() if value is not None}


def _named(keys: Sequence[str]) -> str:
    shown = ", ".join(keys[:5])
    return shown if len(keys) <= 5 else f"{shown} and {len(keys) - 5} more"
