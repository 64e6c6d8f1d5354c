"""Claims that wait for a person: seen and judged by their owner.

A claim of no user, made for a project or for everybody, is judged by anybody who sees it. The queue
has a bound: what would wait beyond it is not taken, and nothing is pushed out. Facts that an
extractor read stay in their extraction, without a memory, and are judged when there is room again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from knowwhy.errors import BadInput, Error, NotAgreed
from knowwhy.grounding.admit import admit
from knowwhy.grounding.lifecycle import next_version
from knowwhy.grounding.recheck import make_way
from knowwhy.grounding.steps import NO_HAND, alone, by_hand, reason, signed, take
from knowwhy.tables.kept import lookalikes, memories, memory_origins
from knowwhy.tables.kept.memories import ACTIVE, LIVING, PENDING, REFUSED, SUPERSEDED
from knowwhy.tables.scope import sees
from knowwhy.tables.vectors.holders import with_the_model_of_now
from knowwhy.types import ASSISTANT, COMMAND, PERSON, Asker, Change, Hand, Memory

REVIEWED = "reviewed"  # of a flag: the night leaves the memory as the person has left it
APPROVED, CORRECTED, REJECTED = "approved", "corrected", "rejected"
JUDGEMENTS = (APPROVED, CORRECTED, REJECTED)
SEEN = {  # why a claim is in, by through whom the approval came
    PERSON: "A person has approved it.",
    COMMAND: "A command has approved it; that a person has checked it is not known.",
    ASSISTANT: "An assistant has approved it; that a person has checked it is not known.",
}
ELSEWHERE = "(kept in another project)"  # stands for words that an asker does not see here
MOST_AT_ONCE = 500  # claims judged by one call


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of the claims that were judged together."""

    key: str
    memory: Memory | None  # as it is now; None when it could not be judged
    error: Error | None = None


@dataclass(frozen=True, slots=True)
class Before:
    """A claim as it waits, and the memories whose place it would take."""

    claim: Memory
    replaced: tuple[Memory, ...] = ()


@with_the_model_of_now
def before_approval(asker: Asker, key: str, *, embedder: str, now: datetime) -> Before:
    """Looks what approving a claim would do; what could not be approved is refused."""
    claim = _waiting(memories.memory(asker, key, now=now), (PENDING,))
    return Before(claim, _out_of_its_way(asker, claim, embedder, now))


@with_the_model_of_now
def before_correction(asker: Asker, key: str, text: str, *, embedder: str, now: datetime) -> Before:
    """Looks what keeping a claim in other words would do; what could not be kept is refused."""
    claim = _waiting(memories.memory(asker, key, now=now), (PENDING,))
    anew = next_version(claim, text, asker)
    said = replace(claim, content=anew.content, said_by=anew.said_by)
    return Before(claim, _out_of_its_way(asker, said, embedder, now))


def before_rejection(asker: Asker, key: str, *, now: datetime) -> Before:
    """Looks what rejecting a claim would do; what does not wait is refused."""
    return Before(_waiting(memories.memory(asker, key, now=now), (PENDING,)))


def _out_of_its_way(
    asker: Asker, memory: Memory, embedder: str, now: datetime
) -> tuple[Memory, ...]:
    """Gives what would make way; of what an asker does not see only that there is something."""
    gone = make_way(memory, embedder=embedder, now=now)
    return tuple(m if sees(asker, m.user_id, m.project) else _hidden(m) for m in gone)


def _hidden(memory: Memory) -> Memory:
    return replace(memory, content=ELSEWHERE, subject=None, service=None, project=None)


def pending(asker: Asker, limit: int, *, now: datetime) -> list[Memory]:
    """Lists the claims that wait for an asker, the oldest first."""
    return memory_origins.waiting(asker, limit, now)


def approve(
    asker: Asker, key: str, *, embedder: str, now: datetime, hand: Hand = NO_HAND
) -> Memory:
    """Takes in a claim that waits, as it is, unless an active one says the same or otherwise."""
    return _confirm(asker, key, APPROVED, (PENDING,), hand, embedder=embedder, now=now)


