"""Makes one memory of several that say the same in one scope; the one that stays names them all.

Candidates are found by their words, not by comparing all pairs: two claims can be one only if their
numbers, names, what they deny and the words that cannot change are the same. Their vectors confirm
it. Nothing goes into what is to be forgotten before it. What is near and not clearly the same or
another claim is noted for its owner, and stays as it is, unless a paid model is set to judge it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from knowwhy import models
from knowwhy.grounding.claims import ANCHORS
from knowwhy.janitor import judging
from knowwhy.janitor.alike import cosine, near
from knowwhy.janitor.joining import (
    MERGED,
    Pair,
    Rank,
    is_kept_as_long,
    pages,
    plan,
    rank,
)
from knowwhy.janitor.judging import Judged
from knowwhy.janitor.night import MOST_CHANGES, Night
from knowwhy.janitor.passes import is_cut_short, through
from knowwhy.models.calibration import Cosines
from knowwhy.tables.kept import lookalikes, peers, upkeep
from knowwhy.tables.kept.memories import SUPERSEDED
from knowwhy.tables.kept.peers import ONE, Group, Peer
from knowwhy.tables.talk.spends import MICRO
from knowwhy.text.pages.passages import search_text
from knowwhy.text.sameness.likeness import same_claim
from knowwhy.text.sameness.rewording import OTHER, SAME, Reading, compare, read
from knowwhy.types import Json, StepReport

NAME = "merge"
BLIND = "without vectors"  # among the cursors of a run: memories that wait until they have one
MOST_BLIND = 2_000  # that wait by their names; if more do, the next run looks at everything
NEIGHBOURS = 5  # looked at for pairs that are unclear
VECTORS = 4_000  # held at once: 6 MB
MOST_UNCLEAR = 50  # pairs that the report names

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Member:
    """A memory of a group with what is compared of it."""

    peer: Peer
    reading: Reading


Alike = tuple[list[Member], frozenset[str]]  # that agree in their details; which are fresh


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Merges what says the same among all that was written since the last night."""
    report, unclear = StepReport(NAME), list[Pair]()
    waited, blind = list(night.cursors.get(BLIND) or ()), set[str]()
    for groups in through(NAME, ONE, now, night, waited):
        same, doubtful, without = look(groups, night.embedder, peers.by_people())
        doubtful = judging.unsettled(doubtful)
        unclear += doubtful
        if not dry_run:
            lookalikes.flag([(p.stays, p.goes, p.score) for p in doubtful], night.run)
        blind |= without
        night.cursors[BLIND] = sorted(blind.union(waited))
        judging.wait(night, doubtful)
        for page in pages(same):
            plans = [plan(pairs, night.signed(NAME)) for pairs in page]
            done = upkeep.carry_out(plans, now, dry_run=dry_run)
            gone = {memory.key for memory in done if memory.status == SUPERSEDED}
            night.would_be |= {memory.key: memory for memory in done}
            told = [_told(pair) for pairs in page for pair in pairs if pair.goes in gone]
            changes = (*report.changes, *told)[:MOST_CHANGES]
            report = replace(report, done=report.done + len(gone), changes=changes)
            night.keep()
    if is_cut_short(NAME, night):
        return replace(report, finished=False, notes=_notes(unclear))
    _let_wait(blind, night)
    if dry_run or night.judge is None:
        return replace(report, notes=(*_notes(unclear), *_would_ask(night)))
    judged = judging.judge_pairs(now, night)
    lookalikes.settle([(p.stays, p.goes) for p in judged.different], night.signed(NAME))
    return _with_judged(report, unclear, judged, night.judge.model)


def _with_judged(
    report: StepReport, unclear: Sequence[Pair], judged: Judged, model: str
) -> StepReport:
    """Adds what a model has judged; what it has not stays told, of whichever night it is."""
    told = [_told(pair, f"{model} judged that") for pair in judged.same]
    settled = {frozenset((p.stays, p.goes)) for p in (*judged.same, *judged.different)}
    left = {frozenset((p.stays, p.goes)): p for p in (*unclear, *judged.open, *judged.waiting)}
    return replace(
        report,
        done=report.done + len(told),
        changes=(*report.changes, *told)[:MOST_CHANGES],
        notes=(
            *_notes([pair for both, pair in left.items() if both not in settled]),
            *_of_judge(judged, model),
        ),
    )


def _let_wait(blind: Collection[str], night: Night) -> None:
    """Lets memories wait that could not be compared: by their names, or many with all others."""
    is_few = len(blind) <= MOST_BLIND
    night.cursors[BLIND] = sorted(blind) if is_few else []
    if not is_few:
        night.cursors[NAME] = {}


