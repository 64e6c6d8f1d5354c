"""A small embedder with meaning: words hashed into 64 signed buckets, no weights at all."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

NAME = "wordhash"
TAG = "wordhash_v1"  # raise it when the vector of any text changes
DIMENSIONS = 64  # buckets; a store of many rows stays fast, and 20 short texts stay apart
BUCKETS = 4  # per word, one in each quarter; finds 94 of 100 among 20 short texts, where 1 finds 84
KNOWN_WORDS = 50_000  # words whose vector is remembered; about 20 MB when full
FRAME = """
about all any anything can could did do does each else every has have he her him his how i if me my
now our she should so some something tell than their them then there they us we what when where
which who whom whose why will would you your
"""  # what questions are made of and answers seldom repeat; in 64 buckets it would drown the rest


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Give one unit vector per text; texts that share words lie close."""
    vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in enumerate(texts):
        vectors[row] = _vector(text)
    return vectors


def word_vectors(text: str) -> NDArray[np.float32]:
    """Give one unit vector per word of a text, for late interaction."""
    return np.stack([_word_vector(word) for word in _words(text)])


def _vector(text: str) -> NDArray[np.float32]:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    for word, count in Counter(_words(text)).items():
        vector += _word_vector(word) * np.float32(1.0 + math.log(count))
    length = np.linalg.norm(vector)
    if not length:  # its words cancel out; a zero vector has no cosine to anything
        return _word_vector("")
    vector /= length
    return vector


def _words(text: str) -> list[str]:
    """Give the telling words of a text; the empty word stands for a text without any."""
    from knowwhy.text.tokens import tokens  # loads a stemmer, which real weights do not need

    said = tokens(text)
    return [word for word in said if word not in _frame()] or said or [""]


@lru_cache(maxsize=1)
def _frame() -> frozenset[str]:
    from knowwhy.text.tokens import tokens

    return frozenset(tokens(FRAME))


@lru_cache(maxsize=KNOWN_WORDS)
def _word_vector(word: str) -> NDArray[np.float32]:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    width = DIMENSIONS // BUCKETS
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=BUCKETS).digest()
    for quarter, byte in enumerate(digest):
        vector[quarter * width + byte % width] = 1.0 if byte & 0x80 else -1.0
    vector /= np.float32(math.sqrt(BUCKETS))
    vector.flags.writeable = False  # remembered, so nobody may change it
    return vector
