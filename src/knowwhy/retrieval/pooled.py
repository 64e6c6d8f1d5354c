"""An agent asks its pools, and nothing else."""

from dataclasses import replace

from knowwhy.config import Settings
from knowwhy.maas.shared import may_query
from knowwhy.retrieval.search import Answer, search
from knowwhy.types import Asker, Filters


def query(
    asker: Asker,
    settings: Settings,
    agent_id: str,
    question: str,
    *,
    embedder: str,
    pool: str | None = None,
    k: int = 5,
) -> Answer:
    """Finds what answers a question in what pools lend to an agent, or in one pool."""
    lent = may_query(asker, settings, agent_id, pool)
    filters = Filters(asker=replace(asker, lent=frozenset(lent)), lent_only=True)
    return search(question, embedder=embedder, reranker=settings.reranker, k=k, filters=filters)
