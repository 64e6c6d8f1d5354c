"""What a search is asked for."""

from dataclasses import dataclass
from datetime import date

from knowwhy.types import Filters


@dataclass(frozen=True, slots=True)
class Asking:
    """A question with everything that its answer depends on besides the tables."""

    question: str
    embedder: str
    reranker: str
    k: int
    filters: Filters
    legs: frozenset[str]
    rerank: str  # how deep the cross-encoder reads: none, default or deep
    exclude: frozenset[str]  # keys that are no answers and lead to none
    today: date  # for whom asks; what "last month" means depends on it
    pools: tuple[tuple[str, tuple[str, ...]], ...] = ()  # names of those that lend a memory
