"""What waits for somebody, and since when: over everybody, for whoever cares for the home."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.kept.memories import ACTIVE
from knowwhy.tables.talk import gaps


def waiting_since(version: str, now: datetime) -> datetime | None:
    """Tells when the first of the turns that nobody has read was taken in."""
    told = {"version": version, "now": now, "again": False, "without": [""], "most": None}
    rows = direct.select("looking for what waits to be read", _first_unread(), **told)
    return rows[0]["at"] if rows else None


@dataclass(frozen=True, slots=True)
class Undecided:
    """Pairs of memories that contradict each other and both stand: how many, and one of them."""

    pairs: int
    one: str
    other: str
    user_id: str | None  # whose that one is
    project: str | None


def undecided() -> Undecided | None:
    """Counts the pairs that contradict each other; None where there is none."""
    rows = direct.select("counting contradictions", _undecided())
    return Undecided(**rows[0]) if rows else None


def first_kept() -> datetime | None:
    """Tells when the first record, turn or memory came of those that there are."""
    rows = direct.select("looking for what was kept first", _first_kept())
    found: datetime | None = rows[0]["at"]
    return found


@cache
def _first_kept() -> Any:
    came = (("records", "created_at"), ("turns", "touched_at"), ("memories", "created_at"))
    first = [
        sql.select(sql.func.min(direct.live_rows(name).c[column])).scalar_subquery()
        for name, column in came
    ]
    return sql.select(sql.func.least(*first).label("at"))


@cache
def _first_unread() -> Any:
    turns, unread = direct.live_rows("turns"), gaps.unread_turns().subquery("unread")
    both = turns.join(unread, turns.c.key == unread.c.key)
    return sql.select(sql.func.min(turns.c.touched_at).label("at")).select_from(both)


@cache
def _undecided() -> Any:
    one, other = direct.live_rows("memories"), direct.live_rows("memories").alias("other")
    both = one.join(other, one.c.conflicts_with == other.c.key)
    stand = sql.and_(one.c.status == ACTIVE, other.c.status == ACTIVE)
    chosen = (
        sql.func.count().over().label("pairs"),
        one.c.key.label("one"),
        other.c.key.label("other"),
        one.c.user_id,
        one.c.project,
    )
    first = sql.select(*chosen).select_from(both).where(stand).order_by(one.c.key, other.c.key)
    return first.limit(1)
