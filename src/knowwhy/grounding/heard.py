"""Judges what was read in conversations: each fact becomes a memory, refused ones included.

What was said with a time to live is remembered no longer than that. A turn of no user gives
memories that everybody in its project may see, as everybody may see the turn itself; but nobody in
particular owns a preference or a correction that was said there, and without a project a claim
would be everybody's everywhere: these wait for a person. So does what is somebody's where several
people speak in a user's conversation, unless it was said under the user's own name.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from knowwhy.errors import BadInput, CapacityReached, Error, StoreBusy, StoreFailed
from knowwhy.grounding.admit import COPIED, admit
from knowwhy.grounding.claims import MOST_CONTENT, MOST_RAW, Claim, cleaned, is_one_name
from knowwhy.grounding.learn import Learned, Learner
from knowwhy.grounding.remember import word_of
from knowwhy.grounding.steps import alone
from knowwhy.grounding.stuck import noted
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ADDED, REFUSED
from knowwhy.tables.talk import gaps
from knowwhy.tables.talk.gaps import Settled, Unjudged
from knowwhy.tables.talk.handed_out import handed_out
from knowwhy.text.speech.recalled import Handed, handed, is_repeated, repeated
from knowwhy.types import SPEAKER, Asker, Change, Memory

FACTS = 64  # judged in a batch
PERSONAL = ("preference", "correction")  # kinds that are somebody's
NOBODYS = "It was said in a conversation of no user, so that nobody in particular stands for it."

ANOTHERS = "It was said by {}, who is not known to be {}, where several people speak."

logger = logging.getLogger(__name__)


def judge_facts(how: Learner, now: datetime, *, without: Collection[str] = ()) -> Learned:
    """Judges a batch of the facts that have no memory, turn by turn as they were said."""
    done = Learned()
    found = gaps.unjudged(now=now, most=FACTS, without=without, whose=how.whose)
    turns = [list(group) for _, group in groupby(found, key=lambda one: one.turn.key)]
    if len(found) == FACTS and len(turns) > 1:
        turns.pop()  # of which some facts may be missing; those of one turn are judged together
    settled = _by_turn(gaps.settled([group[0].turn.key for group in turns]))
    for group in turns:
        turn = group[0].turn
        given = handed(handed_out(Asker(turn.user_id, turn.project), turn.at))
        try:
            with noted([turn.key]):
                kept = _judge(group, settled[turn.key], given, how, now)
        except CapacityReached as error:  # of one user; others need not wait for that one's review
            done.aside[turn.key] = error
            continue
        except (StoreBusy, StoreFailed):
            raise
        except Exception as error:  # one fact that judges stumble over must not hold up the others
            logger.warning("a fact of turn %s cannot be judged", turn.key, exc_info=True)
            done.aside[turn.key] = Error(f"A fact cannot be judged: {type(error).__name__}.")
            continue
        done.facts += len(kept)
        for memory in kept:
            done.kept[memory.status] = done.kept.get(memory.status, 0) + 1
    return done


def _judge(
    group: Sequence[Unjudged],
    before: Sequence[Settled],
    given: Handed,
    how: Learner,
    now: datetime,
) -> list[Memory]:
    """Judges the facts of one turn: those that came back, and then the others among themselves."""
    claims, refused = [], []
    for one in group:
        claim = _claim(one)
        if refusal := _refusal(claim, one, before, given):
            refused.append((claim, *refusal))
        else:
            claims.append(claim)
    stored = [_refuse(claim, why, copy_of, now) for claim, why, copy_of in refused]
    if claims:
        stored += admit(claims, embedder=how.embedder, now=now, max_pending=how.max_pending)
    return stored


def _claim(one: Unjudged) -> Claim:
    """Makes a claim of a fact, which belongs to whoever the turn belongs to."""
    turn, fact = one.turn, one.fact
    return Claim(
        content=fact.content,
        kind=fact.kind,
        user_id=turn.user_id,
        project=turn.project,
        session_id=turn.session_id,
        source=f"conversation:{turn.session_id or turn.key}",
        raw_source=turn.content[:MOST_RAW],
        turn_key=turn.key,
        fact_number=fact.number,
        said_by=turn.role,
        confidence=fact.confidence,
        extractor_version=one.extractor_version,
        valid_from=turn.at,
        expires_at=turn.expires_at,
        verified_via=word_of(turn.via, turn.role, None),
        metadata={"quote": fact.quote} | ({SPEAKER: turn.speaker} if turn.speaker else {}),
        unchecked=_not_owned(one),
    )


def _not_owned(one: Unjudged) -> str | None:
    """Says why a fact cannot come in as its owner's own, when that is so."""
    turn, is_personal = one.turn, one.fact.kind in PERSONAL
    if turn.user_id is None:
        return NOBODYS if turn.project is None or is_personal else None
    if not is_personal or turn.speaker is None or is_one_name(turn.speaker, turn.user_id):
        return None
    return ANOTHERS.format(turn.speaker, turn.user_id)


def _refusal(
    claim: Claim, one: Unjudged, before: Sequence[Settled], given: Handed
) -> tuple[str, str | None] | None:
    """Says why a fact is not judged at all, and what it repeats, when that is so."""
    try:
        cleaned(claim)
    except BadInput as error:
        return str(error), None
    for memory in before:
        same_words = memory.quote is not None and is_repeated(one.fact.quote, memory.quote)
        if same_words or is_repeated(claim.content, memory.content):
            why = f"It was read in this turn before, and {memory.key} is {memory.status}."
            return why, memory.key
    key = repeated(claim.content, given) or repeated(one.fact.quote, given)
    if key is not None:
        return f"It repeats what was recalled from {key} shortly before it was said.", key
    return None


def _refuse(claim: Claim, why: str, copy_of: str | None, now: datetime) -> Memory:
    """Keeps a refused fact as a row, with the reason."""
    kept = _bounded(claim)
    memory = Memory(
        **{name: getattr(kept, name) for name in COPIED},
        status=REFUSED,
        created_at=now,
        touched_at=now,
        why=why,
        copy_of=copy_of,
    )
    with alone():
        memories.put([memory], [Change(memory.key, ADDED, why, by=claim.extractor_version)])
    return memory


def _bounded(claim: Claim) -> Claim:
    """Gives a claim as it can be stored, cut where it is out of bounds."""
    try:
        return cleaned(claim)
    except BadInput:
        content = claim.content[:MOST_CONTENT].strip() or "[empty]"
        raw = claim.raw_source and claim.raw_source[:MOST_RAW]
        return cleaned(replace(claim, content=content, raw_source=raw, metadata={}))


def _by_turn(found: Sequence[Settled]) -> dict[str, list[Settled]]:
    by_turn: dict[str, list[Settled]] = defaultdict(list)
    for memory in found:
        by_turn[memory.turn_key].append(memory)
    return by_turn
