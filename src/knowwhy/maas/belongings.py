"""What may be handed over, and to whom."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from knowwhy.config import Settings
from knowwhy.errors import BadInput, HandoffsFull, NotAllowed, NotFound
from knowwhy.maas.acting import Agent
from knowwhy.maas.ids import is_id
from knowwhy.tables.agents import handed_over, registries
from knowwhy.tables.agents.registries import Row
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, as_of, safe
from knowwhy.tables.scope import sees
from knowwhy.text.characters import check_characters
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Asker

INITIATE, RECEIVE = "handoff_initiate", "handoff_receive"
LONGEST_TASK = 2_000  # characters; more is what its context is for
LONGEST_TEXT = 20_000  # characters of a context or a result: some 5,000 tokens
LONGEST_WHY = 2_000  # characters
MOST_KEYS = 50  # memories, and as many records
SHORTEST_TTL, LONGEST_TTL = timedelta(minutes=1), timedelta(days=30)


def cleaned(text: str | None) -> str | None:
    """Gives a text as it is kept, without secrets; nothing for a blank one."""
    return redact(text).strip() or None if text else None


def check_text(what: str, text: str | None, longest: int) -> None:
    """Refuses a text of a handoff that is too long, or that no column can hold."""
    if len(text or "") > longest:
        raise BadInput(
            f"The {what} of a handoff has {len(text or ''):,} characters; {longest:,} are allowed."
        )
    try:
        check_characters(text or "")
    except BadInput as error:
        raise BadInput(f"The {what} of a handoff {error}.") from None


def check_task(
    task: str | None, context: str | None, belonging: Sequence[Sequence[str]], ttl: timedelta
) -> None:
    """Refuses a task that says nothing, or is larger or lasts longer than is allowed."""
    if not task:
        raise BadInput("A handoff needs a task; say what is to be done.")
    check_text("task", task, LONGEST_TASK)
    check_text("context", context, LONGEST_TEXT)
    for what, keys in zip(("memories", "records"), belonging, strict=True):
        if len(keys) > MOST_KEYS:
            raise BadInput(f"At most {MOST_KEYS} {what} go with a handoff; it has {len(keys)}.")
    if not SHORTEST_TTL <= ttl <= LONGEST_TTL:
        raise BadInput("The time to accept a handoff must be from 1 minute to 30 days.")


def receiver_for(sender: Agent, to_agent: str) -> Row:
    """Finds who can be handed something; whoever cannot does not exist for the sender."""
    if to_agent == sender.key:
        raise BadInput("An agent hands a task to another one, and not to itself.")
    row = registries.one("agents", to_agent) if is_id(to_agent, "agent") else None
    is_able = row is not None and row["is_active"] and RECEIVE in row["capabilities"]
    if row is None or not is_able or not _are_together(sender, row):
        raise NotFound(
            "No agent of that id takes handoffs from that one: it must be active, have "
            f"{RECEIVE}, and be yours or share a pool with it."
        )
    return row


def check_room(to_agent: str, settings: Settings, now: datetime) -> None:
    """Refuses one handoff more than may wait for an agent."""
    if (waiting := handed_over.waiting_for(to_agent, now)) >= settings.max_handoffs:
        raise HandoffsFull(
            f"{waiting} handoffs wait for that agent, as many as are allowed. Try again when it "
            "has taken some, or raise KNOWWHY_MAX_HANDOFFS."
        )


def check_memories(agent: Agent, asker: Asker, keys: Sequence[str], now: datetime) -> None:
    """Lets an agent give what its owner may read, and nothing that does not hold."""
    if keys and "memory_read" not in agent.capabilities:
        raise NotAllowed("That agent may not hand memories over: it lacks memory_read.")
    held = memories.held(keys)
    for key in keys:
        memory = held.get(key)
        if memory is None or not sees(safe(asker), memory.user_id, memory.project):
            raise memories.unknown(key)
        if (status := as_of(memory, now).status) != ACTIVE:
            raise BadInput(f"The memory {key} is {status}; only what is active is handed over.")


def check_records(asker: Asker, keys: Sequence[str]) -> None:
    """Refuses records that do not exist for who hands them over."""
    there = handed_over.records(keys, safe(asker).project)
    for key in keys:
        if key not in there:
            shown = redact(key)[: memories.LONGEST_SHOWN]
            raise NotFound(f"No record is called {shown!r}. `knowwhy list` shows the keys.")


def _are_together(sender: Agent, receiver: Row) -> bool:
    is_own = sender.user_id == receiver["user_id"]
    return is_own or handed_over.share_a_pool(sender.key, receiver["key"])
