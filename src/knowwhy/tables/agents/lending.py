"""What pools lend: which memories of others an owner may read now, and what of each is shown.

Nothing is copied: a share names a memory, and each reading looks again whether the pool is open,
who is in it, and whether the memory still stands.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sql
from sqlalchemy.dialects.postgresql import JSONB

from knowwhy.tables import direct
from knowwhy.tables.agents import handed_over
from knowwhy.tables.agents.heirs import STANDING, standing
from knowwhy.tables.agents.registries import Row
from knowwhy.tables.kept.memories import ACTIVE, SUPERSEDED, held, safe, unknown
from knowwhy.tables.kept.memory_origins import lent_support
from knowwhy.tables.recallable import Said
from knowwhy.tables.scope import sees
from knowwhy.types import Asker, Json, Memory, Turn

SCOPES = ("agent-private", "user", "project", "team", "global")  # of pools, the narrowest first
READS = "memory_read"  # what an agent must be able to do for its owner to be lent anything
SHOWN = (  # of a lent memory; nothing of who keeps it, who said it, where and when it changed
    *("key", "kind", "content", "subject", "status", "service", "memorule_kind", "confidence"),
    *("valid_from", "valid_until", "expires_at", "created_at"),
)


@dataclass(frozen=True, slots=True)
class Lent:
    """A memory that pools lend to an owner now."""

    key: str
    pools: tuple[str, ...]  # their names
    is_own: bool  # the owner sees it without them too


@dataclass(frozen=True, slots=True)
class LentMemory:
    """A lent memory as it is read: what is shown of it, and how well it is supported."""

    memory: Memory
    pools: tuple[str, ...]  # none of what was handed over
    tier: int
    citations: Json


def lent(
    asker: Asker, now: datetime, *, agent_id: str | None = None, pool: str | None = None
) -> dict[str, Lent]:
    """Gives what pools lend to an owner, or to one of their agents, or one pool does, by key."""
    who = safe(asker)
    if who.user_id is None:
        return {}
    told = {"owner": who.user_id, "project": who.project, "agent": agent_id, "pool": pool}
    given = {name: value for name, value in told.items() if value is not None}
    rows = direct.select("looking at what is lent", _statement(frozenset(given)), **given)
    there = standing(rows, now)
    found: dict[str, Lent] = {}
    for row in rows:
        if (stands := there.get(row["key"])) is not None:
            before = found[stands["key"]].pools if stands["key"] in found else ()
            pools = tuple(sorted({*before, row["pool"]}))
            is_own = sees(who, stands["user_id"], stands["project"])
            found[stands["key"]] = Lent(stands["key"], pools, is_own)
    return found


def is_read(asker: Asker, pool: str) -> bool:
    """Tells whether an owner is lent what a pool lends, be that nothing."""
    who = safe(asker)
    told = {"owner": who.user_id, "project": who.project, "pool": pool}
    given = {name: value for name, value in told.items() if value is not None}
    if who.user_id is None:
        return False
    pools = direct.live_rows("pools")
    wanted = sql.select(pools.c.key).where(*_readable(pools, frozenset(given))).limit(1)
    return bool(direct.select("looking for a pool", wanted, **given))


def numbers_lent(pools: Collection[str], now: datetime) -> Counter[str]:
    """Counts what each of some pools lends now: not what was taken back after it was shared."""
    rows = direct.select("counting what is lent", _of_pools(), pools=list(pools))
    there = standing(rows, now)
    pairs = ((row["pool"], there.get(row["key"])) for row in rows)
    return Counter(pool for pool, _ in {(pool, one["key"]) for pool, one in pairs if one})


def spent(pool: str, shares: Sequence[Row], now: datetime) -> list[str]:
    """Names the shares of a pool by which it lends nothing now, or nothing that others do not."""
    rows = direct.select("looking at what is lent", _of_pools(), pools=[pool])
    there, lends, found = standing(rows, now), set(), []
    for share in shares:
        stands = there.get(share["memory_key"])
        if stands is None or stands["key"] in lends:
            found.append(share["key"])
        else:
            lends.add(stands["key"])
    return found


def lent_memory(asker: Asker, key: str, now: datetime) -> LentMemory:
    """Finds a memory that pools lend to an asker, or that goes with what was handed to them.

    Of any other it says what it says of none.
    """
    there = lent(asker, now).get(key)
    readable = handed_over.carried(asker, now) if there is None else held([key])
    memory = readable.get(key)
    if memory is None:
        raise unknown(key)
    pools = there.pools if there is not None else ()
    return LentMemory(as_lent(memory), pools, *lent_support(key))


def as_shown(said: Said, asker: Asker) -> Said:
    """Gives a memory or turn as an asker may see it: all of one's own, of a lent one a part."""
    if isinstance(said, Turn) or sees(safe(asker), said.user_id, said.project):
        return said
    return as_lent(said)


