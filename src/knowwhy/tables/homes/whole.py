"""Every row of every table as it is stored: read at one moment, written where it is missing."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy import models
from knowwhy.errors import StoreFailed
from knowwhy.tables import direct, schema
from knowwhy.tables.agents import audit_rows
from knowwhy.tables.failures import translated
from knowwhy.tables.homes import carried
from knowwhy.tables.homes.carried import ADDED, OTHER, SAME
from knowwhy.tables.kept import journal, nights, snapshots
from knowwhy.tables.kept.journal import Checkpoint
from knowwhy.tables.kept.memories import REFUSED
from knowwhy.tables.reading import reading
from knowwhy.tables.write import queue, table
from knowwhy.text.pages.passages import cut, search_text
from knowwhy.types import Fact, Json

FACTS = "facts"  # of an extraction: a paid model read them, and is not asked again
CHECKPOINTS = "checkpoints"
NIGHTS = "nightly_runs"
LOOKED_AT = ("records", "turns", "memories", "recalls", NIGHTS)
AUDIT = "audit"  # whose rows are a chain, and one home has one
TYPES: dict[str, tuple[type, ...]] = {
    "String": (str,),
    "Int": (int,),
    "Float": (float, int),
    "Timestamp": (datetime,),
    "Bool": (bool,),
}


def columns(embedder: str) -> dict[str, dict[str, tuple[str, bool]]]:
    """Gives of every table its stored columns: the type of each, and whether it may be null."""
    declared = schema.declare(embedder).__registered_models__
    return {name: _stored(declared[name]) for name in schema.base_tables(embedder)}


def lines(embedder: str) -> dict[str, dict[str, tuple[str, bool]]]:
    """Gives the columns of all that is read: of the tables, and of what checkpoints keep."""
    tables = columns(embedder)
    return {**tables, carried.STATES: carried.columns(tables["memories"])}


def _stored(model: Any) -> dict[str, tuple[str, bool]]:
    specs = {name: spec for name, spec in model.__columns__.items() if "value" not in spec}
    return {name: _type(str(spec["type"])) for name, spec in specs.items()}


def _type(written: str) -> tuple[str, bool]:
    found = re.search(r"\b(String|Int|Float|Timestamp|Bool|Json)\b", written)
    return (found[1] if found else "Json"), "None" in written


@contextmanager
def reader(embedder: str) -> Iterator["Reader"]:
    """Holds on to one moment of all tables."""
    wanted = {
        name: [*stored, *([FACTS] if name == "extractions" else [])]
        for name, stored in columns(embedder).items()
    }
    rows = {name: direct.live_rows(name) for name in wanted}
    engine = Env.get().engine.execution_options(isolation_level="REPEATABLE READ")
    with translated("reading the tables"), engine.connect() as connection:
        standing = _standing(connection, rows[CHECKPOINTS])
        keys = [checkpoint.key for checkpoint in standing]
        found = sql.select(rows[CHECKPOINTS]).where(rows[CHECKPOINTS].c.key.in_(keys))
        rows[CHECKPOINTS] = found.subquery()
        yield Reader(connection, wanted, rows, standing)


def _standing(connection: sql.Connection, rows: Any) -> list[Checkpoint]:
    """Gives the checkpoints whose states can be gone back to; of the others nothing is left."""
    named = [rows.c[name] for name in journal.CHECKPOINT]
    found = sql.select(*named).where(rows.c.state.in_(journal.STANDING)).order_by(rows.c.key)
    every = [Checkpoint(**row) for row in connection.execute(found).mappings()]
    return [one for one in every if snapshots.kept(one.snapshot) is not None]


class Reader:
    """The rows of all tables at one moment."""

    def __init__(
        self,
        connection: sql.Connection,
        wanted: Mapping[str, list[str]],
        rows: Mapping[str, Any],
        standing: Sequence[Checkpoint],
    ) -> None:
        self._connection, self._wanted, self._rows = connection, wanted, rows
        self._standing = standing

    def counts(self) -> dict[str, int]:
        """Counts the rows of each table, and before those of checkpoints what they keep.

        Whoever takes them in and is stopped has no checkpoint without all that it keeps.
        """
        counts = {}
        for name, rows in self._rows.items():
            if name == CHECKPOINTS:
                counts[carried.STATES] = sum(map(carried.count, self._standing))
            counted = sql.select(sql.func.count()).select_from(rows)
            counts[name] = int(self._connection.scalar(counted) or 0)
        return counts

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Gives the rows of a table in the order of their keys."""
        if name == carried.STATES:
            for checkpoint in self._standing:
                yield from carried.rows(checkpoint, self._wanted["memories"])
            return
        source = self._rows[name]
        chosen = sql.select(*(source.c[column] for column in self._wanted[name]))
        streaming = self._connection.execution_options(stream_results=True, yield_per=500)
        for row in streaming.execute(chosen.order_by(source.c.key)).mappings():
            yield dict(row)


