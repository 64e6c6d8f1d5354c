"""The row that a search leaves behind."""

from collections.abc import Sequence

from knowwhy import telemetry
from knowwhy.retrieval.search import Answer
from knowwhy.types import Asker, Filters, Json, Memory, Recall

# Classes of what is recalled without a question.
NEWEST, APPLYING = "newest", "applying"


def note(
    answer: Answer,
    filters: Filters,
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    session_id: str | None = None,
    payload_bytes: int | None = None,
    packed: Json = None,
) -> str:
    """Queues what was asked and what it gave, for whoever hands it out; gives the row's key.

    The payload is what the reader got; when it is left out, the texts of the hits. The project is
    the one that is asked in.
    """
    asked_in = filters.asker.project if filters.asker else None
    texts = [hit.passage.text for hit in answer.hits]
    recall = Recall(
        question=answer.question,
        question_class=answer.question_class,
        result_keys=tuple(hit.passage.key for hit in answer.hits),
        payload_bytes=sum(len(text.encode()) for text in texts)
        if payload_bytes is None
        else payload_bytes,
        weights=answer.weights,
        ranks={hit.passage.key: hit.ranks for hit in answer.hits},
        packed=packed,
        user_id=user_id,
        project=filters.project or asked_in,
        agent_id=agent_id,
        session_id=session_id,
    )
    return telemetry.note(recall)


def note_given(
    given: Sequence[Memory],
    how: str,
    asker: Asker,
    *,
    payload_bytes: int,
    agent_id: str | None = None,
    session_id: str | None = None,
    packed: Json = None,
) -> str:
    """Queues what was recalled without a question; gives the row's key."""
    recall = Recall(
        question="",
        question_class=how,
        result_keys=tuple(memory.key for memory in given),
        payload_bytes=payload_bytes,
        packed=packed,
        user_id=asker.user_id,
        project=asker.project,
        agent_id=agent_id,
        session_id=session_id,
    )
    return telemetry.note(recall)
