"""A table followed by an index in memory: only what was written since the last look is read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from knowwhy.retrieval.words.snapshot import Seen
from knowwhy.tables import touched
from knowwhy.tables.touched import Piece, Place

CLOCKS_APART = timedelta(seconds=10)  # machines around one database; what is read twice costs 10 ms
EPOCH = datetime.fromtimestamp(0, UTC)

Take = Callable[[list[Piece]], None]
Drop = Callable[[list[Place]], None]


@dataclass(slots=True)
class Followed:
    """Which rows of a table an index holds, and as of when."""

    name: str
    pieces: Callable[[Sequence[str]], Iterator[list[Piece]]]
    take: Take  # puts the pieces of a page into the index
    drop: Drop  # takes places out of it
    version: int = -1
    rows: dict[str, datetime] = field(default_factory=dict)  # live ones, and when each was written
    places: dict[str, list[Place]] = field(default_factory=dict)  # of each
    newest: datetime = EPOCH
    unsaved: int = 0  # rows read since the snapshot

    def seen(self) -> Seen:
        """Gives what a snapshot keeps."""
        return Seen(self.version, self.newest, dict(self.rows))

    def begin(self, kept: Seen, places: Iterable[Place], version: int) -> None:
        """Begins with a snapshot, and with what it does not know."""
        self.rows, self.newest = dict(kept.rows), kept.newest
        for place in places:
            self.places.setdefault(place[0], []).append(place)
        if kept.version != version or not self._agrees():
            self.compare()
        self.version = version

    def refresh(self, version: int) -> None:
        """Reads the rows touched since the last look."""
        if version == self.version:
            return
        if self.version < 0:
            self.compare()
        else:
            self._follow()
        self.version = version

    def _agrees(self) -> bool:
        """Tells whether the table is as the snapshot left it, and not restored from another day."""
        counted = touched.count_live(self.name) == len(self.rows)
        return counted and (touched.newest(self.name) or EPOCH) == self.newest

    def _follow(self) -> None:
        seen = touched.touched_since(self.newest - CLOCKS_APART, self.name)
        self._forget(row.key for row in seen if not row.live)
        self._take({r.key: r.at for r in seen if r.live and self.rows.get(r.key) != r.at})
        self.newest = max([self.newest, *(row.at for row in seen)])
        if touched.count_live(self.name) != len(self.rows):
            self.compare()  # rows were deleted, which touches nothing

    def compare(self) -> None:
        """Compares every row with the table: needed at a start and after deletions."""
        newest = touched.newest(self.name) or EPOCH  # first: what comes later is read again
        live = touched.live_rows(self.name)
        self._forget([key for key in self.rows if key not in live])
        self._take({key: at for key, at in live.items() if self.rows.get(key) != at})
        self.newest = newest

    def _take(self, rows: dict[str, datetime]) -> None:
        self._forget(list(rows))
        for page in self.pieces(sorted(rows)):
            self.take(page)
            for piece in page:
                self.places.setdefault(piece.place[0], []).append(piece.place)
        self.rows |= rows
        self.unsaved += len(rows)

    def _forget(self, keys: Iterable[str]) -> None:
        gone: list[Place] = []
        for key in keys:
            self.rows.pop(key, None)
            gone += self.places.pop(key, [])
        self.drop(gone)
