"""Agents that hand work to each other, the pools that they share, and what they may hand over."""

from datetime import UTC, datetime, timedelta

from knowwhy import models
from knowwhy.config import Settings
from knowwhy.maas import agents, handoffs
from knowwhy.tables.agents import registries
from knowwhy.tables.kept import memories
from knowwhy.tables.write import prepare, put_records, queue, release
from knowwhy.types import Asker, Change, Draft, Memory

ADA, BEN = Asker("ada", "shop"), Asker("ben", "shop")
SETTINGS = Settings()
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def crew(asker=ADA, to=ADA, type="human"):
    """Two agents, one that hands over and one that takes."""
    return (
        agents.register(asker, SETTINGS, "Planner", "human").key,
        agents.register(to, SETTINGS, "Coder", type).key,
    )


def pooled(*members):
    """Puts agents into an open pool."""
    at = {"created_at": NOW, "touched_at": NOW}
    pool = {"key": f"p-{members[0][0]}", "name": "Shop", "project": None, "scope": "team", **at}
    row = {"pool": pool["key"], "permission": "read", "state": "member", "by": "ada", **at}
    registries.carry_out(
        registries.added(
            "pools", pool | {"agent_id": members[0][0], "user_id": "ada", "state": "open"}
        )
    )
    for agent, owner in members:
        key = {"key": f"{pool['key']} {agent}", "agent_id": agent, "user_id": owner}
        registries.carry_out(registries.added("members", row | key))
    return pool["key"]


def kept(number, content, **more):
    """Stores a memory and gives its key."""
    said = {"kind": "decision", "user_id": "ada", "project": "shop", "status": "active", **more}
    times = {"created_at": NOW, "touched_at": NOW}
    one = Memory(key=f"m-{number:020x}", content=content, **said, **times)
    models.prime([content], "wordhash")
    with queue("memories"):
        memories.put([one], [Change(one.key, "added")])
    models.release([content], "wordhash")
    return one.key


def record(key, project=None, kind="adr", content="We use Kafka."):
    batch = prepare([Draft(key, kind, key, content, project=project)], "wordhash")
    put_records(batch)
    release(batch)
    return key


def handed(sender, receiver, task="Move the ledger.", asker=ADA, **more):
    return handoffs.initiate(asker, SETTINGS, sender, receiver, task, **more)


def late(handoff):
    """Lets the time of a handoff pass."""
    registries.carry_out(
        registries.changed(
            "handoffs", handoff.key, expires_at=datetime.now(UTC) - timedelta(seconds=1)
        )
    )
