"""The words of every live passage, kept current with the tables."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from knowwhy.retrieval import snapshot
from knowwhy.retrieval.okapi import Document, Index
from knowwhy.retrieval.snapshot import Snapshot
from knowwhy.tables import touched
from knowwhy.tables.touched import Piece, Place
from knowwhy.text.citations import citations
from knowwhy.types import Filters, Passage

CLOCKS_APART = timedelta(seconds=10)  # machines around one database; what is read twice costs 10 ms
SAVE_SHARE = 0.05  # of all records read anew since the snapshot: below it reading them is cheaper
SAVE_AT_LEAST = 200  # records; reading so few takes no longer than writing the file
PASSAGES_KEPT = 10_000  # passages with their texts: about 20 MB, the hits of 100 questions
EPOCH = datetime.fromtimestamp(0, UTC)


class PassageWords:
    """The index of one records table; any thread may use it."""

    def __init__(self, table: str) -> None:
        self._lock = threading.RLock()
        self._table = table
        self._version = -1
        self._index: Index[Place] = Index()
        self._records: dict[str, datetime] = {}  # live ones, and when each was last written
        self._sizes: dict[str, int] = {}  # passages of each
        self._names: dict[Place, frozenset[str]] = {}  # records that a passage cites, if any
        self._newest = EPOCH
        self._unsaved = 0  # records read since the snapshot
        self._passages: OrderedDict[Place, Passage] = OrderedDict()

    @property
    def table(self) -> str:
        """Names the table that was read."""
        return self._table

    @property
    def index(self) -> Index[Place]:
        """Gives the index itself, to be measured."""
        return self._index

    def search(self, question: str, filters: Filters, k: int) -> list[tuple[Passage, float]]:
        """Ranks the k best passages that share words with a question."""
        found = self.best(question, filters, k)
        passages = self.passages([place for place, _ in found])
        return [(passages[place], score) for place, score in found if place in passages]

    def best(self, question: str, filters: Filters, k: int) -> list[tuple[Place, float]]:
        """Ranks places without reading their texts.

        A project is a scope of its own, whose words weigh as if it were all there is. Kind and
        service only hide: they do not change how much a word weighs.
        """
        scopes = None if filters.project is None else {touched.scope_of(filters.project)}
        hides = filters.kinds is not None or filters.service is not None
        with self._lock:
            return self._index.best(question, k, scopes, _allowing(filters) if hides else None)

    def cited(self, place: Place) -> frozenset[str]:
        """Names the records that a passage cites."""
        return self._names.get(place, frozenset())

    def passages(self, places: Iterable[Place]) -> dict[Place, Passage]:
        """Gives passages by their places: the latest from memory, the others in one query."""
        wanted = list(places)
        with self._lock:
            version = self._version
            found = {place: self._passages[place] for place in wanted if place in self._passages}
        found |= touched.passages_at([place for place in wanted if place not in found])
        with self._lock:
            if version == self._version:  # else what was read may be older than the index
                self._keep(found)
        return found

    def _keep(self, passages: dict[Place, Passage]) -> None:
        for place, passage in passages.items():
            self._passages[place] = passage
            self._passages.move_to_end(place)
        while len(self._passages) > PASSAGES_KEPT:
            self._passages.popitem(last=False)

    def refresh(self, stamp: touched.Stamp) -> None:
        """Takes in what was written since the last look, by this process or another."""
        with self._lock:
            if stamp.version == self._version:
                return
            if self._version < 0:
                self._start(stamp)
            else:
                self._follow()
            self._version = stamp.version
            self._save()

    def _start(self, stamp: touched.Stamp) -> None:
        """Begins with the snapshot, and with what it does not know."""
        kept = snapshot.load(touched.folder(), self._table)
        if kept is not None:
            self._index, self._names = Index.of(kept.state), dict(kept.names)
            self._records, self._newest = dict(kept.records), kept.newest
            self._sizes = dict(Counter(key for key, _ in kept.state.ids))
        if kept is None or kept.version != stamp.version or not self._agrees():
            self._compare()

    def _agrees(self) -> bool:
        """Tells whether the table is as the snapshot left it, and not restored from another day."""
        counted = touched.count_live() == len(self._records)
        return counted and (touched.newest() or EPOCH) == self._newest

    def _follow(self) -> None:
        """Reads the records touched since the last look."""
        seen = touched.touched_since(self._newest - CLOCKS_APART)
        self._forget(record.key for record in seen if not record.live)
        changed = {r.key: r.at for r in seen if r.live and self._records.get(r.key) != r.at}
        self._take(changed)
        self._newest = max([self._newest, *(record.at for record in seen)])
        if touched.count_live() != len(self._records):
            self._compare()  # rows were deleted, which touches nothing

    def _compare(self) -> None:
        """Compares every record with the table: needed at a start and after deletions."""
        newest = touched.newest() or EPOCH  # first: what is written from here on is read again
        live = touched.live_records()
        self._forget([key for key in self._records if key not in live])
        self._take({key: at for key, at in live.items() if self._records.get(key) != at})
        self._newest = newest

    def _take(self, records: dict[str, datetime]) -> None:
        self._forget(list(records))
        for page in touched.pieces(sorted(records)):
            self._index.put(_document(piece) for piece in page)
            for piece in page:
                self._sizes[piece.place[0]] = self._sizes.get(piece.place[0], 0) + 1
                if names := _cited(piece):
                    self._names[piece.place] = names
        self._records |= records
        self._unsaved += len(records)

    def _forget(self, keys: Iterable[str]) -> None:
        gone = []
        for key in keys:
            self._records.pop(key, None)
            gone += [(key, position) for position in range(self._sizes.pop(key, 0))]
        for place in gone:
            self._passages.pop(place, None)
            self._names.pop(place, None)
        self._index.remove(gone)

    def _save(self) -> None:
        if self._unsaved < max(SAVE_AT_LEAST, SAVE_SHARE * len(self._records)):
            return
        self._unsaved = 0
        state = self._index.packed()
        moment = (self._table, self._version, self._newest)
        kept = Snapshot(*moment, self._records, state, self._names)
        snapshot.save(touched.folder(), kept)


def current(stamp: touched.Stamp | None = None) -> PassageWords:
    """Gives the index of the open home as it is now: what a write has returned is in it."""
    stamp = stamp or touched.stamp()
    with _opening:
        if not _kept or _kept[0].table != stamp.table:
            _kept[:] = [PassageWords(stamp.table)]
        index = _kept[0]
    index.refresh(stamp)
    return index


_opening = threading.Lock()
_kept: list[PassageWords] = []


def _cited(piece: Piece) -> frozenset[str]:
    return frozenset(c.target for c in citations(piece.search_text) if c.kind == "record")


def _document(piece: Piece) -> Document[Place]:
    return Document(piece.place, piece.scope, piece.search_text, (piece.kind, piece.service))


def _allowing(filters: Filters) -> Callable[[Any], bool]:
    kinds, service = filters.kinds, filters.service

    def allowed(label: tuple[str, str | None]) -> bool:
        kind, of = label
        return (kinds is None or kind in kinds) and (service is None or of == service)

    return allowed
