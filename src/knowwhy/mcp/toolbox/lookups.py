"""Tools that look something up: search, one record or memory, its origin, its neighbours."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated

from pydantic import Field

from knowwhy.errors import NotFound
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import Key, Kinds, PoolScope, Question, Service, Since, Until
from knowwhy.mcp.toolbox.narrowing import narrowed
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Json, Record, Turn

DEEP, FAST = "deep", "none"  # how much the cross-encoder reads
MOST_OFFSET = 100_000_000  # characters; no record is longer
MOST_READ = 8_000  # characters of a record given at once, about 2,000 tokens
MOST_LINKS = 40  # of a record in its text; the data has them all


def semantic_search(
    caller: Caller,
    query: Question,
    limit: Annotated[int, Field(ge=1, le=20, description="Hits at most.")] = 5,
    kinds: Kinds = None,
    service: Service = None,
    deep: Annotated[
        bool, Field(description="Read more candidates; slower, for hard ones.")
    ] = False,
    pool: PoolScope = None,
    since: Since = None,
    until: Until = None,
) -> Said:
    """Find decisions, incidents, code, meetings, documents and memories by meaning and words.

    Use it before answering why something is as it is, or before changing it. Answers quote their
    sources; cite the keys. When nothing answers it says so: then say that you do not know.
    Not for the text of a known key (get), nor for what is in an open file.
    """
    from knowwhy.mcp.asked import asked, found
    from knowwhy.retrieval.pooled import in_pool

    filters = in_pool(narrowed(caller, kinds, service, since, until), pool)
    answer = asked(caller, query, limit, filters, rerank=DEEP if deep else "default")
    return found(caller, answer, filters)


def get_context(
    caller: Caller,
    query: Question,
    tokens: Annotated[int, Field(ge=200, le=20_000, description="Tokens at most.")] = 2_000,
    kinds: Kinds = None,
    service: Service = None,
    since: Since = None,
    until: Until = None,
) -> Said:
    """Pack what answers a question into a number of tokens, with the task at hand beside it.

    Use it at the start of a piece of work. Not for a quick look (semantic_search).
    """
    from knowwhy.mcp.asked import answer_data, asked, noted
    from knowwhy.mcp.refusals import told
    from knowwhy.mcp.toolbox.working import task_line
    from knowwhy.retrieval.context.blocks import pack

    filters = narrowed(caller, kinds, service, since, until)
    answer = asked(caller, query, 10, filters)
    packed = pack(answer, tokens, project=caller.serving.place, task=task_line(caller))
    recall = noted(caller, answer, filters, packed)
    notes = () if answer.hits else answer.notes  # which say why there is nothing
    text = "\n".join([packed.text, *(told(f"note: {note}") for note in notes)])
    return Said(text, {**answer_data(answer, recall), "tokens": packed.tokens})


def get(
    caller: Caller,
    key: Key,
    offset: Annotated[int, Field(ge=0, le=MOST_OFFSET, description="Characters to leave out.")] = 0,
) -> Said:
    """Read one record, memory or message in full, by its key, label or path.

    Use it after a search, when the quoted part is not enough. Long records come in parts.
    Not for where it comes from and whether it still holds (why).
    """
    return _named(key, partial(_memory, caller, key), partial(_part, caller, key, offset))


def why(caller: Caller, key: Key) -> Said:
    """Show where a record, memory or message comes from, and whether it still holds.

    Use it before you rely on something: source, who said it, evidence, versions, changes, and what
    supersedes it. Not for its text (get), nor for why something was decided (semantic_search).
    """
    return _named(key, partial(_memory_origin, caller, key), partial(_origin, caller, key))


def get_memory_provenance(caller: Caller, key: Key) -> Said:
    """Show where a memory comes from and every change that was made to it.

    Use it before you rely on a memory; why answers the same. Not for records and messages (why).
    """
    return _memory_origin(caller, key)


def graph(
    caller: Caller,
    node: Annotated[
        str,
        Field(
            min_length=1,
            max_length=300,
            description="A key, label, path, package, title, or name of a service, team, person.",
            examples=["payments-api"],
        ),
    ],
    hops: Annotated[int, Field(ge=1, le=5, description="How many relations away.")] = 1,
    relation: Annotated[
        str | None,
        Field(max_length=60, description="Only this one.", examples=["DEPENDS_ON"]),
    ] = None,
) -> Said:
    """Show what points to something and what it points to, as its records state it.

    Use it for dependencies, what a decision supersedes, who owns a service, and before a change:
    what stands upstream. Not for questions in words (semantic_search).
    """
    from knowwhy.graph.live import current
    from knowwhy.graph.near import find_node, neighbourhood
    from knowwhy.mcp.neighbours import relation_named, ties_said

    live, filters = current(), caller.filters()
    found = find_node(live, node, filters)
    near = neighbourhood(live, found, hops, relation_named(relation), filters)
    return ties_said(live, found, near, filters)


def find_record(caller: Caller, name: str) -> Record:
    """Finds a record that the caller may see; of another project's it says what of none."""
    from knowwhy.tables import queries

    files = caller.serving.workplace.files_called(name)
    return queries.record(name, project=caller.serving.project, files=files)


