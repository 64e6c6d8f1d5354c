"""Loads models while something else is imported: only what needs no large import of its own."""

from pathlib import Path

from knowwhy.models import reference
from knowwhy.models.embedder import FIXED_TAGS, embed_query
from knowwhy.models.reranker import rerank
from knowwhy.models.weights import BUNDLED, ONNX, find

READY = "ready"  # the first text that the models read


def load_early(embedder: str, reranker: str) -> None:
    """Loads the two models as far as files for the fast engine are there."""
    if _has_file(reranker):
        rerank(READY, [READY], reranker, embedder=embedder)
    if _has_file(embedder):
        embed_query(READY, embedder)


def load(embedder: str, reranker: str) -> None:
    """Loads the two models, whatever that takes."""
    embed_query(READY, embedder)
    rerank(READY, [READY], reranker, embedder=embedder)


def _has_file(name: str) -> bool:
    if name in FIXED_TAGS or not (name in BUNDLED or Path(name).expanduser().is_dir()):
        return False
    weights = find(name)
    return weights.file.name == ONNX or reference.exported(weights) is not None
