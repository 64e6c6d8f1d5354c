"""Changes of the model as they are noted: before anything is staged, and when all is done."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from knowwhy.errors import StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.write import append, queue, table
from knowwhy.types import Json

TABLE = "reembeddings"
STAGING, BUILDING, DROPPING = "staging", "building", "dropping"  # what is done, in this order
DONE, GIVEN_UP = "done", "given_up"
UNFINISHED = (STAGING, BUILDING, DROPPING)
KEY_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Reembedding:
    """One change of the model that makes vectors."""

    key: str
    embedder: str  # the new one
    tag: str
    before: str  # the embedder that was left
    state: str
    figures: Mapping[str, Json] | None
    at: datetime
    touched_at: datetime


NAMES = tuple(field.name for field in fields(Reembedding))


def begin(embedder: str, tag: str, before: str) -> Reembedding:
    """Notes a change that is about to be made."""
    now = datetime.now(UTC)
    key = f"e-{uuid4().hex[:KEY_DIGITS]}"
    begun = Reembedding(key, embedder, tag, before, STAGING, None, now, now)
    append(TABLE, [asdict(begun)])
    return begun


def move(one: Reembedding, state: str, **figures: Json) -> Reembedding:
    """Notes how far a change has come, and its figures so far."""
    told = {**(one.figures or {}), **figures}
    moved = replace(one, state=state, figures=told, touched_at=datetime.now(UTC))
    row = {name: getattr(moved, name) for name in ("key", "state", "figures", "touched_at")}
    with translated("noting a change of the model"), queue(TABLE):
        if table(TABLE).batch_update([row]).num_excs:
            raise StoreFailed(f"The store could not note that {moved.key} is {state}.")
    return moved


def unfinished() -> Reembedding | None:
    """Gives the change that was begun last and not brought to its end, if there is one."""
    source: Any = table(TABLE)
    with reading(source):
        names = {name: getattr(source, name) for name in NAMES}
        begun = source.where(source.state.isin(list(UNFINISHED))).order_by(source.at, asc=False)
        rows = list(begun.limit(1).select(**names).collect())
    return Reembedding(**rows[0]) if rows else None
