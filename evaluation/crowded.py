"""A home in which thousands of agents have shared, handed over and been noted for long."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from knowwhy import models
from knowwhy.maas.agents import CAPABILITIES
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.tables.agents.audit_rows import FIRST, Act
from knowwhy.tables.agents.lending import SCOPES
from knowwhy.tables.kept import memories
from knowwhy.tables.write import analyze, queue
from knowwhy.types import Asker, Change, Memory

AGENTS, POOLS = 10_000, 1_000
OWNERS = 500  # with 20 agents and 20 memories each
LARGEST = 1_000  # agents of one owner more: as many as one may have
MEMBERS = (3, 5, 8, 10, 30)  # of a pool, each as often
SHARED = 20  # memories that a pool lends
HANDOFFS = 20_000
STATES = ("completed",) * 14 + ("rejected", "rejected", "expired", "expired", "accepted", "pending")
ACTS = 100_000  # rows of the audit
TABLES = ("agents", "pools", "members", "shares", "handoffs", "audit")
PROJECT = "crowded"
PAGE = 5_000  # rows that are inserted at once
SEED = 8
NOW = datetime.now(UTC)
AT = {"created_at": NOW, "touched_at": NOW}

Rows = list[dict[str, Any]]


def fill(acts: int = ACTS) -> dict[str, int]:
    """Fills the registries, the memories that are lent, and the audit; gives the rows of each."""
    dice = random.Random(SEED)
    _keep_memories()
    members = list(_members(dice))
    rows: dict[str, Rows] = {
        "agents": [agent(number) for number in range(AGENTS)],
        "pools": [_pool(number) for number in range(POOLS)],
        "members": members,
        "shares": [share for number in range(POOLS) for share in _shares(number)],
        "handoffs": [_handoff(number, dice) for number in range(HANDOFFS)],
        "audit": list(_acts(acts, dice)),
    }
    for name, all_rows in rows.items():
        with registries.acting():
            for begin in range(0, len(all_rows), PAGE):
                registries.carry_out(registries.added(name, *all_rows[begin : begin + PAGE]))
    analyze(acts)
    return {name: len(all_rows) for name, all_rows in rows.items()}


def owner_of(number: int) -> Asker:
    """Gives whose an agent is: the first ones are all of one owner."""
    if number < LARGEST:
        return Asker("largest", PROJECT)
    return Asker(f"owner{number % OWNERS}", PROJECT)


def agent_key(number: int) -> str:
    return f"a-{number:032x}"


def agent(number: int) -> dict[str, Any]:
    """Gives an agent that may do everything."""
    may = {"capabilities": list(CAPABILITIES), "max_scope": "global", "is_active": True}
    what = {"name": f"Agent {number}", "type": "human", "project": PROJECT}
    return {"key": agent_key(number), "user_id": owner_of(number).user_id, **what, **may, **AT}


def pool_key(number: int) -> str:
    return f"p-{number:032x}"


def maker(number: int) -> int:
    """Gives the number of the agent that made a pool and shares in it."""
    return LARGEST + number * (AGENTS - LARGEST) // POOLS


def memory_keys(owner: Asker) -> list[str]:
    """Gives the keys of the memories of an owner; the largest one has none."""
    number = int(str(owner.user_id).removeprefix("owner"))
    return [f"m-{number * SHARED + n:020x}" for n in range(SHARED)]


def _keep_memories() -> None:
    for first in range(0, OWNERS, OWNERS // 5):
        rows = [
            _memory(
                f"owner{number}", key, f"Service {n} of owner{number} keeps its carts in Redis."
            )
            for number in range(first, first + OWNERS // 5)
            for n, key in enumerate(memory_keys(Asker(f"owner{number}")))
        ]
        texts = [row.content for row in rows]
        models.prime(texts, "wordhash")
        with queue("memories"):
            memories.put(rows, [Change(row.key, "added") for row in rows])
        models.release(texts, "wordhash")


def _memory(user: str, key: str, text: str) -> Memory:
    return Memory(
        key=key,
        kind="fact",
        content=text,
        user_id=user,
        project=PROJECT,
        status="active",
        created_at=NOW,
        touched_at=NOW,
    )


def _pool(number: int) -> dict[str, Any]:
    whose = {"agent_id": agent_key(maker(number)), "user_id": owner_of(maker(number)).user_id}
    scope = "team" if number % 2 else SCOPES[2 + number % 3]
    what = {"name": f"Pool {number}", "scope": scope, "project": PROJECT, "state": "open"}
    return {"key": pool_key(number), **whose, **what, **AT}


def _members(dice: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(POOLS):
        others = dice.sample(range(AGENTS), MEMBERS[number % len(MEMBERS)])
        for one in {maker(number), *others}:
            is_admin = one == maker(number)
            yield {
                "key": f"{pool_key(number)}:{agent_key(one)}",
                "pool": pool_key(number),
                "agent_id": agent_key(one),
                "user_id": owner_of(one).user_id,
                "permission": "admin" if is_admin else "write",
                "state": "member",
                "by": agent_key(maker(number)),
                **AT,
            }


def _shares(number: int) -> Iterator[dict[str, Any]]:
    owner = owner_of(maker(number))
    whose = {"agent_id": agent_key(maker(number)), "user_id": owner.user_id, "state": "shared"}
    for key in memory_keys(owner):
        names = {"key": f"{pool_key(number)}:{key}", "pool": pool_key(number), "memory_key": key}
        yield {**names, **whose, **AT}


def _handoff(number: int, dice: random.Random) -> dict[str, Any]:
    sender = dice.randrange(AGENTS)
    step = OWNERS if sender >= LARGEST else 1
    receiver = sender + step if owner_of(sender + step) == owner_of(sender) else sender - step
    return {
        "key": f"h-{number:032x}",
        "from_agent": agent_key(sender),
        "from_user": owner_of(sender).user_id,
        "to_agent": agent_key(receiver),
        "to_user": owner_of(receiver).user_id,
        "task": f"Move cart {number} out of Redis.",
        "context": "It is on the old host, and its owner waits for it.",
        "memory_keys": [],
        "record_keys": [],
        "state": dice.choice(STATES),
        "why": None,
        "result": None,
        "expires_at": NOW + timedelta(days=1),
        **AT,
    }


def _acts(count: int, dice: random.Random) -> Iterator[dict[str, Any]]:
    """Gives a whole chain of acts, the last of them an hour ago."""
    before = FIRST
    kinds: Sequence[str] = ("query_shared", "get_pools", "accept_handoff", "share_memory")
    for number in range(1, count + 1):
        one = dice.randrange(AGENTS)
        whose = owner_of(one).user_id, agent_key(one)
        at = NOW - timedelta(hours=1, seconds=count - number)
        act = Act(number, *whose, dice.choice(kinds), None, "done", None, at)
        row = {name: getattr(act, name) for name in Act.__dataclass_fields__}
        hashed = audit_rows._hash(row, before)
        yield {**row, "key": audit_rows._key(number), "before": before, "hash": hashed}
        before = hashed
