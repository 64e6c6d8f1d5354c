"""What somebody says directly, to be remembered: a claim that is judged at once."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from knowwhy.errors import BadFields
from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import MOST_CONTENT, Claim
from knowwhy.grounding.memorules import ASSERTED, MEMORULE, Memorule, memorule
from knowwhy.text.claims.topics import corrects
from knowwhy.text.speech.facts import facts
from knowwhy.types import Asker, Memory

NOTE, CORRECTION = "note", "correction"
MANUAL = "manual"  # the source of what was said to us and stands nowhere else
LONGEST_TTL = timedelta(days=36_500)  # a century; more overflows dates


def remember(
    text: str,
    *,
    asker: Asker,
    embedder: str,
    now: datetime,
    kind: str | None = None,
    said_by: str = "user",
    source: str | None = None,
    service: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    persona: str | None = None,
    ttl: timedelta | None = None,
    expires_at: datetime | None = None,
    valid_until: datetime | None = None,
    confidence: float | None = None,
    memorule_kind: str | None = None,
    subject: str | None = None,
    applies_to: Mapping[str, str] | None = None,
    certainty: str | None = None,
    evidence_signal: str | None = None,
    via: str | None = None,
    max_pending: int | None = None,
) -> Memory:
    """Judges a text and keeps it: as active, as waiting for review, or as refused with the reason.

    Without a kind it is a memorule when it has one's fields, else what the text rules read in it.
    """
    ruled = (memorule_kind, subject, applies_to, certainty, evidence_signal)
    kind = kind or (MEMORULE if any(ruled) else kind_of(text, said_by))
    rule = _rule(kind, text, ruled)
    claim = Claim(
        content=rule.body if rule else text,
        kind=kind,
        user_id=asker.user_id,
        project=asker.project,
        service=service,
        session_id=session,
        agent_id=agent,
        persona=persona or agent,
        source=source or MANUAL,
        said_by=said_by,
        confidence=confidence,
        valid_until=_later("valid_until", valid_until, now),
        expires_at=_end(ttl, expires_at, now),
        memorule_kind=rule.memorule_kind if rule else None,
        subject=rule.subject if rule else None,
        applies_to=rule.applies_to if rule else {},
        certainty=rule.certainty if rule else None,
        evidence_signal=rule.evidence_signal if rule else None,
        verified_via=word_of(via, said_by, rule.certainty if rule else None),
    )
    return admit([claim], embedder=embedder, now=now, max_pending=max_pending)[0]


def word_of(via: str | None, said_by: str, certainty: str | None) -> str | None:
    """Gives through whom it came that the user says something; nothing where nobody claims that."""
    return via if said_by == "user" or certainty == ASSERTED else None


def kind_of(text: str, said_by: str = "user") -> str:
    """Gives the kind of claim that the text rules read in a text, a note when they read none."""
    if len(text) > MOST_CONTENT:
        return NOTE  # which is refused for its length
    found = facts(text, None, said_by)
    if found:
        return found[0].kind
    return CORRECTION if corrects(text) else NOTE


def _rule(
    kind: str,
    body: str,
    ruled: tuple[str | None, str | None, Mapping[str, str] | None, str | None, str | None],
) -> Memorule | None:
    """Gives the checked memorule, when it is to be one."""
    memorule_kind, subject, applies_to, certainty, evidence_signal = ruled
    if kind == MEMORULE:
        return memorule(memorule_kind, subject, body, applies_to, certainty, evidence_signal)
    if any(ruled):
        raise BadFields(
            "This cannot be remembered",
            {"kind": f"must be {MEMORULE} where a memorule's fields are given"},
        )
    return None


def _end(ttl: timedelta | None, expires_at: datetime | None, now: datetime) -> datetime | None:
    """Gives when a memory is to be served no more."""
    if ttl is None:
        return _later("expires_at", expires_at, now)
    if expires_at is not None:
        raise BadFields("This cannot be remembered", {"ttl": "excludes expires_at"})
    if not timedelta(0) < ttl <= LONGEST_TTL:
        raise BadFields(
            "This cannot be remembered",
            {"ttl": f"must be above zero and at most {LONGEST_TTL.days:,} days"},
        )
    return now + ttl


def _later(name: str, moment: datetime | None, now: datetime) -> datetime | None:
    if moment is not None and moment.tzinfo is not None and moment <= now:
        raise BadFields("This cannot be remembered", {name: "is in the past"})
    return moment
