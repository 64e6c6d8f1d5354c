"""Pools as the scope of a question: asked by an agent of theirs, or by its owner."""

from dataclasses import replace
from datetime import UTC, datetime

from knowwhy.config import Settings
from knowwhy.errors import NotFound
from knowwhy.maas.ids import is_id
from knowwhy.maas.shared import may_query
from knowwhy.retrieval.search import Answer, search
from knowwhy.tables.agents import lending
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


def in_pool(filters: Filters, pool: str | None) -> Filters:
    """Limits a search to what a pool lends to who asks; without one it stays as it is."""
    if pool is None:
        return filters
    asker = filters.asker
    if asker is None or not is_id(pool, "pool") or not lending.is_read(asker, pool):
        raise NotFound("There is no pool of that id that an agent of yours reads.")
    lent = frozenset(lending.lent(asker, datetime.now(UTC), pool=pool))
    return replace(filters, asker=replace(asker, lent=lent), lent_only=True)
