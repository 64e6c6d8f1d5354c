"""What goes with a handoff, packed for the agent that receives it."""

from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import datetime

from knowwhy.maas.acting import own_agent, owner_of
from knowwhy.maas.handoffs import Handoff
from knowwhy.maas.sorts import needed_for
from knowwhy.retrieval.context.blocks import BEYOND, Item, Packed, pack
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.tables.agents import handed_over
from knowwhy.tables.agents.lending import READS
from knowwhy.tables.agents.registries import Row
from knowwhy.tables.kept.memories import safe
from knowwhy.tables.recallable import as_passage
from knowwhy.types import Asker, Memory, Passage

OPEN = (handed_over.PENDING, handed_over.ACCEPTED)
TOKENS = 2_000  # by default
MOST_OF_A_RECORD = 20_000  # characters; more than the largest context holds of one
NOTHING = "No memory and no record goes with it, or none that can still be read."
UNREADABLE = "readable no longer, or not in this project"
WHOLE = -1  # the position of what is no piece of a longer text


def is_receiver(handoff: Handoff, agent_id: str) -> bool:
    """Tells whether an agent is shown what goes with a handoff: its receiver, while it is open."""
    return handoff.receiver.key == agent_id and handoff.state in OPEN


def pack_handoff(asker: Asker, handoff: Handoff, tokens: int, now: datetime) -> Packed:
    """Packs the task, its context, and of what goes with it whatever may be read at a moment.

    A sentence says how much is left out, and why: what its receiver lacks a capability for, what
    can be read no longer or not in its project, and what does not fit.
    """
    project = safe(asker).project
    records = handed_over.records(handoff.record_keys, project, MOST_OF_A_RECORD)
    lacking = _lacking(asker, handoff, records)
    belonging = _belonging(asker, handoff, records, lacking, now)
    gone = [key for key in _keys(handoff) if key not in lacking and key not in belonging]
    unread = [*gone, *[None] * handoff.other_records]
    found = {passage.key: Hit(passage, 0.0, {}, said=said) for passage, said in belonging.values()}
    answer = Answer(handoff.task, tuple(found.values()), question_class="handoff")
    packed = _packed(answer, handoff, tokens, lacking, len(unread))
    why = [
        *((key, f"its receiver lacks {needs}") for key, needs in lacking.items()),
        *((key, UNREADABLE) for key in unread),
    ]
    left = (Item("knowledge", key, None, 0, False, said) for key, said in why)
    return replace(packed, items=(*packed.items, *left))


def _packed(
    answer: Answer,
    handoff: Handoff,
    tokens: int,
    lacking: Mapping[str, str],
    unread: int,
    beyond: int = 0,
) -> Packed:
    """Packs what may be read; that so much does not fit is said, which takes room in its turn."""
    packed = pack(
        answer,
        tokens,
        system=_left_out(lacking, unread, beyond),
        task=handoff.task,
        history=[handoff.context] if handoff.context else [],
        nothing=NOTHING,
    )
    found = sum(item.why == BEYOND for item in packed.items)
    if found <= beyond:
        return packed
    return _packed(answer, handoff, tokens, lacking, unread, found)


def _keys(handoff: Handoff) -> tuple[str, ...]:
    return (*handoff.memory_keys, *handoff.record_keys)


def _lacking(asker: Asker, handoff: Handoff, records: Mapping[str, Row]) -> dict[str, str]:
    """Gives what goes with a handoff and its receiver may not read, with what it lacks."""
    receiver = own_agent(handoff.receiver.key, owner_of(asker))
    needs = {
        **dict.fromkeys(handoff.memory_keys, READS),
        **{key: needed_for(records[key]["kind"]) for key in handoff.record_keys if key in records},
    }
    return {key: one for key, one in needs.items() if one not in receiver.capabilities}


def _left_out(lacking: Mapping[str, str], unread: int, beyond: int) -> str | None:
    """Says in a sentence how much was left out, and for which reasons."""
    needs = ", ".join(dict.fromkeys(lacking.values()))
    why = {f"for want of {needs}": len(lacking), UNREADABLE: unread, BEYOND: beyond}
    reasons = {said: number for said, number in why.items() if number}
    if not reasons:
        return None
    every = sum(reasons.values())
    head = f"{every} of what goes with it {'is' if every == 1 else 'are'} left out"
    if len(reasons) == 1:
        return f"{head}, {next(iter(reasons))}."
    return f"{head}: {'; '.join(f'{number} {said}' for said, number in reasons.items())}."


def _belonging(
    asker: Asker,
    handoff: Handoff,
    records: Mapping[str, Row],
    lacking: Container[str],
    now: datetime,
) -> dict[str, tuple[Passage, Memory | None]]:
    """Gives what may be read by the keys that were handed over, of what was said anew the new."""
    there = handed_over.carried_for(asker, now, handoff.key)
    memories = {key: there[key] for key in handoff.memory_keys if key in there}
    return {
        **{key: (as_passage(memory), memory) for key, memory in memories.items()},
        **{
            key: (_record(records[key]), None)
            for key in handoff.record_keys
            if key in records and key not in lacking
        },
    }


def _record(row: Row) -> Passage:
    """Gives a record as one piece."""
    same = ("key", "label", "kind", "service", "project", "path", "status", "occurred_at")
    return Passage(
        pos=WHOLE,
        heading="",
        text=row["content"],
        search_text=row["content"],
        first_line=0,
        last_line=0,
        title=row["title"],
        context=None,
        **{name: row[name] for name in same},
    )
