"""BM25 over passages: Okapi as rank-bm25 defines it, kept as postings.

A question costs its own postings and not the corpus; a test holds the scores equal to
`rank_bm25.BM25Okapi`.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowwhy.text.tokens import tokens

K1 = 1.5  # rank-bm25's own default: how fast repeated words stop counting
B = 0.75  # rank-bm25's own default: how much long passages are held back
EPSILON = 0.25  # rank-bm25's own default: a word in most passages counts this share of the mean idf


class Bm25:
    """An index of texts by their words."""

    def __init__(self, texts: Sequence[str]) -> None:
        postings: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        lengths = np.zeros(len(texts))
        for row, text in enumerate(texts):
            words = tokens(text)
            lengths[row] = len(words)
            for word, count in Counter(words).items():
                rows, counts = postings[word]
                rows.append(row)
                counts.append(count)
        self._size = len(texts)
        self._idf = _idf({word: len(rows) for word, (rows, _) in postings.items()}, len(texts))
        norm = K1 * (1 - B + B * lengths / max(lengths.mean() if len(texts) else 1.0, 1e-9))
        self._postings = {
            word: (np.array(rows), _saturate(np.array(counts), norm[rows]))
            for word, (rows, counts) in postings.items()
        }

    def scores(self, question: str) -> NDArray[np.float64]:
        """Scores every text for a question; 0 where they share no word."""
        found = np.zeros(self._size)
        for word in tokens(question):
            if word in self._postings:
                rows, weights = self._postings[word]
                found[rows] += self._idf[word] * weights
        return found


def _saturate(counts: NDArray[np.int64], norm: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(counts * (K1 + 1) / (counts + norm))


def _idf(frequencies: dict[str, int], size: int) -> dict[str, float]:
    raw = {w: float(np.log(size - f + 0.5) - np.log(f + 0.5)) for w, f in frequencies.items()}
    floor = EPSILON * sum(raw.values()) / max(len(raw), 1)
    return {word: floor if idf < 0 else idf for word, idf in raw.items()}
