"""Postings: which documents hold a word how often, by word and scope, in pieces that only thin out.

A group is a word in a scope: `word << SCOPE_BITS | scope`. Groups stand in order, so all that one
word has in every scope lies side by side, and so do the documents of each group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
Flags = NDArray[np.bool_]

SCOPE_BITS = 24  # 16.7 million scopes and 5 * 10^11 words fit in one 64-bit number
SCOPE_MASK = (1 << SCOPE_BITS) - 1
MERGE_WHEN = 2  # a piece this many times smaller than the one after it is merged: log2(n) pieces


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of documents that came in together."""

    groups: Ints  # ascending, each once
    starts: Ints  # where each group's postings begin, and where the last one ends
    documents: Places
    counts: NDArray[np.unsignedinteger]
    living: Ints  # of each group's documents, how many have not been removed
    reach: tuple[int, int]  # the first and the last document

    @property
    def bytes(self) -> int:
        """Measures the arrays."""
        arrays = (self.groups, self.starts, self.documents, self.counts, self.living)
        return sum(array.nbytes for array in arrays)

    def of(self, word: int, seen: Flags | None) -> Iterator[slice]:
        """Gives where a word's postings stand in the scopes that are seen; None sees all."""
        first, last = np.searchsorted(self.groups, (word << SCOPE_BITS, (word + 1) << SCOPE_BITS))
        if first == last:
            return
        if seen is None:
            yield slice(self.starts[first], self.starts[last])
            return
        for group in first + np.flatnonzero(seen[self.groups[first:last] & SCOPE_MASK]):
            yield slice(self.starts[group], self.starts[group + 1])

    def frequencies(self, seen: Flags | None) -> tuple[Ints, Ints]:
        """Counts the living documents of each group that is seen, as (words, documents)."""
        if seen is None:
            return self.groups >> SCOPE_BITS, self.living
        shown = seen[self.groups & SCOPE_MASK]
        return self.groups[shown] >> SCOPE_BITS, self.living[shown]

    def bury(self, dying: Flags, first: int, last: int) -> None:
        """Takes the dying, who stand from first to last, off the count of the living."""
        if last < self.reach[0] or first > self.reach[1]:
            return
        gone = np.flatnonzero(dying[self.documents])
        np.subtract.at(self.living, np.searchsorted(self.starts, gone, side="right") - 1, 1)


def build(groups: Ints, documents: Places) -> Segment:
    """Makes a segment of each token's group and document; the documents ascend."""
    order = np.argsort(groups, kind="stable")
    groups, documents = groups[order], documents[order]
    first = np.ones(len(groups), bool)
    first[1:] = (groups[1:] != groups[:-1]) | (documents[1:] != documents[:-1])
    begins = np.flatnonzero(first)
    counts = np.diff(begins, append=len(groups))
    return _pack(groups[begins], documents[begins], counts)


def whole(groups: Ints, starts: Ints, documents: Places, counts: NDArray[np.integer]) -> Segment:
    """Makes a segment of arrays in order, with all of its documents living."""
    width = np.min_scalar_type(counts.max(initial=0))  # nearly always one byte
    narrow = counts.astype(width, copy=False)
    reach = (int(documents.min()), int(documents.max())) if len(documents) else (0, -1)
    return Segment(groups, starts, documents, narrow, np.diff(starts), reach)


def merge(segments: Sequence[Segment], alive: Flags) -> Segment:
    """Joins segments, without the postings of what was removed."""
    groups = np.concatenate([np.repeat(s.groups, np.diff(s.starts)) for s in segments])
    documents = np.concatenate([s.documents for s in segments])
    counts = np.concatenate([s.counts for s in segments])
    kept = alive[documents]
    groups, documents, counts = groups[kept], documents[kept], counts[kept]
    order = np.argsort(groups, kind="stable")
    return _pack(groups[order], documents[order], counts[order])


def renumber(segment: Segment, words: Ints, documents: Ints) -> Segment:
    """Gives words and documents other numbers; both orders stay as they are."""
    groups = words[segment.groups >> SCOPE_BITS] << SCOPE_BITS | segment.groups & SCOPE_MASK
    places = documents[segment.documents].astype(np.int32)
    return whole(groups, segment.starts, places, segment.counts)


def settle(segments: list[Segment], alive: Flags) -> list[Segment]:
    """Merges the newest segments while they are not much smaller than the one before."""
    kept = list(segments)
    while len(kept) > 1 and len(kept[-2].documents) < MERGE_WHEN * len(kept[-1].documents):
        kept[-2:] = [merge(kept[-2:], alive)]
    return kept


def _pack(groups: Ints, documents: Places, counts: NDArray[np.integer]) -> Segment:
    """Finds where each group begins in postings that are in order."""
    first = np.ones(len(groups), bool)
    first[1:] = groups[1:] != groups[:-1]
    begins = np.flatnonzero(first)
    starts = np.append(begins, len(groups))
    return whole(groups[begins], starts, documents.astype(np.int32, copy=False), counts)
