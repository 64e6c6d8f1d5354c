"""What an index kept in memory reads: only the rows that were touched since it last looked.

Every write sets `touched_at` while it holds the table's queue, so times ascend as writes end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from pixeltable.config import Config

from knowwhy.errors import StoreFailed
from knowwhy.tables import udfs
from knowwhy.tables.catalogue import Note, noted
from knowwhy.tables.reading import reading
from knowwhy.tables.vectors import holders
from knowwhy.tables.write import table
from knowwhy.text.pages.passages import in_context
from knowwhy.types import Passage

PAGE = 500  # records whose passages are read at once: bounds memory, 0.1 s a page
PASSAGE = tuple(field.name for field in fields(Passage))
REMEMBERED = ("active", "superseded")  # statuses of memories that a search may show
PIECE = ("key", "pos", "project", "kind", "service", "search_text", "context", "occurred_at")

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
class Label:
    """What a search can hide a text by."""

    table: str  # records, memories or turns
    kind: str
    service: str | None = None
    status: str | None = None  # of a memory


@dataclass(frozen=True, slots=True)
class Piece:
    """What the word index keeps of a text; the text only passes through."""

    place: Place
    scope: str
    label: Label
    search_text: str
    standing: int = 0  # of equals the lowest comes first
    ends: datetime | None = None  # when it is to be found no more
    at: datetime | None = None  # the record's date, or when it was said


def folder() -> Path:
    """Gives the home, where what is derived from the tables may be kept beside them."""
    return Path(Config.get().home)


def stamp(of: str = "records") -> Stamp:
    """Tells which table there is and its version, which every write moves."""
    return stamps((of,))[of]


def stamps(of: Collection[str]) -> dict[str, Stamp]:
    """Tells the same of several tables, all at one moment."""
    return _stamps(of, noted(of))


def stamps_and_model(of: Collection[str]) -> tuple[dict[str, Stamp], str]:
    """Tells the same, and which model made the vectors that are searched at that moment."""
    wanted = (*of, holders.FIRST)
    found = noted(wanted)
    stamped = _stamps(wanted, found)
    del stamped[holders.FIRST]
    model = holders.model_in(found)
    assert model is not None, "its view was found"
    return stamped, model.embedder


def _stamps(of: Collection[str], found: Mapping[str, Note]) -> dict[str, Stamp]:
    if missing := sorted(set(of) - found.keys()):
        raise StoreFailed(f"The home has lost its {', '.join(missing)}; run `knowwhy doctor`.")
    return {name: Stamp(note.id, note.version) for name, note in found.items()}


def touched_since(moment: datetime, of: str = "records") -> list[Touched]:
    """Lists the rows written at or after a moment, those that are gone from search included."""
    rows = table(of)
    with reading(rows):
        wanted = rows.where(rows.touched_at >= moment)
        columns = {"key": rows.key, "at": rows.touched_at} | _standing_of(rows, of)
        found = list(wanted.select(**columns).collect())
    return [Touched(row["key"], row["at"], _is_alive(row)) for row in found]


def live_rows(of: str = "records") -> dict[str, datetime]:
    """Gives when each row that can be found was last written."""
    rows = table(of)
    with reading(rows):
        found = list(_alive(rows, of).select(key=rows.key, at=rows.touched_at).collect())
    return {row["key"]: row["at"] for row in found}


def count_live(of: str = "records") -> int:
    """Counts the rows that can be found."""
    rows = table(of)
    with reading(rows):
        return int(_alive(rows, of).count())


def count_pieces(of: str = "records") -> int:
    """Counts the texts of a table that the word index is to hold."""
    if of != "records":
        return count_live(of)
    source = table("passages")
    with reading(source):
        return int(source.where(_is_live(source)).count())


def newest(of: str = "records") -> datetime | None:
    """Gives the moment of the last write to any row of a table."""
    rows = table(of)
    with reading(rows):
        last = rows.order_by(rows.touched_at, asc=False).limit(1)
        found = list(last.select(at=rows.touched_at).collect())
    return found[0]["at"] if found else None


def _alive(rows: Any, of: str) -> Any:
    """Gives the rows that can be found; what expires is left out when it is read."""
    if of == "records":
        return rows.where(_is_live(rows))
    return rows.where(rows.status.isin(list(REMEMBERED))) if of == "memories" else rows


def _standing_of(rows: Any, of: str) -> dict[str, Any]:
    if of == "records":
        return {"retired": rows.retired_at}
    return {"status": rows.status} if of == "memories" else {}


def _is_alive(row: Any) -> bool:
    if "status" in row:
        return row["status"] in REMEMBERED
    return row.get("retired") is None


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
                Label("records", row["kind"], row["service"]),
                in_context(row["context"], row["pos"], row["search_text"]),
                at=row["occurred_at"],
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


def project_of(scope: str) -> str | None:
    """Gives back the project whose records have a scope."""
    return scope.removeprefix("project:") if scope.startswith("project:") else None


def _is_live(source: Any) -> Any:
    return source.retired_at == None  # noqa: E711  # SQL


def _columns(source: Any, query: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    return list(query.select(**{name: getattr(source, name) for name in names}).collect())
