"""The row that a search leaves behind."""

from knowwhy import telemetry
from knowwhy.retrieval.search import Answer
from knowwhy.types import Filters, Json, Recall


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

    The payload is what the reader got; when it is left out, the texts of the hits.
    """
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
        project=filters.project,
        agent_id=agent_id,
        session_id=session_id,
    )
    return telemetry.note(recall)
