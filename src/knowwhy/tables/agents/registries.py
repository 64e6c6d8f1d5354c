"""Rows of the registries: looked up by one statement, written while their queue is held."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from pixeltable.runtime import get_runtime

from knowwhy.errors import StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.indexed import INDEXED_CHARACTERS
from knowwhy.tables.write import queue, with_kept

QUEUE = "audit"  # of every act, whatever it changes: what was checked still holds when it is done
WAIT = "30s"  # an act takes some 40 ms; a caller that waits this long has met a stuck one
INDEXED = "_indexed"  # ends the column that a B-tree stands on

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """Rows to be added to a registry, or what is to be changed in those that have their keys."""

    name: str
    rows: tuple[Row, ...]
    is_new: bool


def added(name: str, *rows: Row) -> Write:
    """Says that rows are to be added to a registry."""
    return Write(name, rows, is_new=True)


def changed(name: str, key: str, **values: Any) -> Write:
    """Says what is to be changed in the row of a registry that has a key."""
    return Write(name, ({"key": key, **values},), is_new=False)


@contextmanager
def acting() -> Iterator[None]:
    """Waits for one's turn to act, across all processes."""
    with queue(QUEUE, WAIT), translated("writing to the registries"):
        yield


def find(name: str, *, order: str = "key", most: int | None = None, **equal: Any) -> list[Row]:
    """Reads the rows of a registry whose columns have these values, or one of several."""
    source = direct.live_rows(name)
    columns = [column for column in source.c if not column.name.endswith(INDEXED)]
    wanted = sql.select(*columns).where(*conditions(source, **equal))
    wanted = wanted.order_by(source.c[order], source.c.key)
    return [dict(row) for row in direct.select(f"reading {name}", wanted.limit(most))]


def one(name: str, key: str) -> Row | None:
    """Reads the row of a registry that has a key."""
    found = find(name, key=key)
    return found[0] if found else None


def count(name: str, **equal: Any) -> int:
    """Counts the rows of a registry whose columns have these values, or one of several."""
    source = direct.live_rows(name)
    number = sql.func.count().label("rows")
    wanted = sql.select(number).select_from(source).where(*conditions(source, **equal))
    return int(direct.select(f"counting {name}", wanted)[0]["rows"])


def carry_out(*writes: Write) -> None:
    """Writes to registries as one: all of it or nothing; the queue must be held.

    Pixeltable's own transaction is private, as in `reading`; one for each table would let a kill
    come in between, and takes longer.
    """
    with_kept({write.name for write in writes}, lambda tables: _as_one(writes, tables))


def _as_one(writes: Sequence[Write], tables: Mapping[str, Any]) -> None:
    paths = [tables[name]._tbl_version_path for name in {write.name for write in writes}]
    catalog: Any = get_runtime().catalog
    with catalog.begin_xact(for_write=True, write_tvps=paths, lock_mutable_tree=True):
        for write in writes:
            to = tables[write.name]
            done = (to.insert if write.is_new else to.batch_update)(list(write.rows))
            if done.num_excs:
                raise StoreFailed(f"The store could not write to {write.name}.")


def conditions(source: Any, **equal: Any) -> Iterator[Any]:
    """Gives the conditions that columns have these values, or one of several."""
    for name, value in equal.items():
        several = isinstance(value, Collection) and not isinstance(value, str)
        values = list(value) if several else [value]
        texts = [one for one in values if isinstance(one, str)]
        if len(texts) == len(values):
            stored = source.c.get(f"{name}{INDEXED}", source.c[name])
            yield stored.in_([text[:INDEXED_CHARACTERS] for text in texts])
        is_cut = any(len(text) >= INDEXED_CHARACTERS for text in texts)  # others may begin like it
        if is_cut or len(texts) < len(values):
            yield source.c[name].in_(values) if several else source.c[name] == value
