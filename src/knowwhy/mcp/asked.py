"""Searches for a caller: the one place of the server that asks them."""

from collections.abc import Mapping, Sequence

from knowwhy.mcp.caller import Caller
from knowwhy.retrieval.blocks import Packed
from knowwhy.retrieval.noted import note
from knowwhy.retrieval.search import Answer, Hit, search
from knowwhy.types import Filters, Json


def asked(
    caller: Caller, question: str, k: int, filters: Filters, *, rerank: str = "default"
) -> Answer:
    """Asks for the records, memories and turns that answer a question."""
    return search(
        question,
        embedder=caller.embedder,
        reranker=caller.settings.reranker,
        k=k,
        filters=filters,
        rerank=rerank,
    )


def noted(caller: Caller, answer: Answer, filters: Filters, packed: Packed) -> str:
    """Notes what was asked and what was handed out; gives the key by which that can be judged."""
    return note(
        answer,
        filters,
        user_id=caller.asker.user_id,
        agent_id=caller.agent,
        session_id=caller.session,
        payload_bytes=len(packed.text.encode()),
        packed=packed.traced(),
    )


def hits_data(hits: Sequence[Hit]) -> list[Mapping[str, Json]]:
    """Gives hits as programs are shown them: only the fields that they have."""
    from knowwhy.mcp.rendered import iso

    return [
        {
            name: value
            for name, value in {
                "key": hit.passage.key,
                "kind": hit.passage.kind,
                "title": hit.passage.title,
                "label": hit.passage.label,
                "status": hit.passage.status,
                "service": hit.passage.service,
                "path": hit.passage.path,
                "lines": [hit.passage.first_line, hit.passage.last_line],
                "heading": hit.passage.heading,
                "occurred_at": iso(hit.passage.occurred_at),
                "score": round(hit.score, 4),
            }.items()
            if value not in (None, "")
        }
        for hit in hits
    ]
