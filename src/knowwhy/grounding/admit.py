"""May this claim come in? Judged against what is kept, and stored, whatever the answer."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from knowwhy import models
from knowwhy.errors import BadInput, CapacityReached, Error
from knowwhy.grounding import similar
from knowwhy.grounding.claims import Claim, cleaned
from knowwhy.grounding.moments import began
from knowwhy.grounding.rivals import Found, look
from knowwhy.grounding.similar import Candidate
from knowwhy.tables import touched
from knowwhy.tables.kept import memories, memory_search
from knowwhy.tables.kept.contradicted import FLAGGED
from knowwhy.tables.kept.memories import ACTIVE, LIVING, PENDING, REFUSED, SUPERSEDED, unquoted
from knowwhy.tables.vectors.holders import check, ready_for_others, with_the_model_of_now
from knowwhy.tables.write import ADDED, queue
from knowwhy.text.claims import tiers
from knowwhy.text.doubt.hedges import hedges
from knowwhy.text.relating.citations import citations
from knowwhy.types import Asker, Change, Citation, Memory

MOST_CLAIMS = 200  # judged in one call; overtaken ones are judged in the queue, two seconds long
LONGEST_QUOTE = 300  # characters of another memory in a reason
STATUS = {tiers.ACCEPT: ACTIVE, tiers.REVIEW: PENDING, tiers.REFUSE: REFUSED}
ADMISSION = "admission"  # who decides what no person decides
# Who reads the change of a memory of no project may be in any: it tells nothing of the one.
GONE_IN_ONE = "Its user says in one of their projects that it is gone."
COPIED = (  # of a claim into its memory, unchanged
    "key", "kind", "content", "user_id", "project", "service", "session_id", "agent_id", "source",
    "raw_source", "turn_key", "fact_number", "said_by", "confidence", "valid_from", "valid_until",
    "expires_at", "extractor_version", "memorule_kind", "subject", "applies_to", "certainty",
    "evidence_signal", "metadata", "verified_via",
)  # fmt: skip


@dataclass(slots=True)
class Page:
    """What is written in one transaction: each memory once."""

    new: list[Memory] = field(default_factory=list)
    replaced: dict[str, Memory] = field(default_factory=dict)  # as it will be
    stored: dict[str, Memory] = field(default_factory=dict)  # as it is before that
    changes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class Admission:
    """What one call has decided, by which state of the memories, and how it will be written."""

    now: datetime
    embedder: str
    resolved: Mapping[str | None, set[str]]  # what exists of what is cited, by project
    version: int = 0  # of the table of memories, by which all of this was decided
    stored: Mapping[str, Memory] = field(default_factory=dict)  # which come again with their keys
    is_blind: bool = False  # something that it was to be judged by could not be looked up
    decided: dict[str, Memory] = field(default_factory=dict)  # new and superseded, as they are now
    together: dict[str, Candidate] = field(default_factory=dict)  # what has come in with it
    pages: list[Page] = field(default_factory=lambda: [Page()])


@with_the_model_of_now
def admit(
    claims: Sequence[Claim], *, embedder: str, now: datetime, max_pending: int | None = None
) -> list[Memory]:
    """Judges claims in their order and stores each, refused ones too; gives them as memories.

    A claim whose key is stored already is not judged again. Nothing is written when one of them
    is out of bounds; what would make more than `max_pending` of an owner's wait is not kept.
    """
    if len(claims) > MOST_CLAIMS:
        raise BadInput(f"{len(claims):,} claims came at once; {MOST_CLAIMS} are the most.")
    asked = [cleaned(claim) for claim in claims]
    with _embedded([claim.text for claim in asked], embedder) as vectors:
        candidates = [similar.candidate(c, vectors.get(c.text), embedder) for c in asked]
        resolved = _resolved(asked)
        admission = _judged_together(candidates, Admission(now, embedder, resolved))
        with queue("memories"):
            if _is_overtaken(admission, candidates):
                admission = _judged_together(candidates, Admission(now, embedder, resolved))
            _check_room(admission, max_pending)
            _write_all(admission)
    known = {**admission.stored, **admission.decided}
    return [memories.as_of(known[str(claim.key)], now) for claim in asked]


def succeeded(old: Memory, new: Memory, now: datetime) -> Memory:
    """Gives a memory as it is once another one has taken its place; none ends before it began."""
    end = new.valid_from if new.valid_from and new.valid_from > began(old) else now
    return replace(
        old,
        status=SUPERSEDED,
        why=f"Superseded by {new.key}: {quoted(new, old.expires_at)}",
        valid_until=end if old.valid_until is None else min(end, old.valid_until),
    )


def quoted(memory: Memory, until: datetime | None) -> str:
    """Gives the words of a memory for a reason that is kept until a day, cut where they are long.

    Words that are to be forgotten before that day do not stand in it.
    """
    words = " ".join(memory.content.split())
    if memory.expires_at is not None and (until is None or until > memory.expires_at):
        words = "…"
    return f"“{words if len(words) <= LONGEST_QUOTE else words[: LONGEST_QUOTE - 1] + '…'}”"


@contextmanager
def _embedded(texts: Sequence[str], embedder: str) -> Iterator[dict[str, Any]]:
    """Embeds texts before the queue is taken; gives no vectors where no model can make them."""
    try:
        models.prime(texts, embedder)
    except (Error, OSError, RuntimeError):
        yield {}
        return
    try:
        with ready_for_others(texts, embedder):
            yield {text: models.primed(text, embedder) for text in texts}
    finally:
        models.release(texts, embedder)


def _fresh(candidates: Sequence[Candidate], stored: Mapping[str, Memory]) -> list[Candidate]:
    """Gives the claims that are not stored yet, each key once."""
    fresh: dict[str, Candidate] = {}
    for candidate in candidates:
        known = stored.get(candidate.key)
        if known and (known.user_id, known.project) != similar.scope_of(candidate):
            raise BadInput(f"The key {candidate.key} cannot be used.")
        if known is None:
            fresh.setdefault(candidate.key, candidate)
    return list(fresh.values())


def _judged_together(candidates: Sequence[Candidate], admission: Admission) -> Admission:
    """Judges all claims that are not stored yet by what is kept at this moment.

    It takes as long as to write one: done before the queue is taken, nobody waits for it.
    """
    admission.version = touched.stamp("memories").version
    admission.stored = memories.held(candidate.key for candidate in candidates)
    _judge_all(_fresh(candidates, admission.stored), admission)
    return admission


def _is_overtaken(admission: Admission, candidates: Sequence[Candidate]) -> bool:
    """Tells whether claims are to be judged again now that it is their turn.

    Somebody has written since what they may have to be judged by, or something could not be looked
    up while others wrote.
    """
    check(admission.embedder)  # a change of the model waits for the same queue
    return admission.is_blind or memory_search.have_moved(
        admission.version,
        {similar.scope_of(candidate) for candidate in candidates},
        users={
            candidate.claim.user_id for candidate in candidates if similar.looks_wide(candidate)
        },
        keys=[candidate.key for candidate in candidates],
    )


def _judge_all(candidates: Sequence[Candidate], admission: Admission) -> None:
    beside = similar.beside(candidates, admission.embedder, admission.now)
    corrected = _corrected(candidates, admission.now)
    for candidate in candidates:
        found = look(
            candidate,
            beside[candidate.key],
            corrected.get(candidate.key),
            admission.together,
            admission.decided,
        )
        failed = beside[candidate.key].failed or candidate.claim.unchecked
        admission.is_blind |= bool(beside[candidate.key].failed) and candidate.vector is not None
        findings = _findings(candidate.claim, found, failed, admission.resolved)
        found, findings = _past_what_waits(candidate.claim, found, findings)
        memory = _judged(candidate, found, findings, admission.now)
        _decide(admission, candidate, memory, found)


def _corrected(candidates: Sequence[Candidate], now: datetime) -> dict[str, Memory]:
    """Gives the memory that each claim's user replaces by it, of the claim's own scope only."""
    claims = [candidate.claim for candidate in candidates if candidate.claim.replaces]
    stored = memories.held(str(claim.replaces) for claim in claims)
    found: dict[str, Memory] = {}
    if len(stored) < len(claims) and len({claim.replaces for claim in claims}) < len(claims):
        raise BadInput("Two claims of one call cannot take the place of the same memory.")
    for claim in claims:
        old = stored.get(str(claim.replaces))
        if old is None or (old.user_id, old.project) != (claim.user_id, claim.project):
            raise memories.unknown(str(claim.replaces))
        status = memories.as_of(old, now).status
        if status not in LIVING:
            raise BadInput(f"The memory {old.key} is {status}; nothing can take its place.")
        found[str(claim.key)] = old
    return found


def _resolved(claims: Sequence[Claim]) -> dict[str | None, set[str]]:
    """Gives what exists of what the claims cite, by project."""
    cited: dict[str | None, list[Citation]] = defaultdict(list)
    for claim in claims:
        cited[claim.project] += _citations(claim)
    return {
        project: memory_search.existing(named, project) if named else set()
        for project, named in cited.items()
    }


def _citations(claim: Claim) -> list[Citation]:
    """Gives what a claim points to in its words and by its source, which may be a record's key."""
    source = claim.source or ""
    whole = [Citation("record", source, 0, len(source))] if source else []
    return [*citations(claim.content), *citations(source), *whole]


