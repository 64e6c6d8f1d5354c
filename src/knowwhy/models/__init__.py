"""Every model that is called, loaded on first use."""

from knowwhy.models.ahead import prime, primed, release
from knowwhy.models.calibration import of as cosines
from knowwhy.models.early import load, load_early
from knowwhy.models.embedder import (
    check_at_hand,
    dimensions,
    embed,
    embed_query,
    tag,
    verify,
    watched,
)
from knowwhy.models.engine import set_threads
from knowwhy.models.extractor import (
    extractor_version,
    is_paid,
    prime_facts,
    read_facts,
    release_facts,
)
from knowwhy.models.reference import export, reference_embed
from knowwhy.models.reranker import fallback_reranker, reads_whole, rerank
from knowwhy.models.weights import install_of, set_cache_dir, way_back

__all__ = [
    "check_at_hand",
    "cosines",
    "dimensions",
    "embed",
    "embed_query",
    "export",
    "extractor_version",
    "fallback_reranker",
    "install_of",
    "is_paid",
    "load",
    "load_early",
    "prime",
    "prime_facts",
    "primed",
    "read_facts",
    "reads_whole",
    "reference_embed",
    "release",
    "release_facts",
    "rerank",
    "set_cache_dir",
    "set_threads",
    "tag",
    "verify",
    "watched",
    "way_back",
]
