"""Tools for pools: circles of agents, of one owner or several, that lend each other memories."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import (
    AgentId,
    MemoryKey,
    OtherAgent,
    PermissionGiven,
    PoolId,
    PoolScope,
    Question,
    Scope,
)
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Json

if TYPE_CHECKING:
    from knowwhy.maas.membership import Companion
    from knowwhy.maas.pools import Seat

Hits = Annotated[int, Field(ge=1, le=20, description="Hits at most.")]


def create_pool(
    caller: Caller,
    agent_id: AgentId,
    name: Annotated[
        str,
        Field(min_length=1, max_length=200, description="For people.", examples=["Payments"]),
    ],
    scope: Annotated[Scope, Field(description="Who may join uninvited, and how wide it is.")] = (
        "team"
    ),
) -> Said:
    """Open a pool; the agent is its admin and can invite others, also those of other owners.

    Use it so that agents can lend each other memories, by share_memory_to_scope. Uninvited, your
    own agents may join it, in a project pool all agents of the project, in a global one whoever
    knows its id. Not for a pool that is there already (get_pools, join_pool), nor for handing over
    one task (initiate_handoff).
    """
    from knowwhy.maas import pools

    made = pools.create(caller.asker, caller.settings, agent_id, name, scope)
    data = {"pool": made.key, "name": made.name, "scope": made.scope, "project": made.project}
    return Said(f"The pool {made.key} is open ({made.scope}).", data)


def get_pools(caller: Caller, agent_id: AgentId) -> Said:
    """List the open pools that an agent of yours is in or invited to.

    Use it to see invitations, which join_pool accepts and leave_pool declines, and to find a pool's
    id. Not for who is in one (get_pool_members), nor for what they lend (query_shared).
    """
    from knowwhy.maas import pools
    from knowwhy.mcp.rendered import NOTE, listed

    found = pools.seats(caller.asker, caller.settings, agent_id)
    text = listed(f"{len(found)} pools:", map(_seat, found), "That agent is in no pool.")
    return Said(text, {"note": NOTE, "pools": [_seat_data(one) for one in found]})


def get_pool_members(caller: Caller, agent_id: AgentId, pool: PoolId) -> Said:
    """List who is in a pool or invited to it, for an agent that is in it.

    Use it to find whom a task can be handed to. Whose an agent is is not told, and of another
    owner's that has not joined yet only its id. Not for all agents of yours (get_agents_for_user).
    """
    from knowwhy.maas import membership
    from knowwhy.mcp.rendered import NOTE, listed

    found = membership.companions(caller.asker, caller.settings, agent_id, pool)
    text = listed(f"{len(found)} agents:", map(_companion, found), "Nobody is in it.")
    data = [_companion_data(one) for one in found]
    return Said(text, {"note": NOTE, "pool": pool, "members": data})


def invite_to_pool(
    caller: Caller,
    agent_id: AgentId,
    pool: PoolId,
    other_agent: OtherAgent,
    permission: PermissionGiven = "read",
) -> Said:
    """Let another agent, of whatever owner, join a pool; an admin of it invites.

    Use it for an agent that may not join uninvited or should do more than read; it joins by itself,
    with join_pool. read: finds what the pool lends; write: lends too; admin: also invites and
    removes. Not for one that is in it already (permit_in_pool).
    """
    from knowwhy.maas import membership

    given = agent_id, pool, other_agent, permission
    membership.invite(caller.asker, caller.settings, *given)
    return _member(f"{other_agent} may join as {permission}.", pool, other_agent, permission)


def permit_in_pool(
    caller: Caller,
    agent_id: AgentId,
    pool: PoolId,
    other_agent: OtherAgent,
    permission: PermissionGiven,
) -> Said:
    """Change what an agent may do in a pool; an admin of it permits.

    Use it when a member should read only, lend too, or be an admin. Not for one that is not in it
    (invite_to_pool), nor for taking one out (remove_from_pool).
    """
    from knowwhy.maas import membership

    given = agent_id, pool, other_agent, permission
    membership.permit(caller.asker, caller.settings, *given)
    return _member(f"{other_agent} has {permission} there now.", pool, other_agent, permission)


def remove_from_pool(
    caller: Caller, agent_id: AgentId, pool: PoolId, other_agent: OtherAgent
) -> Said:
    """Take another agent out of a pool, or its invitation back; an admin of it removes.

    Use it when an agent should find nothing of the pool any more, from the next call on.
    Not for the agent itself (leave_pool), nor for fewer rights (permit_in_pool).
    """
    from knowwhy.maas import membership

    membership.remove(caller.asker, caller.settings, agent_id, pool, other_agent)
    return _member(f"{other_agent} is out of the pool.", pool, other_agent, None)


def join_pool(caller: Caller, agent_id: AgentId, pool: PoolId) -> Said:
    """Let an agent of yours into a pool that it was invited to, or that is open to it.

    Use it after an invitation, or when you were told a pool's id. From then on your searches find
    what the pool lends. Not for another owner's agent (invite_to_pool).
    """
    from knowwhy.maas import membership

    joined = membership.join(caller.asker, caller.settings, agent_id, pool)
    said = f"{agent_id} is in the pool with {joined.permission}."
    return _member(said, pool, agent_id, joined.permission)


def leave_pool(caller: Caller, agent_id: AgentId, pool: PoolId) -> Said:
    """Take an agent of yours out of a pool, or decline its invitation.

    Use it when the agent needs the pool no more. From the next call on you find nothing of it; who
    leaves last closes it. Not for another agent (remove_from_pool), nor for closing it to all
    (archive_pool).
    """
    from knowwhy.maas import membership

    membership.leave(caller.asker, caller.settings, agent_id, pool)
    return _member(f"{agent_id} has left the pool.", pool, agent_id, None)


def archive_pool(caller: Caller, agent_id: AgentId, pool: PoolId) -> Said:
    """Close a pool for good: it lends nothing any more; what was lent stays its owners'.

    Use it when no member needs the pool any more. Not for leaving it to the others (leave_pool),
    nor for one memory (withdraw_shared).
    """
    from knowwhy.maas import pools

    pools.archive(caller.asker, caller.settings, agent_id, pool)
    return Said(f"The pool {pool} is archived.", {"pool": pool})


def share_memory_to_scope(caller: Caller, agent_id: AgentId, pool: PoolId, key: MemoryKey) -> Said:
    """Lend a memory of yours to the members of a pool, by reference.

    Use it when other agents should find what you remember. Nothing is copied: taken back it is lent
    no longer, said anew its new text is. Members are not told whose it is. withdraw_shared undoes
    it. Not for what belongs to one task (initiate_handoff).
    """
    from knowwhy.maas import shared

    shared.share(caller.asker, caller.settings, agent_id, pool, key)
    return Said(f"The pool lends {key} now.", {"pool": pool, "key": key})


def withdraw_shared(caller: Caller, agent_id: AgentId, pool: PoolId, key: MemoryKey) -> Said:
    """Lend a memory no longer: by an agent of who shared it, or by an admin of the pool.

    Use it to undo share_memory_to_scope. The memory itself stays as it is. Not for taking the
    memory itself back (invalidate_memory).
    """
    from knowwhy.maas import shared

    shared.withdraw(caller.asker, caller.settings, agent_id, pool, key)
    return Said(f"The pool lends {key} no longer.", {"pool": pool, "key": key})


def query_shared(
    caller: Caller, agent_id: AgentId, query: Question, pool: PoolScope = None, limit: Hits = 5
) -> Said:
    """Find what pools lend to an agent of yours, in all its pools or in one, and nothing else.

    Use it where only what was shared counts, and each search is noted. Not for finding it beside
    all the rest (semantic_search).
    """
    from knowwhy.mcp.asked import found
    from knowwhy.retrieval.pooled import query as queried

    asker, settings, model = caller.asker, caller.settings, caller.embedder
    answer = queried(asker, settings, agent_id, query, embedder=model, pool=pool, k=limit)
    return found(caller, answer, caller.filters(), agent_id)


def _member(said: str, pool: str, agent: str, permission: str | None) -> Said:
    return Said(said, {"pool": pool, "agent_id": agent, "permission": permission})


def _seat(seat: "Seat") -> tuple[str, str]:
    holds = f"{seat.members} members, {seat.shared} memories"
    return f"{seat.pool} · {seat.scope} · {seat.state} ({seat.permission}) · {holds}", seat.name


def _seat_data(seat: "Seat") -> dict[str, Json]:
    return {
        "pool": seat.pool,
        "name": seat.name,
        "scope": seat.scope,
        "permission": seat.permission,
        "state": seat.state,
        "members": seat.members,
        "shared": seat.shared,
    }


def _companion(one: "Companion") -> tuple[str, str]:
    state = f"{one.state}, deactivated" if one.is_active is False else one.state
    about = filter(None, (one.agent_id, one.type, f"{state} ({one.permission})"))
    return " · ".join(about), one.name or ""


def _companion_data(one: "Companion") -> dict[str, Json]:
    return {
        "agent_id": one.agent_id,
        "name": one.name,
        "type": one.type,
        "permission": one.permission,
        "state": one.state,
        "is_active": one.is_active,
    }
