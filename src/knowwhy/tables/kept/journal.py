"""Checkpoints and ways back as they are noted: before they are begun, and when they are done."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.errors import StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import seen
from knowwhy.tables.write import append, queue, table
from knowwhy.types import Asker

MAKING, KEPT = "making", "kept"  # of a checkpoint that somebody asked for
BEGUN, DONE = "begun", "done"  # of a way back, which keeps the state that it left
DROPPING, GONE = "dropping", "gone"  # of both; the row stays
STANDING = (KEPT, DONE)  # what can be gone back to
UNFINISHED = (MAKING, BEGUN, DROPPING)  # what a process was doing when it ended, or is doing now


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state of somebody's memories that can be gone back to."""

    key: str
    name: str
    user_id: str | None  # whose memories; None for everybody's of the project
    project: str | None  # None for the user's own of all projects
    snapshot: str
    goes_to: str | None  # of a state that a way back has left: the checkpoint that it went to
    state: str
    at: datetime
    touched_at: datetime


CHECKPOINT = tuple(field.name for field in fields(Checkpoint))


def note(checkpoint: Checkpoint) -> Checkpoint:
    """Notes a checkpoint or a way back that is about to be made."""
    append("checkpoints", [asdict(checkpoint)])
    return checkpoint


def move(checkpoint: Checkpoint, state: str) -> Checkpoint:
    """Notes how far a checkpoint or a way back has come."""
    moved = replace(checkpoint, state=state, touched_at=datetime.now(UTC))
    row = {"key": moved.key, "state": moved.state, "touched_at": moved.touched_at}
    with translated("noting a checkpoint"), queue("checkpoints"):
        if table("checkpoints").batch_update([row]).num_excs:
            raise StoreFailed(f"The store could not note that {moved.key} is {state}.")
    return moved


def owned(owner: Asker, states: Collection[str] = STANDING) -> list[Checkpoint]:
    """Lists an owner's checkpoints, newest first; without a project those of all projects."""
    source = table("checkpoints")
    own = seen(source, owner) & (source.user_id == owner.user_id)
    newest = source.where(own & source.state.isin(list(states)))
    return _rows(source, newest.order_by(source.at, source.key, asc=False))


def unfinished() -> list[Checkpoint]:
    """Lists what was begun and not brought to its end, whosever it is, oldest first.

    Asked whenever a home is opened: by one statement.
    """
    source = direct.live_rows("checkpoints")
    wanted = sql.select(*(source.c[name] for name in CHECKPOINT))
    begun = wanted.where(source.c.state.in_(UNFINISHED)).order_by(source.c.at, source.c.key)
    return [Checkpoint(**row) for row in direct.select("looking for what was cut off", begun)]


def noted(key: str) -> Checkpoint | None:
    """Finds a checkpoint by its key, whosever it is: to go on with what was begun."""
    source = table("checkpoints")
    return next(iter(_rows(source, source.where(source.key == key))), None)


def _rows(source: Any, query: Any) -> list[Checkpoint]:
    with reading(source):
        names = {name: getattr(source, name) for name in CHECKPOINT}
        return [Checkpoint(**row) for row in query.select(**names).collect()]
