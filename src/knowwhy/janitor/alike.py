"""Which of many vectors are near each other, without comparing all pairs of a large number."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT_UP_TO = 4_000  # vectors that are all compared: 16 million products, a fifth of a second
BLOCK = 512  # vectors compared at once: 8 MB of scores beside 4,000 others
PROBED = 6  # of the cells around its own, in which a vector's neighbours are looked for

Vectors = NDArray[np.float32]


def near(
    vectors: Vectors, wanted: NDArray[np.int64], most: int, at: float
) -> Iterator[tuple[int, int, float]]:
    """Gives, for each wanted vector, at most so many others whose cosine is `at` or more.

    Among many vectors a cell around each of some of them is searched, and the cells beside it: of
    n vectors n to the power of 1.5 products are made. What lies further apart can be missed.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    if len(unit) <= EXACT_UP_TO:
        yield from _among(unit, wanted, np.arange(len(unit)), most, at)
        return
    centres = unit[:: int(np.sqrt(len(unit)))]
    cell_of = _nearest(unit, centres)
    beside = np.argsort(-(centres @ centres.T), axis=1)[:, :PROBED]
    order = np.argsort(cell_of, kind="stable")
    bounds = np.searchsorted(cell_of[order], np.arange(len(centres) + 1))
    for cell in range(len(centres)):
        ours = wanted[cell_of[wanted] == cell]
        if len(ours):
            there = [order[bounds[c] : bounds[c + 1]] for c in beside[cell]]
            yield from _among(unit, ours, np.concatenate(there), most, at)


def cosine(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Gives the cosine of two vectors; 0 where one is none."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths > 0 else 0.0


def _among(
    unit: Vectors, wanted: NDArray[np.int64], others: NDArray[np.int64], most: int, at: float
) -> Iterator[tuple[int, int, float]]:
    """Compares each wanted vector with each of the others."""
    theirs = unit[others].T
    for start in range(0, len(wanted), BLOCK):
        ours = wanted[start : start + BLOCK]
        scores = unit[ours] @ theirs
        scores[ours[:, None] == others[None, :]] = -1  # itself
        kept = min(most, scores.shape[1])
        best = np.argpartition(-scores, kept - 1, axis=1)[:, :kept]
        for row, columns in enumerate(best):
            for column in columns:
                if scores[row, column] >= at:
                    yield int(ours[row]), int(others[column]), float(scores[row, column])


def _nearest(unit: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """Gives each vector the cell whose centre is nearest."""
    pages = (unit[start : start + BLOCK] for start in range(0, len(unit), BLOCK))
    return np.concatenate([np.argmax(page @ centres.T, axis=1) for page in pages])
