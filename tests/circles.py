"""Agents of several owners in pools of every kind, and what each of them may see of the others.

What may be seen is worked out here from the same rows in plain Python, and in other words.
"""

import hashlib
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from knowwhy.maas.agents import CAPABILITIES
from knowwhy.maas.handoff_steps import STATES
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.tables.agents.lending import SCOPES
from knowwhy.types import Asker
from planted import RECORDS, Place, is_visible, memories_of

SEED = 20_260_301
NEVER_OPEN = datetime(2999, 1, 1, tzinfo=UTC)
AT = {
    "created_at": datetime(2024, 3, 2, tzinfo=UTC),
    "touched_at": datetime(2024, 3, 2, tzinfo=UTC),
}
OWNERS = ("zowaq", "zowaq/project:x", "zowbq", "zowcq")  # the last one is in no pool any more
PROJECTS = ("x", 'x/y: "z"', None)
PLACES = tuple(
    Place(user, project, f"zorb{string.ascii_lowercase[number]}iq")
    for number, (user, project) in enumerate((u, p) for u in (*OWNERS, None) for p in PROJECTS)
)
ALIVE = ("fact", "shared", "new", "rule", "read")  # memories of a place that are active
SHARED = (*ALIVE, "old", "wrong", "past", "guess")  # those that a pool may have been lent
NO_READER = ("decision_read", "memory_write", "handoff_initiate", "handoff_receive")
SORTS = (  # of the agents of each owner: what it may do, how wide it reads, where, whether active
    (CAPABILITIES, "global", "x", True),
    (CAPABILITIES, "project", 'x/y: "z"', True),
    (("memory_read",), "team", "x", True),
    (NO_READER, "global", "x", True),
    (CAPABILITIES, "global", None, False),
)
OPEN_STATES = ("pending", "accepted")
NAMES = (*ALIVE, "guess", "refused", "old", "wrong", "past")
MEMORIES = {place.key(name): (place, name) for place in PLACES for name in NAMES}

Row = dict[str, Any]


@dataclass
class World:
    """The rows of all registries, as they are now."""

    agents: list[Row] = field(default_factory=list)
    pools: list[Row] = field(default_factory=list)
    members: dict[tuple[str, str], Row] = field(default_factory=dict)
    shares: dict[tuple[str, str], Row] = field(default_factory=dict)
    handoffs: list[Row] = field(default_factory=list)
    retracted: set[str] = field(default_factory=set)  # keys of memories
    named: dict[str | None, set[str]] = field(default_factory=dict)  # by each owner, in some act
    known: dict[Any, Any] = field(default_factory=dict)  # what was worked out since it changed

    def agent(self, key: str) -> Row:
        return next(row for row in self.agents if row["key"] == key)

    def pool(self, key: str) -> Row:
        return next(row for row in self.pools if row["key"] == key)

    def place(self, pool: Row, agent: Row) -> str | None:
        """Tells what an agent is in a pool: invited, member, left, removed or nothing."""
        row = self.members.get((pool["key"], agent["key"]))
        return None if row is None else row["state"]


def made() -> World:
    """Draws the registries of all owners."""
    dice, world = random.Random(SEED), World()
    world.agents = [
        _agent(owner, number, sort) for owner in OWNERS for number, sort in enumerate(SORTS)
    ]
    makers = [agent for agent in world.agents if agent["name"].endswith("first")]
    for maker in makers[:-1]:
        for scope in (*SCOPES, "project", "team"):
            state = "archived" if sum(scope == p["scope"] for p in _of(world, maker)) else "open"
            state = "open" if scope == "project" else state
            project = ("x", 'x/y: "z"')[len(world.pools) % 2]
            world.pools.append(_pool(maker, len(world.pools), scope, project, state))
    for pool in world.pools:
        _seat_and_lend(world, pool, dice)
    world.handoffs = list(_handoffs(world, dice))
    return world


def store(world: World) -> None:
    """Stores a world, and notes an act of each agent."""
    registries.carry_out(registries.added("agents", *world.agents))
    registries.carry_out(registries.added("pools", *world.pools))
    registries.carry_out(registries.added("members", *world.members.values()))
    registries.carry_out(registries.added("shares", *world.shares.values()))
    registries.carry_out(registries.added("handoffs", *world.handoffs))
    with registries.acting():
        for agent in world.agents:
            target = next((p["key"] for p in world.pools if world.place(p, agent)), None)
            world.named.setdefault(agent["user_id"], set()).add(str(target))
            who = {"user_id": agent["user_id"], "agent_id": agent["key"]}
            acts = audit_rows.noting("join_pool", **who, target=target, outcome="done")
            registries.carry_out(acts)