def correct(
    asker: Asker, key: str, text: str, *, embedder: str, now: datetime, hand: Hand = NO_HAND
) -> Memory:
    """Takes in a claim that waits in other words; its own are superseded.

    What a copy, a contradiction or doubt forbids is refused, and then the claim goes on waiting.
    """
    waiting = _waiting(memories.memory(asker, key, now=now), (PENDING,))
    _check_seen(hand, [waiting])
    claim = next_version(waiting, text, asker)
    told = replace(claim, session_id=hand.session, persona=hand.persona, verified_via=hand.via)
    said = admit([told], embedder=embedder, now=now)[0]
    if said.status not in LIVING:
        return said
    by = replace(hand, seen=None)  # of what was shown it is the next version
    return _confirm(asker, said.key, CORRECTED, LIVING, by, embedder=embedder, now=now)


def reject(asker: Asker, key: str, why: str, *, now: datetime, hand: Hand = NO_HAND) -> Memory:
    """Refuses a claim that waits, for a reason; it is kept as refused."""
    said = reason(why)

    def step(memory: Memory) -> tuple[Memory, Change]:
        waiting = _waiting(memory, (PENDING,))
        _check_seen(hand, [waiting])
        after = replace(waiting, status=REFUSED, why=said, verified_via=hand.via)
        return after, Change(key, REJECTED, said, signed(asker))

    return take(asker, key, now, step, hand)


def settle(asker: Asker, key: str, *, now: datetime) -> Memory:
    """Takes the flag of a contradiction off a memory, because a person has looked at it."""

    def step(memory: Memory) -> tuple[Memory, Change]:
        if memory.conflicts_with is None or memory.status not in (ACTIVE, SUPERSEDED):
            raise BadInput(
                f"{memory.key} is not flagged; `knowwhy review conflicts` lists what is."
            )
        after = replace(memory, conflicts_with=None)
        return after, Change(
            key, REVIEWED, f"It was against {memory.conflicts_with}.", signed(asker)
        )

    return take(asker, key, now, step)


def differ(asker: Asker, one: str, other: str, *, now: datetime) -> None:
    """Notes that two memories which are alike do not say the same, because a person says so."""
    for key in (one, other):
        memories.memory(asker, key, now=now)
    if not lookalikes.is_open(one, other):
        raise BadInput(
            f"{one} and {other} are not listed as alike; `knowwhy review alike` lists what is."
        )
    lookalikes.settle([(one, other)], signed(asker))


def each(keys: Sequence[str], judge: Callable[[str], Memory]) -> list[Outcome]:
    """Judges several claims one by one; what cannot be judged does not hold up the others."""
    if len(keys) > MOST_AT_ONCE:
        raise BadInput(f"{len(keys):,} keys were given; {MOST_AT_ONCE} are the most.")
    return [_outcome(key, judge) for key in dict.fromkeys(keys)]


def history(asker: Asker, limit: int) -> list[Change]:
    """Lists what was judged of what an asker sees, newest first."""
    return memory_origins.changes(asker, JUDGEMENTS, limit)


def _outcome(key: str, judge: Callable[[str], Memory]) -> Outcome:
    try:
        return Outcome(key, judge(key))
    except Error as error:
        return Outcome(key, None, error)


@with_the_model_of_now
def _confirm(
    asker: Asker,
    key: str,
    what: str,
    statuses: Sequence[str],
    hand: Hand,
    *,
    embedder: str,
    now: datetime,
) -> Memory:
    """Lets in a claim that somebody vouches for, and out of the way what it replaces.

    Only what a person has approved themselves is verified by them.
    """
    with alone():
        memory = _waiting(memories.memory(asker, key, now=now), statuses)
        by = signed(asker)
        why = SEEN.get(hand.via or COMMAND)
        vouched = replace(memory, status=ACTIVE, why=why, verified_via=hand.via)
        if hand.via == PERSON:
            vouched = replace(vouched, verified_at=now, verified_by=by)
        is_new = memory.status == PENDING
        gone = make_way(vouched, embedder=embedder, now=now) if is_new else []
        _check_seen(hand, [memory, *gone])
        changes = [Change(old.key, SUPERSEDED, old.why, by) for old in gone]
        noted = by_hand(hand, [Change(key, what, None, by), *changes])
        return memories.update([vouched, *gone], noted)[0]


def _check_seen(hand: Hand, judged: Sequence[Memory]) -> None:
    """Refuses to do on a person's word what that person was not shown, as it is now."""
    for memory in judged:
        if hand.seen is not None and (memory.key, memory.touched_at) not in hand.seen:
            raise NotAgreed(
                f"{memory.key} is not as the person was shown it; nothing was changed about it."
            )


def _waiting(memory: Memory, statuses: Sequence[str]) -> Memory:
    if memory.status not in statuses:
        raise BadInput(f"{memory.key} is {memory.status}; it does not wait for review.")
    return memory
