"""Texts scored against a question: by a cross-encoder, or by late interaction."""

import logging
import threading
from collections.abc import Sequence

from knowwhy.errors import ModelUnavailable
from knowwhy.models import engine, recipes, reference
from knowwhy.models.embedder import token_vectors, verify
from knowwhy.models.engine import Engine
from knowwhy.models.weights import ONNX, Weights, find, verify_pin

LOG = logging.getLogger(__name__)

NONE = "none"
LATE_INTERACTION = "late-interaction"

_lock = threading.Lock()
_loaded: dict[str, Engine | None] = {}  # None: the setting works by the reference engine only


def rerank(question: str, texts: Sequence[str], name: str, *, embedder: str) -> list[float]:
    """Score texts against a question, higher better; `none` scores all alike."""
    if name == NONE:
        return [0.0] * len(texts)
    if name == LATE_INTERACTION:
        return _late_interaction(question, texts, embedder)
    loaded = _load(name)
    if loaded is None:
        return reference.reference_scores(question, texts, name)
    return list(engine.spread(lambda text: _score(question, text, loaded), texts))


def reads_whole(word: str, name: str) -> bool:
    """Tell whether a reranker reads a word as one: it has met it often enough to know its like.

    One that compares no words with others knows them all.
    """
    usable, _ = fallback_reranker(name)
    loaded = None if usable in (NONE, LATE_INTERACTION) else _load(usable)
    return loaded is None or loaded.tokenizer.token_to_id(word.lower()) is not None


def fallback_reranker(name: str) -> tuple[str, str | None]:
    """Give the reranker that can be used here, and a line to show when it is the lesser one."""
    try:
        if name not in (NONE, LATE_INTERACTION) and name not in _loaded:
            _find(name)  # what is loaded was verified: hashing it again takes 25 ms a question
            verify(name)
    except ModelUnavailable as error:
        return LATE_INTERACTION, f"reranking by late interaction, the lesser mode: {error}"
    return name, None


def _score(question: str, text: str, loaded: Engine) -> float:
    """Score one pair alone: int8 scales are shared by a batch and move its scores by 0.7."""
    return float(engine.run(loaded, [engine.encode_pair(loaded, question, text)])[0, 0])


def _late_interaction(question: str, texts: Sequence[str], embedder: str) -> list[float]:
    """Average, over the question's tokens, the cosine of the text's token nearest to each."""
    asked = next(token_vectors([question], embedder))
    return [
        float((asked @ answer.T).max(axis=1).mean()) for answer in token_vectors(texts, embedder)
    ]


def _load(name: str) -> Engine | None:
    """Give the loaded cross-encoder, or None where only the reference engine can do it."""
    if name in _loaded:
        return _loaded[name]
    with _lock:
        if name not in _loaded:
            _loaded[name] = _open(name)
        return _loaded[name]


def _find(name: str) -> Weights:
    weights = find(name)
    if not recipes.is_cross_encoder(weights):
        raise ModelUnavailable(f"{name} is an embedder and scores no pairs")
    return weights


def _open(name: str) -> Engine | None:
    weights = _find(name)
    if weights.file.name != ONNX:
        return None
    for file in (weights.file, weights.tokenizer):
        verify_pin(weights, file)
    return engine.load(weights.file, weights.tokenizer, recipes.max_tokens(weights))