def lent_to(
    world: World, asker: Asker, agent: Row | None = None, pool: Row | None = None
) -> dict[str, set[str]]:
    """Gives the memories that pools lend to an owner, with the names of those pools."""
    asked = (asker, agent and agent["key"], pool and pool["key"])
    if asked not in world.known:
        world.known[asked] = _lent_to(world, asker, agent, pool)
    return world.known[asked]


def _lent_to(
    world: World, asker: Asker, agent: Row | None, pool: Row | None
) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in world.agents:
        if one["user_id"] != asker.user_id or agent not in (None, one):
            continue
        for lender in world.pools:
            if pool in (None, lender) and _lends(world, lender, one, asker):
                for key in _lent_by(world, lender):
                    found.setdefault(key, set()).add(lender["name"])
    return found


def may_ask(world: World, pool: Row, agent: Row) -> bool:
    """Tells whether an agent that may read at all may ask a pool and see who is in it."""
    is_narrow = SCOPES.index(pool["scope"]) <= SCOPES.index(agent["max_scope"])
    return pool["state"] == "open" and world.place(pool, agent) == "member" and is_narrow


def knows(world: World, pool: Row, agent: Row) -> bool:
    """Tells whether an agent may learn that a pool is there: it is in it, or may come in."""
    state = world.place(pool, agent)
    if state in ("member", "invited"):
        return True
    if state == "removed" or pool["scope"] == "agent-private":
        return state != "removed" and pool["agent_id"] == agent["key"]
    own = pool["user_id"] == agent["user_id"]
    alike = pool["scope"] == "project" and pool["project"] == agent["project"]
    return own or alike or pool["scope"] == "global"


def are_together(world: World, agent: Row, other: Row) -> bool:
    """Tells whether two agents are of one owner, or members of one open pool."""
    is_own = agent["user_id"] == other["user_id"]
    still_open = [pool for pool in world.pools if pool["state"] == "open"]
    both = [{world.place(pool, one) for one in (agent, other)} for pool in still_open]
    return is_own or {"member"} in both


def handed_to(world: World, owner: str | None, handoff: Row | None = None) -> set[str]:
    """Gives the memories that an owner may read because they go with what was handed over."""
    found = set()
    for row in world.handoffs:
        sender, receiver = world.agent(row["from_agent"]), world.agent(row["to_agent"])
        is_read = receiver["is_active"] and "memory_read" in receiver["capabilities"]
        is_open = row["state"] in OPEN_STATES and sender["is_active"]
        if row["to_user"] == owner and handoff in (None, row) and is_open and is_read:
            given = {
                k for k in row["memory_keys"] if MEMORIES[k][0].user in (None, row["from_user"])
            }
            found |= {key for key in map(_now_of, given) if _is_alive(world, key)}
    return found


def records_named_to(world: World, asker: Asker, agent: Row | None = None) -> set[str]:
    """Gives the words of records of an asker's project, and of those that an agent handed over."""
    within = (None, asker.project)
    seen = {word for project, word in RECORDS.items() if asker.project is None or project in within}
    sent = [
        row for row in world.handoffs if agent is not None and row["from_agent"] == agent["key"]
    ]
    return seen | {key.removeprefix("adr-") for row in sent for key in row["record_keys"]}


def seen_by(asker: Asker) -> list[Place]:
    return [place for place in PLACES if is_visible(asker, place)]


@cache
def said_in(key: str) -> tuple[str, ...]:
    """Gives all words that are shown of a memory to those whom it is lent to."""
    found = next(memory for memory in memories_of(MEMORIES[key][0]) if memory.key == key)
    return tuple(filter(None, (found.content, found.subject)))


@cache
def keys_seen_by(asker: Asker) -> frozenset[str]:
    """Gives the keys of all that an asker sees without any pool."""
    return frozenset(key for place in seen_by(asker) for key in place.keys)


