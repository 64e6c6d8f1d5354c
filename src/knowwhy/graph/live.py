"""The graph of the process, kept in line with the tables."""

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from knowwhy.graph.build import Graph
from knowwhy.tables import edges, queries
from knowwhy.types import Record

CLOCKS = timedelta(seconds=5)  # clocks of machines around one database differ by less


@dataclass(slots=True)
class _Live:
    graph: Graph = field(default_factory=Graph)
    version: int = -1
    keys: set[str] = field(default_factory=set)  # of all records, retired ones too
    touched_at: datetime | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_live = _Live()


def current() -> Graph:
    """Gives the graph of what is stored now, reading only the records that were touched."""
    with _live.lock:
        version = queries.version("records")
        if version != _live.version:
            _refresh()
            _live.version = version
        return _live.graph


def _refresh() -> None:
    since = _live.touched_at and _live.touched_at - CLOCKS
    _take(edges.stated(since))
    if since and edges.count_records() != len(_live.keys):  # rows were deleted
        found = edges.stated()
        gone = _live.keys - {record.draft.id for record in found}
        _live.graph.apply(dict.fromkeys(gone))
        _live.keys -= gone
        _take(found)


def _take(found: list[Record]) -> None:
    _live.graph.apply({r.draft.id: None if r.draft.retired_at else r for r in found})
    _live.keys |= {record.draft.id for record in found}
    _live.touched_at = max((r.touched_at for r in found), default=_live.touched_at)
