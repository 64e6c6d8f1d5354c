"""Makes one memory of several that say the same in one scope; the one that stays names them all.

Candidates are found by their words, not by comparing all pairs: two claims can be one only if their
numbers, names, what they deny and the words that cannot change are the same. Their vectors confirm
it. What is near and not clearly the same or another claim is told, and stays as it is.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from knowwhy.grounding.admit import quoted
from knowwhy.janitor.alike import cosine, near
from knowwhy.janitor.night import MOST_CHANGES, Night
from knowwhy.janitor.passes import through
from knowwhy.tables import peers, upkeep
from knowwhy.tables.memories import ACTIVE, SUPERSEDED
from knowwhy.tables.peers import ONE, Group, Peer
from knowwhy.tables.upkeep import PAGE, Plan
from knowwhy.text.likeness import same_claim
from knowwhy.text.passages import search_text
from knowwhy.text.rewording import OTHER, SAME, Reading, compare, read
from knowwhy.types import Change, Json, Memory, StepReport

NAME = "merge"
MERGED = "merged"  # the change of the memory that stays
ALIKE_AT = 0.85  # cosine from which two claims may be one (seed 003)
REPLACED_AT = 0.92  # the same, where each of two has words for which the other has others
NEIGHBOURS = 5  # looked at for pairs that are unclear
ANCHORS = ("correction", "memorule")  # kinds that others are held against
VECTORS = 4_000  # held at once: 6 MB
MOST_SOURCES = 50  # that a memory names itself; its provenance names all
MOST_UNCLEAR = 50  # pairs that the report names

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Member:
    """A memory of a group with what is compared of it."""

    peer: Peer
    reading: Reading


Alike = tuple[list[Member], frozenset[str]]  # that agree in their details; which are fresh


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that say the same, or may do, and how near they are."""

    stays: str
    goes: str
    score: float


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Merges what says the same among all that was written since the last night."""
    report, kept = StepReport(NAME), peers.by_people()
    unclear: list[Pair] = []
    for groups in through(NAME, ONE, now, night):
        same, doubtful = look(groups, night.embedder, kept)
        unclear += doubtful
        for page in _pages(same):
            plans = [_plan(pairs, night.signed(NAME)) for pairs in page]
            done = upkeep.carry_out(plans, now, dry_run=dry_run)
            gone = {memory.key for memory in done if memory.status == SUPERSEDED}
            night.would_be |= {memory.key: memory for memory in done}
            told = [_told(pair) for pairs in page for pair in pairs if pair.goes in gone]
            changes = (*report.changes, *told)[:MOST_CHANGES]
            report = replace(report, done=report.done + len(gone), changes=changes)
            night.keep()
        if night.is_over():
            report = replace(report, finished=False)
            break
    return replace(report, notes=_notes(unclear))


def look(
    groups: Sequence[Group], embedder: str, kept: frozenset[str]
) -> tuple[list[list[Pair]], list[Pair]]:
    """Finds in groups what becomes one memory, by the memory that stays, and what is unclear."""
    texts = peers.peers([key for group in groups for key in group.keys])
    alike = [
        (some, group.fresh)
        for group in groups
        for some in _by_details([_member(texts[k]) for k in group.keys if k in texts], group.fresh)
    ]
    same: list[list[Pair]] = []
    unclear: list[Pair] = []
    for page in _with_vectors(alike):
        keys = [member.peer.key for members, _ in page for member in members]
        vectors = peers.vectors(keys, embedder)
        for members, fresh in page:
            found = list(_same(members, vectors, kept))
            same += found
            gone = {pair.goes for pairs in found for pair in pairs}
            left = [m for m in members if m.peer.key not in gone and m.peer.key in vectors]
            unclear += _unclear(left, vectors, fresh)
    return same, unclear


def _with_vectors(alike: Sequence[Alike]) -> Iterator[list[Alike]]:
    """Gives as many at once as bounds what their vectors take, whatever one has alone."""
    page: list[Alike] = []
    count = 0
    for some in alike:
        if page and count + len(some[0]) > VECTORS:
            yield page
            page, count = [], 0
        page.append(some)
        count += len(some[0])
    if page:
        yield page


def _member(peer: Peer) -> Member:
    return Member(peer, read(search_text(peer.subject, None, peer.content)))


def _by_details(members: Sequence[Member], fresh: frozenset[str]) -> Iterator[list[Member]]:
    """Gives those that agree in numbers, names and what they deny, where one of them is fresh."""
    found: dict[tuple[tuple[str, ...], ...], list[Member]] = defaultdict(list)
    for member in sorted(members, key=lambda member: member.peer.key):
        found[member.reading.details].append(member)
    for alike in found.values():
        if len(alike) > 1 and any(member.peer.key in fresh for member in alike):
            yield alike


def _same(
    members: Sequence[Member], vectors: Vectors, kept: frozenset[str]
) -> Iterator[list[Pair]]:
    """Gives what goes into what, by the memory that stays.

    Which of two stays depends on nothing that a merge changes: however often the night is
    interrupted, it ends the same.
    """
    by_core: dict[tuple[str, ...], list[Member]] = defaultdict(list)
    for member in members:
        by_core[member.reading.core].append(member)
    for together in by_core.values():
        staying: dict[str, list[Pair]] = {}
        survivors: list[Member] = []
        for member in sorted(together, key=_rank):
            pair = _into(member, survivors, vectors) if member.peer.key not in kept else None
            if pair is None:
                survivors.append(member)
            else:
                staying.setdefault(pair.stays, []).append(pair)
        yield from staying.values()


def _rank(member: Member) -> tuple[bool, bool, datetime, str]:
    """Orders memories: what somebody has verified first, then what a user said, the oldest."""
    peer = member.peer
    return peer.verified_at is None, peer.said_by != "user", peer.created_at, peer.key


def _into(member: Member, survivors: Sequence[Member], vectors: Vectors) -> Pair | None:
    """Finds the memory that one says the same as; an anchor gives way to the same words only."""
    mine = vectors.get(member.peer.key)
    if mine is None:
        return None
    for other in survivors:
        theirs = vectors.get(other.peer.key)
        score = 0.0 if theirs is None else cosine(mine, theirs)
        if score < ALIKE_AT or compare(member.reading, other.reading) != SAME:
            continue
        is_anchor = member.peer.kind in ANCHORS
        if not is_anchor or same_claim(member.reading.text, other.reading.text):
            return Pair(other.peer.key, member.peer.key, score)
    return None


def _unclear(members: Sequence[Member], vectors: Vectors, fresh: frozenset[str]) -> Iterator[Pair]:
    """Gives pairs that are near and neither clearly the same claim nor clearly another."""
    wanted = [i for i, member in enumerate(members) if member.peer.key in fresh]
    if not wanted or len(members) < 2:
        return
    matrix = np.stack([vectors[member.peer.key] for member in members])
    seen: set[frozenset[str]] = set()
    for i, j, score in near(matrix, np.array(wanted), NEIGHBOURS, ALIKE_AT):
        one, other = sorted((members[i], members[j]), key=_rank)
        pair = frozenset((one.peer.key, other.peer.key))
        is_replaced = one.reading.core != other.reading.core and score < REPLACED_AT
        if pair in seen or (is_replaced and not _is_added(one.reading, other.reading)):
            continue
        if compare(one.reading, other.reading) != OTHER:
            seen.add(pair)
            yield Pair(one.peer.key, other.peer.key, score)


def _is_added(one: Reading, other: Reading) -> bool:
    """Tells whether one of two says nothing that the other does not say, too."""
    return set(one.hard) <= set(other.hard) or set(other.hard) <= set(one.hard)


def _pages(same: Sequence[list[Pair]]) -> Iterator[list[list[Pair]]]:
    """Gives what is written in one transaction each; one memory's copies may need several."""
    page: list[list[Pair]] = []
    count = 0
    for pairs in same:
        for start in range(0, len(pairs), PAGE - 1):
            some = pairs[start : start + PAGE - 1]
            if count + len(some) + 1 > PAGE:
                yield page
                page, count = [], 0
            page.append(some)
            count += len(some) + 1
    if page:
        yield page


