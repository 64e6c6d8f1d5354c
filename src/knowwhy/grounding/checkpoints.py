"""States of one's memories that can be gone back to.

A way back is noted before it is begun and keeps the state that it leaves: it can be finished by
another process, and gone back from. Nothing is deleted by it: what was not there is retracted.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from knowwhy.errors import BadInput, CapacityReached, Error, NotFound, StoreFailed
from knowwhy.tables.kept import journal, snapshots
from knowwhy.tables.kept.journal import BEGUN, DONE, DROPPING, GONE, KEPT, MAKING, Checkpoint
from knowwhy.tables.kept.memories import RETRACTED, safe
from knowwhy.tables.kept.memory_origins import ROLLED_BACK
from knowwhy.tables.kept.snapshots import Pair
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import analyze, queue, table
from knowwhy.text.characters import check_line
from knowwhy.text.nearest import begins_id, did_you_mean
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Asker

NOW = "now"  # the name of the state that nobody needs to keep
MOST_CHECKPOINTS = 50  # of one owner, ways back included: more than a person can tell apart
MAX_NAME = 200  # characters, as of every other name
KEY = re.compile(r"k-[0-9a-f]{20}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Difference:
    """What an owner's memories were at one moment and are at another."""

    added: tuple[Pair, ...]
    changed: tuple[Pair, ...]
    retracted: tuple[Pair, ...]  # those that came in between, too


@dataclass(frozen=True, slots=True)
class Return:
    """A way back: where it went, what it did, and how to go back from it."""

    to: Checkpoint
    left: Checkpoint  # the state that it left, which `undo` goes to
    restored: int  # memories that are again what they were
    retracted: int  # memories that were not there
    told_since: int  # of those retracted: they came after the state that it went to


def create(asker: Asker, name: str) -> Checkpoint:
    """Keeps the state of the asker's memories under a name."""
    owner, name = _owner(asker), _new_name(name)
    with _turn(owner):
        standing = _with_room(owner)
        if any(c.name == name and c.project == owner.project for c in _named_ones(standing)):
            raise BadInput(f"There is a checkpoint {name!r} already; choose another name.")
        made = journal.note(_checkpoint(owner, name, MAKING))
        snapshots.take(made.snapshot)
        return journal.move(made, KEPT)


def checkpoints(asker: Asker) -> list[Checkpoint]:
    """Lists the asker's checkpoints and the states that ways back have left, newest first."""
    return journal.owned(_owner(asker))


def diff(asker: Asker, a: str, b: str = NOW) -> Difference:
    """Tells what was added, changed and retracted between two states of the asker's memories."""
    owner = _owner(asker)
    named = [find(owner, name) for name in (a, b) if name != NOW]
    for checkpoint in named:
        owner = _within(owner, checkpoint)
    now = datetime.now(UTC)
    pairs = snapshots.compare(_state(owner, a), _state(owner, b), owner)
    return _difference([pair.shown(now) for pair in pairs])


def roll_back(asker: Asker, name: str) -> Return:
    """Makes the asker's memories what they were; retracts those that were not there.

    Only what the asker owns: a user's own memories, in the project when one is given; everybody's
    of a project when asked for without a user. The state that is left is kept for `undo`.
    """
    owner = _owner(asker)
    finish_begun()
    return _go(owner, find(owner, name))


def undo(asker: Asker) -> Return:
    """Goes back to the state that the asker's last way back has left; again, and it is redone.

    What was told after that way back was not there before it, and is retracted too.
    """
    owner = _owner(asker)
    finish_begun()
    return _go(owner, last_left(owner))


def last_left(asker: Asker) -> Checkpoint:
    """Finds the state that the asker's last way back has left, which `undo` goes to."""
    left = [checkpoint for checkpoint in checkpoints(asker) if checkpoint.goes_to]
    if not left:
        raise NotFound("You have not rolled back; there is nothing to undo.")
    return left[0]


