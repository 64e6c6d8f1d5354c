"""What happens among agents between two questions: done by an act, and told to the model."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from circles import ALIVE, PLACES, Row, World, may_ask
from inquiries import SETTINGS
from knowwhy.grounding import lifecycle
from knowwhy.maas import agents, handoffs, membership, pools, shared
from knowwhy.types import Asker

Happening = Callable[[World, random.Random], object]


def happen(world: World, dice: random.Random) -> None:
    """Does something that can be done; the model changes with it."""
    while not dice.choice(HAPPENINGS)(world, dice):
        pass
    world.known.clear()


def leave(world: World, dice: random.Random) -> bool:
    member = _some(dice, _members(world, "member", "invited"))
    if member is None:
        return False
    pool, agent = member
    membership.leave(_owner(agent), SETTINGS, agent["key"], pool["key"])
    return _now(world, pool, agent, "left")


def remove(world: World, dice: random.Random) -> bool:
    member = _some(dice, _members(world, "member", "invited"))
    if member is None:
        return False
    pool, agent = member
    maker = world.agent(pool["agent_id"])
    membership.remove(_owner(maker), SETTINGS, maker["key"], pool["key"], agent["key"])
    return _now(world, pool, agent, "removed")


def join(world: World, dice: random.Random) -> bool:
    able = [
        (pool, agent)
        for pool, agent in _members(world, "invited")
        if "memory_read" in agent["capabilities"]
        and may_ask(World(members={_key(pool, agent): {"state": "member"}}), pool, agent)
    ]
    member = _some(dice, iter(able))
    if member is None:
        return False
    pool, agent = member
    membership.join(_owner(agent), SETTINGS, agent["key"], pool["key"])
    return _now(world, pool, agent, "member")


def share(world: World, dice: random.Random) -> bool:
    pool = dice.choice([pool for pool in world.pools if pool["state"] == "open"])
    maker = world.agent(pool["agent_id"])
    place = dice.choice([place for place in PLACES if place.user == maker["user_id"]])
    key = place.key(dice.choice(ALIVE))
    if key in world.retracted:
        return False
    shared.share(place.asker, SETTINGS, maker["key"], pool["key"], key)
    whose = {"agent_id": maker["key"], "user_id": maker["user_id"]}
    world.shares[pool["key"], key] = {**whose, "state": "shared"}
    return True


def withdraw(world: World, dice: random.Random) -> bool:
    pool, key = dice.choice([at for at, row in world.shares.items() if row["state"] == "shared"])
    row = world.shares[pool, key]
    first = next(agent for agent in world.agents if agent["user_id"] == row["user_id"])
    shared.withdraw(_owner(first), SETTINGS, first["key"], pool, key)
    row["state"] = "withdrawn"
    return True


def archive(world: World, dice: random.Random) -> bool:
    still_open = [pool for pool in world.pools if pool["state"] == "open"]
    if len(still_open) < len(world.pools) // 2:
        return False
    pool = dice.choice(still_open)
    maker = world.agent(pool["agent_id"])
    pools.archive(_owner(maker), SETTINGS, maker["key"], pool["key"])
    pool["state"] = "archived"
    return True


def deactivate(world: World, dice: random.Random) -> bool:
    active = [agent for agent in world.agents if agent["is_active"]]
    agent = dice.choice([agent for agent in active if not agent["name"].endswith("first")])
    if len(active) < len(world.agents) // 2:
        return False
    agents.deactivate(_owner(agent), agent["key"])
    agent["is_active"] = False
    return True


def retract(world: World, dice: random.Random) -> bool:
    lent = sorted({key for (_, key), row in world.shares.items() if row["state"] == "shared"})
    key = dice.choice(lent)
    place = next(place for place in PLACES if key in place.keys)
    if place.user is None or key not in {place.key(name) for name in ALIVE} - world.retracted:
        return False
    lifecycle.retract(place.asker, key, "No.", now=datetime.now(UTC))
    world.retracted.add(key)
    return True


def answer(world: World, dice: random.Random) -> bool:
    """Accepts or rejects a handoff."""
    waiting = [
        (handoff, receiver)
        for handoff in world.handoffs
        if handoff["state"] == "pending" and (receiver := world.agent(handoff["to_agent"]))
        if receiver["is_active"] and "handoff_receive" in receiver["capabilities"]
    ]
    if not waiting:
        return False
    handoff, receiver = dice.choice(waiting)
    step, state = dice.choice(((handoffs.accept, "accepted"), (handoffs.reject, "rejected")))
    step(_owner(receiver), SETTINGS, receiver["key"], handoff["key"])
    handoff["state"] = state
    return True


HAPPENINGS: tuple[Happening, ...] = (
    *(leave, remove, join, share, withdraw, archive, deactivate, retract, answer),
)


def _members(world: World, *states: str) -> Iterator[tuple[Row, Row]]:
    """Gives who is in an open pool, and can act, but its maker."""
    for pool in world.pools:
        for agent in world.agents:
            is_other = agent["key"] != pool["agent_id"] and agent["is_active"]
            if pool["state"] == "open" and is_other and world.place(pool, agent) in states:
                yield pool, agent


def _some(dice: random.Random, found: Iterator[tuple[Row, Row]]) -> tuple[Row, Row] | None:
    there = list(found)
    return dice.choice(there) if there else None


def _key(pool: Row, agent: Row) -> tuple[str, str]:
    return str(pool["key"]), str(agent["key"])


def _now(world: World, pool: Row, agent: Row, state: str) -> bool:
    world.members[_key(pool, agent)]["state"] = state
    return True


def _owner(agent: Row) -> Asker:
    return Asker(agent["user_id"], "x")