def look(
    groups: Sequence[Group], embedder: str, kept: Mapping[str, datetime]
) -> tuple[list[list[Pair]], list[Pair], set[str]]:
    """Finds in groups what becomes one memory, by the memory that stays, and what is unclear.

    What could not be compared because it has no vector is given too.
    """
    texts = peers.peers([key for group in groups for key in group.keys])
    alike = [
        (some, group.fresh)
        for group in groups
        for some in _by_details([_member(texts[k]) for k in group.keys if k in texts], group.fresh)
    ]
    at = models.cosines(embedder)
    same: list[list[Pair]] = []
    unclear: list[Pair] = []
    blind: set[str] = set()
    for page in _with_vectors(alike):
        keys = [member.peer.key for members, _ in page for member in members]
        vectors = peers.vectors(keys, embedder)
        blind.update(key for key in keys if key not in vectors)
        for members, fresh in page:
            found = list(_same(members, vectors, kept, at))
            same += found
            gone = {pair.goes for pairs in found for pair in pairs}
            left = [m for m in members if m.peer.key not in gone and m.peer.key in vectors]
            unclear += _unclear(left, vectors, fresh, at)
    return same, unclear, blind


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
    members: Sequence[Member], vectors: Vectors, kept: Mapping[str, datetime], at: Cosines
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
            pair = _into(member, survivors, vectors, at) if member.peer.key not in kept else None
            if pair is None:
                survivors.append(member)
            else:
                staying.setdefault(pair.stays, []).append(pair)
        yield from staying.values()


def _rank(member: Member) -> Rank:
    return rank(member.peer)


def _into(
    member: Member, survivors: Sequence[Member], vectors: Vectors, at: Cosines
) -> Pair | None:
    """Finds the memory that one says the same as; an anchor gives way to the same words only."""
    mine = vectors.get(member.peer.key)
    if mine is None:
        return None
    for other in survivors:
        if not is_kept_as_long(other.peer, member.peer):
            continue
        theirs = vectors.get(other.peer.key)
        score = 0.0 if theirs is None else cosine(mine, theirs)
        if score < at.alike or compare(member.reading, other.reading) != SAME:
            continue
        is_anchor = member.peer.kind in ANCHORS
        if not is_anchor or same_claim(member.reading.text, other.reading.text):
            return Pair(other.peer.key, member.peer.key, score)
    return None


def _unclear(
    members: Sequence[Member], vectors: Vectors, fresh: frozenset[str], at: Cosines
) -> Iterator[Pair]:
    """Gives pairs that are near and neither clearly the same claim nor clearly another.

    Where each of two has words for which the other has others, they must be as near as copies are.
    Those of which one could not go into the other, since that is forgotten first, are left out.
    """
    wanted = [i for i, member in enumerate(members) if member.peer.key in fresh]
    if not wanted or len(members) < 2:
        return
    matrix = np.stack([vectors[member.peer.key] for member in members])
    seen: set[frozenset[str]] = set()
    for i, j, score in near(matrix, np.array(wanted), NEIGHBOURS, at.alike):
        one, other = sorted((members[i], members[j]), key=_rank)
        pair = frozenset((one.peer.key, other.peer.key))
        is_replaced = one.reading.core != other.reading.core and score < at.copy
        if pair in seen or (is_replaced and not _is_added(one.reading, other.reading)):
            continue
        if not is_kept_as_long(one.peer, other.peer):
            continue
        if compare(one.reading, other.reading) != OTHER:
            seen.add(pair)
            yield Pair(one.peer.key, other.peer.key, score)


def _is_added(one: Reading, other: Reading) -> bool:
    """Tells whether one of two says nothing that the other does not say, too."""
    return set(one.hard) <= set(other.hard) or set(other.hard) <= set(one.hard)


def _told(pair: Pair, how: str = "") -> dict[str, Json]:
    says = f"{how} it says" if how else "It says"
    why = f"{says} the same as {pair.stays} ({pair.score:.2f})."
    return {"key": pair.goes, "what": MERGED, "into": pair.stays, "why": why}


def _notes(unclear: Sequence[Pair]) -> tuple[str, ...]:
    """Names the pairs that a person or a model has to look at."""
    if not unclear:
        return ()
    first = [f"{p.stays} and {p.goes} ({p.score:.2f})" for p in unclear[:MOST_UNCLEAR]]
    count = len(unclear)
    more = f"; and {count - MOST_UNCLEAR} more" if count > MOST_UNCLEAR else ""
    told = f"{count} pairs are alike and were left as they are: {'; '.join(first)}{more}."
    return (f"{told} `knowwhy review alike` lists them to their owners.",)


def _would_ask(night: Night) -> tuple[str, ...]:
    """Tells in a dry run what would be asked of a model."""
    pairs = len(judging.waiting(night))
    return (f"{pairs} pairs would be put to {night.judge.model}.",) if night.judge and pairs else ()


def _of_judge(judged: Judged, model: str) -> Iterator[str]:
    """Tells what was asked of a model, what came of it, and what waits."""
    if judged.asked:
        counts = f"{len(judged.same)} say the same, {len(judged.different)} do not"
        dollars = judged.micro_dollars / MICRO
        yield f"{model} judged {judged.asked} pairs: {counts}; it cost ${dollars:.4f}."
    if judged.waiting:
        why = judged.problem or "The time of the run or the most of one night was up."
        yield f"{len(judged.waiting)} pairs wait to be judged: {why}"
