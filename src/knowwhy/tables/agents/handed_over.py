"""Handoffs as they are looked up: by whose they are, by their time, and what they may carry."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.agents import audit_rows, heirs
from knowwhy.tables.agents.registries import (
    INDEXED,
    Row,
    Write,
    acting,
    carry_out,
    conditions,
    find,
)
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, as_of, safe
from knowwhy.tables.scope import sees
from knowwhy.types import Asker, Filters, Memory

PENDING, ACCEPTED, EXPIRED = "pending", "accepted", "expired"
RECORD = (
    *("key", "title", "label", "kind", "service", "project", "path", "status", "occurred_at"),
)
NIGHT = "nightly"  # who lets handoffs expire: the job, and no agent
SOMEBODY = "another owner"  # stands for whoever verified what is another's


def handoffs(
    agents: dict[str, str], state: str | None, now: datetime, most: int, *, newest: bool
) -> list[Row]:
    """Reads handoffs from or to an agent, in one state or in any, the newest or oldest first."""
    source = direct.live_rows("handoffs")
    whose = [source.c[f"{column}{INDEXED}"] == agent for column, agent in agents.items()]
    order = [source.c.created_at, source.c.key]
    wanted = _all(source).where(*whose, *_in(source, state, now))
    ordered = wanted.order_by(*(column.desc() if newest else column for column in order))
    return [dict(row) for row in direct.select("reading handoffs", ordered.limit(most))]


def waiting_for(agent_id: str, now: datetime) -> int:
    """Counts the handoffs that an agent has still to take or reject."""
    source = direct.live_rows("handoffs")
    number = sql.func.count().label("rows")
    there = source.c[f"to_agent{INDEXED}"] == agent_id
    counted = sql.select(number).select_from(source).where(there, *_in(source, PENDING, now))
    return int(direct.select("counting handoffs", counted)[0]["rows"])


def share_a_pool(agent_id: str, other: str) -> bool:
    """Tells whether two agents are members of one open pool."""
    mine = direct.live_rows("members")
    theirs, pools = direct.live_rows("members").alias("others"), direct.live_rows("pools")
    both = mine.join(theirs, mine.c.pool == theirs.c.pool).join(pools, pools.c.key == mine.c.pool)
    wanted = (
        sql.select(pools.c.key)
        .select_from(both)
        .where(
            mine.c[f"agent_id{INDEXED}"] == agent_id,
            theirs.c[f"agent_id{INDEXED}"] == other,
            mine.c.state == "member",
            theirs.c.state == "member",
            pools.c.state == "open",
        )
    )
    return bool(direct.select("looking for a common pool", wanted.limit(1)))


def records(keys: Collection[str], project: str | None, characters: int = 0) -> dict[str, Row]:
    """Reads live records by their keys, with so much of their texts; others do not exist."""
    if not keys:
        return {}
    source = direct.live_rows("records")
    content = sql.func.left(source.c.content, characters).label("content")
    wanted = sql.select(*(source.c[name] for name in RECORD), content)
    named = source.c[f"key{INDEXED}"].in_([key[:256] for key in keys])
    rows = direct.select("reading records", wanted.where(named, source.c.retired_at.is_(None)))
    seeing = Filters(project=project)
    return {
        row["key"]: dict(row)
        for row in rows
        if row["key"] in keys and seeing.within(row["project"])
    }


def carried(asker: Asker, now: datetime, handoff: str | None = None) -> dict[str, Memory]:
    """Gives the memories that an owner may read because they belong to what is handed to them."""
    return {memory.key: memory for memory in carried_for(asker, now, handoff).values()}


def carried_for(asker: Asker, now: datetime, handoff: str | None = None) -> dict[str, Memory]:
    """Gives those memories by the keys that were handed over: of what was said anew the new one.

    They can be read while the handoff is open: until its time is over where nobody has accepted it,
    and until it is done where somebody has. Both its agents must be active, the receiver must read
    memories at all, and they must hold. What a pool lent to the sender is not among them: who
    receives it reads it through the pool.
    """
    who, source = safe(asker), direct.live_rows("handoffs")
    if who.user_id is None:
        return {}
    named = [] if handoff is None else [source.c[f"key{INDEXED}"] == handoff]
    rows = direct.select(
        "reading handoffs",
        _all(source).where(
            *conditions(source, to_user=who.user_id),
            sql.or_(source.c.state == ACCEPTED, sql.and_(*_in(source, PENDING, now))),
            *named,
        ),
    )
    parties = {row[column] for row in rows for column in ("from_agent", "to_agent")}
    found = find("agents", key=sorted(parties), is_active=True) if parties else []
    agents = {agent["key"]: agent for agent in found}
    lenders: dict[str, set[str]] = {}
    for row in rows:
        receiver = agents.get(row["to_agent"])
        if row["from_agent"] in agents and receiver and "memory_read" in receiver["capabilities"]:
            for key in row["memory_keys"]:
                lenders.setdefault(key, set()).add(row["from_user"])
    standing = heirs.standing(list(heirs.rows_of(lenders).values()), now)
    held = memories.held(row["key"] for row in standing.values())
    there = {key: as_of(held[row["key"]], now) for key, row in standing.items()}
    return {
        key: memory if sees(who, memory.user_id, memory.project) else stripped(memory)
        for key, memory in there.items()
        if memory.status == ACTIVE and memory.user_id in (None, *lenders[key])
    }


def stripped(memory: Memory) -> Memory:
    """Gives of a memory what another owner may be shown: what it says, and how sure it is."""
    return Memory(
        key=memory.key,
        kind=memory.kind,
        content=memory.content,
        user_id=None,
        project=None,
        status=memory.status,
        created_at=memory.created_at,
        touched_at=memory.touched_at,
        service=memory.service,
        subject=memory.subject,
        confidence=memory.confidence,
        resolved=memory.resolved,
        valid_from=memory.valid_from,
        valid_until=memory.valid_until,
        verified_at=memory.verified_at,
        verified_by=SOMEBODY if memory.verified_by else None,
        verified_via=memory.verified_via,
    )


def overdue(now: datetime, after: str, most: int) -> list[Row]:
    """Gives a page of the handoffs that nobody took in their time, in the order of their keys."""
    source = direct.live_rows("handoffs")
    those = _all(source).where(
        source.c.state == PENDING, source.c.expires_at <= now, source.c.key > after
    )
    page = those.order_by(source.c.key).limit(most)
    return [dict(row) for row in direct.select("looking for overdue handoffs", page)]


def expire(page: Sequence[Row], now: datetime) -> list[Row]:
    """Writes that handoffs have expired, each with its row of the audit.

    Those that somebody has taken meanwhile are left alone.
    """
    with acting():
        still = find("handoffs", key=[row["key"] for row in page], state=PENDING)
        over = [row for row in still if row["expires_at"] <= now]
        if over:
            states = [{"key": row["key"], "state": EXPIRED, "touched_at": now} for row in over]
            noted = audit_rows.noting_each(map(_expiry, over))
            carry_out(noted, Write("handoffs", tuple(states), is_new=False))
    return over


def _expiry(row: Row) -> Row:
    """Gives what the audit of who handed something over says of its end."""
    who = {"user_id": row["from_user"], "agent_id": NIGHT}
    what = {"act": "expire_handoff", "target": row["key"]}
    return {**who, **what, "outcome": "done", "reason": None}


def _all(source: Any) -> Any:
    return sql.select(*(column for column in source.c if not column.name.endswith(INDEXED)))


def _in(source: Any, state: str | None, now: datetime) -> list[Any]:
    """Gives the conditions that a handoff is in a state at a moment, whatever its row says."""
    if state is None:
        return []
    if state == EXPIRED:
        late = sql.and_(source.c.state == PENDING, source.c.expires_at <= now)
        return [sql.or_(source.c.state == EXPIRED, late)]
    return [source.c.state == state, *([source.c.expires_at > now] if state == PENDING else [])]
