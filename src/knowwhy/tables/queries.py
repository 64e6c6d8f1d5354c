"""Everything that is read from the tables."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import sqlalchemy as sql
from numpy.typing import NDArray
from pixeltable.env import Env

from knowwhy import models
from knowwhy.errors import NotFound
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.kept.memories import safe
from knowwhy.tables.reading import hash_below, reading
from knowwhy.tables.scope import dated, seen
from knowwhy.tables.touched import Place
from knowwhy.tables.vectors.holders import of_model
from knowwhy.tables.write import table
from knowwhy.text.nearest import LEAST_TYPED, begins, did_you_mean, some
from knowwhy.text.secrets.redact import redact
from knowwhy.types import (
    ALWAYS,
    DATE_ORDER,
    KIND_BY,
    Asker,
    Between,
    Draft,
    Edge,
    Filters,
    Known,
    Passage,
    Recall,
    Record,
    Repository,
)

RECALL = tuple(field.name for field in fields(Recall))
NOTED = (KIND_BY, DATE_ORDER)  # of what is known, what stands among the metadata
KNOWN = tuple(field.name for field in fields(Known) if field.name not in NOTED)
PASSAGE = tuple(field.name for field in fields(Passage))
DRAFT = ("key", *(field.name for field in fields(Draft) if field.name != "id"))
SAMPLE = 20  # vectors that doctor asks for: 0.2 s
NEIGHBOURS = 50  # texts that are alike may stand before a text itself
COMPARED = 50_000  # names that a wrong one is compared with: half a second
LONGEST_SHOWN = 120  # characters of a name that nothing has
PAGE = 500  # records read at once; an export of any size stays in bounded memory


def known_records() -> list[Known]:
    """Lists what re-ingest compares with: every record's key, origin and hash."""
    records = table("records")
    noted = {name: records.metadata[name] for name in NOTED}
    return [Known(**row) for row in _rows(records, KNOWN, **noted)]


def record(
    name: str,
    *,
    project: str | None = None,
    files: Sequence[str] = (),
    named: Callable[[str], Collection[str]] = lambda _: (),
) -> Record:
    """Finds a record by key, else by its file, else by the label or path that only it has.

    Files are those that the name may be a path of; named gives the keys of what else it may name.
    In a project the records of others do not exist.
    """
    records, seeing = table("records"), Filters(project=project)
    by_file = [(records.source, file) for file in files]
    for column, value in (
        *((records.key, name), *by_file),
        *((records.label, name), (records.path, name)),
    ):
        found = _rows(records, ("key", "project"), records.where(column == value))
        keys = [row["key"] for row in found if seeing.within(row["project"])]
        if keys:
            return _only(name, keys)
    if (begun := _begun(name, seeing)) is not None:
        return begun
    if keys := sorted(named(name)):
        return _only(name, keys)
    raise unknown_record(name, seeing)


def _only(name: str, keys: Sequence[str]) -> Record:
    """Gives the one record that is called so; of several it names the keys."""
    if len(keys) > 1:
        shown = repr(redact(name)[:LONGEST_SHOWN])
        raise NotFound(f"{shown} names {len(keys)} records: {some(keys)}. Give one of the keys.")
    records = table("records")
    return next(_records(records, records.where(records.key == keys[0])))


def is_record(key: str, *, project: str | None = None) -> bool:
    """Tells whether a record that is seen in a project has a key."""
    source, seeing = table("records"), Filters(project=project)
    return any(
        seeing.within(r["project"])
        for r in _rows(source, ("project",), source.where(source.key == key))
    )


def unknown_record(name: str, seeing: Filters) -> NotFound:
    """Says that no record is called so, and which ones that an asker may see nearly are."""
    shown = repr(redact(name)[:LONGEST_SHOWN])
    said = did_you_mean(name, _names(seeing))
    return NotFound(f"No record is called {shown}{said or '. `knowwhy list` shows the keys.'}")


def _names(seeing: Filters) -> Iterator[str]:
    """Gives the keys and labels of live records, as many as can be compared at once."""
    source = table("records")
    live = source.where(_live(source, seeing)).limit(COMPARED)
    for row in _rows(source, ("key", "label"), live):
        yield row["key"]
        yield from [row["label"]] if row["label"] else []


def _begun(name: str, seeing: Filters) -> Record | None:
    """Finds the one record whose key begins so; a number that goes on is another one."""
    if len(name) < LEAST_TYPED:
        return None
    records = direct.live_rows("records").c
    seen_here = [records.project.is_(None), records.project == seeing.project]
    wanted = [
        records.key.startswith(name, autoescape=True),
        records.retired_at.is_(None),
        sql.or_(*seen_here) if seeing.project is not None else sql.true(),
    ]
    rows = direct.select("looking for a record", sql.select(records.key).where(*wanted))
    keys = [row["key"] for row in rows if begins(row["key"], name)]
    if len(keys) > 1:
        shown = repr(redact(name)[:LONGEST_SHOWN])
        raise NotFound(f"{shown} begins {len(keys)} keys: {some(keys)}. Give more of one.")
    source = table("records")
    return next(_records(source, source.where(source.key == keys[0]))) if keys else None


