"""What the janitor looks for among everybody's memories, and what it writes, a page at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import EXPIRED, LIVING, as_of, ending, read_rows
from knowwhy.tables.write import queue, table
from knowwhy.types import Change, Memory

PAGE = 250  # rows; the queue is held for half a second


def ended(now: datetime, after: str) -> list[Memory]:
    """Gives a page of what time has ended, as it is then, in the order of the keys."""
    source = table("memories")
    over = source.status.isin(list(LIVING)) & ending(source, now) & (source.key > after)
    with translated("looking for what has expired"):
        rows = read_rows(source, source.where(over).order_by(source.key).limit(PAGE))
    return [as_of(memory, now) for memory, _ in rows]


def expire(page: Sequence[Memory], now: datetime, by: str) -> list[Memory]:
    """Writes that memories have expired; leaves those that somebody has changed meanwhile."""
    with translated("expiring memories"), queue("memories"):
        stored = memories.held(memory.key for memory in page)
        over = [as_of(stored[m.key], now) for m in page if stored[m.key].status in LIVING]
        over = [memory for memory in over if memory.status == EXPIRED]
        changes = [Change(memory.key, EXPIRED, memory.why, by) for memory in over]
        return memories.update(over, changes)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to become of some memories that belong together: read, thought over, not written."""

    keys: tuple[str, ...]
    # Given the memories as they are stored now, what they are to be and why; nothing where
    # somebody has changed one of them meanwhile.
    decide: Callable[[dict[str, Memory]], list[tuple[Memory, Change]]]


def carry_out(plans: Sequence[Plan], now: datetime, *, dry_run: bool) -> list[Memory]:
    """Writes what plans decide, all of it or nothing; in a dry run only tells what that is."""
    with translated("writing what the night decided"), queue("memories"):
        stored = memories.held(key for plan in plans for key in plan.keys)
        standing = {key: as_of(memory, now) for key, memory in stored.items()}
        decided = [both for plan in plans for both in plan.decide(standing)]
        after = [memory for memory, _ in decided]
        if dry_run or not after:
            return after
        return memories.update(after, [change for _, change in decided])
