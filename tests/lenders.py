"""Agents of several owners, and memories that they may lend each other."""

from datetime import UTC, datetime
from typing import Any

from knowwhy.config import Settings
from knowwhy.maas import agents, membership, pools
from knowwhy.maas.acting import Agent
from knowwhy.maas.pools import Pool
from knowwhy.tables.kept import memories
from knowwhy.tables.write import queue
from knowwhy.types import Asker, Change, Memory

SETTINGS = Settings(reranker="none")
SHOP = "git.example/shop"
ADA, BEN, EVE = (Asker(name, SHOP) for name in ("ada", "ben", "eve"))


def an_agent(owner: Asker, name: str = "Coder", **more: Any) -> Agent:
    """Registers an agent that may do everything."""
    return agents.register(owner, SETTINGS, name, "human", **more)


def a_pool(owner: Asker, agent: Agent, scope: str = "team", name: str = "Payments") -> Pool:
    return pools.create(owner, SETTINGS, agent.key, name, scope)


def invited(owner: Asker, admin: Agent, pool: Pool, agent: Agent, permission: str = "read") -> None:
    membership.invite(owner, SETTINGS, admin.key, pool.key, agent.key, permission)


def joined(owner: Asker, agent: Agent, pool: Pool) -> None:
    membership.join(owner, SETTINGS, agent.key, pool.key)


def kept(*rows: Memory) -> None:
    """Stores memories as they are."""
    with queue("memories"):
        memories.put(rows, [Change(row.key, "added") for row in rows])


def a_memory(number: int, text: str, owner: Asker, **more: Any) -> Memory:
    now = datetime.now(UTC)
    whose = {"user_id": owner.user_id, "project": owner.project}
    given = {"kind": "decision", "status": "active", "created_at": now, "touched_at": now, **more}
    return Memory(key=f"m-{number:020x}", content=text, **{**whose, **given})
