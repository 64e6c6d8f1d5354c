"""What stands already beside each claim: memories like it, with its words, of its topic."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray

from knowwhy import models
from knowwhy.errors import Error, ModelChanged
from knowwhy.grounding.claims import Claim, is_owners
from knowwhy.tables.kept import memory_search
from knowwhy.tables.kept.memories import ACTIVE, LIVING
from knowwhy.tables.kept.memory_origins import TakenBack, taken_back
from knowwhy.text.claims.gist import content
from knowwhy.text.claims.terms import words
from knowwhy.text.claims.topics import Statement, statement
from knowwhy.text.pages.passages import search_text
from knowwhy.text.sameness.likeness import MAX_ADDED, same_claim
from knowwhy.text.sameness.same_words import words_hash
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Memory

MOST_READ = 20_000  # characters of a text whose words are compared
REMEMBERED = 2_000  # texts whose words are not read again
NEIGHBOURS = 10  # memories looked at; a copy's details may differ in the nearest ones

Vector = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim with what is compared of it: its vector, its words, what it says of what."""

    claim: Claim
    vector: Vector | None  # None when no model could make it
    words: str
    gist: tuple[str, ...]
    statement: Statement | None
    copy_at: float  # cosine from which another says the same if its details agree

    @property
    def key(self) -> str:
        """The key that its memory gets."""
        return str(self.claim.key)


@dataclass(frozen=True, slots=True)
class Beside:
    """The living memories beside a claim, in exactly its scope."""

    near: tuple[tuple[Memory, float], ...]  # the nearest first
    same_words: tuple[Memory, ...]
    on_topic: tuple[Memory, ...]  # the newest first
    named: tuple[Memory, ...] = ()  # active ones that name what the claim says is gone
    elsewhere: tuple[Memory, ...] = ()  # its user's, in projects if it is of none, else in none
    taken_back: tuple[TakenBack, ...] = ()  # by people, what says the same; the last first
    failed: str | None = None  # why one of these could not be looked up


def candidate(claim: Claim, vector: Vector | None, embedder: str) -> Candidate:
    """Reads what is compared of a claim."""
    named = words_hash(claim.subject, claim.content)  # as the table derives it
    copy_at = math.inf if vector is None else models.cosines(embedder).copy
    return Candidate(claim, vector, named, gist_of(claim.text), statement(claim.text), copy_at)


