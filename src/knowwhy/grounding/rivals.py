"""What a claim does to what is kept: copies it, takes its place, or contradicts it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from knowwhy.grounding import similar
from knowwhy.grounding.claims import Claim, is_owners
from knowwhy.grounding.moments import said_last
from knowwhy.grounding.similar import Beside, Candidate
from knowwhy.tables.kept.memories import ACTIVE, LIVING
from knowwhy.tables.kept.memory_origins import TakenBack
from knowwhy.text.claims import topics
from knowwhy.text.claims.topics import Statement
from knowwhy.types import Memory

REMEMBERED = 2_000  # texts whose statement is not read again


@dataclass(frozen=True, slots=True)
class Found:
    """What stands in a claim's way, and what makes way for it."""

    nearest: tuple[Memory, float] | None = None  # the kept memory most like it
    copied: Memory | None = None  # where it only waits, the rest is told too
    contradicted: Memory | None = None
    replaced: tuple[Memory, ...] = ()
    disputed: tuple[Memory, ...] = ()  # by a claim of less: they stay, flagged
    taken_back: Memory | None = None  # by a person, who has not said it again


def look(
    candidate: Candidate,
    beside: Beside,
    corrected: Memory | None,
    together: Mapping[str, Candidate],
    decided: Mapping[str, Memory],
) -> Found:
    """Finds what a claim copies, else what it replaces and what it contradicts, in this order.

    `corrected` is what its user replaces by it; `together` are the claims that came in with it,
    which it can copy or succeed but not contradict; `decided` is what they have changed already.
    """
    near = [(decided.get(m.key, m), score) for m, score in beside.near]
    nearest = next(((m, s) for m, s in near if m.status == ACTIVE), None)
    kept = _kept(beside, together, decided, candidate, corrected)
    clashing = [m for m in kept if m.status == ACTIVE and _clashes(candidate, m)]
    named = {m.key for m in clashing}
    copies = [m for m in _copies(candidate, beside, together, decided) if m.key not in named]
    copies = [m for m in copies if corrected is None or m.key != corrected.key]
    shorter = [m for m in copies if _outlives(candidate, m)]
    copies = [m for m in copies if m not in shorter]
    if copies and copies[0].status == ACTIVE:
        return Found(nearest, copied=copies[0])
    out = next((one for one in beside.taken_back if not _says_anew(candidate, one)), None)
    if out is not None:
        return Found(nearest, taken_back=out.memory)
    replaced = _replaced(candidate, corrected, kept, clashing)
    replaced += tuple(m for m in shorter if m.status == ACTIVE and m not in replaced)
    ended = _ended_elsewhere(candidate, beside, decided)
    is_wide = candidate.claim.project is None
    replaced += ended if is_wide else ()
    gone = {m.key for m in replaced}
    left = [m for m in clashing if m.key not in gone and not _apart(candidate, m, together)]
    waiting = next(iter(copies), None)
    contradicted = next(iter(left), None)
    return Found(nearest, waiting, contradicted, replaced, () if is_wide else ended)


def _ended_elsewhere(
    candidate: Candidate, beside: Beside, decided: Mapping[str, Memory]
) -> tuple[Memory, ...]:
    """Gives what its user keeps in other scopes of which a claim says exactly that it is gone."""
    living = [decided.get(m.key, m) for m in beside.elsewhere]
    older = [m for m in living if m.status == ACTIVE and not _is_later(m, candidate)]
    said = candidate.statement
    others = [(m, read(similar.text_of(m))) for m in older]
    return tuple(m for m, old in others if said and old and topics.ends_exactly(said, old))


