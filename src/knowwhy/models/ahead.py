"""Vectors made before the insert takes the table's lock, kept until it has read them."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from knowwhy.models.embedder import embed

Key = tuple[str, str]  # (embedder, text)
Vectors = Mapping[str, NDArray[np.float32]]  # by text


@dataclass(slots=True)
class Kept:
    """A vector and how many writers still want it."""

    vector: NDArray[np.float32]
    wanted: int


_lock = threading.Lock()
_kept: dict[Key, Kept] = {}


def prime(texts: Sequence[str], name: str, stored: Vectors = MappingProxyType({})) -> None:
    """Embed texts and keep their vectors until as many `release` calls give them back.

    What is stored is not embedded again.
    """
    distinct = set(texts)
    missing = distinct - _claim(distinct, name)
    unseen = sorted(missing - stored.keys())
    vectors = embed(unseen, name)
    vectors.flags.writeable = False  # several readers share them
    ready = {text: stored[text] for text in missing & stored.keys()}
    with _lock:
        for text, vector in (*zip(unseen, vectors, strict=True), *ready.items()):
            _kept.setdefault((name, text), Kept(vector, 0)).wanted += 1


def primed(text: str, name: str) -> NDArray[np.float32] | None:
    """Give a text's kept vector, if it was embedded ahead."""
    kept = _kept.get((name, text))
    return kept.vector if kept else None


def release(texts: Sequence[str], name: str) -> None:
    """Give back what one `prime` of the same texts has kept."""
    with _lock:
        for text in set(texts):
            kept = _kept.get((name, text))
            if kept is None:
                continue
            kept.wanted -= 1
            if kept.wanted <= 0:
                del _kept[(name, text)]


def _claim(texts: Iterable[str], name: str) -> set[str]:
    """Count one more writer for each text that is kept already, and say which those are."""
    with _lock:
        there = {text for text in texts if (name, text) in _kept}
        for text in there:
            _kept[(name, text)].wanted += 1
        return there
