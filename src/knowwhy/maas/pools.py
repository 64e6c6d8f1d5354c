"""Pools: circles of agents that lend each other memories, by reference."""

from dataclasses import dataclass
from datetime import UTC, datetime

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotAllowed, NotFound, PoolFull
from knowwhy.maas.acting import Agent, Deed, act
from knowwhy.maas.agents import DEFAULT_SCOPE
from knowwhy.maas.ids import checked_name, is_id, new_id, one_of
from knowwhy.tables.agents import registries
from knowwhy.tables.agents.lending import SCOPES, numbers_lent
from knowwhy.tables.agents.registries import Write, added, changed
from knowwhy.tables.talk.turns import safe_name
from knowwhy.types import Asker

OPEN, ARCHIVED = "open", "archived"
READ, WRITE, ADMIN = PERMISSIONS = ("read", "write", "admin")  # each allows what those before do
ADMINISTERS = "memory_write"  # what an admin must be able to do for being one to mean anything
INVITED, MEMBER, LEFT, REMOVED = "invited", "member", "left", "removed"
SHARED, WITHDRAWN = "shared", "withdrawn"


@dataclass(frozen=True, slots=True)
class Pool:
    """One circle of agents; whose it is is never shown to another owner."""

    key: str
    name: str
    agent_id: str  # that made it
    user_id: str  # whose that agent is
    scope: str
    project: str | None
    state: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """What one agent may do in one pool."""

    key: str
    pool: str
    agent_id: str
    user_id: str
    permission: str
    state: str  # invited, member, left or removed

    @property
    def is_in(self) -> bool:
        """Tells whether it has joined and is there still."""
        return self.state == MEMBER


@dataclass(frozen=True, slots=True)
class Seat:
    """A pool as one of its agents is shown it."""

    pool: str
    name: str
    scope: str
    permission: str
    state: str  # member or invited
    members: int
    shared: int


def create(
    asker: Asker, settings: Settings, agent_id: str, name: str, scope: str = DEFAULT_SCOPE
) -> Pool:
    """Opens a pool, of which the agent that makes it is the admin."""

    def decide(agent: Agent) -> Deed:
        one_of("The scope of a pool", scope, SCOPES)
        kept, project = checked_name("a pool", name), safe_name(asker.project)
        if scope == "project" and project is None:
            raise BadInput("A pool of a project is made in a project; say in which one.")
        within(agent, scope)
        if registries.count("pools", user_id=agent.user_id, state=OPEN) >= settings.max_pools:
            raise PoolFull(
                f"Your agents have {settings.max_pools} open pools, as many as are allowed. "
                "Archive some, or raise KNOWWHY_MAX_POOLS."
            )
        now = datetime.now(UTC)
        times = {"created_at": now, "touched_at": now}
        made = {"key": new_id("pool"), "name": kept, "agent_id": agent.key, "state": OPEN}
        row = {**made, "user_id": agent.user_id, "scope": scope, "project": project, **times}
        pool = _pool(row)
        return Deed([seat(pool, agent, ADMIN, MEMBER, agent), added("pools", row)], pool.key, pool)

    made: Pool = act(
        "create_pool", asker, settings, decide, agent_id=agent_id, needs="memory_write"
    )
    return made


def archive(asker: Asker, settings: Settings, agent_id: str, pool_id: str) -> None:
    """Closes a pool for good: it lends nothing any more, and what was lent stays its owners'."""

    def decide(agent: Agent) -> Deed:
        pool = administered(agent, pool_id)
        return Deed([close(pool)], pool.key)

    act(
        "archive_pool",
        asker,
        settings,
        decide,
        agent_id=agent_id,
        needs=ADMINISTERS,
        target=shown(pool_id),
    )


def close(pool: Pool) -> Write:
    """Gives what says that a pool is archived."""
    return changed("pools", pool.key, state=ARCHIVED, touched_at=datetime.now(UTC))


def seats(asker: Asker, settings: Settings, agent_id: str) -> list[Seat]:
    """Lists the open pools that an agent is in, or invited to; the reading holds nobody up."""

    act("get_pools", asker, settings, lambda agent: Deed(), agent_id=agent_id, needs="memory_read")
    rows = registries.find("members", agent_id=agent_id, state=(MEMBER, INVITED))
    places = {row["pool"]: _member(row) for row in rows}
    pools = registries.find("pools", key=list(places), state=OPEN, order="created_at")
    lent = numbers_lent([row["key"] for row in pools], datetime.now(UTC))
    return [_seat(_pool(row), places[row["key"]], lent[row["key"]]) for row in pools]


