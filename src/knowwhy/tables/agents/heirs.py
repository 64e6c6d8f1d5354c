"""What stands now in the place of a memory that its owner gave to others to read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.kept.memories import ACTIVE, SUPERSEDED
from knowwhy.tables.kept.memory_origins import SUPERSEDED_BY
from knowwhy.tables.recallable import MOST_GENERATIONS

STANDING = (  # what decides whether a memory may be read, and whether its next version may
    *("key", "user_id", "project", "status", "why", "fact_number", "expires_at", "valid_until"),
)


def rows_of(keys: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Reads of memories with these keys what decides whether they stand."""
    named = sorted(keys)
    if not named:
        return {}
    rows = direct.live_rows("memories")
    wanted = sql.select(*(rows.c[name] for name in STANDING)).where(rows.c.key_indexed.in_(named))
    return {row["key"]: row for row in direct.select("following what was given", wanted)}


def standing(rows: Sequence[Mapping[str, Any]], now: datetime) -> dict[str, Mapping[str, Any]]:
    """Gives what stands now for each memory that was given: itself, or what its owner said since.

    What a conversation put in its place was not told to be given, and is not.
    """
    first = {row["key"]: row for row in rows}
    found = {key: row for key, row in first.items() if _stands(row, now)}
    waiting = {key: row for key, row in first.items() if row["status"] == SUPERSEDED}
    for _ in range(MOST_GENERATIONS):
        if not waiting:
            break
        named = {key: _successor(row) for key, row in waiting.items()}
        there = rows_of({name for name in named.values() if name})
        waiting = {
            key: there[name]
            for key, name in named.items()
            if name in there and _is_told(there[name], waiting[key])
        }
        found |= {key: row for key, row in waiting.items() if _stands(row, now)}
        waiting = {key: row for key, row in waiting.items() if row["status"] == SUPERSEDED}
    return found


def _stands(row: Mapping[str, Any], now: datetime) -> bool:
    ends = [row[name] for name in ("expires_at", "valid_until") if row[name] is not None]
    return bool(row["status"] == ACTIVE and all(end > now for end in ends))


def _is_told(heir: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Tells whether a memory's owner has said it, and not a reader of conversations."""
    same = all(heir[name] == before[name] for name in ("user_id", "project"))
    return same and heir["fact_number"] is None


def _successor(row: Mapping[str, Any]) -> str | None:
    named = re.match(SUPERSEDED_BY, row["why"] or "")
    return named[1] if named else None
