"""What an index kept in memory reads: only the rows that were touched since it last looked.

Every write sets `touched_at` while it holds the table's queue, so times ascend as writes end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from pixeltable.config import Config

from knowwhy.tables import udfs
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.write import table
from knowwhy.text.passages import in_context
from knowwhy.types import Passage

PAGE = 500  # records whose passages are read at once: bounds memory, 0.1 s a page
PASSAGE = tuple(field.name for field in fields(Passage))
PIECE = ("key", "pos", "project", "kind", "service", "search_text", "context")

Place = tuple[str, int]  # a passage: its record's key and its position there


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which state of the table something was made from."""

    table: str  # another one when the table was made anew
    version: int


@dataclass(frozen=True, slots=True)
class Touched:
    """A record that was written."""

    key: str
    at: datetime
    live: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """What the word index keeps of a passage; the text only passes through."""

    place: Place
    scope: str
    kind: str
    service: str | None
    search_text: str


def folder() -> Path:
    """Gives the home, where what is derived from the tables may be kept beside them."""
    return Path(Config.get().home)


def stamp() -> Stamp:
    """Tells which records table there is and its version, which every write moves."""
    with translated("reading the version of records"):
        found = table("records").get_metadata()
        return Stamp(str(found["id"]), int(found["version"]))


def touched_since(moment: datetime) -> list[Touched]:
    """Lists the records written at or after a moment, retired ones included."""
    records = table("records")
    with reading(records):
        wanted = records.where(records.touched_at >= moment)
        columns = {"key": records.key, "at": records.touched_at, "retired": records.retired_at}
        rows = list(wanted.select(**columns).collect())
    return [Touched(row["key"], row["at"], row["retired"] is None) for row in rows]


def live_records() -> dict[str, datetime]:
    """Gives when each live record was last written."""
    records = table("records")
    with reading(records):
        live = records.where(_is_live(records))
        rows = list(live.select(key=records.key, at=records.touched_at).collect())
    return {row["key"]: row["at"] for row in rows}


def count_live() -> int:
    """Counts the live records."""
    records = table("records")
    with reading(records):
        return int(records.where(_is_live(records)).count())


def newest() -> datetime | None:
    """Gives the moment of the last write to any record."""
    records = table("records")
    with reading(records):
        last = records.order_by(records.touched_at, asc=False).limit(1)
        rows = list(last.select(at=records.touched_at).collect())
    return rows[0]["at"] if rows else None


def pieces(keys: Sequence[str]) -> Iterator[list[Piece]]:
    """Reads the passages of the live ones among some records, page by page."""
    source = table("passages")
    for start in range(0, len(keys), PAGE):
        with reading(source):
            named = source.key.isin(list(keys[start : start + PAGE]))
            rows = _columns(source, source.where(named & _is_live(source)), PIECE)
        yield [
            Piece(
                (row["key"], row["pos"]),
                scope_of(row["project"]),
                row["kind"],
                row["service"],
                in_context(row["context"], row["pos"], row["search_text"]),
            )
            for row in rows
        ]


def passages_at(places: Collection[Place]) -> dict[Place, Passage]:
    """Reads passages by where they stand; one that is gone meanwhile is left out."""
    if not places:
        return {}
    source = table("passages")
    by_position: dict[int, list[str]] = defaultdict(list)
    for key, position in places:
        by_position[position].append(key)
    # Two conditions of their own would read every pair: 2,000 rows for 100 (149 ms against 76).
    with reading(source):
        keys, at = source.key, source.pos  # each look-up of a column asks the catalog
        exact = [keys.isin(some) & (at == pos) for pos, some in by_position.items()]
        named = keys.isin(sorted({key for key, _ in places}))
        wanted = source.where(named & reduce(or_, exact) & _is_live(source))
        rows = _columns(source, wanted, PASSAGE)
    return {(row["key"], row["pos"]): Passage(**row) for row in rows}


def scope_of(project: str | None) -> str:
    """Names the scope of a record, which no user owns."""
    return str(udfs.scope.py_fn(None, project))


def _is_live(source: Any) -> Any:
    return source.retired_at == None  # noqa: E711  # SQL


def _columns(source: Any, query: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    return list(query.select(**{name: getattr(source, name) for name in names}).collect())
