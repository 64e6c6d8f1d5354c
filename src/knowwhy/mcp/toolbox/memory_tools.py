"""Tools that remember, recall, and change what is remembered."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import (
    MOST_RULE,
    Anew,
    Kind,
    Limit,
    MemoryKey,
    SaidBy,
    Service,
    Since,
    Text,
    Until,
    Why,
)
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.text.question.question_times import dated
from knowwhy.types import Between, Memory

REMEMBERED = ("memories", "turns")  # what recall searches

Source = Annotated[
    str | None,
    Field(
        max_length=1_000,
        description="Where it stands: a URL, a record's key, a commit.",
        examples=["docs/adr/0005-use-kafka.md"],
    ),
]
Days = Annotated[
    int | None, Field(ge=1, le=36_500, description="Forget it after so many days.", examples=[30])
]
Places = Annotated[
    dict[str, str],
    Field(
        description="For whom: persona, surface, specialization or scope (global, org, project).",
        examples=[{"scope": "project"}],
    ),
]
Statuses = Annotated[
    list[Literal["active", "pending", "refused", "superseded", "expired", "retracted"]],
    Field(min_length=1, description="With these statuses.", examples=[["superseded", "retracted"]]),
]


def remember(
    caller: Caller,
    text: Text,
    kind: Kind = None,
    source: Source = None,
    said_by: SaidBy = "assistant",
    service: Service = None,
    ttl_days: Days = None,
) -> Said:
    """Remember a decision, fact, preference, procedure or correction for later sessions.

    Use it when the user decides, prefers or corrects something, and when you have learned why
    something is so. It is judged at once: kept, put up for review, or refused with the reason. What
    a correction supersedes stays, marked so. Name a source. Not for guesses, secrets or what the
    code says by itself, nor for rules of how to work (create_memory).
    """
    from knowwhy.grounding.remember import remember as judged

    kept = judged(
        text,
        asker=caller.asker,
        embedder=caller.embedder,
        now=caller.now(),
        kind=kind,
        said_by=said_by,
        source=source,
        service=service,
        session=caller.session,
        agent=caller.agent,
        ttl=None if ttl_days is None else timedelta(days=ttl_days),
        via=caller.via,
        max_pending=caller.settings.max_pending,
    )
    return outcome(kept, text)


def recall(
    caller: Caller,
    query: Annotated[
        str | None,
        Field(max_length=2_000, description="Left out: the newest.", examples=["email provider"]),
    ] = None,
    limit: Annotated[int, Field(ge=1, le=20, description="How many at most.")] = 5,
    service: Service = None,
    since: Since = None,
    until: Until = None,
) -> Said:
    """Recall what was remembered and said in earlier conversations with this user.

    Use it when the user refers to earlier work, a preference or a decision of theirs, and at the
    start of a task. Not for records, code and documents (semantic_search).
    """
    from knowwhy.mcp.asked import asked, found, given
    from knowwhy.retrieval.noted import NEWEST

    if not (query or "").strip():
        newest = _newest(caller, ("active",), None, service, limit, dated(since, until))
        return given(caller, newest, _listed(newest), NEWEST)
    filters = caller.filters(None, service, REMEMBERED, dated(since, until))
    return found(caller, asked(caller, str(query), limit, filters), filters)


def list_memories(
    caller: Caller,
    statuses: Statuses = ["active"],  # noqa: B006  # pydantic copies it
    kind: Annotated[
        Literal["preference", "fact", "decision", "correction", "procedure", "note", "memorule"]
        | None,
        Field(description="Only this kind."),
    ] = None,
    service: Service = None,
    limit: Limit = 20,
    since: Since = None,
    until: Until = None,
) -> Said:
    """List memories, newest first, also those that are no longer held.

    Use it to look through what is remembered. Not for finding something (recall).
    """
    within = dated(since, until)
    return _listed(_newest(caller, tuple(statuses), kind, service, limit, within))


def update_memory(
    caller: Caller,
    key: MemoryKey,
    value: Anew,
    source: Source = None,
    said_by: SaidBy = "assistant",
) -> Said:
    """Say a memory anew; when the new text is kept it supersedes the old one, which stays.

    Use it when something remembered has changed or is wrong, to make it right. It is judged as
    remember does; until the user approves what waits, the old text holds. Not for taking it back
    (invalidate_memory), nor for what is not remembered yet (remember).
    """
    from knowwhy.grounding.lifecycle import update

    kept = update(
        caller.asker,
        key,
        value,
        embedder=caller.embedder,
        now=caller.now(),
        said_by=said_by,
        source=source,
        session=caller.session,
        persona=caller.agent,
        via=caller.via,
        max_pending=caller.settings.max_pending,
    )
    return outcome(kept, value)


def invalidate_memory(caller: Caller, key: MemoryKey, reason: Why) -> Said:
    """Take a memory back, with the reason; nothing is deleted and restore_memory undoes it.

    Use it when something remembered is wrong or over and nothing takes its place. Not for what
    something new takes the place of (update_memory), nor for a claim that waits
    (reject_pending_memory).
    """
    from knowwhy.grounding.lifecycle import retract

    return outcome(retract(caller.asker, key, reason, now=caller.now(), hand=caller.hand))


def restore_memory(caller: Caller, key: MemoryKey, reason: Why) -> Said:
    """Bring back a memory that was taken back, rejected, or superseded by what is gone since.

    Use it to undo invalidate_memory or reject_pending_memory. Not for many memories at once
    (rollback_to).
    """
    from knowwhy.grounding.lifecycle import restore

    now, hand = caller.now(), caller.hand
    done = restore(caller.asker, key, reason, embedder=caller.embedder, now=now, hand=hand)
    return outcome(done)


def create_memory(
    caller: Caller,
    subject: Annotated[
        str,
        Field(
            max_length=200,
            description="The rule in a few words, 4 letters or more.",
            examples=["Small commits"],
        ),
    ],
    body: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_RULE,
            description="The rule as it stands alone, with its reason.",
            examples=["Write times in UTC because the offices are in three zones."],
        ),
    ],
    applies_to: Places,
    memorule_kind: Annotated[
        Literal["behavioral_rule", "feedback", "preference", "correction", "convention"],
        Field(description="What sort of rule."),
    ] = "behavioral_rule",
    certainty: Annotated[
        Literal["observed", "inferred", "asserted"],
        Field(description="observed in what happened, inferred, or asserted by the user."),
    ] = "inferred",
    evidence_signal: Annotated[
        str | None,
        Field(max_length=200, description="What prompted it.", examples=["said in review"]),
    ] = None,
    said_by: SaidBy = "assistant",
) -> Said:
    """Keep a memorule: a rule for how to work, with whom and where it holds.

    Use it for conventions and feedback that should bind later sessions. Not for facts (remember).
    """
    from knowwhy.grounding.remember import remember as judged

    kept = judged(
        body,
        asker=caller.asker,
        embedder=caller.embedder,
        now=caller.now(),
        said_by=said_by,
        session=caller.session,
        agent=caller.agent,
        memorule_kind=memorule_kind,
        subject=subject,
        applies_to=applies_to,
        certainty=certainty,
        evidence_signal=evidence_signal,
        via=caller.via,
        max_pending=caller.settings.max_pending,
    )
    return outcome(kept, body)


def get_memorules(caller: Caller, applies_to: Places, limit: Limit = 20) -> Said:
    """List the rules that hold where you are, first those that fit best.

    Use it at the start of a session, with your persona and the scope. Not for facts and decisions
    (recall).
    """
    from knowwhy.grounding.memorules import applying
    from knowwhy.mcp.asked import given
    from knowwhy.mcp.rendered import memories_said
    from knowwhy.retrieval.noted import APPLYING

    found = applying(caller.asker, applies_to, limit, now=caller.now())
    said = memories_said(f"{len(found)} rules:", found, "No rule is kept for there.")
    return given(caller, found, said, APPLYING, {"applies_to": applies_to})


def outcome(memory: Memory, given: str = "") -> Said:
    """Says what became of a claim, and which secrets of what was told are not kept."""
    from knowwhy.mcp.rendered import data_block, memory_data
    from knowwhy.text.secrets.left_out import in_words, left_out

    said = {
        "active": f"Kept as {memory.key} ({memory.kind}).",
        "pending": f"Waits for review as {memory.key}; the user can approve it.",
        "refused": f"Refused, and noted as {memory.key}.",
        "retracted": f"Taken back: {memory.key}.",
    }.get(memory.status, f"{memory.key} is {memory.status} now.")
    if memory.status == "active" and memory.supersedes:
        said += f" It supersedes {memory.supersedes}."
    if memory.status == "pending" and memory.supersedes:
        said += f" Until then {memory.supersedes} stays as it is."
    gone = in_words(left_out(given, memory.content), with_lines=False)
    said += f" {gone}." if gone else ""
    says_why = memory.why and memory.status not in ("active", "retracted")
    return Said(data_block(said, memory.why or "") if says_why else said, memory_data(memory))


def _newest(
    caller: Caller,
    statuses: tuple[str, ...],
    kind: str | None,
    service: str | None,
    limit: int,
    within: Between,
) -> list[Memory]:
    from knowwhy.tables.kept.memories import memories

    return memories(
        caller.asker,
        statuses=statuses,
        kinds=(kind,) if kind else None,
        service=service,
        limit=limit,
        now=caller.now(),
        within=within,
    )


def _listed(found: list[Memory]) -> Said:
    from knowwhy.mcp.rendered import memories_said

    return memories_said(f"{len(found)} memories, newest first:", found, "No such memories.")
