"""What goes with a handoff, packed for the agent that receives it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from knowwhy.maas.acting import own_agent, owner_of
from knowwhy.maas.handoffs import Handoff
from knowwhy.maas.sorts import needed_for
from knowwhy.retrieval.context.blocks import Item, Packed, pack
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
WHOLE = -1  # the position of what is no piece of a longer text


def is_receiver(handoff: Handoff, agent_id: str) -> bool:
    """Tells whether an agent is shown what goes with a handoff: its receiver, while it is open."""
    return handoff.receiver.key == agent_id and handoff.state in OPEN


def pack_handoff(asker: Asker, handoff: Handoff, tokens: int, now: datetime) -> Packed:
    """Packs the task, its context, and of what goes with it whatever may be read at a moment.

    What its receiver lacks a capability for is left out, and a sentence says so.
    """
    project = safe(asker).project
    records = handed_over.records(handoff.record_keys, project, MOST_OF_A_RECORD)
    lacking = _lacking(asker, handoff, records)
    readable = {key: row for key, row in records.items() if key not in lacking}
    belonging = _belonging(asker, handoff, readable, now)
    hits = tuple(Hit(passage, 0.0, {}, said=said) for passage, said in belonging)
    answer = Answer(handoff.task, hits, question_class="handoff")
    history = [handoff.context] if handoff.context else []
    left = _left_out(lacking)
    packed = pack(answer, tokens, system=left, task=handoff.task, history=history, nothing=NOTHING)
    why = [
        Item("knowledge", key, None, 0, False, f"its receiver lacks {needs}")
        for key, needs in lacking.items()
    ]
    return replace(packed, items=(*packed.items, *why))


def _lacking(asker: Asker, handoff: Handoff, records: Mapping[str, Row]) -> dict[str, str]:
    """Gives what goes with a handoff and its receiver may not read, with what it lacks."""
    receiver = own_agent(handoff.receiver.key, owner_of(asker))
    needs = {
        **dict.fromkeys(handoff.memory_keys, READS),
        **{key: needed_for(records[key]["kind"]) for key in handoff.record_keys if key in records},
    }
    return {key: one for key, one in needs.items() if one not in receiver.capabilities}


def _left_out(lacking: Mapping[str, str]) -> str | None:
    """Says in a sentence how much was left out, and for want of which capabilities."""
    if not lacking:
        return None
    needs = list(dict.fromkeys(lacking.values()))
    return (
        f"{len(lacking)} of what goes with it {'is' if len(lacking) == 1 else 'are'} left out, for "
        f"want of {', '.join(needs)}."
    )


def _belonging(
    asker: Asker, handoff: Handoff, records: Mapping[str, Row], now: datetime
) -> list[tuple[Passage, Memory | None]]:
    there = handed_over.carried(owner_of(asker), now, handoff.key)
    memories = [there[key] for key in handoff.memory_keys if key in there]
    return [
        *((as_passage(memory), memory) for memory in memories),
        *((_record(records[key]), None) for key in handoff.record_keys if key in records),
    ]


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