def _named(key: str, memory: Callable[[], Said], other: Callable[[], Said]) -> Said:
    """Says what a key names: what begins as the keys of memories do may be that of a record."""
    from knowwhy.tables.kept.memories import KEYS_BEGIN, is_key

    if not key.startswith(KEYS_BEGIN):
        return other()
    first, second = (memory, other) if is_key(key) else (other, memory)
    try:
        return first()
    except NotFound as none:
        try:
            return second()
        except NotFound as neither:
            raise NotFound(f"{none} {neither}") from None


def _part(caller: Caller, key: str, offset: int) -> Said:
    """Says a part of the text of a record or turn."""
    from knowwhy.mcp.rendered import (
        NOTE,
        about_record,
        data_block,
        record_data,
        turn_data,
        turn_entry,
    )

    found = _record_or_turn(caller, key)
    if isinstance(found, Turn):
        content, about, told = found.content, turn_entry(found)[0], turn_data(found)
    else:
        content, about, told = found.draft.content, about_record(found), record_data(found)
    part = content[offset : offset + MOST_READ]
    end = offset + len(part)
    more = f" More with offset {end}." if end < len(content) else ""
    head = f"Characters {offset:,} to {end:,} of {len(content):,}.{more}"
    data = {"note": NOTE, **told, "text": part, "characters": len(content)}
    text = data_block(head, f"{about}\n\n{part}")
    return Said(text, data | ({"next_offset": end} if end < len(content) else {}))


def _origin(caller: Caller, key: str) -> Said:
    found = _record_or_turn(caller, key)
    return _turn_origin(found) if isinstance(found, Turn) else _record_origin(found)


def _record_or_turn(caller: Caller, key: str) -> Record | Turn:
    """Finds what a key from an answer names; another's turn is what nothing is called."""
    from knowwhy.tables.recallable import SPOKEN, is_shown, said_at

    try:
        return find_record(caller, key)
    except NotFound:
        turn = said_at([(key, SPOKEN)]).get((key, SPOKEN))
        if isinstance(turn, Turn) and is_shown(turn, caller.asker, (), caller.now()):
            return turn
        raise


def _memory(caller: Caller, key: str) -> Said:
    from knowwhy.mcp.rendered import NOTE, about_memory, data_block, memory_data
    from knowwhy.tables.kept.memories import memory, shown

    now = caller.now()
    try:
        found = shown(memory(caller.asker, key, now=now), now)
    except NotFound:
        return _lent(caller, key)
    said = f"{found.subject}: {found.content}" if found.subject else found.content
    why = f"\n({found.why})" if found.why else ""
    inside = f"{about_memory(found)}\n\n{said}{why}"
    text = data_block(f"{found.key} is {found.status}.", inside)
    return Said(text, {"note": NOTE, **memory_data(found, MOST_READ)})


def _memory_origin(caller: Caller, key: str) -> Said:
    from knowwhy.grounding.origin import provenance
    from knowwhy.mcp.origins import memory_origin_said

    try:
        return memory_origin_said(provenance(caller.asker, key, now=caller.now()))
    except NotFound:
        return _lent(caller, key)


def _lent(caller: Caller, key: str) -> Said:
    """Shows a memory that a pool lends or that was handed over; of others it says as of none."""
    from knowwhy.mcp.origins import lent_memory_said
    from knowwhy.tables.agents.lending import lent_memory

    return lent_memory_said(lent_memory(caller.asker, key, caller.now()), MOST_READ)


def _turn_origin(turn: Turn) -> Said:
    from knowwhy.mcp.rendered import NOTE, data_block, turn_data, turn_entry

    about, said = turn_entry(turn)
    ends = f"to be forgotten at {turn.expires_at.isoformat()}\n" if turn.expires_at else ""
    text = data_block("It was said in a conversation:", f"{about}\n{ends}\n{said}")
    return Said(text, {"note": NOTE, **turn_data(turn)})


def _record_origin(record: Record) -> Said:
    from knowwhy.graph.live import current
    from knowwhy.graph.near import linked_from
    from knowwhy.mcp.rendered import NOTE, about_record, data_block, record_data

    draft = record.draft
    incoming = linked_from(current(), record)
    origin: list[str] = [
        about_record(record),
        f"read from {draft.source or draft.path or 'what was told'}",
        f"commit {draft.commit}" if draft.commit else "",
        f"by {', '.join(draft.authors)}" if draft.authors else "",
        *(f"{e.relation} {e.target} ({e.origin})" for e in record.links[:MOST_LINKS]),
        *(f"{by} {e.relation} this ({e.origin})" for by, e in incoming[:MOST_LINKS]),
    ]
    links: list[Json] = [asdict(edge) for edge in record.links]
    linked: list[Json] = [{"key": by, **asdict(edge)} for by, edge in incoming]
    data = {**record_data(record), "source": draft.source, "links": links, "linked_from": linked}
    data |= {"added_at": record.created_at.isoformat(), "read_at": record.touched_at.isoformat()}
    text = data_block("Where it comes from:", "\n".join(line for line in origin if line))
    return Said(text, {"note": NOTE, **data})