def repository(key: str) -> Repository | None:
    """Finds a repository as it was last synced."""
    source = table("repositories")
    names = tuple(field.name for field in fields(Repository))
    for row in _rows(source, names, source.where(source.key == key)):
        return Repository(**{**row, "again": tuple(row["again"])})
    return None


def sources_touched_since(moment: datetime) -> set[str]:
    """Names the files whose records were written or retired after a moment."""
    source = table("records")
    later = source.where(source.touched_at > moment)
    return {row["source"] for row in _rows(source, ("source",), later) if row["source"]}


def records(
    kind: str | None = None,
    *,
    retired: bool = False,
    limit: int | None = None,
    within: Between = ALWAYS,
) -> Iterator[Record]:
    """Reads records in the order of their keys."""
    source = table("records")
    wanted = _all_of([*_listed(source, kind, retired=retired), *dated(source.occurred_at, within)])
    last, left = "", limit
    while left is None or left > 0:
        page = source.where(_all_of([source.key > last], wanted)).order_by(source.key)
        found = list(_records(source, page.limit(PAGE if left is None else min(PAGE, left))))
        yield from found
        if len(found) < PAGE:
            return
        last, left = found[-1].draft.id, None if left is None else left - len(found)


def count_undated(kind: str | None = None, *, retired: bool = False) -> int:
    """Counts the records without a date, which are in no span of time."""
    source = table("records")
    undated = source.occurred_at == None  # noqa: E711  # SQL
    with translated("counting records"):
        return int(source.where(_all_of(_listed(source, kind, retired=retired), undated)).count())


def _listed(source: Any, kind: str | None, *, retired: bool) -> list[Any]:
    wanted = [source.kind == kind] if kind else []
    return wanted if retired else [*wanted, source.retired_at == None]  # noqa: E711  # SQL


def links() -> dict[str, list[Edge]]:
    """Gives what every live record points to, by the record's key."""
    source = table("records")
    live = source.where(source.retired_at == None)  # noqa: E711  # SQL
    return {
        row["key"]: [Edge(**e) for e in row["links"] or ()]
        for row in _rows(source, ("key", "links"), live)
    }


def passages(filters: Filters | None = None) -> list[Passage]:
    """Reads every passage of the live records that the filters leave."""
    source = table("passages")
    live = source.where(_live(source, filters or Filters()))
    return [Passage(**row) for row in _rows(source, PASSAGE, live)]


def nearest(
    vector: NDArray[Any], k: int, filters: Filters, embedder: str, *, share: float = 1.0
) -> list[tuple[Place, float]]:
    """Finds where the k live passages stand that are nearest to a vector, by cosine.

    Their texts are read elsewhere: fetching them here takes as long again as finding them. Who
    measures the search may limit it to a share of the passages.
    """
    with of_model(embedder):
        source = table("passages")
        with reading(source):
            near = source.search_text.similarity(vector=vector, idx=models.tag(embedder))
            wanted = _live(source, filters)
            if share < 1:
                wanted = wanted & (source.text_hash < hash_below(share))
            found = source.where(wanted).order_by(near, asc=False).limit(k)
            rows = _rows(source, ("key", "pos"), found, nearness=near)
    return [((row["key"], row["pos"]), float(row["nearness"])) for row in rows]


def counts() -> dict[str, Any]:
    """Counts records by kind, those retired, passages, and rows of the other tables."""
    rows = _rows(table("records"), ("kind", "retired_at"))
    kinds = Counter(row["kind"] for row in rows if row["retired_at"] is None)
    with translated("counting rows"):
        others = {
            name: table(name).count() for name in ("passages", "turns", "memories", "recalls")
        }
    return {
        "records": sum(kinds.values()),
        "kinds": dict(sorted(kinds.items())),
        "retired": len(rows) - sum(kinds.values()),
        **others,
    }


def recalls(limit: int, asker: Asker | None = None) -> list[Recall]:
    """Lists what was asked last, newest first: of what an asker may see, else in the whole home.

    In a project a search of no project stands there too, without the records of other projects.
    """
    source = table("recalls")
    wanted = source if asker is None else source.where(seen(source, safe(asker)))
    rows = _rows(source, RECALL, wanted.order_by(source.at, source.key, asc=False).limit(limit))
    hidden = _elsewhere(set().union(*map(_named, rows)), safe(asker).project) if asker else set()
    return [Recall(**_without(row, hidden)) for row in rows]


