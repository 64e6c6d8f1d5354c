"""Agents: who they are, whose, what they may do, and when they are at work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotFound, RegistryFull
from knowwhy.maas.acting import Agent, Deed, act, act_as_owner, agent_of, own_agent, owner_of
from knowwhy.maas.ids import checked_name, is_id, new_id, one_of
from knowwhy.maas.typed_ids import one_begun
from knowwhy.tables.agents import registries
from knowwhy.tables.agents.lending import SCOPES
from knowwhy.tables.agents.registries import added, changed
from knowwhy.tables.talk.turns import safe_name
from knowwhy.types import Asker

READING = ("memory_read", "kb_search", "decision_read", "incident_read")
HANDING = ("handoff_initiate", "handoff_receive")
CAPABILITIES = (*READING, "memory_write", "memory_retract", *HANDING)
# What an agent of a type may do unless its owner says otherwise. A person may do everything; what
# runs by itself takes nothing back; a reviewer reads and answers.
DEFAULTS: dict[str, tuple[str, ...]] = {
    "human": CAPABILITIES,
    "coding_assistant": (*READING, "memory_write", *HANDING),
    "llm_agent": (*READING, "memory_write", *HANDING),
    "orchestrator": CAPABILITIES,
    "pipeline": (*READING, "memory_write", "handoff_initiate"),
    "reviewer": (*READING, "handoff_receive"),
    "service": ("memory_read", "kb_search"),
}
TYPES = tuple(DEFAULTS)
DEFAULT_SCOPE = "team"


@dataclass(frozen=True, slots=True)
class Session:
    """One time that an agent is at work."""

    key: str
    started_at: datetime


def register(
    asker: Asker,
    settings: Settings,
    name: str,
    type: str,
    *,
    capabilities: Sequence[str] | None = None,
    max_scope: str = DEFAULT_SCOPE,
) -> Agent:
    """Adds an agent of the asker, in the project where it is made."""

    def decide(owner: str) -> Deed:
        one_of("The type of an agent", type, TYPES)
        one_of("The widest scope of an agent", max_scope, SCOPES)
        may, kept = _known(type, capabilities), checked_name("an agent", name)
        if registries.count("agents", user_id=owner, is_active=True) >= settings.max_agents:
            raise RegistryFull(
                f"You have {settings.max_agents} active agents, as many as are allowed. Deactivate "
                "some, or raise KNOWWHY_MAX_AGENTS."
            )
        now = datetime.now(UTC)
        row = {
            "key": new_id("agent"),
            "user_id": owner,
            "name": kept,
            "type": type,
            "capabilities": list(may),
            "max_scope": max_scope,
            "project": safe_name(asker.project),
            "is_active": True,
            "created_at": now,
            "touched_at": now,
        }
        return Deed([added("agents", row)], str(row["key"]), agent_of(row))

    registered: Agent = act_as_owner("register_agent", asker, decide)
    return registered


def of(asker: Asker, *, inactive: bool = False) -> list[Agent]:
    """Lists the asker's agents, oldest first."""
    wanted = {} if inactive else {"is_active": True}
    rows = registries.find("agents", user_id=owner_of(asker), order="created_at", **wanted)
    return [agent_of(row) for row in rows]


def look_up(asker: Asker, agent_id: str) -> Agent:
    """Gives an agent of the asker."""
    return own_agent(agent_id, owner_of(asker))


def deactivate(asker: Asker, agent_id: str) -> Agent:
    """Takes all rights from an agent, for good, and ends its sessions."""

    def decide(owner: str) -> Deed:
        agent = own_agent(agent_id, owner)
        now = datetime.now(UTC)
        gone = changed("agents", agent_id, is_active=False, touched_at=now)
        still = registries.find("agent_sessions", agent_id=agent_id, ended_at=None)
        ended = [changed("agent_sessions", row["key"], ended_at=now) for row in still]
        return Deed([gone, *ended], agent_id, agent)

    return look_up(
        asker, act_as_owner("deactivate_agent", asker, decide, target=_shown(agent_id)).key
    )


def open_sessions(asker: Asker, agent_id: str) -> list[Session]:
    """Lists the sessions of an agent of the asker that nobody has ended, oldest first."""
    agent = look_up(asker, agent_id)
    rows = registries.find("agent_sessions", agent_id=agent.key, ended_at=None, order="started_at")
    return [Session(row["key"], row["started_at"]) for row in rows]


def start_session(asker: Asker, settings: Settings, agent_id: str) -> str:
    """Notes that an agent begins to work; gives the session's id."""

    def decide(agent: Agent) -> Deed:
        is_open = registries.count("agent_sessions", agent_id=agent.key, ended_at=None)
        if is_open >= settings.max_agent_sessions:
            raise RegistryFull(
                f"That agent has {is_open} open sessions, as many as are allowed. "
                "`knowwhy agents show` lists them; end some, or raise KNOWWHY_MAX_AGENT_SESSIONS."
            )
        key = new_id("session")
        now = datetime.now(UTC)
        row = {"key": key, "agent_id": agent.key, "user_id": agent.user_id}
        times = {"started_at": now, "ended_at": None}
        return Deed([added("agent_sessions", {**row, **times})], key, key)

    return str(act("start_session", asker, settings, decide, agent_id=agent_id))


def end_session(asker: Asker, settings: Settings, agent_id: str, session: str) -> None:
    """Notes that an agent has ended a session of its own."""

    def decide(agent: Agent) -> Deed:
        still = registries.find("agent_sessions", agent_id=agent.key, ended_at=None)
        keys = [row["key"] for row in still]
        key = one_begun(session, keys)
        if key not in keys:
            raise NotFound("That agent has no open session of that id.")
        return Deed([changed("agent_sessions", key, ended_at=datetime.now(UTC))], key)

    act("end_session", asker, settings, decide, agent_id=agent_id)


def _known(type: str, capabilities: Sequence[str] | None) -> tuple[str, ...]:
    """Gives the capabilities that were chosen, or those of a type; one that is none is refused."""
    may = tuple(dict.fromkeys(DEFAULTS[type] if capabilities is None else capabilities))
    if unknown := [one for one in may if one not in CAPABILITIES]:
        raise BadInput(
            f"There is no capability {unknown[0][:50]!r}. There are {', '.join(CAPABILITIES)}."
        )
    return may


def _shown(agent_id: str) -> str | None:
    return agent_id if is_id(agent_id, "agent") else None
