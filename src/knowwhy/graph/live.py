"""The graph of the process, kept in line with the tables."""

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from knowwhy.graph.build import Graph
from knowwhy.tables import edges, touched
from knowwhy.tables.touched import Stamp
from knowwhy.types import Record

CLOCKS = timedelta(seconds=5)  # clocks of machines around one database differ by less


@dataclass(slots=True)
class _Live:
    graph: Graph = field(default_factory=Graph)
    stamp: Stamp | None = None
    keys: set[str] = field(default_factory=set)  # of all records, retired ones too
    touched_at: datetime | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_live = _Live()


def current(stamp: Stamp | None = None) -> Graph:
    """Gives the graph of what is stored now, reading only the records that were touched."""
    with _live.lock:
        stamp = stamp or touched.stamp()
        if stamp != _live.stamp:
            is_other = _live.stamp is None or stamp.table != _live.stamp.table
            if is_other:  # another home, or made anew
                _live.graph, _live.keys, _live.touched_at = Graph(), set(), None
                _live.stamp = None  # until all is read: a failure leaves no half graph behind
            _refresh()
            _live.stamp = stamp
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