def as_lent(memory: Memory) -> Memory:
    """Gives of a memory what those may see whom it is lent to."""
    shown = {name: getattr(memory, name) for name in SHOWN}
    return Memory(user_id=None, project=None, touched_at=memory.created_at, **shown)


@cache
def _statement(given: frozenset[str]) -> Any:
    """Gives the question for what is lent."""
    shares, pools, memories = (direct.live_rows(name) for name in ("shares", "pools", "memories"))
    shown = [memories.c[name] for name in STANDING]
    lending = (shares.c.pool_indexed == pools.c.key_indexed, *_shared(shares, memories))
    wanted = sql.select(*shown, pools.c.name.label("pool")).distinct()
    return wanted.where(*_readable(pools, given), *lending)


@cache
def _of_pools() -> Any:
    """Gives the question for what some pools lend, whoever asks."""
    shares, memories = direct.live_rows("shares"), direct.live_rows("memories")
    wanted = sql.select(*(memories.c[name] for name in STANDING), shares.c.pool)
    those = shares.c.pool_indexed.in_(sql.bindparam("pools", expanding=True))
    return wanted.where(those, *_shared(shares, memories))


def _shared(shares: Any, memories: Any) -> tuple[Any, ...]:
    """Gives the conditions that a memory was shared, by its owner or as everybody's."""
    return (
        shares.c.state == "shared",
        memories.c.key_indexed == shares.c.memory_key_indexed,
        memories.c.status.in_((ACTIVE, SUPERSEDED)),
        sql.or_(memories.c.user_id.is_(None), memories.c.user_id == shares.c.user_id),
    )


def _readable(pools: Any, given: frozenset[str]) -> list[Any]:
    """Gives the conditions that an owner reads a pool now; in a project only pools of that one."""
    members, agents = direct.live_rows("members"), direct.live_rows("agents")
    owner: Any = sql.bindparam("owner")
    project: Any = sql.bindparam("project")
    conditions = [
        members.c.user_id_indexed == sql.func.left(owner, 256),
        members.c.user_id == owner,
        members.c.state == "member",
        agents.c.key_indexed == members.c.agent_id_indexed,
        agents.c.user_id == owner,
        agents.c.is_active,
        agents.c.capabilities.op("@>")(sql.cast([READS], JSONB)),
        pools.c.key_indexed == members.c.pool_indexed,
        pools.c.state == "open",
        _rank(pools.c.scope, len(SCOPES)) <= _rank(agents.c.max_scope, -1),
    ]
    if "project" in given:
        conditions.append(sql.or_(pools.c.scope != "project", pools.c.project == project))
    if "agent" in given:
        conditions.append(members.c.agent_id_indexed == sql.bindparam("agent"))
    if "pool" in given:
        conditions.append(members.c.pool_indexed == sql.bindparam("pool"))
    return conditions


def _rank(scope: Any, otherwise: int) -> Any:
    return sql.case({name: n for n, name in enumerate(SCOPES)}, value=scope, else_=otherwise)
