"""What memories were at a moment: kept, compared with another moment, and put back.

A snapshot of Pixeltable's is a version that has a name: it costs 25 ms and 2 KB, whatever the
number of memories. It knows no similarity, so what is gone back to is written over what there is.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pixeltable as pxt

from knowwhy import models
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import MEMORY, REFUSED, RETRACTED, read_rows
from knowwhy.tables.reading import reading
from knowwhy.tables.schema import DIRECTORY
from knowwhy.tables.scope import owned
from knowwhy.tables.vectors import holders
from knowwhy.tables.vectors.holders import ready_for_others
from knowwhy.tables.write import table
from knowwhy.text.pages.passages import search_text
from knowwhy.types import Asker, Change, Memory

FOLDER = f"{DIRECTORY}/snapshots"
NAME = re.compile(r"k_[0-9a-f]{20}")  # of a snapshot, after its checkpoint
READ_AT_ONCE = 500  # rows that one question names; of many more than that all are read
WRITTEN_AT_ONCE = 1_000  # rows of one transaction: about a second, and what a kill loses of work
RESTORED = "restored"  # a change
UNWRITTEN = frozenset(("key", "touched_at"))  # columns in which equal memories may differ


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory as it was at one moment and at another; None where it was not there."""

    key: str
    old: Memory | None
    new: Memory | None

    def shown(self, now: datetime) -> "Pair":
        """Gives it as it is shown: without words that were to be forgotten."""
        old, new = (one and memories.shown(one, now) for one in (self.old, self.new))
        return Pair(self.key, old, new)

    def changed(self) -> tuple[str, ...]:
        """Names the columns that differ, where it was there at both."""
        if self.old is None or self.new is None:
            return ()
        names = (name for name in MEMORY if name not in UNWRITTEN)
        return tuple(n for n in names if getattr(self.old, n) != getattr(self.new, n))

    def differs(self) -> bool:
        """Tells whether it says something else at the two moments."""
        return self.old is None or self.new is None or bool(self.changed())


def take(name: str) -> None:
    """Keeps the memories as they are now; the caller holds their queue."""
    with translated("keeping the memories as they are"):
        pxt.create_dir(FOLDER, if_exists="ignore")
        pxt.create_snapshot(f"{FOLDER}/{name}", table("memories"))


def make(name: str, columns: Mapping[str, Any]) -> Any:
    """Makes the place for what was kept in another home; the caller holds the queue."""
    with translated("making room for what was kept"):
        pxt.create_dir(FOLDER, if_exists="ignore")
        return pxt.create_table(f"{FOLDER}/{name}", dict(columns))


def drop(name: str) -> None:
    """Forgets what was kept, if it was."""
    with translated("dropping a snapshot"):
        if pxt.get_table(f"{FOLDER}/{name}", if_not_exists="ignore") is not None:
            pxt.drop_table(f"{FOLDER}/{name}")


def kept(name: str) -> Any:
    """Gives the memories as they were kept; None when they were not."""
    with translated("opening a snapshot"):
        return pxt.get_table(f"{FOLDER}/{name}", if_not_exists="ignore")


def compare(old: Any, new: Any, owner: Asker) -> list[Pair]:
    """Gives the owner's memories that differ between two states, in the order of their keys.

    Every write moves `touched_at`, so that the others need not be read.
    """
    before, after = _moments(old, owner), _moments(new, owner)
    moved = sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))
    olds, news = (
        _memories(state, [k for k in moved if k in there], owner, len(there))
        for state, there in ((old, before), (new, after))
    )
    pairs = [Pair(key, olds.get(key), news.get(key)) for key in moved]
    return [pair for pair in pairs if pair.differs()]


@contextmanager
def embedded(pairs: Sequence[Pair]) -> Iterator[None]:
    """Keeps the vectors ready that putting back will ask for: made before a queue is held."""
    embedder = holders.embedder()
    goals = [(pair, _goal(pair, "")) for pair in pairs if pair.new is not None]
    texts = [_text(goal) for pair, goal in goals if _is_embedded(pair, goal)]
    models.prime(texts, embedder)
    try:
        with ready_for_others(texts, embedder):
            yield
    finally:
        models.release(texts, embedder)


def put_back(pairs: Sequence[Pair], owner: Asker, why: str) -> Counter[str]:
    """Makes memories what they were, and retracts those that were not there; counts the changes.

    The caller holds the queue. One that is no longer as its pair has it was put back before this
    was begun anew, or written since by somebody: it stays.
    """
    now = _moments(table("memories"), owner)
    there = [pair for pair in pairs if pair.new and now.get(pair.key) == pair.new.touched_at]
    goals = [(pair, goal) for pair in there if (goal := _goal(pair, why)) != pair.new]
    counts: Counter[str] = Counter()
    for is_reworded in (False, True):  # apart, else all that is written with one is embedded too
        some = [(pair, goal) for pair, goal in goals if _is_reworded(pair) is is_reworded]
        for start in range(0, len(some), WRITTEN_AT_ONCE):
            page = some[start : start + WRITTEN_AT_ONCE]
            changes = [_change(pair, goal, why, owner.user_id) for pair, goal in page]
            memories.update([goal for _, goal in page], changes)
            counts.update(change.what for change in changes)
    return counts


def _goal(pair: Pair, why: str) -> Memory:
    """Gives what a memory is to be: what it was, or retracted when it was not there."""
    assert pair.new is not None
    if pair.old is not None:
        return replace(pair.old, touched_at=pair.new.touched_at)
    if pair.new.status == RETRACTED:
        return pair.new
    return replace(pair.new, status=RETRACTED, why=why)


def _change(pair: Pair, goal: Memory, why: str, by: str | None) -> Change:
    assert pair.new is not None
    ends = goal.status == RETRACTED and pair.new.status != RETRACTED
    return Change(pair.key, RETRACTED if ends else RESTORED, why, by)


def _is_reworded(pair: Pair) -> bool:
    return bool(pair.old and pair.new and _text(pair.old) != _text(pair.new))


def _is_embedded(pair: Pair, goal: Memory) -> bool:
    """Tells whether the view of vectors will ask for one: it has none of what was refused."""
    was_refused = pair.new is not None and pair.new.status == REFUSED
    return goal.status != REFUSED and (was_refused or _is_reworded(pair))


def _text(memory: Memory) -> str:
    return search_text(memory.subject, None, memory.content)


def _moments(source: Any, owner: Asker) -> dict[str, datetime]:
    """Gives when each of an owner's memories was last written."""
    own = owned(source, owner)
    with reading(source):
        rows = source.where(own).select(key=source.key, at=source.touched_at).collect()
        return {row["key"]: row["at"] for row in rows}


def _memories(source: Any, keys: Sequence[str], owner: Asker, held: int) -> dict[str, Memory]:
    """Reads some of the memories that an owner holds; all at once where most are wanted."""
    found: dict[str, Memory] = {}
    if len(keys) > READ_AT_ONCE and len(keys) > held / 2:
        wanted, own = set(keys), source.where(owned(source, owner))
        return {memory.key: memory for memory, _ in read_rows(source, own) if memory.key in wanted}
    for start in range(0, len(keys), READ_AT_ONCE):
        named = source.where(source.key.isin(list(keys[start : start + READ_AT_ONCE])))
        found |= {memory.key: memory for memory, _ in read_rows(source, named)}
    return found