def beside(candidates: Sequence[Candidate], embedder: str, now: datetime) -> dict[str, Beside]:
    """Looks up what stands beside each claim, by the claim's key; what fails is told."""
    scopes: dict[tuple[str | None, str | None], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        scopes[scope_of(candidate)].append(candidate)
    found: dict[str, Beside] = {}
    for group in scopes.values():
        try:
            found |= _beside_group(group, embedder, now)
        except ModelChanged:
            raise
        except Error as error:
            failed = Beside((), (), (), failed=redact(str(error)))
            found |= {candidate.key: failed for candidate in group}
    return found


def _beside_group(group: Sequence[Candidate], embedder: str, now: datetime) -> dict[str, Beside]:
    """Looks up what stands beside claims of one scope."""
    scope: dict[str, Any] = {
        "user_id": group[0].claim.user_id,
        "project": group[0].claim.project,
        "now": now,
    }
    by_words = memory_search.same_words({c.words for c in group}, statuses=LIVING, **scope)
    topics = {c.statement.topic for c in group if c.statement}
    by_topic: dict[str | None, list[Memory]] = defaultdict(list)
    for memory in memory_search.on_topic(topics, statuses=LIVING, **scope):
        by_topic[memory.topic].append(memory)
    gone = taken_back(
        {c.words for c in group}, topics, user_id=scope["user_id"], project=scope["project"]
    )
    compared = [c for c in group if c.vector is not None]
    vectors = [c.vector for c in compared if c.vector is not None]
    nearest = memory_search.nearest_to(
        vectors, NEIGHBOURS, statuses=LIVING, embedder=embedder, **scope
    )
    near = {c.key: tuple(found) for c, found in zip(compared, nearest, strict=True)}
    return {
        c.key: Beside(
            near=tuple((m, score) for m, score in near.get(c.key, ()) if meets(c.claim, m)),
            same_words=_met(c, by_words.get(c.words, ())),
            on_topic=_met(c, by_topic[c.statement.topic] if c.statement else ()),
            named=_met(c, _named(c.statement, scope)),
            elsewhere=_met(c, _elsewhere(c, now)),
            taken_back=tuple(one for one in gone if _is_said_again(c, one.memory)),
            failed=None if c.key in near else "No model could compare it with what is kept.",
        )
        for c in group
    }


def meets(claim: Claim, other: Claim | Memory) -> bool:
    """Tells whether two claims hold in one place: a rule for writers says nothing of reviewers."""
    if claim.service and other.service and claim.service != other.service:
        return False
    here = {name: value.strip().casefold() for name, value in claim.applies_to.items()}
    there = {name: value.strip().casefold() for name, value in other.applies_to.items()}
    return all(here[name] == there[name] for name in here.keys() & there.keys())


def _met(candidate: Candidate, memories: Iterable[Memory]) -> tuple[Memory, ...]:
    return tuple(memory for memory in memories if meets(candidate.claim, memory))


def _named(statement: Statement | None, scope: Mapping[str, Any]) -> list[Memory]:
    """Gives the memories that name what a succession says is gone, whatever they are about."""
    name = _gone_name(statement)
    return memory_search.mentioning(name, statuses=(ACTIVE,), **scope) if name else []


def _elsewhere(candidate: Candidate, now: datetime) -> list[Memory]:
    """Gives what its user keeps where they see it beside a claim that says what is gone."""
    claim, said = candidate.claim, candidate.statement
    if claim.user_id is None or said is None or not looks_wide(candidate):
        return []
    return memory_search.elsewhere(
        claim.user_id, claim.project, topic=said.topic, name=_gone_name(said), now=now
    )


def looks_wide(candidate: Candidate) -> bool:
    """Tells whether a claim is held against what its user keeps in other scopes than its own."""
    claim, said = candidate.claim, candidate.statement
    says_what_is_gone = said is not None and said.replaced is not None
    return claim.user_id is not None and is_owners(claim) and says_what_is_gone


def _gone_name(statement: Statement | None) -> str:
    words = statement.replaced.split() if statement and statement.replaced else []
    return max((word for word in words if not word.startswith("#")), key=len, default="")


def copied(candidate: Candidate, beside: Beside) -> list[Memory]:
    """Gives the memories that a claim is a near copy of."""
    text = candidate.claim.text
    alike = {memory.key: memory for memory in (*beside.same_words, *beside.on_topic)}
    for memory, score in beside.near:
        is_same_gist = candidate.gist and candidate.gist == gist_of(text_of(memory))
        if score >= candidate.copy_at or is_same_gist:
            alike[memory.key] = memory
    return [memory for memory in alike.values() if same_claim(text, text_of(memory))]


def _is_said_again(candidate: Candidate, memory: Memory) -> bool:
    """Tells whether a claim says what was taken back; what was refused has no vector."""
    if not meets(candidate.claim, memory):
        return False
    said, gone = Counter(candidate.gist), Counter(gist_of(text_of(memory)))
    differing = ((said - gone) + (gone - said)).total()
    return differing <= MAX_ADDED and same_claim(candidate.claim.text, text_of(memory))


def is_copy(candidate: Candidate, other: Candidate) -> bool:
    """Tells whether a claim is a near copy of another one that came in with it."""
    if scope_of(candidate) != scope_of(other) or not meets(candidate.claim, other.claim):
        return False
    text, told = candidate.claim.text, other.claim.text
    is_alike = candidate.words == other.words or bool(candidate.gist == other.gist != ())
    if not is_alike and candidate.vector is not None and other.vector is not None:
        is_alike = float(candidate.vector @ other.vector) >= candidate.copy_at
    return is_alike and same_claim(text, told)


@lru_cache(maxsize=REMEMBERED)
def gist_of(text: str) -> tuple[str, ...]:
    """Gives the words that say something in a text, whatever their order and endings."""
    return tuple(sorted(content(words(text[:MOST_READ]))))


def text_of(memory: Memory) -> str:
    """Gives the text by which a memory is compared, as the table derives it."""
    return search_text(memory.subject, None, memory.content)


def scope_of(candidate: Candidate) -> tuple[str | None, str | None]:
    """Gives whose a claim is to be, and in which project."""
    return candidate.claim.user_id, candidate.claim.project
