"""What goes with a handoff, packed for the agent that receives it."""

from datetime import datetime

from knowwhy.maas.acting import owner_of
from knowwhy.maas.handoffs import Handoff
from knowwhy.retrieval.blocks import Packed, pack
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.tables import handed_over
from knowwhy.tables.memories import safe
from knowwhy.tables.recallable import as_passage
from knowwhy.tables.registries import Row
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
    """Packs the task, its context, and of what goes with it whatever may be read at a moment."""
    hits = [Hit(passage, 0.0, {}, said=said) for passage, said in _belonging(asker, handoff, now)]
    answer = Answer(handoff.task, tuple(hits), question_class="handoff")
    history = [handoff.context] if handoff.context else []
    return pack(answer, tokens, task=handoff.task, history=history, nothing=NOTHING)


def _belonging(
    asker: Asker, handoff: Handoff, now: datetime
) -> list[tuple[Passage, Memory | None]]:
    there = handed_over.carried(owner_of(asker), now, handoff.key)
    memories = [there[key] for key in handoff.memory_keys if key in there]
    project = safe(asker).project
    records = handed_over.records(handoff.record_keys, project, MOST_OF_A_RECORD)
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