def _findings(
    claim: Claim, found: Found, failed: str | None, resolved: Mapping[str | None, set[str]]
) -> tiers.Findings:
    """Gathers what a claim's tier depends on."""
    there = {citation.target for citation in _citations(claim)} & resolved[claim.project]
    same = found.copied or found.taken_back
    findings = tiers.Findings(
        kind=claim.kind,
        content=claim.content,
        said_by=claim.said_by,
        source=claim.source,
        extractor_version=claim.extractor_version,
        resolved=tuple(sorted(there)),
        copy_of=same.key if same else None,
        conflicts_with=found.contradicted.key if found.contradicted else None,
        check_failed=failed,
        hedges=tuple(hedges(claim.content)),
        citations=tuple(citations(claim.content)),
    )
    return _held_back(claim, findings)


def _held_back(claim: Claim, findings: tiers.Findings) -> tiers.Findings:
    """Keeps from coming in what does so but for its subject or its confidence.

    The tier that the store derives knows neither: it is said in `check_failed`, as what a person
    has to look at.
    """
    if tiers.judge(findings).tier != tiers.ACCEPT:
        return findings
    why = tiers.unfit_subject(claim.subject) or tiers.doubted(claim.confidence)
    return replace(findings, check_failed=why)


def _past_what_waits(
    claim: Claim, found: Found, findings: tiers.Findings
) -> tuple[Found, tiers.Findings]:
    """Lets a copy that waits make way for a claim which comes in by itself."""
    if found.copied is None or found.copied.status != PENDING:
        return found, findings
    alone = _held_back(claim, replace(findings, copy_of=None))
    if tiers.judge(alone).tier != tiers.ACCEPT:
        return found, findings
    return replace(found, copied=None, replaced=(*found.replaced, found.copied)), alone


