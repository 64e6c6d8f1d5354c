"""Every function by which an owner or an agent reads, and what the model says it may give.

Each is given the world and a probe, and tells which ids may come back; `None` is a refusal.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from circles import (
    MEMORIES,
    PLACES,
    PROJECTS,
    Row,
    World,
    handed_to,
    keys_seen_by,
    lent_to,
    may_ask,
    seen_by,
)
from doors import ALL, READS, WIDE
from knowwhy.config import Settings
from knowwhy.maas import agents, handoffs, membership, pools, shared
from knowwhy.maas.handoff_steps import STATES
from knowwhy.maas.sorts import SORTS, allowed
from knowwhy.retrieval import pooled
from knowwhy.retrieval.page_of_all import PAGE
from knowwhy.retrieval.search import search
from knowwhy.tables.agents import audit_rows, handed_over, lending
from knowwhy.types import Asker, Filters
from planted import Place

SETTINGS = Settings(reranker="none", acts_a_minute=1_000_000)
LOOKS, ACTS = 30, 15  # how often what takes but a look or two is asked, and what is an act
NAMED = {  # say something of what they are asked of
    *("agent", "acts of an agent", "companions", "query of a pool", "what may be queried"),
    *("handoff", "lent memory", "lent to an agent by a pool", "carried"),
}
HOW: dict[str, Any] = {"embedder": "wordhash"}


@dataclass(frozen=True)
class Probe:
    """One question: who asks, and which agent, pool, memory and handoff it names."""

    read: str
    asker: Asker
    agent: str
    other: str  # an agent too
    pool: str
    memory: str
    handoff: str
    place: Place  # that the memory is of
    choice: int


@dataclass(frozen=True)
class Inquiry:
    """A function that reads, and the ids that it may give."""

    ask: Callable[[Probe], Any]
    may_give: Callable[[World, Probe], set[str] | None]
    is_exact: bool = True  # gives all of them, or as many as it gives
    most: int = 1_000_000  # that it gives at once
    often: int = 2  # of some 440 probes


def now() -> datetime:
    return datetime.now(UTC)


def drawn(dice: random.Random, world: World) -> Probe:
    """Draws a probe; half of the agents that it names are the asker's own."""
    owner = dice.choice([agent["user_id"] for agent in world.agents])
    some = [a for a in world.agents if a["user_id"] == owner or dice.random() < 0.3]
    agent, pool, task = dice.choice(some), dice.choice(world.pools), dice.choice(world.handoffs)
    near = [p for p in world.pools if world.place(p, agent)]
    pool = dice.choice(near) if near and dice.random() < 0.5 else pool
    mine = [h for h in world.handoffs if agent["key"] in (h["from_agent"], h["to_agent"])]
    task = dice.choice(mine) if mine and dice.random() < 0.5 else task
    place = dice.choice(PLACES)
    lent = [key for (lender, key) in world.shares if lender == pool["key"]]
    memory = dice.choice(lent) if lent and dice.random() < 0.5 else dice.choice(sorted(place.keys))
    return Probe(
        dice.choices(list(INQUIRIES), [inquiry.often for inquiry in INQUIRIES.values()])[0],
        Asker(owner, dice.choice(PROJECTS)),
        agent["key"],
        dice.choice(world.agents)["key"],
        pool["key"],
        memory if memory.startswith("m-") else place.key("fact"),
        task["key"],
        place,
        dice.randrange(12),
    )


def own(world: World, probe: Probe, needs: str | None = None) -> Row | None:
    """Gives the agent that a probe names if it may act for its asker."""
    row = world.agent(probe.agent)
    is_able = row["is_active"] and (needs is None or needs in row["capabilities"])
    return row if row["user_id"] == probe.asker.user_id and is_able else None


def seen(world: World, probe: Probe) -> set[str]:
    """What an asker sees without any pool."""
    return keys_seen_by(probe.asker) - world.retracted


def found(world: World, probe: Probe) -> set[str]:
    """What a search may find: that, and what is lent."""
    return keys_seen_by(probe.asker) | set(lent_to(world, probe.asker))


def standing(world: World, probe: Probe, *names: str, lent_to_agent: Row | None = None) -> set[str]:
    """What stands of what an asker sees, and what is lent, to any of their agents or to one."""
    places = seen_by(probe.asker)
    there = {place.key(name) for place in places for name in names} - world.retracted
    return there | set(lent_to(world, probe.asker, lent_to_agent))


def everything(world: World, probe: Probe) -> set[str]:
    """Gives what was told and what was said: a turn that was read counts with what was read."""
    turns = {place.digits("unread") for place in seen_by(probe.asker)}
    return told(world, probe) | turns


def told(world: World, probe: Probe) -> set[str]:
    return standing(world, probe, "fact", "shared", "new", "rule", "read")