def put_rows(
    name: str, rows: Sequence[Mapping[str, Any]], embedder: str, *, beside: bool
) -> Counter[str]:
    """Inserts the rows whose keys are not there, as they are; tells the fates of all.

    Nights that come in beside what a home has of its own keep nothing that it would go on from.
    """
    if name == carried.STATES:
        return carried.put_rows(rows, columns(embedder)["memories"])
    if name == CHECKPOINTS:
        for row in rows:
            carried.ready(row["snapshot"], columns(embedder)["memories"])
    texts = [text for row in rows for text in _embedded(name, row)]
    models.prime(texts, embedder)
    read = [_read(row) for row in rows if FACTS in row]
    for text, facts in read:
        models.prime_facts(*text, facts)
    try:
        with translated(f"writing {name}"), queue(name):
            bare = [{k: v for k, v in row.items() if k != FACTS} for row in rows]
            return _put(name, bare, beside=beside)
    finally:
        models.release(texts, embedder)
        for text, _ in read:
            models.release_facts(*text)


def _put(name: str, rows: Sequence[dict[str, Any]], *, beside: bool) -> Counter[str]:
    source, names = table(name), list(rows[0])
    with reading(source):
        known = source.where(source.key.isin([row["key"] for row in rows]))
        found = known.select(**{column: getattr(source, column) for column in names}).collect()
        stored = {row["key"]: dict(row) for row in found}
    new = [row for row in rows if row["key"] not in stored]
    if name == AUDIT:
        new = audit_rows.following(rows, stored)
    if name == NIGHTS and beside:
        new = [nights.taken_in(row) for row in new]
    if new:
        status = source.insert(new)
        if status.num_excs:
            raise StoreFailed(f"The store could not derive {', '.join(status.cols_with_excs)}.")
    fates, added = Counter({ADDED: len(new)}), {row["key"] for row in new}
    known_rows = [(stored.get(r["key"]), r) for r in rows if r["key"] not in added]
    fates.update(SAME if _is_same(name, was, row) else OTHER for was, row in known_rows)
    return fates


def _is_same(name: str, stored: Mapping[str, Any] | None, row: Mapping[str, Any]) -> bool:
    """Tells whether a row is there as it came; a night beside others is without its cursors."""
    return stored == row or (name == NIGHTS and stored == nights.taken_in(row))


def is_empty() -> bool:
    """Tells whether a home has nothing yet that a night looks at, and none has run in it."""
    return not any(direct.count(name) for name in LOOKED_AT)


def _embedded(name: str, row: Mapping[str, Any]) -> list[str]:
    """Gives the texts of a row whose vectors the store will ask for."""
    if name == "records":
        pieces = cut(row["content"], row["kind"], row["path"])
        return [search_text(row["title"], piece.heading, piece.text) for piece in pieces]
    if name == "memories" and row["status"] != REFUSED:
        return [search_text(row["subject"], None, row["content"])]
    return [search_text(None, None, row["content"])] if name == "extractions" else []


def _read(row: Mapping[str, Json]) -> tuple[tuple[str, str | None, str | None, str], list[Fact]]:
    text = (row["content"], row["context"], row["role"], row["extractor_version"])
    return text, [Fact(**fact) for fact in row[FACTS] or ()]
