"""Searches for a caller: the one place of the server that asks them."""

from collections.abc import Sequence

from knowwhy.grounding.memory_fields import iso
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.refusals import told
from knowwhy.mcp.rendered import NOTE, cut
from knowwhy.mcp.toolbox.narrowing import check_service
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.retrieval.context.blocks import Packed, listing
from knowwhy.retrieval.context.excerpts import excerpts
from knowwhy.retrieval.context.fence import quoted
from knowwhy.retrieval.noted import note, note_given
from knowwhy.retrieval.search import Answer, Hit, search
from knowwhy.types import Filters, Json, Memory

MOST_QUOTED = 1_200  # characters of a hit's text in the data


def asked(
    caller: Caller, question: str, k: int, filters: Filters, *, rerank: str = "default"
) -> Answer:
    """Asks for the records, memories and turns that answer a question.

    Where nothing is about the service that was asked for, that is said and not that nobody knows.
    """
    answer = search(
        question,
        reranker=caller.settings.reranker,
        k=k,
        filters=filters,
        rerank=rerank,
    )
    if filters.service is not None and not answer.hits:
        check_service(caller, filters.service)
    return answer


def noted(
    caller: Caller, answer: Answer, filters: Filters, packed: Packed, agent: str | None = None
) -> str:
    """Notes what was asked and what was handed out; gives the key by which that can be judged.

    The agent is the caller's own in whose name it is asked, or that works over the connection, else
    the client's program.
    """
    return note(
        answer,
        filters,
        user_id=caller.asker.user_id,
        agent_id=agent or caller.asks_as,
        session_id=caller.session,
        payload_bytes=len(packed.text.encode()),
        packed=packed.traced(),
    )


def given(
    caller: Caller, memories: Sequence[Memory], said: Said, how: str, packed: Json = None
) -> Said:
    """Notes what is recalled without a question, and says it."""
    note_given(
        memories,
        how,
        caller.asker,
        payload_bytes=len(said.text.encode()),
        agent_id=caller.asks_as,
        session_id=caller.session,
        packed=packed,
    )
    return said


def found(caller: Caller, answer: Answer, filters: Filters, agent: str | None = None) -> Said:
    """Says what was found, briefly, and notes it."""
    packed = listing(answer)
    recall = noted(caller, answer, filters, packed, agent)
    notes = [told(f"note: {note}") for note in answer.notes]
    return Said("\n".join([packed.text, *notes]), answer_data(answer, recall))


def hits_data(answer: Answer) -> list[Json]:
    """Gives hits as programs are shown them: only the fields that they have."""
    told = (_hit(hit, text) for hit, text in zip(answer.hits, excerpts(answer), strict=True))
    return [{n: v for n, v in hit.items() if v not in (None, "")} for hit in told]


def _hit(hit: Hit, excerpt: str) -> dict[str, Json]:
    passage, said = hit.passage, hit.said
    is_turn = said is not None and not isinstance(said, Memory)
    told = {
        "key": passage.key,
        "is": "record" if said is None else "turn" if is_turn else "memory",
        "kind": passage.kind,
        "title": passage.title,
        "label": passage.label,
        "status": passage.status,
        "service": passage.service,
        "path": passage.path,
        "lines": [passage.first_line, passage.last_line] if said is None else None,
        "heading": passage.heading,
        "occurred_at": iso(passage.occurred_at),
        "text": cut(quoted(passage.text), MOST_QUOTED),
        "excerpt": quoted(excerpt),
        "facts": [quoted(fact) for fact in hit.facts] or None,
        "replaces": hit.replaces,
        "outdated": [quoted(words) for words in hit.outdated],
        "suspicious": hit.suspicious,
        "lent_by": list(hit.lent_by) or None,
        "score": round(hit.score, 4),
    }
    if isinstance(said, Memory):
        told |= {"source": said.source, "said_by": said.said_by, "verified_by": said.verified_by}
        told |= {"verified_via": said.verified_via}
    elif said is not None:
        told |= {"session": said.session_id, "role": said.role, "speaker": said.speaker}
    return told


def answer_data(answer: Answer, recall: str) -> dict[str, Json]:
    """Gives an answer as programs are shown it, with the key by which it can be judged."""
    return {
        "note": NOTE,
        "knows": answer.knows,
        "unknown": [quoted(name) for name in answer.unknown],
        "recall": recall,
        "hits": hits_data(answer),
        "notes": list(answer.notes),
    }
