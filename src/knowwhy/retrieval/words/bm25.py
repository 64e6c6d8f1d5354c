"""The words of everything that can be found, kept current with the tables."""

import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from knowwhy.retrieval.words import snapshot
from knowwhy.retrieval.words.followed import Followed
from knowwhy.retrieval.words.okapi import Document, Index
from knowwhy.retrieval.words.snapshot import Snapshot
from knowwhy.tables import recallable, touched
from knowwhy.tables.kept.memories import SUPERSEDED
from knowwhy.tables.recallable import LENT, LENT_TO_SOME, MEMORY, SAID, Said
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.touched import Label, Piece, Place, Stamp
from knowwhy.text.relating.citations import citations
from knowwhy.text.tokens import least_tokens
from knowwhy.types import Between, Filters, Passage

SAVE_SHARE = 0.05  # of all rows read anew since the snapshot: below it reading them is cheaper
SAVE_AT_LEAST = 200  # rows; reading so few takes no longer than writing the file
KEPT = 10_000  # texts that were shown: about 20 MB, the hits of 100 questions
RECORDS = "records"
TABLES: Mapping[str, Any] = {  # how each table's pieces are read
    RECORDS: lambda keys: touched.pieces(keys),
    "memories": recallable.pieces_of_memories,
    "turns": recallable.pieces_of_turns,
}

