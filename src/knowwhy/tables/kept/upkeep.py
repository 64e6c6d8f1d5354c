"""What the janitor looks for among everybody's memories, and what it writes, a page at a time."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import EXPIRED, LIVING, as_of, ending, read_rows
from knowwhy.tables.write import queue, table
from knowwhy.types import Change, Memory

# Seconds for which a page is to hold the queue: whoever writes waits for it and for the writers
# before it, and with four of them beside the night, each about as long, has a turn within 2 s.
HOLD = 0.3
FEWEST = 50  # rows of a page; half of the time that so few take is the page's own
MOST = 250  # rows of a page; in larger ones each row takes as long

Item = TypeVar("Item")


class Pace:
    """How many rows are written at once: as many as the last ones were quick enough for."""

    def __init__(self) -> None:
        self.rows = FEWEST

    def took(self, rows: int, seconds: float) -> None:
        """Notes how long rows have held the queue; what was less than a page tells only of less."""
        fit = int(rows * HOLD / max(seconds, 0.001))
        if seconds > HOLD or rows >= self.rows:
            self.rows = max(FEWEST, min(fit, 2 * self.rows, MOST))

    def pages(self, items: Sequence[Item]) -> Iterator[Sequence[Item]]:
        """Gives items in pages, each as large as the ones before it allow."""
        start = 0
        while start < len(items):
            page = items[start : start + self.rows]
            yield page
            start += len(page)


pace = Pace()  # of this process, in which at most one night is at work


@contextmanager
def turn() -> Iterator[list[Memory]]:
    """Takes the queue of the memories, for what is put into the list that it gives."""
    written: list[Memory] = []
    with queue("memories"):
        began = time.monotonic()
        yield written
        pace.took(len(written), time.monotonic() - began)


def ended(now: datetime, after: str) -> list[Memory]:
    """Gives some of what time has ended, as it is then, in the order of the keys."""
    source = table("memories")
    over = source.status.isin(list(LIVING)) & ending(source, now) & (source.key > after)
    with translated("looking for what has expired"):
        rows = read_rows(source, source.where(over).order_by(source.key).limit(MOST))
    return [as_of(memory, now) for memory, _ in rows]


def expire(page: Sequence[Memory], now: datetime, by: str) -> list[Memory]:
    """Writes that memories have expired; leaves those that somebody has changed meanwhile."""
    with translated("expiring memories"), turn() as written:
        stored = memories.held(memory.key for memory in page)
        over = [as_of(stored[m.key], now) for m in page if stored[m.key].status in LIVING]
        over = [memory for memory in over if memory.status == EXPIRED]
        changes = [Change(memory.key, EXPIRED, memory.why, by) for memory in over]
        written += memories.commit([], over, stored, changes) if over else []
    return written


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to become of some memories that belong together: read, thought over, not written."""

    keys: tuple[str, ...]
    # Given the memories as they are stored now, what they are to be and why; nothing where
    # somebody has changed one of them meanwhile.
    decide: Callable[[dict[str, Memory]], list[tuple[Memory, Change]]]


def carry_out(plans: Sequence[Plan], now: datetime, *, dry_run: bool) -> list[Memory]:
    """Writes what plans decide, all of it or nothing; in a dry run only tells what that is."""
    with translated("writing what the night decided"), turn() as written:
        stored = memories.held(key for plan in plans for key in plan.keys)
        standing = {key: as_of(memory, now) for key, memory in stored.items()}
        decided = [both for plan in plans for both in plan.decide(standing)]
        after = [memory for memory, _ in decided]
        if dry_run or not after:
            return after
        written += memories.commit([], after, stored, [change for _, change in decided])
    return written