def its_agents(world: World, probe: Probe) -> set[str]:
    with_others = probe.choice % 2
    mine = [a for a in world.agents if a["user_id"] == probe.asker.user_id]
    return {agent["key"] for agent in mine if with_others or agent["is_active"]}


def its_agent(world: World, probe: Probe) -> set[str] | None:
    row = world.agent(probe.agent)
    return {row["key"]} if row["user_id"] == probe.asker.user_id else None


def its_acts(world: World, probe: Probe) -> set[str]:
    """What an owner has named in acts, or what was near enough to be."""
    mine = {a["key"] for a in world.agents if a["user_id"] == probe.asker.user_id}
    near = {pool for pool, agent in world.members if agent in mine}
    made = {pool["key"] for pool in world.pools if pool["agent_id"] in mine}
    guests = {agent for pool, agent in world.members if pool in made}
    lent = {key for pool, key in world.shares if pool in near}
    tasks = {h["key"] for h in world.handoffs if h["to_agent"] in mine}
    return mine | near | guests | lent | tasks | world.named[probe.asker.user_id]


def acts_of_agent(world: World, probe: Probe) -> set[str] | None:
    return its_agent(world, probe) and its_acts(world, probe)


def its_seats(world: World, probe: Probe) -> set[str] | None:
    agent = own(world, probe, "memory_read")
    if agent is None:
        return None
    there = [pool for pool in world.pools if pool["state"] == "open"]
    return {pool["key"] for pool in there if world.place(pool, agent) in ("member", "invited")}


def its_companions(world: World, probe: Probe) -> set[str] | None:
    agent, pool = own(world, probe, "memory_read"), world.pool(probe.pool)
    if agent is None or not may_ask(world, pool, agent):
        return None
    return {one["key"] for one in world.agents if world.place(pool, one) in ("member", "invited")}


def in_its_pools(world: World, probe: Probe) -> set[str] | None:
    agent = own(world, probe, "memory_read")
    return None if agent is None else set(lent_to(world, probe.asker, agent))


def in_the_pool(world: World, probe: Probe) -> set[str] | None:
    agent, pool = own(world, probe, "memory_read"), world.pool(probe.pool)
    if agent is None or not may_ask(world, pool, agent):
        return None
    return set(lent_to(world, probe.asker, agent, pool))


def of_its_agent(world: World, probe: Probe) -> set[str]:
    """What a look at what is lent gives, of whatever agent it is asked."""
    return set(lent_to(world, probe.asker, world.agent(probe.agent), world.pool(probe.pool)))


def lent_memory(world: World, probe: Probe) -> set[str] | None:
    found = set(lent_to(world, probe.asker)) | handed_to(world, probe.asker.user_id)
    return {probe.memory} if probe.memory in found else None


def carried(world: World, probe: Probe) -> set[str]:
    handoff = next(h for h in world.handoffs if h["key"] == probe.handoff)
    return handed_to(world, probe.asker.user_id, None if probe.choice % 2 else handoff)


def searched(world: World, probe: Probe) -> set[str] | None:
    """Of what was told and stands, that of the sort; of what is lent, only what the agent is."""
    needs, kinds = SORTS[sort_of(probe)]
    agent = own(world, probe, needs)
    if agent is None or "memory_read" not in agent["capabilities"]:
        return None if agent is None else set()
    there = standing(world, probe, "new", lent_to_agent=agent)
    return {key for key in there if MEMORIES[key][1] == "new" and "decision" in kinds}


def received(world: World, probe: Probe) -> set[str] | None:
    return _handed(world, probe, "to_agent", "handoff_receive", state_of(probe, "pending"))


def sent(world: World, probe: Probe) -> set[str] | None:
    return _handed(world, probe, "from_agent", "handoff_initiate", state_of(probe, None))


def handoff(world: World, probe: Probe) -> set[str] | None:
    agent = own(world, probe)
    row = next(h for h in world.handoffs if h["key"] == probe.handoff)
    if agent is None or agent["key"] not in (row["from_agent"], row["to_agent"]):
        return None
    return _told(row)


def _handed(
    world: World, probe: Probe, column: str, needs: str, state: str | None
) -> set[str] | None:
    agent = own(world, probe, needs)
    if agent is None:
        return None
    rows = [h for h in world.handoffs if h[column] == agent["key"] and state in (None, h["state"])]
    return {key for row in rows for key in _told(row)}


def _told(row: Row) -> set[str]:
    return {row["key"], row["from_agent"], row["to_agent"], *row["memory_keys"]}


def state_of(probe: Probe, usual: str | None) -> str | None:
    states = (usual, usual, None, *STATES)
    return states[probe.choice % len(states)]