def _named(row: Mapping[str, Any]) -> set[str]:
    items = (row["packed"] or {}).get("items", [])
    return {
        *row["result_keys"],
        *(row["ranks"] or {}),
        *(item["key"] for item in items if item["key"]),
    }


def _without(row: Mapping[str, Any], hidden: Collection[str]) -> dict[str, Any]:
    """Gives a search without what it has found of some records."""
    ranks, packed = row["ranks"], row["packed"]
    if packed and "items" in packed:
        shown = [item for item in packed["items"] if item["key"] not in hidden]
        packed = {**packed, "items": shown}
    return {
        **row,
        "result_keys": tuple(key for key in row["result_keys"] if key not in hidden),
        "ranks": ranks and {key: at for key, at in ranks.items() if key not in hidden},
        "packed": packed,
    }


def _elsewhere(keys: Collection[str], project: str | None) -> set[str]:
    """Gives those of the keys that are of records of another project."""
    if project is None or not keys:
        return set()
    records = table("records")
    others = records.key.isin(sorted(keys)) & (records.project != None)  # noqa: E711  # SQL
    rows = _rows(records, ("key",), records.where(others & (records.project != project)))
    return {row["key"] for row in rows}


def unindexed(embedder: str, of: str = "passages") -> tuple[int, int]:
    """Counts all rows of a table with vectors, and those that have none."""
    source = table(of)
    with translated("checking the vectors"):
        vector = source.search_text.embedding(idx=models.tag(embedder))
        return source.count(), source.where(vector == None).count()  # noqa: E711  # SQL


def lost_vectors(embedder: str) -> list[str]:
    """Asks the index for a sample of its own vectors; gives the records that it does not find."""
    source, tag = table("passages"), models.tag(embedder)
    vector = source.search_text.embedding(idx=tag)
    live = source.where(source.retired_at == None).order_by(source.text_hash).limit(SAMPLE)  # noqa: E711  # SQL
    rows = _rows(source, ("key", "text_hash"), live, vector=vector)
    return [
        row["key"]
        for row in rows
        if row["text_hash"] not in _nearest_hashes(source, row["vector"], tag)
    ]


def _nearest_hashes(source: Any, vector: NDArray[Any], tag: str) -> set[str]:
    near = source.search_text.similarity(vector=vector, idx=tag)
    found = _rows(source, ("text_hash",), source.order_by(near, asc=False).limit(NEIGHBOURS))
    return {row["text_hash"] for row in found}


def invalid_indexes() -> list[str]:
    """Names the indexes that an interrupted build left unusable."""
    statement = sql.text(
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE NOT i.indisvalid ORDER BY 1"
    )
    with translated("checking the indexes"), Env.get().engine.connect() as connection:
        return [str(name) for name in connection.scalars(statement)]


def records_without_passages() -> list[str]:
    """Lists the live records that no search can find."""
    live = table("records")
    keys = {row["key"] for row in _rows(live, ("key",), live.where(live.retired_at == None))}  # noqa: E711  # SQL
    return sorted(keys - {row["key"] for row in _rows(table("passages"), ("key",))})


def _rows(
    source: Any, names: Iterable[str], query: Any = None, **more: Any
) -> list[dict[str, Any]]:
    """Collects columns of a table, or of a query over it."""
    with reading(source):
        columns = {name: getattr(source, name) for name in names}
        return list((source if query is None else query).select(**columns, **more).collect())


def _records(source: Any, query: Any) -> Iterator[Record]:
    for row in _rows(source, (*DRAFT, "links", "created_at", "touched_at"), query):
        stored = {name: row[name] for name in DRAFT if name != "key"}
        stored |= {"authors": tuple(row["authors"] or ()), "metadata": row["metadata"] or {}}
        edges = tuple(Edge(**edge) for edge in row["links"] or ())
        yield Record(Draft(id=row["key"], **stored), edges, row["created_at"], row["touched_at"])


def _live(source: Any, filters: Filters) -> Any:
    wanted = [source.retired_at == None]  # noqa: E711  # SQL
    if filters.kinds is not None:
        wanted.append(source.kind.isin(list(filters.kinds)))
    if filters.service is not None:
        wanted.append(source.service == filters.service)
    if filters.project is not None:
        of_none = source.project == None  # noqa: E711  # SQL
        wanted.append(of_none | (source.project == filters.project))
    return _all_of([*wanted, *dated(source.occurred_at, filters.dated)])


def _all_of(conditions: Sequence[Any], last: Any = None) -> Any:
    """Joins conditions by AND; Pixeltable's expressions have no truth value to fold over."""
    joined = last
    for condition in conditions:
        joined = condition if joined is None else condition & joined
    return joined
