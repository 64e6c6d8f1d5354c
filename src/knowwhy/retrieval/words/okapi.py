"""Okapi BM25 over documents in scopes: what an asker may not see has no part in any score.

Scores are those of `rank_bm25.BM25Okapi` built on exactly the visible documents: the number of
documents, their mean length, each word's frequency and the floor under common words are summed over
the scopes that are asked about. A test holds them equal.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from knowwhy.retrieval.words import postings
from knowwhy.retrieval.words.postings import SCOPE_BITS, Flags, Ints, Places, Segment
from knowwhy.text.tokens import tokens

Id = TypeVar("Id", bound=Any)  # hashable, and in an order that settles equal scores
Floats = NDArray[np.float64]

K1 = 1.5  # rank-bm25's own default: how fast repeated words stop counting
B = 0.75  # rank-bm25's own default: how much long documents are held back
EPSILON = (
    0.25  # rank-bm25's own default: a word in most documents counts this share of the mean idf
)
VIEWS_KEPT = 256  # sets of scopes whose sums are kept; a few hundred bytes each
DEAD_SHARE = 0.5  # of all places; above it the index is packed, which halves it


@dataclass(frozen=True, slots=True)
class Document(Generic[Id]):
    """A text to be found, whose it is, and what filters go by."""

    id: Id
    scope: str
    text: str
    label: Hashable = None
    at: float = math.nan  # seconds since 1970, of what has a date


@dataclass(frozen=True, slots=True)
class View:
    """What is summed over the scopes of an asker."""

    stamp: int  # moves when a scope of the view changes
    size: int
    mean_length: float
    floor: float


@dataclass(slots=True)
class State(Generic[Id]):
    """All that an index holds, packed: nothing in it speaks of a removed document."""

    ids: list[Id]
    words: list[str]
    scopes: list[str]
    labels: list[Hashable]
    lengths: Places
    scope_of: Places
    label_of: Places
    times: Floats
    segment: Segment


class Index(Generic[Id]):
    """Documents by their words; one thread at a time may use it."""

    def __init__(self) -> None:
        none = np.zeros(0, np.int64)
        empty = postings.build(none, none.astype(np.int32))
        blank = np.zeros(0, np.int32)
        self._take(State([], [], [], [], blank, blank, blank, np.zeros(0), empty))

    @classmethod
    def of(cls, state: State[Id]) -> "Index[Id]":
        """Makes an index of what `packed` gave."""
        index = cls()
        index._take(state)
        return index

    def _take(self, state: State[Id]) -> None:
        self._ids: list[Id | None] = list(state.ids)
        self._places = {id: place for place, id in enumerate(state.ids)}
        self._words = {word: number for number, word in enumerate(state.words)}
        self._scopes = {scope: number for number, scope in enumerate(state.scopes)}
        self._labels = {label: number for number, label in enumerate(state.labels)}
        self._lengths = state.lengths
        self._scope_of, self._label_of = state.scope_of, state.label_of
        self._times = state.times
        self._alive = np.ones(len(state.ids), bool)
        self._segments = [state.segment]
        self._changes = np.ones(len(state.scopes), np.int64)
        self._views: dict[frozenset[str] | None, View] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, id: object) -> bool:
        return id in self._places

    @property
    def ids(self) -> Collection[Id]:
        """Names the documents that it holds."""
        return self._places.keys()

    @property
    def scopes(self) -> Collection[str]:
        """Names the scopes of what it has ever held."""
        return self._scopes.keys()

    def labelled(self, ids: Iterable[Id], label: Callable[[Hashable], bool]) -> set[Id]:
        """Gives those of some documents whose label is one that is meant."""
        meant = np.array([label(each) for each in self._labels], bool)
        there = [(id, self._places[id]) for id in ids if id in self._places]
        return {id for id, place in there if meant[self._label_of[place]]}

    def put(self, documents: Iterable[Document[Id]]) -> None:
        """Takes documents in, each in the place of an earlier one with its id."""
        latest = {document.id: document for document in documents}
        self.remove(latest)
        if not latest:
            return
        first, found = len(self._ids), list(latest.values())
        streams = [[self._word(word) for word in tokens(each.text)] for each in found]
        lengths = np.array([len(stream) for stream in streams], np.int32)
        scope_of = np.array([self._scope(each.scope) for each in found], np.int32)
        label_of = [self._labels.setdefault(each.label, len(self._labels)) for each in found]

        words = np.array([word for stream in streams for word in stream], np.int64)
        places = np.arange(first, first + len(found), dtype=np.int32)
        groups = words << SCOPE_BITS | np.repeat(scope_of, lengths)
        self._ids += [each.id for each in found]
        self._places |= {each.id: first + number for number, each in enumerate(found)}
        self._lengths = np.append(self._lengths, lengths)
        self._scope_of = np.append(self._scope_of, scope_of)
        self._label_of = np.append(self._label_of, np.array(label_of, np.int32))
        self._times = np.append(self._times, [each.at for each in found])
        self._alive = np.append(self._alive, np.ones(len(found), bool))
        self._changes[np.unique(scope_of)] += 1
        segment = postings.build(groups, np.repeat(places, lengths))
        self._segments = postings.settle([*self._segments, segment], self._alive)

    def remove(self, ids: Iterable[Id]) -> None:
        """Takes documents out; an id that is not there is passed over."""
        gone = [place for id in ids if (place := self._places.pop(id, None)) is not None]
        for place in gone:
            self._ids[place] = None
        if not gone:
            return
        self._alive[gone] = False
        dying = np.zeros(len(self._ids), bool)
        dying[gone] = True
        for segment in self._segments:
            segment.bury(dying, min(gone), max(gone))
        self._changes[np.unique(self._scope_of[gone])] += 1
        if len(self._places) < len(self._ids) * (1 - DEAD_SHARE):
            self._take_packed()

    def best(
        self,
        question: str,
        k: int,
        scopes: Collection[str] | None = None,
        allowed: Callable[[Hashable], bool] | None = None,
        times: tuple[float, float] | None = None,
    ) -> list[tuple[Id, float]]:
        """Ranks the k best documents that share a word with the question; None sees every scope.

        `allowed` says which labels may be found, `times` from when on and before when. They hide
        documents after they are scored: unlike the scopes they change no word's weight, and k
        documents come when k exist.
        """
        found, scores = self.scored(question, scopes)
        if allowed is not None:
            fitting = np.array([allowed(label) for label in self._labels], bool)
            shown = fitting[self._label_of[found]]
            found, scores = found[shown], scores[shown]
        if times is not None:
            at = self._times[found]
            shown = (at >= times[0]) & (at < times[1])
            found, scores = found[shown], scores[shown]
        chosen = self._top(found, scores, k)
        ranked = [(self._id(place), float(score)) for place, score in chosen]
        return sorted(ranked, key=lambda pair: (-pair[1], pair[0]))

    def scored(self, question: str, scopes: Collection[str] | None = None) -> tuple[Ints, Floats]:
        """Scores every visible document that shares a word with the question, by its place."""
        view, seen = self._view(scopes)
        asked = Counter(word for word in tokens(question) if word in self._words)
        read = [self._postings(self._words[word], seen) for word in asked]
        frequencies = [len(documents) for documents, _ in read]
        if not any(frequencies):
            return np.zeros(0, np.int64), np.zeros(0)
        idf = _idf(view.size, np.array(frequencies))
        weights = np.array(list(asked.values())) * np.where(idf < 0, view.floor, idf)
        documents, counts = (np.concatenate(column) for column in zip(*read, strict=True))
        norm = K1 * (1 - B + B * self._lengths[documents] / view.mean_length)
        parts = np.repeat(weights, frequencies) * (counts * (K1 + 1) / (counts + norm))
        total = np.bincount(documents, weights=parts)
        touched = np.zeros(len(total), bool)
        touched[documents] = True
        found: Ints = np.flatnonzero(touched)
        return found, np.asarray(total[found], np.float64)

    def holding(
        self,
        words: Collection[str],
        scopes: Collection[str] | None = None,
        allowed: Callable[[Hashable], bool] | None = None,
    ) -> list[Id]:
        """Names the visible documents that hold all of some tokens, in the order of their ids."""
        numbers = [self._words.get(word) for word in words]
        if not numbers or None in numbers:
            return []
        _, seen = self._view(scopes)
        read = [self._postings(number, seen)[0] for number in numbers if number is not None]
        read.sort(key=len)
        found = np.unique(read[0])
        for documents in read[1:]:
            found = found[np.isin(found, documents)]
        if allowed is not None:
            fitting = np.array([allowed(label) for label in self._labels], bool)
            found = found[fitting[self._label_of[found]]]
        return sorted(self._id(place) for place in found)

    def held(self, words: Iterable[str], scopes: Collection[str] | None = None) -> frozenset[str]:
        """Tells which of some tokens a visible document holds."""
        seen, _ = self._seen(None if scopes is None else frozenset(scopes))
        known = [word for word in words if word in self._words]
        return frozenset(word for word in known if len(self._postings(self._words[word], seen)[0]))

    def size(self, scopes: Collection[str] | None = None) -> int:
        """Counts the visible documents."""
        return self._view(scopes)[0].size

    def packed(self) -> State[Id]:
        """Gives all that the index holds, in one segment, without what was removed."""
        whole = postings.merge(self._segments, self._alive)
        used = np.unique(whole.groups >> SCOPE_BITS)
        words, places = list(self._words), np.flatnonzero(self._alive)
        return State(
            ids=[self._id(place) for place in places],
            words=[words[number] for number in used],
            scopes=list(self._scopes),
            labels=list(self._labels),
            lengths=self._lengths[places],
            scope_of=self._scope_of[places],
            label_of=self._label_of[places],
            times=self._times[places],
            segment=postings.renumber(
                whole, _numbers(used, len(words)), _numbers(places, len(self._ids))
            ),
        )

    @property
    def bytes(self) -> int:
        """Measures the arrays: postings, lengths, scopes, labels and times."""
        columns = (self._lengths, self._scope_of, self._label_of, self._times, self._alive)
        return sum(s.bytes for s in self._segments) + sum(column.nbytes for column in columns)

    def _take_packed(self) -> None:
        changes = self._changes
        self._take(self.packed())
        self._changes = changes

    def _word(self, word: str) -> int:
        return self._words.setdefault(word, len(self._words))

    def _scope(self, scope: str) -> int:
        if scope not in self._scopes:
            self._scopes[scope] = len(self._scopes)
            self._changes = np.append(self._changes, 0)
        return self._scopes[scope]

    def _id(self, place: Any) -> Id:
        id: Id | None = self._ids[place]
        assert id is not None  # a removed document has no living posting
        return id

    def _postings(self, word: int, seen: Flags | None) -> tuple[Places, NDArray[np.integer]]:
        """Gives the living visible documents that hold a word, and how often each does."""
        runs = [(segment, run) for segment in self._segments for run in segment.of(word, seen)]
        if not runs:
            return np.zeros(0, np.int32), np.zeros(0, np.uint8)
        documents = np.concatenate([segment.documents[run] for segment, run in runs])
        counts = np.concatenate([segment.counts[run] for segment, run in runs])
        if len(self._places) == len(self._ids):
            return documents, counts
        alive = self._alive[documents]
        return documents[alive], counts[alive]

    def _view(self, scopes: Collection[str] | None) -> tuple[View, Flags | None]:
        """Sums over scopes what all scores need, kept until one changes; tells which are seen."""
        name = None if scopes is None else frozenset(scopes)
        seen, stamp = self._seen(name)
        kept = self._views.get(name)
        if kept is None or kept.stamp != stamp:
            if len(self._views) >= VIEWS_KEPT:
                self._views.clear()
            self._views[name] = kept = self._summed(seen, stamp)
        return kept, seen

    def _seen(self, scopes: frozenset[str] | None) -> tuple[Flags | None, int]:
        if scopes is None:
            return None, int(self._changes.sum())
        seen = np.zeros(len(self._scopes), bool)
        seen[[self._scopes[scope] for scope in scopes if scope in self._scopes]] = True
        return seen, int(self._changes[seen].sum())

    def _summed(self, seen: Flags | None, stamp: int) -> View:
        shown = self._alive if seen is None else self._alive & seen[self._scope_of]
        size, length = int(np.count_nonzero(shown)), int(self._lengths[shown].sum())
        parts = [segment.frequencies(seen) for segment in self._segments]
        words, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
        frequencies = np.bincount(words, weights=sizes).astype(np.int64)
        return View(stamp, size, length / max(size, 1), _floor(size, frequencies))

    def _top(self, found: Ints, scores: Floats, k: int) -> Iterable[tuple[int, float]]:
        """Chooses the k best; among equals at the edge, the first by id."""
        if len(found) <= k:
            return zip(found, scores, strict=True)
        edge = scores[np.argpartition(-scores, k - 1)[k - 1]]
        above, level = np.flatnonzero(scores > edge), np.flatnonzero(scores == edge)
        equals = heapq.nsmallest(k - len(above), level, key=lambda at: self._id(found[at]))
        chosen = [*above, *equals]
        return zip(found[chosen], scores[chosen], strict=True)


def _idf(size: int, frequency: int | Ints) -> Floats:
    return np.asarray(np.log(size - frequency + 0.5) - np.log(frequency + 0.5))


def _floor(size: int, frequencies: Ints) -> float:
    """Gives what a word in most documents counts: a share of the mean idf of all words.

    Words of one frequency are summed together, so the sum is the same in whatever order they came.
    """
    words = np.bincount(frequencies)
    words[:1] = 0
    present = np.flatnonzero(words)
    if not len(present):
        return 0.0
    return float(EPSILON * (words[present] * _idf(size, present)).sum() / words.sum())


def _numbers(kept: Ints | Sequence[int], size: int) -> Ints:
    """Numbers the kept ones of `size` anew, in their order."""
    numbers = np.zeros(size, np.int64)
    numbers[kept] = np.arange(len(kept))
    return numbers