def sort_of(probe: Probe) -> str:
    return sorted(SORTS)[probe.choice % len(SORTS)]


def _search_sort(probe: Probe) -> Any:
    everywhere = Filters(project=probe.asker.project, asker=probe.asker)
    filters = allowed(sort_of(probe), probe.asker, SETTINGS, probe.agent, everywhere)
    return search(WIDE, reranker="none", k=100, filters=filters, **HOW).hits


def _look_at_acts(probe: Probe, agent: str | None) -> Any:
    if agent is not None:
        agents.look_up(probe.asker, agent)
    return audit_rows.acts(user_id=probe.asker.user_id, agent_id=agent, most=ALL)


def _query(probe: Probe, pool: str | None) -> Any:
    question = (WIDE, probe.place.canary + " redis log kafka bento")[probe.choice % 2]
    return pooled.query(probe.asker, SETTINGS, probe.agent, question, pool=pool, k=100, **HOW).hits


def _like(read: str) -> Callable[[Probe], Any]:
    return lambda p: READS[read](p.asker, p.place, p.choice)


INQUIRIES: dict[str, Inquiry] = {
    "agents": Inquiry(
        lambda p: agents.of(p.asker, inactive=p.choice % 2 == 1), its_agents, often=LOOKS
    ),
    "agent": Inquiry(lambda p: agents.look_up(p.asker, p.agent), its_agent, often=LOOKS),
    "acts": Inquiry(lambda p: _look_at_acts(p, None), its_acts, is_exact=False, often=LOOKS),
    "acts of an agent": Inquiry(
        lambda p: _look_at_acts(p, p.agent),
        acts_of_agent,
        is_exact=False,
        often=LOOKS,
    ),
    "seats": Inquiry(lambda p: pools.seats(p.asker, SETTINGS, p.agent), its_seats, often=ACTS),
    "companions": Inquiry(
        lambda p: membership.companions(p.asker, SETTINGS, p.agent, p.pool),
        its_companions,
        often=ACTS,
    ),
    "query of all pools": Inquiry(lambda p: _query(p, None), in_its_pools, most=PAGE, often=ACTS),
    "query of a pool": Inquiry(lambda p: _query(p, p.pool), in_the_pool, most=PAGE, often=ACTS),
    "what may be queried": Inquiry(
        lambda p: shared.may_query(p.asker, SETTINGS, p.agent, p.pool), in_the_pool, often=ACTS
    ),
    "search of a sort": Inquiry(_search_sort, searched, often=ACTS),
    "received": Inquiry(
        lambda p: handoffs.received(p.asker, SETTINGS, p.agent, state_of(p, "pending"), 200),
        received,
        often=ACTS,
    ),
    "sent": Inquiry(
        lambda p: handoffs.sent(p.asker, SETTINGS, p.agent, state_of(p, None), 200),
        sent,
        often=ACTS,
    ),
    "handoff": Inquiry(
        lambda p: handoffs.look_up(p.asker, SETTINGS, p.agent, p.handoff), handoff, often=ACTS
    ),
    "lent": Inquiry(
        lambda p: lending.lent(p.asker, now()),
        lambda world, p: set(lent_to(world, p.asker)),
        often=LOOKS,
    ),
    "lent to an agent by a pool": Inquiry(
        lambda p: lending.lent(p.asker, now(), agent_id=p.agent, pool=p.pool),
        of_its_agent,
        often=LOOKS,
    ),
    "lent memory": Inquiry(
        lambda p: lending.lent_memory(p.asker, p.memory, now()), lent_memory, often=LOOKS
    ),
    "carried": Inquiry(
        lambda p: handed_over.carried(p.asker, now(), None if p.choice % 2 else p.handoff),
        carried,
        often=LOOKS,
    ),
    "everything": Inquiry(_like("everything"), everything),
    "told": Inquiry(_like("told"), told),
    **{
        read: Inquiry(_like(read), found, is_exact=False)
        for read in (
            *("said", "by words", "told, by words", "said, by words", "by meaning"),
            *(
                "told, by meaning",
                "said, by meaning",
                "by the graph",
                "search",
                "context",
                "handed out",
            ),
        )
    },
    **{
        read: Inquiry(_like(read), lambda world, p: set(keys_seen_by(p.asker)), is_exact=False)
        for read in (
            *("memories in any status", "count", "pending", "review history", "memorules"),
            *("history", "history by words", "checkpoints", "nearest", "on topic", "same words"),
            *("mentioning", "memory", "changes", "provenance"),
        )
    },
    "memories": Inquiry(_like("memories"), seen, is_exact=False),
    "recalls": Inquiry(
        _like("recalls"),
        lambda world, p: set(keys_seen_by(p.asker)) | world.named[p.asker.user_id],
        is_exact=False,
    ),
}
