"""How every act goes: one at a time in the whole home, checked, then noted and done as one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from knowwhy.config import Settings
from knowwhy.errors import BadInput, Error, NotAllowed, NotFound, TooManyActs
from knowwhy.maas.ids import is_id
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.tables.agents.registries import Write
from knowwhy.tables.talk.turns import safe_name
from knowwhy.types import Asker

MINUTE = timedelta(minutes=1)  # that a limit of acts counts
DONE, REFUSED = "done", "refused"

Actor = dict[str, Any]  # who is noted: the owner, and the agent once it is known to be theirs


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: a program or person that acts for its owner."""

    key: str
    user_id: str  # its owner
    name: str
    type: str
    capabilities: tuple[str, ...]
    max_scope: str  # the widest pools that it may read
    project: str | None
    is_active: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Deed:
    """An act that has been found right: what to write, on what, and what it gives."""

    writes: Sequence[Write] = ()
    target: str | None = None
    result: Any = None


def act(
    what: str,
    asker: Asker,
    settings: Settings,
    decide: Callable[[Agent], Deed],
    *,
    agent_id: str,
    needs: str | None = None,
    target: str | None = None,
) -> Any:
    """Lets an agent of the asker do something, if it may; each try is a row of the audit.

    The row and what is done are one transaction: whatever happens, there is both or neither. Of the
    tries of an agent that acts too often one a minute is a row; the others do not even queue. All
    that an owner tries by agents that are not theirs counts as if one agent had tried it.
    """
    owner = owner_of(asker)
    _refuse_runaway(agent_id, owner, settings)

    def decided(actor: Actor) -> Deed:
        agent = _acting(agent_id, owner, settings)
        actor["agent_id"] = agent.key  # only now: else who knows an id could use up its acts
        _check(agent, what, needs, settings)
        return decide(agent)

    return _noted(what, owner, target, decided)


def act_as_owner(
    what: str, asker: Asker, decide: Callable[[str], Deed], *, target: str | None = None
) -> Any:
    """Lets an owner do something to the agents of their own; each try is a row of the audit."""
    owner = owner_of(asker)
    return _noted(what, owner, target, lambda actor: decide(owner))


def owner_of(asker: Asker) -> str:
    """Names the owner of whatever agents an asker has."""
    if asker.user_id is None:
        raise BadInput("An agent has an owner; say whose it is by --user.")
    return str(safe_name(asker.user_id))


def own_agent(agent_id: str, owner: str) -> Agent:
    """Gives an agent of an owner; another's does not exist for them."""
    row = registries.one("agents", agent_id) if is_id(agent_id, "agent") else None
    if row is None or row["user_id"] != owner:
        raise NotFound("No agent of yours has that id. `knowwhy agents list` shows yours.")
    return agent_of(row)


def agent_of(row: registries.Row) -> Agent:
    """Gives an agent as it is stored."""
    told = {name: row[name] for name in Agent.__dataclass_fields__}
    return Agent(**{**told, "capabilities": tuple(row["capabilities"])})


def _acting(agent_id: str, owner: str, settings: Settings) -> Agent:
    """Gives the owner's agent that is to act; who tries others too often is not told more."""
    try:
        return own_agent(agent_id, owner)
    except NotFound:
        if _is_too_often(owner, None, settings):
            raise _too_often(None, settings) from None
        raise


def _check(agent: Agent, what: str, needs: str | None, settings: Settings) -> None:
    if not agent.is_active:
        raise NotAllowed("That agent was deactivated; register another one.")
    if _is_too_often(agent.user_id, agent.key, settings):
        raise _too_often(agent.key, settings)
    if needs is not None and needs not in agent.capabilities:
        raise NotAllowed(
            f"That agent may not {what.replace('_', ' ')}: it lacks {needs}. It has "
            f"{', '.join(agent.capabilities) or 'no capability'}."
        )


def _refuse_runaway(agent_id: str, owner: str, settings: Settings) -> None:
    """Refuses without a row what goes on being tried too often, as is noted already."""
    for runaway in _known_runaways(agent_id, owner):
        is_meant = runaway is not None or not _is_own(agent_id, owner)
        if is_meant and _is_too_often(owner, runaway, settings):
            raise _too_often(runaway, settings)


def _known_runaways(agent_id: str | None, owner: str) -> set[str | None]:
    """Gives who is noted already to have just acted too often: an owner's agent, or none of it."""
    named = agent_id if agent_id and is_id(agent_id, "agent") else None
    return audit_rows.refused_since(owner, named, datetime.now(UTC) - MINUTE, TooManyActs.code)


def _is_own(agent_id: str, owner: str) -> bool:
    return is_id(agent_id, "agent") and bool(
        registries.count("agents", key=agent_id, user_id=owner)
    )


def _is_too_often(owner: str, agent_id: str | None, settings: Settings) -> bool:
    minute_ago, but = datetime.now(UTC) - MINUTE, TooManyActs.code
    if agent_id is None:
        tried = audit_rows.refused_to(owner, minute_ago, but=but)
    else:
        tried = audit_rows.acted_since(agent_id, minute_ago, but=but)
    return tried >= settings.acts_a_minute


def _too_often(agent_id: str | None, settings: Settings) -> TooManyActs:
    who = "You have tried agents that are not yours" if agent_id is None else "That agent has acted"
    return TooManyActs(
        f"{who} {settings.acts_a_minute} times within a minute; wait a little. "
        "KNOWWHY_ACTS_A_MINUTE allows more."
    )


def _noted(what: str, owner: str, target: str | None, decide: Callable[[Actor], Deed]) -> Any:
    actor: Actor = {"user_id": owner, "agent_id": None}
    with registries.acting():
        try:
            deed = decide(actor)
        except Error as error:
            if not _is_noted_already(error, actor):
                why = {"outcome": REFUSED, "reason": error.code}
                registries.carry_out(audit_rows.noting(what, **actor, target=target, **why))
            raise
        target = deed.target or target
        noted = audit_rows.noting(what, **actor, target=target, outcome=DONE)
        registries.carry_out(noted, *deed.writes)
    return deed.result


def _is_noted_already(error: Error, actor: Actor) -> bool:
    """Tells whether another try of a runaway agent was noted while this one queued."""
    agent_id, owner = actor["agent_id"], actor["user_id"]
    return isinstance(error, TooManyActs) and agent_id in _known_runaways(agent_id, owner)