def delete(asker: Asker, name: str) -> Checkpoint:
    """Gives up a checkpoint; the memories stay as they are."""
    owner = _owner(asker)
    with _turn(owner):
        going = journal.move(find(owner, name), DROPPING)
        snapshots.drop(going.snapshot)
        return journal.move(going, GONE)


def finish_begun() -> int:
    """Brings to its end what killed processes had begun; called where a home is opened.

    While another process is rolling back this waits for it. What cannot be finished is left as it
    is, with a warning: nobody else's memories depend on it.
    """
    cut_off = journal.unfinished()
    if not cut_off:
        return 0
    try:
        going = [pair for checkpoint in cut_off for pair in _pairs_of(checkpoint)]
        with snapshots.embedded(going), queue("memories"):
            return _finish_all(journal.unfinished())
    except Error as error:
        logger.warning("a rollback that was cut off could not be finished: %s", error)
        return 0


def find(asker: Asker, name: str) -> Checkpoint:
    """Finds one of the asker's checkpoints by name or key; of another's it says what of none."""
    standing, stored = checkpoints(asker), safe_name(name.strip())
    found = [c for c in standing if c.key == stored]
    found = found or [c for c in _named_ones(standing) if c.name == stored]
    found = found or [c for c in standing if begins_id(c.key, stored or "")]
    exact = [c for c in found if c.project == safe(asker).project]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        keys = ", ".join(sorted(f"{c.key} (project {c.project!r})" for c in found))
        raise BadInput(f"{stored!r} names {len(found)} checkpoints: {keys}. Give the project.")
    shown = redact(name)[:MAX_NAME]
    said = did_you_mean(name, [c.name for c in _named_ones(standing)])
    said = said or ". `knowwhy checkpoint list` shows yours."
    raise NotFound(f"You have no checkpoint {shown!r}{said}")


def _go(owner: Asker, target: Checkpoint) -> Return:
    whose = _within(owner, target)
    with (
        snapshots.embedded(snapshots.compare(_kept(target), table("memories"), whose)),
        _turn(owner),
    ):
        _with_room(whose)
        target = find(owner, target.key)  # it may have been deleted meanwhile
        name = f"before {target.name!r}" if target.goes_to is None else "before going back"
        begun = journal.note(replace(_checkpoint(whose, name, BEGUN), goes_to=target.key))
        snapshots.take(begun.snapshot)
        went = _put_back(begun, target)
    analyze(went.restored + went.retracted)
    return went


@contextmanager
def _turn(owner: Asker) -> Iterator[None]:
    """Waits for one's turn to write memories; what is unfinished then has been cut off."""
    with queue("memories"):
        _finish_all([c for c in journal.unfinished() if c.user_id == owner.user_id])
        yield


def _finish_all(cut_off: Sequence[Checkpoint]) -> int:
    for checkpoint in cut_off:
        _finish(checkpoint)
    return len(cut_off)


def _put_back(begun: Checkpoint, target: Checkpoint) -> Return:
    """Does what was noted, from the two states that it lies between."""
    owner = Asker(begun.user_id, begun.project)
    then = f"{target.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    why = f"{ROLLED_BACK} {target.name!r} of {then}."
    pairs = snapshots.compare(_kept(target), _kept(begun), owner)
    counts = snapshots.put_back(pairs, owner, why)
    left = journal.move(begun, DONE)
    since = sum(pair.old is None and not _has_ended(pair) for pair in pairs)
    return Return(target, left, counts[snapshots.RESTORED], counts[RETRACTED], since)


def _finish(checkpoint: Checkpoint) -> None:
    """Brings one thing to its end; what had not got as far as its snapshot has done nothing."""
    logger.info("finishing what was cut off: %s, %s", checkpoint.key, checkpoint.state)
    is_kept = snapshots.kept(checkpoint.snapshot) is not None
    if checkpoint.state == MAKING and is_kept:
        journal.move(checkpoint, KEPT)
    elif checkpoint.state == BEGUN and is_kept:
        target = _target(checkpoint)
        _put_back(checkpoint, target) if target else journal.move(checkpoint, DONE)
    else:
        snapshots.drop(checkpoint.snapshot)
        journal.move(checkpoint, GONE)


