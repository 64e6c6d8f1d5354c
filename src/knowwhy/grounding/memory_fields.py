"""A memory in the one form that every door shows to programs."""

from datetime import UTC, datetime

from knowwhy.types import ASSISTANT, COMMAND, SPEAKER, Change, Json, Memory

# What is said of a word that no person has given before our eyes.
WORDS = {ASSISTANT: "on an assistant's word", COMMAND: "on the word of a command"}


def memory_as_json(memory: Memory) -> dict[str, Json]:
    """Gives a memory in the stable form of docs/json.md."""
    return {
        "key": memory.key,
        "kind": memory.kind,
        "status": memory.status,
        "why": memory.why,
        "text": memory.content,
        "user": memory.user_id,
        "project": memory.project,
        "service": memory.service,
        "session": memory.session_id,
        "source": memory.source,
        "said_by": memory.said_by,
        "speaker": memory.metadata.get(SPEAKER),
        "confidence": memory.confidence,
        "copy_of": memory.copy_of,
        "conflicts_with": memory.conflicts_with,
        "supersedes": memory.supersedes,
        "valid_from": iso(memory.valid_from),
        "valid_until": iso(memory.valid_until),
        "expires_at": iso(memory.expires_at),
        "verified_at": iso(memory.verified_at),
        "verified_by": memory.verified_by,
        "verified_via": memory.verified_via,
        "memorule_kind": memory.memorule_kind,
        "subject": memory.subject,
        "applies_to": dict(memory.applies_to),
        "certainty": memory.certainty,
        "evidence_signal": memory.evidence_signal,
        "created_at": iso(memory.created_at),
        "touched_at": iso(memory.touched_at),
    }


def vouched(memory: Memory) -> str:
    """Says who has checked a memory: only a person verifies; another's word is called that."""
    if memory.verified_by:
        return f"verified by {memory.verified_by}"
    return ", ".join(filter(None, ("not verified", WORDS.get(memory.verified_via or ""))))


def by_whom(change: Change) -> str:
    """Says who made a change, and on whose word where no person was asked."""
    word = WORDS.get(str(change.after.get("verified_via")))
    return " ".join(filter(None, (f"by {change.by}" if change.by else "", word)))


def iso(time: datetime | None) -> str | None:
    """Gives a time as programs read it, in UTC."""
    return time.astimezone(UTC).isoformat() if time else None