Stamps = Mapping[str, Stamp]
Text = TypeVar("Text", Passage, Said)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tokens of what one asker may see."""

    words: "Words"
    scopes: frozenset[str]
    size: int  # passages, memories and turns

    def held(self, words: Collection[str]) -> frozenset[str]:
        """Tells which of some tokens the asker may see somewhere."""
        return self.words.held(words, self.scopes)


class Words:
    """The index of one home's tables; any thread may use it."""

    def __init__(self, table: str) -> None:
        self._lock = threading.RLock()
        self._table = table
        self._index: Index[Place] = Index()
        self._names: dict[Place, frozenset[str]] = {}  # records that a passage cites, if any
        self._standings: dict[Place, int] = {}  # where they are not 0
        self._ends: dict[Place, datetime] = {}  # when what time ends is to be found no more
        self._passages: OrderedDict[Place, Passage] = OrderedDict()
        self._said: OrderedDict[Place, Said] = OrderedDict()
        self._changes = 0
        self._followed = {
            name: Followed(name, pieces, self._take, self._drop) for name, pieces in TABLES.items()
        }
        self._kept = snapshot.load(touched.folder(), table)
        if self._kept is not None:
            self._index, self._names = Index.of(self._kept.state), dict(self._kept.names)
            self._standings, self._ends = dict(self._kept.standings), dict(self._kept.ends)
            self._drop([place for place in self._index.ids if place[1] == LENT])

    @property
    def table(self) -> str:
        """Names the table of records that was read."""
        return self._table

    @property
    def index(self) -> Index[Place]:
        """Gives the index itself, to be measured."""
        return self._index

    def counted(self) -> dict[str, int]:
        """Counts the texts that it holds of each table."""
        with self._lock:
            found = Counter(min(0, position) for _, position in self._index.ids)
        return {name: found[-number] for number, name in enumerate(TABLES)}

    def search(self, question: str, filters: Filters, k: int) -> list[tuple[Passage, float]]:
        """Ranks the k best passages that share words with a question."""
        found = self.best(question, filters, k)
        passages = self.passages([place for place, _ in found])
        return [(passages[place], score) for place, score in found if place in passages]

    def best(
        self, question: str, filters: Filters, k: int, statuses: Collection[str] = ("active",)
    ) -> list[tuple[Place, float]]:
        """Ranks places without reading their texts; of equals what somebody vouched for first.

        A project is a scope of its own, whose words weigh as if it were all there is, and so is
        what an asker was told and said, and each memory that is lent to them. Kind, service, status
        and time only hide: they do not change how much a word weighs. What time has ended is not
        given, and takes nobody's place.
        """
        now = datetime.now(UTC)
        with self._lock:
            self._take_lent(filters)
            scopes = self._scopes(filters)
            over = {place for place, end in self._ends.items() if end <= now}
            most = k + len(over)
            allowed, times = _allowing(filters, statuses), _seconds(filters.dated)
            found = self._index.best(question, most, scopes, allowed, times)
            lasting = [at for at in found if at[0] not in over][:k]
            of = self._standings
            ranked = sorted(lasting, key=lambda at: (-at[1], of.get(at[0], 0), at[0]))
            return [(_as_asked(place), score) for place, score in ranked]

    def holding(
        self, text: str, filters: Filters, statuses: Collection[str] = ("active",)
    ) -> tuple[list[Place], set[Place]]:
        """Gives the places whose texts may hold a text word for word, and those likeliest to.

        It is told by their tokens alone: who needs it exactly must look at the texts.
        """
        least, wholes = least_tokens(text)
        now = datetime.now(UTC)
        with self._lock:
            self._take_lent(filters)
            scopes, allowed = self._scopes(filters), _allowing(filters, statuses)
            over = {place for place, end in self._ends.items() if end <= now}
            found = [p for p in self._index.holding(least, scopes, allowed) if p not in over]
            whole = self._index.holding(least | wholes, scopes, allowed) if wholes else found
        return list(dict.fromkeys(map(_as_asked, found))), set(map(_as_asked, whole))

    def vocabulary(self, filters: Filters) -> "Vocabulary":
        """Gives the tokens of what an asker may see, to be asked for."""
        with self._lock:
            self._take_lent(filters)
            scopes = frozenset(self._scopes(filters))
            return Vocabulary(self, scopes, self._index.size(scopes))

    def held(self, words: Collection[str], scopes: Collection[str]) -> frozenset[str]:
        """Tells which of some tokens stand in documents of some scopes."""
        with self._lock:
            return self._index.held(words, scopes)

    def _scopes(self, filters: Filters) -> set[str]:
        """Gives the scopes that an asker may see."""
        seen = {recallable.lent_scope(key) for key in _lent(filters)}
        for scope in () if filters.lent_only else self._index.scopes:
            if scope.startswith(LENT_TO_SOME):
                continue
            if not scope.startswith(SAID):
                if RECORDS in filters.sources and filters.within(touched.project_of(scope)):
                    seen.add(scope)
            elif filters.asker is not None and recallable.is_heard(scope, filters.asker):
                seen.add(scope)
        return seen

    def _take_lent(self, filters: Filters) -> None:
        """Takes in what an asker is lent, which stands with its owner's memories already."""
        missing = [key for key in _lent(filters) if (key, LENT) not in self._index]
        if missing:
            self._take(list(recallable.pieces_lent(missing)))

    def standing(self, place: Place) -> int:
        """Tells how well a text is vouched for; the lower the better."""
        return self._standings.get(place, 0)

    def past(self, places: Iterable[Place]) -> set[Place]:
        """Gives those of some places where a memory stands that something took the place of."""
        with self._lock:
            return self._index.labelled(places, lambda label: label.status == SUPERSEDED)  # type: ignore[attr-defined]

    def cited(self, place: Place) -> frozenset[str]:
        """Names the records that a passage cites."""
        return self._names.get(place, frozenset())

    def there(self, places: Iterable[Place]) -> set[Place]:
        """Gives those of some places where a text stands, without reading any."""
        with self._lock:
            return {place for place in places if place in self._index}

    def passages(self, places: Iterable[Place]) -> dict[Place, Passage]:
        """Gives passages by their places: the latest from memory, the others in one query."""
        wanted = [place for place in places if place[1] >= 0]
        return self._read(self._passages, wanted, lambda missing: touched.passages_at(missing))

    def said(self, places: Iterable[Place]) -> dict[Place, Said]:
        """Gives memories and turns by their places, whosever they are and however old."""
        wanted = [place for place in places if place[1] < 0]
        return self._read(self._said, wanted, recallable.said_at)

    def _read(
        self,
        kept: "OrderedDict[Place, Text]",
        wanted: list[Place],
        read: Callable[[list[Place]], dict[Place, Text]],
    ) -> dict[Place, Text]:
        with self._lock:
            before = self._changes
            found = {place: kept[place] for place in wanted if place in kept}
        missing = [place for place in wanted if place not in found]
        found |= read(missing) if missing else {}
        with self._lock:
            if before == self._changes:  # else what was read may be older than the index
                for place, text in found.items():
                    kept[place] = text
                    kept.move_to_end(place)
                while len(kept) > KEPT:
                    kept.popitem(last=False)
        return found

    def refresh(self, stamps: Stamps) -> None:
        """Takes in what was written since the last look, by this process or another."""
        with self._lock:
            for name, stamp in stamps.items():
                followed = self._followed[name]
                if followed.version < 0 and self._kept and name in self._kept.seen:
                    first = -list(TABLES).index(name)  # positions below 0 tell other tables
                    places = [p for p in self._kept.state.ids if min(0, p[1]) == first]
                    followed.begin(self._kept.seen[name], places, stamp.version)
                else:
                    followed.refresh(stamp.version)
            self._save()

    def _take(self, page: list[Piece]) -> None:
        self._index.put(_document(piece) for piece in page)
        for piece in page:
            if names := _cited(piece):
                self._names[piece.place] = names
            if piece.standing:
                self._standings[piece.place] = piece.standing
            if piece.ends:
                self._ends[piece.place] = piece.ends

    def _drop(self, places: list[Place]) -> None:
        self._changes += 1
        lent = ((key, LENT) for key, position in places if position == MEMORY)
        places = [*places, *(place for place in lent if place in self._index)]
        for place in places:
            derived: tuple[Any, ...] = (self._names, self._standings, self._ends)
            for kept in (self._passages, self._said, *derived):
                kept.pop(place, None)
        self._index.remove(places)

    def _save(self) -> None:
        read = sum(followed.unsaved for followed in self._followed.values())
        known = sum(len(followed.rows) for followed in self._followed.values())
        if read < max(SAVE_AT_LEAST, SAVE_SHARE * known):
            return
        for followed in self._followed.values():
            followed.unsaved = 0
        seen = {n: f.seen() for n, f in self._followed.items() if f.version >= 0}
        state = self._index.packed()
        kept = Snapshot(self._table, seen, state, self._names, self._standings, self._ends)
        snapshot.save(touched.folder(), kept)


