"""Every model that is called, loaded on first use."""

from knowwhy.models.ahead import prime, primed, release
from knowwhy.models.early import load, load_early
from knowwhy.models.embedder import dimensions, embed, embed_query, tag, verify
from knowwhy.models.engine import set_threads
from knowwhy.models.extractor import (
    extractor_version,
    is_paid,
    prime_facts,
    read_facts,
    release_facts,
)
from knowwhy.models.reference import export, reference_embed
from knowwhy.models.reranker import fallback_reranker, rerank
from knowwhy.models.weights import set_cache_dir

__all__ = [
    "dimensions",
    "embed",
    "embed_query",
    "export",
    "extractor_version",
    "fallback_reranker",
    "is_paid",
    "load",
    "load_early",
    "prime",
    "prime_facts",
    "primed",
    "read_facts",
    "reference_embed",
    "release",
    "release_facts",
    "rerank",
    "set_cache_dir",
    "set_threads",
    "tag",
    "verify",
]