def _kept(
    beside: Beside,
    together: Mapping[str, Candidate],
    decided: Mapping[str, Memory],
    candidate: Candidate,
    corrected: Memory | None,
) -> list[Memory]:
    """Gives the memories beside a claim that live at this moment, each once."""
    stored = (*beside.on_topic, *beside.named, *(m for m, _ in beside.near), *beside.same_words)
    found = {m.key: decided.get(m.key, m) for m in stored}
    scope = similar.scope_of(candidate)
    found |= {
        key: decided[key]
        for key, c in together.items()
        if similar.scope_of(c) == scope and similar.meets(candidate.claim, c.claim)
    }
    ours = corrected.key if corrected else None
    return [m for m in found.values() if m.status in LIVING and m.key != ours]


def _copies(
    candidate: Candidate,
    beside: Beside,
    together: Mapping[str, Candidate],
    decided: Mapping[str, Memory],
) -> list[Memory]:
    """Gives what the claim is a near copy of, active ones first."""
    found = [decided.get(m.key, m) for m in similar.copied(candidate, beside)]
    found += [decided[key] for key, c in together.items() if similar.is_copy(candidate, c)]
    living = [m for m in found if m.status in LIVING]
    return sorted(living, key=lambda memory: memory.status != ACTIVE)


def _replaced(
    candidate: Candidate, corrected: Memory | None, kept: Sequence[Memory], clashing: list[Memory]
) -> tuple[Memory, ...]:
    """Gives what makes way: what its user corrects, or what an explicit succession speaks of."""
    older = [m for m in kept if m.status == ACTIVE and not _is_later(m, candidate)]
    succeeded = [m for m in older if _succeeds(candidate, m)]
    if corrected is not None:
        return (corrected, *succeeded)
    corrected_too = clashing if _is_correction(candidate) else []
    return tuple(m for m in older if m in succeeded or m in corrected_too)


def _outlives(candidate: Candidate, memory: Memory) -> bool:
    """Tells whether a user says for longer, or for good, what is kept only until some day."""
    claim = candidate.claim
    if claim.said_by != "user" or (end := _end(memory)) is None:
        return False
    until = _end(claim)
    return until is None or until > end


def _end(kept: Claim | Memory) -> datetime | None:
    ends = [end for end in (kept.expires_at, kept.valid_until) if end is not None]
    return min(ends, default=None)


def _is_correction(candidate: Candidate) -> bool:
    """Tells whether a user takes back what is kept, or says that it has come to be otherwise."""
    text = candidate.claim.content
    is_said_so = candidate.claim.kind == "correction" or topics.corrects(text)
    return is_owners(candidate.claim) and (is_said_so or topics.says_newly(text))


def _says_anew(candidate: Candidate, gone: TakenBack) -> bool:
    """Tells whether a user says himself, after it was taken back, that it is so."""
    said = candidate.claim.valid_from
    return is_owners(candidate.claim) and (said is None or said > gone.at)


def _is_later(memory: Memory, candidate: Candidate) -> bool:
    """Tells whether what is kept was said after the claim, which is said now unless it tells when.

    A moment in its words counts for nothing: whoever says today what changed in 2019 says it today.
    """
    said = candidate.claim.valid_from
    return said is not None and said_last(memory) > said


def _clashes(candidate: Candidate, memory: Memory) -> bool:
    """Tells whether both cannot hold, or the later of them says that the other is gone."""
    said, other = candidate.statement, read(similar.text_of(memory))
    if said is None or other is None:
        return False
    if topics.conflict(said, other) or topics.succeeds(other, said):
        return True
    return _is_later(memory, candidate) and topics.succeeds(said, other)


def _succeeds(candidate: Candidate, memory: Memory) -> bool:
    said, other = candidate.statement, read(similar.text_of(memory))
    return said is not None and other is not None and topics.succeeds(said, other)


def _apart(candidate: Candidate, memory: Memory, together: Mapping[str, Candidate]) -> bool:
    """Tells whether a contradiction is the janitor's: of one call, or of two imports."""
    both_imported = candidate.claim.said_by == memory.said_by == "import"
    return memory.key in together or both_imported


@lru_cache(maxsize=REMEMBERED)
def read(text: str) -> Statement | None:
    """Reads what a text says of what, once."""
    return topics.statement(text)