def _judged(candidate: Candidate, found: Found, findings: tiers.Findings, now: datetime) -> Memory:
    """Gives a claim its tier, and so its status, and the reason."""
    claim = candidate.claim
    verdict = tiers.judge(findings)
    status = STATUS[verdict.tier]
    makes_way = found.replaced if status != REFUSED else ()
    is_verified = status == ACTIVE and claim.verified_by is not None
    return Memory(
        **{name: getattr(claim, name) for name in COPIED},
        status=status,
        created_at=now,
        touched_at=now,
        topic=candidate.statement.topic if candidate.statement else None,
        why=_reason(verdict, found, claim.expires_at),
        nearest_key=found.nearest and found.nearest[0].key,
        nearest_score=found.nearest and found.nearest[1],
        copy_of=findings.copy_of,
        conflicts_with=findings.conflicts_with,
        resolved=findings.resolved,
        check_failed=findings.check_failed,
        supersedes=makes_way[0].key if makes_way else None,
        verified_at=now if is_verified else None,
        verified_by=claim.verified_by if is_verified else None,
    )


def _reason(verdict: tiers.Verdict, found: Found, until: datetime | None) -> str:
    """Gives the reason of a verdict, with the words that stand in the way while they may."""
    if (gone := found.taken_back) and gone.key in verdict.why:
        way = "rejected" if gone.status == REFUSED else "taken back"
        why = gone.why or "without a reason"
        return f"It says the same as {gone.key}, which was {way}: “{unquoted(why)}”"
    other = found.copied or found.contradicted
    if other is None or other.key not in verdict.why:
        return verdict.why
    if found.copied and other.status == PENDING:
        return f"It says the same as {other.key}, which waits for review: {quoted(other, until)}"
    return f"{verdict.why.rstrip('.')}: {quoted(other, until)}"