def _plan(pairs: Sequence[Pair], by: str) -> Plan:
    """Plans to take into one memory what says the same."""
    keys = (pairs[0].stays, *(pair.goes for pair in pairs))

    def decide(stored: dict[str, Memory]) -> list[tuple[Memory, Change]]:
        stays = stored.get(keys[0])
        going = [stored[key] for key in keys[1:] if key in stored]
        going = [memory for memory in going if memory.status == ACTIVE]
        if stays is None or stays.status != ACTIVE or not going:
            return []
        why = f"Superseded by {stays.key}: {quoted(stays)} It says the same."
        gone = [replace(memory, status=SUPERSEDED, why=why) for memory in going]
        took = f"It says the same as {_named([memory.key for memory in going])}."
        return [
            (_enriched(stays, going), Change(stays.key, MERGED, took, by)),
            *((memory, Change(memory.key, SUPERSEDED, why, by)) for memory in gone),
        ]

    return Plan(keys, decide)


def _enriched(stays: Memory, going: Sequence[Memory]) -> Memory:
    """Gives a memory with the sources and the best confidence of all that it stands for."""
    every = (stays, *going)
    sure = [memory.confidence for memory in every if memory.confidence is not None]
    since = [memory.valid_from for memory in every if memory.valid_from is not None]
    merged = [
        *_merged(stays),
        *(s for memory in going for s in (_source(memory), *_merged(memory))),
    ]
    return replace(
        stays,
        confidence=max(sure, default=None),
        valid_from=min(since, default=None),
        metadata={**stays.metadata, MERGED: merged[:MOST_SOURCES]},
    )


def _merged(memory: Memory) -> list[Json]:
    told = memory.metadata.get(MERGED)
    return list(told) if isinstance(told, list) else []


def _source(memory: Memory) -> dict[str, Json]:
    told = {
        "key": memory.key,
        "source": memory.source,
        "turn": memory.turn_key,
        "said_by": memory.said_by,
    }
    return {name: value for name, value in told.items() if value is not None}


def _named(keys: Sequence[str]) -> str:
    shown = ", ".join(keys[:5])
    return shown if len(keys) <= 5 else f"{shown} and {len(keys) - 5} more"


def _told(pair: Pair) -> dict[str, Json]:
    why = f"It says the same as {pair.stays} ({pair.score:.2f})."
    return {"key": pair.goes, "what": MERGED, "into": pair.stays, "why": why}


def _notes(unclear: Sequence[Pair]) -> tuple[str, ...]:
    """Names the pairs that a person or a model has to look at."""
    if not unclear:
        return ()
    first = [f"{p.stays} and {p.goes} ({p.score:.2f})" for p in unclear[:MOST_UNCLEAR]]
    count = len(unclear)
    return (f"{count} pairs are alike and were left as they are: {'; '.join(first)}.",)
