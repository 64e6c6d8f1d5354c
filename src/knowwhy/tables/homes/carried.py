"""What checkpoints keep, carried from one home to another as rows.

A snapshot of the store's lives in its database. What it keeps of its owner's memories is read out
as rows; where they are taken in they stand in a table of the snapshot's name, which is asked in the
same way.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pixeltable as pxt

from knowwhy.errors import BadInput, StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import snapshots
from knowwhy.tables.kept.journal import Checkpoint
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import owned
from knowwhy.tables.write import queue
from knowwhy.types import Asker

STATES = "checkpoint_memories"  # what the rows are called; no table has this name
ADDED, SAME, OTHER = "added", "same", "other"  # fates: other is one whose key has another row
TYPES: dict[str, Any] = {
    "String": pxt.String,
    "Int": pxt.Int,
    "Float": pxt.Float,
    "Timestamp": pxt.Timestamp,
    "Bool": pxt.Bool,
    "Json": pxt.Json,
}

Columns = Mapping[str, tuple[str, bool]]  # of each column its type, and whether it may be null


def columns(memories: Columns) -> dict[str, tuple[str, bool]]:
    """Gives the columns of such a row: those of a memory, and which snapshot keeps it."""
    text = ("String", False)
    return {"key": text, "snapshot": text, "memory_key": text} | {
        name: memories[name] for name in memories if name != "key"
    }


def count(checkpoint: Checkpoint) -> int:
    """Counts the memories that a checkpoint keeps."""
    state, own = _state(checkpoint)
    with reading(state):
        return int(state.where(own).count())


def rows(checkpoint: Checkpoint, memories: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Gives what a checkpoint keeps, in the order of the keys."""
    state, own = _state(checkpoint)
    there = set(state.columns())  # an older version may have made it, with fewer
    names = {name: getattr(state, name) for name in memories if name in there}
    with reading(state):
        found = list(state.where(own).order_by(state.key).select(**names).collect())
    for row in found:
        key, name = row.pop("key"), checkpoint.snapshot
        yield {"key": f"{name}/{key}", "snapshot": name, "memory_key": key, **row}


def _state(checkpoint: Checkpoint) -> tuple[Any, Any]:
    state = snapshots.kept(checkpoint.snapshot)
    if state is None:
        raise StoreFailed(f"The checkpoint {checkpoint.key} was deleted meanwhile; try again.")
    return state, owned(state, Asker(checkpoint.user_id, checkpoint.project))


def check(table: str, row: Mapping[str, Any]) -> None:
    """Refuses a row that names no snapshot as a checkpoint has one."""
    if not snapshots.NAME.fullmatch(row["snapshot"]):
        raise BadInput(f"{table}.snapshot is not the name of a snapshot.")


def ready(name: str, memories: Columns) -> None:
    """Makes the place for what a checkpoint keeps; one that kept nothing has no rows to make it."""
    with translated("taking in what checkpoints keep"), queue("memories"):
        _place(name, memories)


def put_rows(given: Sequence[Mapping[str, Any]], memories: Columns) -> Counter[str]:
    """Writes what snapshots keep where it is not there; tells the fates of all."""
    fates: Counter[str] = Counter()
    with translated("taking in what checkpoints keep"), queue("memories"):
        for name, some in groupby(given, key=lambda row: str(row["snapshot"])):
            fates += _put(_place(name, memories), [_as_memory(row, memories) for row in some])
    return fates


def _place(name: str, memories: Columns) -> Any:
    state = snapshots.kept(name)
    if state is not None:
        return state
    return snapshots.make(
        name,
        {
            column: TYPES[kind] | None if is_nullable else TYPES[kind]
            for column, (kind, is_nullable) in memories.items()
        },
    )


def _as_memory(row: Mapping[str, Any], memories: Columns) -> dict[str, Any]:
    return {name: row["memory_key" if name == "key" else name] for name in memories}


def _put(state: Any, rows: Sequence[dict[str, Any]]) -> Counter[str]:
    there = set(state.columns())
    names = {name: getattr(state, name) for name in rows[0] if name in there}
    with reading(state):
        known = state.where(state.key.isin([row["key"] for row in rows]))
        stored = {row["key"]: dict(row) for row in known.select(**names).collect()}
    new = [row for row in rows if row["key"] not in stored]
    fates = Counter({OTHER: len(new)})  # a snapshot of the store's own takes no row any more
    if new and not state.get_metadata()["is_snapshot"]:
        if state.insert(new).num_excs:
            raise StoreFailed("The store could not take in what a checkpoint keeps.")
        fates = Counter({ADDED: len(new)})
    for row in rows:
        if row["key"] in stored:
            is_same = stored[row["key"]] == {name: row[name] for name in names}
            fates[SAME if is_same else OTHER] += 1
    return fates