def found(agent: Agent, pool_id: str) -> tuple[Pool, Member | None]:
    """Gives a pool and the place of an agent in it; one that it may not enter does not exist."""
    row = registries.one("pools", pool_id) if is_id(pool_id, "pool") else None
    if row is None:
        raise unknown()
    pool, member = _pool(row), place_of(pool_id, agent.key)
    if not (member is not None and member.is_in) and not _may_enter(agent, pool, member):
        raise unknown()
    if pool.state != OPEN:
        raise NotFound("That pool was archived.")
    return pool, member


def entitled(agent: Agent, pool_id: str, permission: str) -> tuple[Pool, Member]:
    """Gives a pool in which an agent may do what a permission allows."""
    pool, member = found(agent, pool_id)
    if member is None or not member.is_in:
        raise NotAllowed("That agent is not in the pool yet; let it join first.")
    within(agent, pool.scope)
    if PERMISSIONS.index(member.permission) < PERMISSIONS.index(permission):
        raise NotAllowed(
            f"That agent may {member.permission} in the pool, and this needs {permission}; "
            "an admin of the pool can permit more."
        )
    return pool, member


def administered(agent: Agent, pool_id: str) -> Pool:
    """Gives a pool whose admin an agent is; one that all admins have left is its owner's again."""
    pool, _ = found(agent, pool_id)
    if agent.user_id == pool.user_id and not admins(pool):
        return pool
    return entitled(agent, pool_id, ADMIN)[0]


def admins(pool: Pool) -> set[str]:
    """Names the agents that can act as admins of a pool."""
    rows = registries.find("members", pool=pool.key, state=MEMBER, permission=ADMIN)
    named = [row["agent_id"] for row in rows]
    active = registries.find("agents", key=named, is_active=True)
    return {row["key"] for row in active if ADMINISTERS in row["capabilities"]}


def place_of(pool_id: str, agent_id: str) -> Member | None:
    """Gives what an agent is or was in a pool."""
    row = registries.one("members", f"{pool_id}:{agent_id}")
    return None if row is None else _member(row)


def seat(pool: Pool, agent: Agent, permission: str, state: str, by: Agent) -> Write:
    """Gives what says what an agent may do in a pool; the queue of acts must be held."""
    key, now = f"{pool.key}:{agent.key}", datetime.now(UTC)
    told = {"permission": permission, "state": state, "by": by.key, "touched_at": now}
    if registries.one("members", key) is not None:
        return changed("members", key, **told)
    names = {"pool": pool.key, "agent_id": agent.key, "user_id": agent.user_id}
    return added("members", {"key": key, **names, **told, "created_at": now})


def within(agent: Agent, scope: str) -> None:
    """Refuses a pool that is wider than an agent may read."""
    if SCOPES.index(scope) > SCOPES.index(agent.max_scope):
        raise NotAllowed(
            f"A {scope} pool is wider than that agent may read: its widest scope is "
            f"{agent.max_scope}."
        )


def unknown() -> NotFound:
    """Says that an agent has no such pool, whether or not there is one."""
    return NotFound("There is no pool of that id that this agent is in or may join.")


def shown(pool_id: str) -> str | None:
    """Gives what was named as a pool if it can be one: anything else may be a secret."""
    return pool_id if is_id(pool_id, "pool") else None


def _may_enter(agent: Agent, pool: Pool, member: Member | None) -> bool:
    """Tells whether an agent that is not in a pool may join it."""
    if member is not None and member.state in (INVITED, REMOVED):
        return member.state == INVITED
    if pool.scope == "agent-private":
        return agent.key == pool.agent_id
    if agent.user_id == pool.user_id or pool.scope == "global":
        return True
    return pool.scope == "project" and agent.project == pool.project


def _seat(pool: Pool, member: Member, shared: int) -> Seat:
    members = registries.count("members", pool=pool.key, state=MEMBER)
    what = member.permission, member.state
    return Seat(pool.key, pool.name, pool.scope, *what, members, shared)


def _pool(row: registries.Row) -> Pool:
    return Pool(**{name: row[name] for name in Pool.__dataclass_fields__})


def _member(row: registries.Row) -> Member:
    return Member(**{name: row[name] for name in Member.__dataclass_fields__})