def _pairs_of(checkpoint: Checkpoint) -> list[Pair]:
    """Gives what a way back that was cut off goes between; nothing of anything else."""
    left, target = snapshots.kept(checkpoint.snapshot), _target(checkpoint)
    if checkpoint.state != BEGUN or left is None or target is None:
        return []
    owner = Asker(checkpoint.user_id, checkpoint.project)
    return snapshots.compare(_kept(target), left, owner)


def _target(checkpoint: Checkpoint) -> Checkpoint | None:
    """Finds where a way back goes to, if that can still be gone to."""
    target = journal.noted(checkpoint.goes_to) if checkpoint.goes_to else None
    return target if target and snapshots.kept(target.snapshot) is not None else None


def _owner(asker: Asker) -> Asker:
    """Gives whose memories an asker may take back: the own ones, or a project's shared ones."""
    if asker.user_id is None and asker.project is None:
        raise BadInput("Say whose memories: a user's, or everybody's of one project.")
    return safe(asker)


def _within(owner: Asker, checkpoint: Checkpoint) -> Asker:
    """Narrows an owner to the project that a checkpoint was made for."""
    return owner if owner.project else Asker(owner.user_id, checkpoint.project)


def _new_name(name: str) -> str:
    stored = safe_name(name.strip()) or ""
    if not 1 <= len(stored) <= MAX_NAME:
        raise BadInput(f"A checkpoint's name is one line of at most {MAX_NAME} characters.")
    try:
        check_line(stored)
    except BadInput as error:
        raise BadInput(f"A checkpoint's name {error}.") from None
    if stored == NOW or KEY.fullmatch(stored):
        raise BadInput(f"A checkpoint cannot be called {stored!r}; choose another name.")
    return stored


def _with_room(owner: Asker) -> list[Checkpoint]:
    """Gives all checkpoints of a user, or of a project; refuses when there may be no more."""
    everywhere = owner if owner.user_id is None else Asker(owner.user_id)
    standing = journal.owned(everywhere)
    if len(standing) >= MOST_CHECKPOINTS:
        raise CapacityReached(
            f"You have {len(standing)} checkpoints, the most that are kept. Delete some first: "
            "`knowwhy checkpoint list`, `knowwhy checkpoint delete NAME`."
        )
    return standing


def _checkpoint(owner: Asker, name: str, state: str) -> Checkpoint:
    digits, now = uuid4().hex[:20], datetime.now(UTC)
    return Checkpoint(
        key=f"k-{digits}",
        name=name,
        user_id=owner.user_id,
        project=owner.project,
        snapshot=f"k_{digits}",
        goes_to=None,
        state=state,
        at=now,
        touched_at=now,
    )


def _named_ones(standing: Sequence[Checkpoint]) -> list[Checkpoint]:
    return [checkpoint for checkpoint in standing if checkpoint.goes_to is None]


def _state(owner: Asker, name: str) -> Any:
    return table("memories") if name == NOW else _kept(find(owner, name))


def _kept(checkpoint: Checkpoint) -> Any:
    state = snapshots.kept(checkpoint.snapshot)
    if state is None:
        raise StoreFailed(f"The snapshot of the checkpoint {checkpoint.key} is gone; delete it.")
    return state


def _difference(pairs: Sequence[Pair]) -> Difference:
    """Sorts memories by what became of them."""
    rest = [pair for pair in pairs if not _has_ended(pair)]
    return Difference(
        added=tuple(pair for pair in rest if pair.old is None),
        changed=tuple(pair for pair in rest if pair.old is not None),
        retracted=tuple(pair for pair in pairs if _has_ended(pair)),
    )


def _has_ended(pair: Pair) -> bool:
    if pair.new is None:
        return True
    return pair.new.status == RETRACTED and (pair.old is None or pair.old.status != RETRACTED)
