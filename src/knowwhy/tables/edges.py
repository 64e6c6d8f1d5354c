"""What the graph is built from: the records without their texts, and the links they state."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from knowwhy.errors import StoreFailed
from knowwhy.tables import udfs
from knowwhy.tables.failures import translated
from knowwhy.tables.write import queue, table
from knowwhy.text.formats.stated import stated as stated_of
from knowwhy.types import LEVELS, Draft, Edge, Record

READ = (
    "label", "kind", "service", "project", "path", "title", "status", "authors", "occurred_at",
    "retired_at",
)  # fmt: skip
# what resolving an import, keeping to a level, and asking for a service's incidents need
KEPT_METADATA = ("module", *LEVELS, "services")
STATED = "stated"  # among the metadata that are kept: its short facts, by name
DERIVED_FROM = ("content", "kind", "label", "path", "metadata")  # as the links column is declared
PAGE = 100  # records; others wait to write while the links of so many are derived, about a second


def stated(since: datetime | None = None) -> list[Record]:
    """Reads every record, or those touched since a time, without texts; retired ones too."""
    records = table("records")
    query = records if since is None else records.where(records.touched_at >= since)
    names = ("key", *READ, "metadata", "links", "created_at", "touched_at")
    with translated("reading the links"):
        return [_record(row) for row in _select(records, query, names)]


def count_records() -> int:
    """Counts the records, retired ones too."""
    with translated("counting the records"):
        return int(table("records").count())


def derive_links(*, dry_run: bool = False) -> Iterator[tuple[str, set[Edge], set[Edge]]]:
    """Derives the links of every record anew; gives each that changed, with its links before.

    The store computes the links when what they are derived from is written, so the metadata are
    written back, unchanged; `touched_at` moves in the same write and tells other processes. A dry
    run writes nothing.
    """
    last = ""
    while True:
        with translated("deriving the links"), queue("records"):
            page = _page(last)
            derived = [(row, set(_edges(row["links"])), set(_edges(_derived(row)))) for row in page]
            stale = [change for change in derived if change[1] != change[2]]
            _write_back([] if dry_run else [row for row, *_ in stale])
        for row, before, now in stale:
            yield row["key"], before, now
        if len(page) < PAGE:
            return
        last = page[-1]["key"]


def _page(after: str) -> list[dict[str, Any]]:
    records = table("records")
    query = records.where(records.key > after).order_by(records.key).limit(PAGE)
    return _select(records, query, ("key", *DERIVED_FROM, "links"))


def _derived(row: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = udfs.links.py_fn(*(row[name] for name in DERIVED_FROM))
    return found


def _write_back(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    now = datetime.now(UTC)
    told = [{"key": r["key"], "metadata": r["metadata"], "touched_at": now} for r in rows]
    status = table("records").batch_update(told)
    if status.num_excs:
        raise StoreFailed(f"The store could not derive {', '.join(status.cols_with_excs)}.")


def _select(records: Any, query: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return list(query.select(**{name: getattr(records, name) for name in names}).collect())


def _record(row: dict[str, Any]) -> Record:
    said = {name: row[name] for name in READ} | {"authors": tuple(row["authors"] or ())}
    whole = row["metadata"] or {}
    metadata = {n: v for n, v in whole.items() if n in KEPT_METADATA}
    if facts := stated_of(whole):
        metadata[STATED] = facts
    draft = Draft(id=row["key"], content="", metadata=metadata, **said)
    return Record(draft, tuple(_edges(row["links"])), row["created_at"], row["touched_at"])


def _edges(links: list[dict[str, str]] | None) -> list[Edge]:
    return [Edge(**link) for link in links or ()]
