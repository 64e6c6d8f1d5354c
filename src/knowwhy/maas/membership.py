"""Who is in a pool: invited, joined, permitted more or less, gone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotAllowed, NotFound, PoolFull
from knowwhy.maas.acting import Agent, Deed, act, agent_of
from knowwhy.maas.ids import is_id, one_of
from knowwhy.maas.pools import (
    ADMIN,
    ADMINISTERS,
    INVITED,
    LEFT,
    MEMBER,
    PERMISSIONS,
    READ,
    REMOVED,
    Member,
    Pool,
    administered,
    admins,
    close,
    entitled,
    found,
    place_of,
    seat,
    shown,
    unknown,
    within,
)
from knowwhy.tables.agents import registries
from knowwhy.types import Asker

THERE = (MEMBER, INVITED)  # states of who counts among a pool's members


@dataclass(frozen=True, slots=True)
class Companion:
    """A member of a pool as the others are shown it: never whose it is.

    Who is only invited has not said yes to being shown: of another owner's agent there is its id.
    """

    agent_id: str
    name: str | None
    type: str | None
    permission: str
    state: str  # member or invited
    is_active: bool | None


def join(asker: Asker, settings: Settings, agent_id: str, pool_id: str) -> Member:
    """Takes an agent into a pool that it was invited to, or whose scope it is in."""

    def decide(agent: Agent) -> Deed:
        pool, member = found(agent, pool_id)
        within(agent, pool.scope)
        if member is not None and member.is_in:
            return Deed(target=pool.key, result=member)
        invited = member is not None and member.state == INVITED
        if not invited:
            _check_room(pool, settings)
        permission = member.permission if member is not None and invited else READ
        key = f"{pool.key}:{agent.key}"
        joined = Member(key, pool.key, agent.key, agent.user_id, permission, MEMBER)
        return Deed([seat(pool, agent, permission, MEMBER, agent)], pool.key, joined)

    joined: Member = act(
        "join_pool",
        asker,
        settings,
        decide,
        agent_id=agent_id,
        needs="memory_read",
        target=shown(pool_id),
    )
    return joined


def leave(asker: Asker, settings: Settings, agent_id: str, pool_id: str) -> None:
    """Takes an agent out of a pool, or declines an invitation; who leaves last closes it."""

    def decide(agent: Agent) -> Deed:
        pool, member = found(agent, pool_id)
        if member is None or member.state not in THERE:
            raise unknown()
        others = registries.count("members", pool=pool.key, state=MEMBER) - member.is_in
        if others and admins(pool) == {agent.key}:
            raise NotAllowed(
                "That agent is the only admin of the pool and others are in it: permit one of "
                "them to be admin, or archive the pool."
            )
        left = seat(pool, agent, member.permission, LEFT, agent)
        is_last = member.is_in and not others
        return Deed([left, close(pool)] if is_last else [left], pool.key)

    _act("leave_pool", asker, settings, decide, agent_id, pool_id, needs=None)


def invite(
    asker: Asker,
    settings: Settings,
    agent_id: str,
    pool_id: str,
    other_id: str,
    permission: str = READ,
) -> None:
    """Lets another agent, of whatever owner, join a pool with a permission."""

    def decide(agent: Agent) -> Deed:
        one_of("The permission", permission, PERMISSIONS)
        pool = administered(agent, pool_id)
        other = _invitable(other_id, pool)
        _check_able(other, permission)
        member = place_of(pool.key, other.key)
        if member is not None and member.is_in:
            raise BadInput("That agent is in the pool already; permit it more or less instead.")
        if member is None or member.state != INVITED:
            _check_room(pool, settings)
        target = f"{pool.key}:{other.key}"
        return Deed([seat(pool, other, permission, INVITED, agent)], target)

    _act("invite_to_pool", asker, settings, decide, agent_id, pool_id)


def permit(
    asker: Asker, settings: Settings, agent_id: str, pool_id: str, other_id: str, permission: str
) -> None:
    """Changes what an agent may do in a pool."""

    def decide(agent: Agent) -> Deed:
        one_of("The permission", permission, PERMISSIONS)
        pool = administered(agent, pool_id)
        other, member = _there(pool, other_id)
        _check_able(other, permission)
        if permission != ADMIN and admins(pool) == {other.key}:
            raise NotAllowed("That is the only admin of the pool: permit another one first.")
        return Deed([seat(pool, other, permission, member.state, agent)], member.key)

    _act("permit_in_pool", asker, settings, decide, agent_id, pool_id)


def remove(asker: Asker, settings: Settings, agent_id: str, pool_id: str, other_id: str) -> None:
    """Takes another agent out of a pool, or takes back its invitation, until it is invited anew."""

    def decide(agent: Agent) -> Deed:
        pool = administered(agent, pool_id)
        other, member = _there(pool, other_id)
        if other.key == agent.key:
            raise BadInput("An agent leaves a pool by itself; only others are removed.")
        return Deed([seat(pool, other, READ, REMOVED, agent)], member.key)

    _act("remove_from_pool", asker, settings, decide, agent_id, pool_id)


def companions(asker: Asker, settings: Settings, agent_id: str, pool_id: str) -> list[Companion]:
    """Lists who is in a pool or invited to it, for an agent that is in it."""

    def decide(agent: Agent) -> Deed:
        pool, _ = entitled(agent, pool_id, READ)
        rows = registries.find("members", pool=pool.key, state=THERE, order="created_at")
        named = [row["agent_id"] for row in rows]
        agents = {row["key"]: agent_of(row) for row in registries.find("agents", key=named)}
        result = [_companion(agents[row["agent_id"]], row, agent) for row in rows]
        return Deed(target=pool.key, result=result)

    listed: list[Companion] = _act(
        "get_pool_members", asker, settings, decide, agent_id, pool_id, needs="memory_read"
    )
    return listed


def _act(
    what: str,
    asker: Asker,
    settings: Settings,
    decide: Callable[[Agent], Deed],
    agent_id: str,
    pool_id: str,
    *,
    needs: str | None = ADMINISTERS,
) -> Any:
    target = shown(pool_id)
    return act(what, asker, settings, decide, agent_id=agent_id, needs=needs, target=target)


def _invitable(agent_id: str, pool: Pool) -> Agent:
    row = registries.one("agents", agent_id) if is_id(agent_id, "agent") else None
    other = None if row is None else agent_of(row)
    if other is None or not other.is_active or not _can_be_in(other, pool):
        raise NotFound("There is no active agent of that id that can be invited to that pool.")
    return other


def _can_be_in(agent: Agent, pool: Pool) -> bool:
    if pool.scope == "agent-private":
        return agent.key == pool.agent_id
    return pool.scope != "user" or agent.user_id == pool.user_id


def _there(pool: Pool, agent_id: str) -> tuple[Agent, Member]:
    """Gives an agent that is in a pool or invited to it."""
    member = place_of(pool.key, agent_id) if is_id(agent_id, "agent") else None
    row = registries.one("agents", agent_id) if member is not None else None
    if member is None or member.state not in THERE or row is None:
        raise NotFound("No agent of that id is in that pool.")
    return agent_of(row), member


def _check_able(agent: Agent, permission: str) -> None:
    """Refuses an admin that could do nothing as one."""
    if permission == ADMIN and ADMINISTERS not in agent.capabilities:
        raise NotAllowed(
            f"An admin of a pool needs {ADMINISTERS}, and that agent lacks it: give it read or "
            "write, or choose another one."
        )


def _check_room(pool: Pool, settings: Settings) -> None:
    if registries.count("members", pool=pool.key, state=THERE) >= settings.max_members:
        raise PoolFull(
            f"That pool has {settings.max_members} members and invitations, as many as are "
            "allowed. Remove some, or raise KNOWWHY_MAX_MEMBERS."
        )


def _companion(agent: Agent, row: registries.Row, reader: Agent) -> Companion:
    there = row["permission"], row["state"]
    if row["state"] == INVITED and agent.user_id != reader.user_id:
        return Companion(agent.key, None, None, *there, None)
    return Companion(agent.key, agent.name, agent.type, *there, agent.is_active)