def words(number: int) -> str:
    """Writes a number in letters."""
    return string.ascii_lowercase[number // 26] + string.ascii_lowercase[number % 26]


def _digits(what: str) -> str:
    return hashlib.sha256(what.encode()).hexdigest()[:32]


def _agent(owner: str, number: int, sort: tuple[Any, ...]) -> Row:
    may, widest, project, is_active = sort
    word = words(OWNERS.index(owner) * len(SORTS) + number)
    which = ("first", "second", "third", "fourth", "fifth")[number]
    return {
        "key": f"a-{_digits(word)}",
        "user_id": owner,
        "name": f"zag{word}q {which}",
        "type": "human",
        "capabilities": list(may),
        "max_scope": widest,
        "project": project,
        "is_active": is_active,
        **AT,
    }


def _pool(maker: Row, number: int, scope: str, project: str, state: str) -> Row:
    names = {"key": f"p-{_digits(f'pool {number}')}", "name": f"zpo{words(number)}q"}
    whose = {"agent_id": maker["key"], "user_id": maker["user_id"]}
    return {**names, **whose, "scope": scope, "project": project, "state": state, **AT}


def _of(world: World, maker: Row) -> list[Row]:
    return [pool for pool in world.pools if pool["agent_id"] == maker["key"]]


def _seat_and_lend(world: World, pool: Row, dice: random.Random) -> None:
    """Lets a pool have members in every state, who have shared and withdrawn what is theirs."""
    for agent in world.agents:
        is_maker = agent["key"] == pool["agent_id"]
        states = ("invited", "member", "member", "left", "removed", None)
        if agent["user_id"] == OWNERS[-1]:
            states = ("invited", "left", "removed", None)
        state = "member" if is_maker else dice.choice(states)
        if state is None or not _can_be_in(pool, agent):
            continue
        key = f"{pool['key']}:{agent['key']}"
        told = {"permission": "admin" if is_maker else "read", "state": state, "by": agent["key"]}
        names = {"key": key, "pool": pool["key"], "agent_id": agent["key"]}
        row = {**names, "user_id": agent["user_id"], **told, **AT}
        world.members[pool["key"], agent["key"]] = row
        if state in ("member", "left"):
            for place in dice.sample([p for p in PLACES if p.user in (None, agent["user_id"])], 2):
                _lend(world, pool, agent, place.key(dice.choice(SHARED)), dice)


def _lend(world: World, pool: Row, agent: Row, key: str, dice: random.Random) -> None:
    if (pool["key"], key) in world.shares:
        return
    names = {"key": f"{pool['key']}:{key}", "pool": pool["key"], "memory_key": key}
    state = dice.choice(("shared", "shared", "shared", "withdrawn"))
    whose = {"agent_id": agent["key"], "user_id": agent["user_id"], "state": state}
    world.shares[pool["key"], key] = {**names, **whose, **AT}


def _can_be_in(pool: Row, agent: Row) -> bool:
    if pool["scope"] == "agent-private":
        return bool(agent["key"] == pool["agent_id"])
    return pool["scope"] != "user" or agent["user_id"] == pool["user_id"]


def _handoffs(world: World, dice: random.Random) -> Iterator[Row]:
    """Gives handoffs in every state, between agents of one owner and of different ones."""
    for number in range(60):
        sender, receiver = dice.sample(world.agents, 2)
        own = [p for p in PLACES if p.user in (None, sender["user_id"])]
        given = (*dice.sample(own, 2), dice.choice(PLACES))  # the last was the sender's own once
        keys = [place.key(dice.choice(SHARED)) for place in given]
        word = words(number)
        ends = dice.choice((NEVER_OPEN, NEVER_OPEN, datetime.now(UTC) - timedelta(days=1)))
        state = STATES[number % len(STATES)]
        yield {
            "key": f"h-{_digits(f'handoff {number}')}",
            "from_agent": sender["key"],
            "from_user": sender["user_id"],
            "to_agent": receiver["key"],
            "to_user": receiver["user_id"],
            "task": f"Do zta{word}q.",
            "context": f"It is zco{word}q.",
            "memory_keys": keys,
            "record_keys": [f"adr-{word}" for word in dice.sample(list(RECORDS.values()), 3)],
            "state": "expired" if state == "pending" and ends < datetime.now(UTC) else state,
            "why": f"No zwy{word}q." if state in ("rejected", "failed") else None,
            "result": f"Did zre{word}q." if state == "completed" else None,
            "expires_at": ends,
            **AT,
        }


def _lends(world: World, pool: Row, agent: Row, asker: Asker) -> bool:
    is_reader = agent["is_active"] and "memory_read" in agent["capabilities"]
    is_here = pool["scope"] != "project" or asker.project in (None, pool["project"])
    return bool(is_reader and is_here and may_ask(world, pool, agent))


def _lent_by(world: World, pool: Row) -> set[str]:
    """Gives what stands now of what a pool lends: of what its owner said anew, the new."""
    found = set()
    for (lender, key), share in world.shares.items():
        if lender == pool["key"] and share["state"] == "shared":
            place, stands = MEMORIES[key][0], _now_of(key)
            if place.user in (None, share["user_id"]) and _is_alive(world, stands):
                found.add(stands)
    return found


def _now_of(key: str) -> str:
    """Gives the key of what its owner said in the place of a memory, if that was said anew."""
    place, name = MEMORIES[key]
    return place.key("new") if name == "old" else key


def _is_alive(world: World, key: str) -> bool:
    return key not in world.retracted and MEMORIES[key][1] in ALIVE
