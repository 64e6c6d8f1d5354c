"""Memories that are flagged: another one that its owner sees beside them says otherwise."""

from datetime import datetime

from knowwhy.errors import BadInput
from knowwhy.tables.kept.memories import (
    ACTIVE,
    MOST_MEMORIES,
    SUPERSEDED,
    as_of,
    held,
    read_rows,
    safe,
    shown,
)
from knowwhy.tables.scope import seen, sees
from knowwhy.tables.write import table
from knowwhy.types import Asker, Memory

FLAGGED = "flagged"  # the change of a memory that stays, against another that says otherwise


def flagged(asker: Asker, limit: int, now: datetime) -> list[tuple[Memory, Memory]]:
    """Lists an asker's flagged memories, each with what it contradicts, the last flagged first."""
    if not 1 <= limit <= MOST_MEMORIES:
        raise BadInput(f"The limit is {limit}; it must be from 1 to {MOST_MEMORIES:,}.")
    source = table("memories")
    flag = (source.conflicts_with != None) & source.status.isin([ACTIVE, SUPERSEDED])  # noqa: E711  # SQL
    query = source.where(seen(source, safe(asker)) & flag)
    newest = query.order_by(source.touched_at, source.key, asc=False).limit(MOST_MEMORIES)
    found = [as_of(memory, now) for memory, _ in read_rows(source, newest)]
    others = held(str(memory.conflicts_with) for memory in found)
    pairs = [(memory, others.get(str(memory.conflicts_with))) for memory in found]
    both = [
        (shown(memory, now), shown(other, now))
        for memory, other in pairs
        if other is not None and sees(safe(asker), other.user_id, other.project)
    ]
    return both[:limit]
