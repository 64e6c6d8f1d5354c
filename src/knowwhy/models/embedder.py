"""Texts to vectors, by whichever engine the setting's weights allow."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowwhy.errors import ModelUnavailable
from knowwhy.models import engine, recipes, reference, wordhash
from knowwhy.models.engine import Engine, Tokens
from knowwhy.models.recipes import Recipe
from knowwhy.models.weights import BUNDLED, ONNX, REFERENCE, find, tag_of, verify_pin

LOG = logging.getLogger(__name__)

BATCH = 8  # texts of like length; sorted by tokens 1.5 % of what is computed is padding
AS_FOUND_BATCH = 1  # texts; int8 scales are shared by a batch: cosine .98 to the same text alone
FIXED_TAGS = {
    wordhash.NAME: wordhash.TAG,
    "late-interaction": "late_interaction_v1",
    "none": "none",
}


@dataclass(frozen=True, slots=True)
class Embedder:
    """A loaded embedder."""

    engine: Engine
    recipe: Recipe
    batch: int  # texts


_lock = threading.RLock()
_loaded: dict[str, Embedder | None] = {}  # None: the setting works by the reference engine only
_watchers: list[Callable[[int], None]] = []


def tag(name: str) -> str:
    """Give the version tag that is stored beside what the model made."""
    return FIXED_TAGS.get(name) or tag_of(name)


def dimensions(name: str) -> int:
    """Give the width of the embedder's vectors without loading its weights."""
    if name == wordhash.NAME:
        return wordhash.DIMENSIONS
    return BUNDLED[name].dimensions if name in BUNDLED else recipes.read(find(name)).dimensions


@contextmanager
def watched(told: Callable[[int], None]) -> Iterator[None]:
    """Tell somebody how many characters were embedded each time some were, in whatever thread."""
    _watchers.append(told)
    try:
        yield
    finally:
        _watchers.remove(told)


def _note(texts: Iterable[str]) -> None:
    if _watchers:
        size = sum(map(len, texts))
        for told in _watchers:
            told(size)


def embed(texts: Sequence[str], name: str, *, query: bool = False) -> NDArray[np.float32]:
    """Give one unit vector per text; `query` for questions, which some models mark."""
    if name == wordhash.NAME:
        hashed = wordhash.embed(texts)
        _note(texts)
        return hashed
    embedder = _load(name)
    if embedder is None:
        made = reference.reference_embed(texts, name, query=query)
        _note(texts)
        return made
    recipe = embedder.recipe
    prefix = recipe.query_prefix if query else recipe.text_prefix
    tokens = engine.encode(embedder.engine, [prefix + text for text in texts])
    vectors = np.empty((len(texts), recipe.dimensions), dtype=np.float32)
    longest_first = sorted(range(len(texts)), key=lambda row: -len(tokens[row].ids))
    batches = [
        longest_first[start : start + embedder.batch]
        for start in range(0, len(texts), embedder.batch)
    ]

    def embed_rows(rows: list[int]) -> NDArray[np.float32]:
        return _embed_batch([tokens[row] for row in rows], embedder)

    for rows, embedded in zip(batches, engine.spread(embed_rows, batches), strict=True):
        vectors[rows] = embedded
        _note(texts[row] for row in rows)
    return vectors


def embed_query(text: str, name: str) -> NDArray[np.float32]:
    """Give the unit vector of one question."""
    vector: NDArray[np.float32] = embed([text], name, query=True)[0]
    return vector


def token_vectors(texts: Iterable[str], name: str) -> Iterator[NDArray[np.float32]]:
    """Give, text by text, the unit vectors of its own tokens."""
    if name == wordhash.NAME:
        yield from map(wordhash.word_vectors, texts)
        return
    embedder = _load(name)
    for text in texts:
        if embedder is None:
            yield unit(reference.token_vectors(text, name))
            continue
        tokens = engine.encode(embedder.engine, [text])
        yield unit(engine.run(embedder.engine, tokens)[0])[engine.own_tokens(tokens[0])]


def verify(name: str) -> str:
    """Say in one line that an embedder or a reranker can be used, or raise the reason."""
    if name in FIXED_TAGS:
        return f"{name}: needs no weights"
    weights = find(name)
    for file in weights.pins:
        verify_pin(weights, weights.folder / file)
    found = f"{name}: {tag(name)} in {weights.folder}" + (", hashes right" if weights.pins else "")
    if weights.file.name == ONNX:
        return f"{found}, ready"
    scores_pairs = recipes.is_cross_encoder(weights)
    if not scores_pairs and (exported := reference.exported(weights)):
        return f"{found}, exported to {exported}"
    if not reference.installed():
        raise ModelUnavailable(f"{found}, but they need torch: install {REFERENCE}")
    if scores_pairs or not recipes.read(weights).fast:
        return f"{found}, run on torch"
    return f"{found}, exported to ONNX at the first use"


def check_at_hand(name: str) -> None:
    """Refuse an embedder whose weights are not here, or whose engine is not; reads no weights."""
    if name in FIXED_TAGS:
        return
    weights = find(name)
    if weights.file.name == ONNX or reference.installed() or reference.exported(weights):
        return
    raise ModelUnavailable(
        f"the weights of {name} have to be exported once, by torch: install {REFERENCE}"
    )


def _load(name: str) -> Embedder | None:
    """Give the loaded embedder, or None where only the reference engine can do it."""
    if name in _loaded:
        return _loaded[name]
    with _lock:
        if name not in _loaded:
            _loaded[name] = _open(name)
        return _loaded[name]


def _open(name: str) -> Embedder | None:
    weights = find(name)
    recipe = recipes.read(weights)
    if not recipe.fast or not weights.tokenizer.is_file():
        LOG.info("%s runs on torch: the fast engine does not know its shape", name)
        return None
    try:
        onnx = reference.export(name)
    except ModelUnavailable as error:
        if not reference.installed():
            raise
        LOG.warning("%s runs on torch, at half the speed: %s", name, error)
        return None
    verify_pin(weights, onnx)
    verify_pin(weights, weights.tokenizer)
    batch = AS_FOUND_BATCH if onnx == weights.file else BATCH
    return Embedder(engine.load(onnx, weights.tokenizer, recipe.max_tokens), recipe, batch)


def _embed_batch(rows: list[Tokens], embedder: Embedder) -> NDArray[np.float32]:
    hidden = engine.run(embedder.engine, rows)
    if embedder.recipe.pooling == "cls":
        return unit(hidden[:, 0])
    mask = engine.mask(rows)[:, :, np.newaxis]
    return unit((hidden * mask).sum(axis=1) / mask.sum(axis=1))


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bring each vector to length one."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-12)  # never by zero
    return scaled
