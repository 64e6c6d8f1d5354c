"""What pools lend to who asks, looked up anew for each search."""

from dataclasses import replace
from datetime import datetime

from knowwhy.tables.agents import lending
from knowwhy.types import Filters

MEMORIES = "memories"

Pools = tuple[tuple[str, tuple[str, ...]], ...]  # a memory that is lent, and the pools' names


def with_lent(filters: Filters, now: datetime) -> tuple[Filters, Pools]:
    """Lets a search find what its asker is lent at a moment; of that only some, where it says so.

    What the asker may see without a pool counts as their own, but where only pools are asked. Asked
    in the name of an agent, it is what that one is lent.
    """
    if filters.lent_only:
        filters = replace(filters, sources=(MEMORIES,))
    asker = filters.asker
    if asker is None or MEMORIES not in filters.sources:
        return filters, ()
    there = lending.lent(asker, now, agent_id=filters.lent_to)
    if filters.lent_only:
        kept = {key: one for key, one in there.items() if key in asker.lent}
    else:
        kept = {key: one for key, one in there.items() if not one.is_own}
    known = replace(filters, asker=replace(asker, lent=frozenset(kept)))
    return known, tuple(sorted((key, one.pools) for key, one in kept.items()))
