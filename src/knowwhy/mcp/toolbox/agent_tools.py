"""Tools for agents: who acts for the caller, what each may do, when each is at work."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import AgentId, AgentType, Capability, Limit, Scope
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from knowwhy.maas.acting import Agent
    from knowwhy.maas.agents import Session
    from knowwhy.tables.agents.audit_rows import Act

SHOWN_SESSIONS = 5  # open ones in the text; the data has them all


def register_agent(
    caller: Caller,
    name: Annotated[
        str,
        Field(min_length=1, max_length=200, description="For people.", examples=["Planner"]),
    ],
    type: Annotated[AgentType, Field(description="Decides what it may do by default.")],
    capabilities: Annotated[
        list[Capability] | None,
        Field(
            max_length=8,
            description="Left out: those of its type.",
            examples=[["memory_read", "kb_search"]],
        ),
    ] = None,
    max_scope: Annotated[Scope, Field(description="The widest pools that it may read.")] = "team",
) -> Said:
    """Register an agent of yours; its id is what the tools for pools and handoffs ask for.

    Use it once for each agent and keep the id. Not for each start (start_agent_session), nor for an
    id that is lost (get_agents_for_user).
    """
    from knowwhy.maas import agents

    made = agents.register(
        caller.asker, caller.settings, name, type, capabilities=capabilities, max_scope=max_scope
    )
    return Said(f"Registered as {made.key} ({made.type}). {_may(made)}", agent_data(made))


def get_agent_info(caller: Caller, agent_id: AgentId) -> Said:
    """Show one of your agents: its name, type, capabilities, widest scope and open sessions.

    Use it to see what an agent may do before it tries. Others' agents do not exist for you.
    Not for finding its id (get_agents_for_user), nor for what it did (get_agent_acts).
    """
    from knowwhy.grounding.memory_fields import iso
    from knowwhy.maas import agents
    from knowwhy.mcp.rendered import NOTE, data_block

    found = agents.look_up(caller.asker, agent_id)
    at_work = agents.open_sessions(caller.asker, agent_id)
    head = f"{_about(found)}. {_may(found)} {_at_work(at_work)}Its name:"
    sessions = [{"session": one.key, "started_at": iso(one.started_at)} for one in at_work]
    data = {"note": NOTE, **agent_data(found), "sessions": sessions}
    return Said(data_block(head, found.name), data)


def get_agents_for_user(
    caller: Caller,
    inactive: Annotated[bool, Field(description="Also those that were deactivated.")] = False,
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 100,
) -> Said:
    """List your own agents, oldest first, with their ids.

    Use it to find the id of an agent that was registered earlier. Not for others' agents in a pool
    (get_pool_members).
    """
    from knowwhy.maas import agents
    from knowwhy.mcp.rendered import NOTE, listed

    found = agents.of(caller.asker, inactive=inactive)
    page = found[:limit]
    entries = ((_about(agent), agent.name) for agent in page)
    text = listed(f"{len(page)} of {len(found)} agents:", entries, "You have no agents.")
    data = [agent_data(agent) for agent in page]
    return Said(text, {"note": NOTE, "total": len(found), "agents": data})


def deactivate_agent(caller: Caller, agent_id: AgentId) -> Said:
    """Take all rights from an agent of yours, for good, and end its sessions.

    Use it when an agent is no longer needed or cannot be trusted; a new one can be registered.
    Not for the end of one session (end_agent_session), nor for leaving one pool (leave_pool).
    """
    from knowwhy.maas import agents

    done = agents.deactivate(caller.asker, agent_id)
    return Said(f"Deactivated {done.key}; it may do nothing any more.", agent_data(done))


def start_agent_session(caller: Caller, agent_id: AgentId) -> Said:
    """Note that an agent begins to work; end_agent_session notes the end.

    Use it when who is at work should be known; nothing else needs a session. Not for a new agent
    (register_agent).
    """
    from knowwhy.maas import agents

    key = agents.start_session(caller.asker, caller.settings, agent_id)
    caller.serving.at_work.begin(caller, key, agent_id)
    return Said(f"The session {key} has begun.", {"session": key, "agent_id": agent_id})


def end_agent_session(
    caller: Caller,
    agent_id: AgentId,
    session: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            description="As start_agent_session gave it.",
            examples=["s-7c1e9d20…"],
        ),
    ],
) -> Said:
    """Note that an agent has ended a session of its own.

    Use it when an agent that start_agent_session has noted stops working. Not for taking its rights
    (deactivate_agent).
    """
    from knowwhy.maas import agents

    agents.end_session(caller.asker, caller.settings, agent_id, session)
    caller.serving.at_work.end(caller, session)
    return Said(f"The session {session} has ended.", {"session": session, "agent_id": agent_id})


def get_agent_acts(
    caller: Caller,
    agent_id: Annotated[
        str | None,
        Field(
            max_length=100,
            description="Only of this agent of yours.",
            examples=["a-5f0c2b9d…"],
        ),
    ] = None,
    limit: Limit = 20,
) -> Said:
    """List what your agents did or tried, the newest last: who, what, on what, how it ended, when.

    Use it to see who changed what. `knowwhy audit --verify` proves that nothing of it was changed.
    Not for the changes of one memory (why).
    """
    from knowwhy.maas import agents
    from knowwhy.maas.acting import owner_of
    from knowwhy.mcp.rendered import NOTE, listed
    from knowwhy.tables.agents import audit_rows

    key = agents.look_up(caller.asker, agent_id).key if agent_id else None
    found = audit_rows.acts(user_id=owner_of(caller.asker), agent_id=key, most=limit)
    entries = ((_act_line(act), "") for act in found)
    text = listed(f"{len(found)} acts:", entries, "No acts of your agents.")
    return Said(text, {"note": NOTE, "acts": [_act_data(act) for act in found]})


def agent_data(agent: "Agent") -> dict[str, Json]:
    """Gives an agent as its owner's programs are shown it."""
    from knowwhy.grounding.memory_fields import iso

    return {
        "agent_id": agent.key,
        "name": agent.name,
        "type": agent.type,
        "capabilities": list(agent.capabilities),
        "max_scope": agent.max_scope,
        "project": agent.project,
        "is_active": agent.is_active,
        "created_at": iso(agent.created_at),
    }


def _act_data(act: "Act") -> dict[str, Json]:
    from knowwhy.grounding.memory_fields import iso

    return {
        "number": act.number,
        "at": iso(act.at),
        "agent_id": act.agent_id,
        "act": act.act,
        "target": act.target,
        "outcome": act.outcome,
        "reason": act.reason,
    }


def _act_line(act: "Act") -> str:
    from knowwhy.grounding.memory_fields import iso

    ended = act.outcome if act.reason is None else f"{act.outcome} ({act.reason})"
    cells = [iso(act.at) or "", act.agent_id or "the owner", act.act, act.target or "", ended]
    return "  ".join(cell for cell in cells if cell)


def _about(agent: "Agent") -> str:
    state = "" if agent.is_active else ", deactivated"
    return f"{agent.key} ({agent.type}, up to {agent.max_scope}{state})"


def _at_work(sessions: "Sequence[Session]") -> str:
    """Names the oldest open sessions, which are those that somebody forgot to end."""
    shown = ", ".join(one.key for one in sessions[:SHOWN_SESSIONS])
    return f"{len(sessions)} open sessions, the oldest {shown}. " if sessions else ""


def _may(agent: "Agent") -> str:
    return f"It may: {', '.join(agent.capabilities) or 'nothing'}."