def current(stamps: Stamps | None = None) -> Words:
    """Gives the index of the open home as it is now: what a write has returned is in it."""
    stamps = stamps or {RECORDS: touched.stamp()}
    table = stamps[RECORDS].table
    with _opening:
        if not _kept or _kept[0].table != table:
            _kept[:] = [Words(table)]
        index = _kept[0]
    index.refresh(stamps)
    return index


_opening = threading.Lock()
_kept: list[Words] = []


def _as_asked(place: Place) -> Place:
    """Gives the place of a memory for that at which it is lent."""
    return (place[0], MEMORY) if place[1] == LENT else place


def _lent(filters: Filters) -> frozenset[str]:
    return filters.asker.lent if filters.asker is not None else frozenset()


def _cited(piece: Piece) -> frozenset[str]:
    return frozenset(c.target for c in citations(piece.search_text) if c.kind == "record")


def _document(piece: Piece) -> Document[Place]:
    at = math.nan if piece.at is None else piece.at.timestamp()
    return Document(piece.place, piece.scope, piece.search_text, piece.label, at)


def _seconds(span: Between) -> tuple[float, float] | None:
    """Gives a span as the index compares times; None for all time, undated texts too."""
    if not span:
        return None
    ends = (span.after, -math.inf), (span.before, math.inf)
    first, last = (open_end if at is None else at.timestamp() for at, open_end in ends)
    return first, last


def _allowing(filters: Filters, statuses: Collection[str]) -> Callable[[Any], bool]:
    kinds, sources = filters.kinds, filters.sources
    services = (filters.service, safe_name(filters.service))  # as records and as memories have it

    def allowed(label: Label) -> bool:
        return (
            label.table in sources
            and (kinds is None or label.kind in kinds)
            and (filters.service is None or label.service in services)
            and (label.status is None or label.status in statuses)
        )

    return allowed
