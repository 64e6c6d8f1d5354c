"""What pools lend: memories shared by reference, withdrawn, and asked for by an agent."""

import re
from datetime import UTC, datetime

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotAllowed, NotFound, PoolFull
from knowwhy.maas.acting import Agent, Deed, act
from knowwhy.maas.pools import (
    READ,
    SHARED,
    WITHDRAWN,
    WRITE,
    Pool,
    administered,
    entitled,
    found,
    shown,
)
from knowwhy.tables.agents import lending, registries
from knowwhy.tables.agents.registries import Write, added, changed
from knowwhy.tables.kept.memories import ACTIVE, memory
from knowwhy.types import Asker

MEMORY = re.compile(r"m-[0-9a-f]{1,64}")  # the form of a memory's key


def share(asker: Asker, settings: Settings, agent_id: str, pool_id: str, memory_key: str) -> None:
    """Lends a memory of one's own, or one that is everybody's, to the members of a pool."""

    def decide(agent: Agent) -> Deed:
        pool, _ = entitled(agent, pool_id, WRITE)
        now = datetime.now(UTC)
        meant = memory(asker, memory_key, now=now)
        if meant.status != ACTIVE:
            raise BadInput(f"{meant.key} is {meant.status}; only what is active can be shared.")
        key = f"{pool.key}:{meant.key}"
        row = registries.one("shares", key)
        if row is not None and row["state"] == SHARED:
            return Deed(target=key)
        freed = _freed(pool, settings, now)
        whose = {"agent_id": agent.key, "user_id": agent.user_id}
        told = {**whose, "state": SHARED, "touched_at": now}
        if row is not None:
            return Deed([*freed, changed("shares", key, **told)], key)
        names = {"key": key, "pool": pool.key, "memory_key": meant.key, "created_at": now}
        return Deed([*freed, added("shares", {**names, **told})], key)

    act(
        "share_memory",
        asker,
        settings,
        decide,
        agent_id=agent_id,
        needs="memory_write",
        target=_shown(pool_id, memory_key),
    )


def withdraw(
    asker: Asker, settings: Settings, agent_id: str, pool_id: str, memory_key: str
) -> None:
    """Lends a memory no longer: by an agent of who shared it, or by an admin of the pool."""

    def decide(agent: Agent) -> Deed:
        key = _shown(pool_id, memory_key)
        row = registries.one("shares", key) if key and ":" in key else None
        is_own = row is not None and row["user_id"] == agent.user_id
        is_lent = row is not None and row["state"] == SHARED
        if is_own and not is_lent:
            found(agent, pool_id)  # who may know nothing of the pool any more is told of none
        if not is_own:
            administered(agent, pool_id)
            if "memory_retract" not in agent.capabilities:
                raise NotAllowed(
                    "That agent may not withdraw what others shared: it lacks memory_retract."
                )
        if row is None or not is_lent:
            raise NotFound("The pool lends no memory of that key.")
        now = datetime.now(UTC)
        gone = changed("shares", row["key"], state=WITHDRAWN, touched_at=now)
        return Deed([gone], row["key"])

    act(
        "withdraw_shared",
        asker,
        settings,
        decide,
        agent_id=agent_id,
        needs="memory_write",
        target=_shown(pool_id, memory_key),
    )


def may_query(
    asker: Asker, settings: Settings, agent_id: str, pool_id: str | None = None
) -> dict[str, lending.Lent]:
    """Gives what pools lend to an agent now, or what one of them does, to be searched."""

    def decide(agent: Agent) -> Deed:
        return Deed(target=pool_id and entitled(agent, pool_id, READ)[0].key)

    act(
        "query_shared",
        asker,
        settings,
        decide,
        agent_id=agent_id,
        needs="memory_read",
        target=pool_id and shown(pool_id),
    )
    return lending.lent(asker, datetime.now(UTC), agent_id=agent_id, pool=pool_id)


def _freed(pool: Pool, settings: Settings, now: datetime) -> list[Write]:
    """Refuses one memory more than a pool may lend; in a full one what lends nothing makes room.

    That is withdrawn for it: else it would be lent beyond the limit when its owner restores it.
    """
    if registries.count("shares", pool=pool.key, state=SHARED) < settings.max_shared:
        return []
    there = registries.find("shares", pool=pool.key, state=SHARED, order="created_at")
    spent = lending.spent(pool.key, there, now)
    if len(there) - len(spent) >= settings.max_shared:
        raise PoolFull(
            f"That pool lends {settings.max_shared} memories, as many as are allowed. Withdraw "
            "some, or raise KNOWWHY_MAX_SHARED."
        )
    rows = tuple({"key": key, "state": WITHDRAWN, "touched_at": now} for key in spent)
    return [Write("shares", rows, is_new=False)]


def _shown(pool_id: str, memory_key: str) -> str | None:
    pool = shown(pool_id)
    return f"{pool}:{memory_key}" if pool and MEMORY.fullmatch(memory_key) else pool
