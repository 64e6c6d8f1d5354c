"""Handoffs: one agent gives another a task, with what belongs to it and a time to take it in."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotFound
from knowwhy.maas.acting import Agent, Deed, act
from knowwhy.maas.belongings import (
    INITIATE,
    LONGEST_TEXT,
    LONGEST_WHY,
    MOST_KEYS,
    RECEIVE,
    check_memories,
    check_records,
    check_room,
    check_task,
    check_text,
    cleaned,
    receiver_for,
)
from knowwhy.maas.handoff_steps import (
    ACCEPT,
    COMPLETE,
    FAIL,
    REJECT,
    STATES,
    state_after,
    state_at,
)
from knowwhy.maas.ids import is_id, new_id, one_of
from knowwhy.tables.agents import handed_over, registries
from knowwhy.tables.agents.handed_over import PENDING
from knowwhy.tables.agents.registries import Row, added, changed
from knowwhy.tables.kept.memories import safe
from knowwhy.text.suspicious import suspicion
from knowwhy.types import Asker

TTL = timedelta(days=1)
MOST_LISTED = 200  # handoffs
LISTED = 50


@dataclass(frozen=True, slots=True)
class Party:
    """An agent as others are told of it: its owner is none of their business."""

    key: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Handoff:
    """One task that was handed over, as both of its agents may see it."""

    key: str
    sender: Party
    receiver: Party
    state: str
    task: str
    context: str | None
    memory_keys: tuple[str, ...]
    record_keys: tuple[str, ...]
    why: str | None  # of a rejection or a failure
    result: str | None
    created_at: datetime
    expires_at: datetime
    touched_at: datetime
    other_records: int = 0  # that go with it too, and who reads this may not see

    @property
    def suspicious(self) -> str | None:
        """Says why something of it is suspicious of giving orders to its reader."""
        names = self.sender.name, self.receiver.name
        texts = (*names, self.task, self.context, self.why, self.result)
        return next(filter(None, (suspicion(text) for text in texts if text)), None)


def initiate(
    asker: Asker,
    settings: Settings,
    agent_id: str,
    to_agent: str,
    task: str,
    *,
    context: str | None = None,
    memory_keys: Sequence[str] = (),
    record_keys: Sequence[str] = (),
    ttl: timedelta = TTL,
    named: Callable[[str], str] = str,
) -> Handoff:
    """Hands a task to another agent, which has so long to accept it.

    Records are given by their keys, or by names of which `named` finds the keys.
    """
    said, more = cleaned(task), cleaned(context)
    given_keys, names = tuple(dict.fromkeys(memory_keys)), tuple(dict.fromkeys(record_keys))
    records, unknown = _keys_of(names[:MOST_KEYS], named)

    def decide(agent: Agent) -> Deed:
        check_task(said, more, (given_keys, names), ttl)
        now = datetime.now(UTC)
        receiver = receiver_for(agent, to_agent)
        check_room(to_agent, settings, now)
        check_memories(agent, asker, given_keys, now)
        if unknown is not None:
            raise unknown
        check_records(asker, records)
        row = {
            "key": new_id("handoff"),
            "from_agent": agent.key,
            "from_user": agent.user_id,
            "to_agent": to_agent,
            "to_user": receiver["user_id"],
            "task": said,
            "context": more,
            "memory_keys": list(given_keys),
            "record_keys": list(records),
            "state": PENDING,
            "why": None,
            "result": None,
            "expires_at": now + ttl,
            "created_at": now,
            "touched_at": now,
        }
        told = _told([row], now)[0]
        return Deed([added("handoffs", row)], told.key, told)

    given: Handoff = act(
        "initiate_handoff",
        asker,
        settings,
        decide,
        agent_id=agent_id,
        needs=INITIATE,
        target=to_agent if is_id(to_agent, "agent") else None,
    )
    return given


def accept(asker: Asker, settings: Settings, agent_id: str, handoff: str) -> Handoff:
    """Takes a task over; of several that try at once one does."""
    return _step(ACCEPT, asker, settings, agent_id, handoff)


def reject(
    asker: Asker, settings: Settings, agent_id: str, handoff: str, why: str | None = None
) -> Handoff:
    """Refuses a task."""
    return _step(REJECT, asker, settings, agent_id, handoff, why=why)


def complete(
    asker: Asker, settings: Settings, agent_id: str, handoff: str, result: str | None = None
) -> Handoff:
    """Says that a task is done, and what came of it."""
    return _step(COMPLETE, asker, settings, agent_id, handoff, result=result)


def fail(
    asker: Asker, settings: Settings, agent_id: str, handoff: str, why: str | None = None
) -> Handoff:
    """Says that a task could not be done, and why."""
    return _step(FAIL, asker, settings, agent_id, handoff, why=why)


def look_up(asker: Asker, settings: Settings, agent_id: str, handoff: str) -> Handoff:
    """Gives a handoff that an agent has sent or received."""

    def decide(agent: Agent) -> Deed:
        row = _row(handoff)
        if row is None or agent.key not in (row["from_agent"], row["to_agent"]):
            raise _unknown()
        return Deed(target=handoff, result=row)

    row: Row = act("get_handoff", asker, settings, decide, agent_id=agent_id)
    reader = asker if row["to_agent"] == agent_id else None
    return _told([row], datetime.now(UTC), reader)[0]


def received(
    asker: Asker,
    settings: Settings,
    agent_id: str,
    state: str | None = PENDING,
    most: int = LISTED,
) -> list[Handoff]:
    """Lists what an agent has been handed, the oldest first; by default what waits for it."""
    what = "get_pending_handoffs" if state == PENDING else "get_received_handoffs"
    return _listed(what, asker, settings, agent_id, "to_agent", state, most)


def sent(
    asker: Asker,
    settings: Settings,
    agent_id: str,
    state: str | None = None,
    most: int = LISTED,
) -> list[Handoff]:
    """Lists what an agent has handed to others, the newest first."""
    return _listed("get_sent_handoffs", asker, settings, agent_id, "from_agent", state, most)


def _listed(
    what: str,
    asker: Asker,
    settings: Settings,
    agent_id: str,
    column: str,
    state: str | None,
    most: int,
) -> list[Handoff]:
    """Notes that an agent looks; the reading itself holds nobody up."""
    needs = RECEIVE if column == "to_agent" else INITIATE

    def decide(agent: Agent) -> Deed:
        if state is not None:
            one_of("The state of a handoff", state, STATES)
        if not 1 <= most <= MOST_LISTED:
            raise BadInput(f"The limit is {most}; it must be from 1 to {MOST_LISTED}.")
        return Deed(result=agent.key)

    key = act(what, asker, settings, decide, agent_id=agent_id, needs=needs)
    now, newest = datetime.now(UTC), column == "from_agent"
    rows = handed_over.handoffs({column: key}, state, now, most, newest=newest)
    return _told(rows, now, asker if column == "to_agent" else None)


def _step(
    step: str,
    asker: Asker,
    settings: Settings,
    agent_id: str,
    handoff: str,
    **said: str | None,
) -> Handoff:
    kept = {name: cleaned(text) for name, text in said.items()}

    def decide(agent: Agent) -> Deed:
        for name, longest in (("why", LONGEST_WHY), ("result", LONGEST_TEXT)):
            check_text(name, kept.get(name), longest)
        row = _row(handoff)
        if row is None or row["to_agent"] != agent.key:
            raise _unknown()
        now = datetime.now(UTC)
        state = state_after(row["state"], step, row["expires_at"], now)
        into: dict[str, Any] = {"state": state, "touched_at": now, **kept}
        return Deed([changed("handoffs", handoff, **into)], handoff, {**row, **into})

    target = handoff if is_id(handoff, "handoff") else None
    row: Row = act(
        f"{step}_handoff", asker, settings, decide, agent_id=agent_id, needs=RECEIVE, target=target
    )
    return _told([row], datetime.now(UTC), asker)[0]


def _keys_of(
    names: Iterable[str], named: Callable[[str], str]
) -> tuple[tuple[str, ...], NotFound | None]:
    """Finds what is called so before the queue; what is not found is said by the act that asks."""
    try:
        return tuple(dict.fromkeys(map(named, names))), None
    except NotFound as error:
        return (), error


def _row(handoff: str) -> Row | None:
    return registries.one("handoffs", handoff) if is_id(handoff, "handoff") else None


def _unknown() -> NotFound:
    return NotFound(
        "That agent has no handoff of that id. `knowwhy handoffs list` shows what waits for it."
    )


def _told(rows: Iterable[Row], now: datetime, reader: Asker | None = None) -> list[Handoff]:
    """Gives handoffs as they are shown: with names for their agents, and their states of now.

    A reader is who received them; the others have named the records themselves.
    """
    kept = list(rows)
    named = {key for row in kept for key in row["record_keys"]}
    seen = named if reader is None else set(handed_over.records(named, safe(reader).project))
    keys = sorted({row[column] for row in kept for column in ("from_agent", "to_agent")})
    agents = {row["key"]: row for row in registries.find("agents", key=keys)} if keys else {}
    return [_handoff(row, agents, seen, now) for row in kept]


def _handoff(row: Row, agents: Mapping[str, Row], seen: Set[str], now: datetime) -> Handoff:
    records = tuple(key for key in row["record_keys"] if key in seen)
    same = ("key", "task", "context", "why", "result", "created_at", "expires_at", "touched_at")
    return Handoff(
        sender=_party(agents[row["from_agent"]]),
        receiver=_party(agents[row["to_agent"]]),
        state=state_at(row["state"], row["expires_at"], now),
        memory_keys=tuple(row["memory_keys"]),
        record_keys=records,
        other_records=len(row["record_keys"]) - len(records),
        **{name: row[name] for name in same},
    )


def _party(row: Row) -> Party:
    return Party(row["key"], row["name"], row["type"])