def _decide(admission: Admission, candidate: Candidate, memory: Memory, found: Found) -> None:
    """Takes a judged claim into the call, and out of the way what it replaces."""
    claim = candidate.claim
    if memory.status == ACTIVE:
        if any(old.key in admission.together for old in found.replaced):
            admission.pages.append(Page())  # what came in with it is stored before it is changed
        for old in found.replaced:
            after = succeeded(admission.decided.get(old.key, old), memory, admission.now)
            _change(admission, claim, old, after, SUPERSEDED, after.why)
        for old in found.disputed:
            before = admission.decided.get(old.key, old)
            if before.conflicts_with is None:  # what is flagged already waits for its owner
                after = replace(before, conflicts_with=memory.key)
                _change(admission, claim, old, after, FLAGGED, GONE_IN_ONE)
    page = admission.pages[-1]
    page.new.append(memory)
    admission.decided[memory.key] = memory
    admission.together[memory.key] = candidate
    page.changes.append(
        Change(
            memory.key,
            ADDED,
            memory.why,
            by=claim.extractor_version or claim.by or claim.user_id or ADMISSION,
            session_id=claim.session_id,
            persona=claim.persona,
            evidence_signal=claim.evidence_signal,
        )
    )


def _change(
    admission: Admission, claim: Claim, old: Memory, after: Memory, what: str, why: str | None
) -> None:
    """Takes into the call what a claim does to a memory that is there."""
    page = admission.pages[-1]
    page.stored.setdefault(old.key, admission.decided.get(old.key, old))
    admission.decided[old.key] = page.replaced[old.key] = after
    page.changes.append(
        Change(
            old.key,
            what,
            why,
            claim.by or claim.user_id or ADMISSION,
            session_id=claim.session_id,
            persona=claim.persona,
            evidence_signal=claim.evidence_signal,
        )
    )


def _check_room(admission: Admission, max_pending: int | None) -> None:
    """Refuses the whole call when too many of one owner's claims would wait for review."""
    waits = [m for key in admission.together if (m := admission.decided[key]).status == PENDING]
    owners = (Asker(m.user_id, None if m.user_id else m.project) for m in waits)
    for owner, more in Counter(owners).items() if max_pending is not None else ():
        waiting = memories.count(owner, statuses=(PENDING,), owned=True, now=admission.now)
        if waiting + more > (max_pending or 0):
            raise CapacityReached(
                f"{waiting:,} claims wait for review and {max_pending:,} are the most; "
                "`knowwhy review` lists them. Nothing was pushed out, and this was not kept."
            )


def _write_all(admission: Admission) -> None:
    """Stores what the call has decided."""
    written: dict[str, Memory] = {}
    for page in admission.pages:
        page.stored |= {key: written[key] for key in page.stored if key in written}
        if page.new:
            written |= {memory.key: memory for memory in _write(page, admission.embedder)}
    admission.decided |= written


def _write(page: Page, embedder: str) -> list[Memory]:
    """Stores a page in one transaction, with the vectors that its old memories have."""
    over = list(page.replaced.values())
    vectors = memory_search.vectors_of([memory.key for memory in over], embedder)
    if vectors:
        models.prime(list(vectors), embedder, vectors)
    try:
        is_whole = all(memory.check_failed is None for memory in page.new)
        return memories.commit(page.new, over, page.stored, page.changes, vectors=is_whole)
    finally:
        models.release(list(vectors), embedder)
