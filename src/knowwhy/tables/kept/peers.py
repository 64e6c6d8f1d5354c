"""Active memories that may say the same or otherwise: groups in exactly one scope, by their keys.

Read by SQL of our own: a group is what one statement gives, whatever the number of memories.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from knowwhy import models
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.kept.memories import ACTIVE
from knowwhy.tables.kept.signed import MERGED
from knowwhy.tables.write import queue, table
from knowwhy.types import Json

AT_ONCE = 2_000  # rows that one question names
# What two memories must share to be one. How long each is kept says nothing of the world.
ONE = (
    *("user_id", "project", "kind", "subject", "service", "memorule_kind", "applies_to"),
    "valid_until",
)
# What two memories must share to be about one thing.
ABOUT = ("user_id", "project", "topic", "subject", "service", "memorule_kind", "applies_to")
SAID_LAST = "said_last"  # in the metadata of a memory that others were merged into
BY_PEOPLE = ("restored", "reviewed")  # changes after which the janitor leaves a memory its status


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that are looked at together."""

    label: str  # by which groups are ordered, and gone on with
    keys: tuple[str, ...]
    fresh: frozenset[str]  # of the keys: what was written since, came to hold or waited


@dataclass(frozen=True, slots=True)
class Peer:
    """What of a memory is compared, and what decides which of two stays."""

    key: str
    kind: str
    content: str
    subject: str | None
    said_by: str | None
    verified_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    expires_at: datetime | None
    created_at: datetime
    turn_key: str | None
    fact_number: int | None
    conflicts_with: str | None
    said_last: datetime | None  # the last moment of all that was merged into it


PEER = tuple(field.name for field in fields(Peer) if field.name != SAID_LAST)


def moment() -> datetime | None:
    """Gives a moment up to which all that was written can be seen; None where nothing is."""
    with translated("looking at the clock"), queue("memories"):
        last = direct.live_rows("memories")
        statement = sql.select(sql.func.max(last.c.touched_at_indexed).label("at"))
        at: datetime | None = direct.select("looking for the last write", statement)[0]["at"]
        return at


def groups(
    by: Sequence[str], since: datetime | None, now: datetime, again: Sequence[str] = ()
) -> list[Group]:
    """Gives the groups of more than one active memory in which one is new, or is named to be."""
    given = {"since": since, "now": now, "again": list(again)}
    rows = direct.select("grouping memories", _groups(tuple(by)), **given)
    found = [Group(row["label"], tuple(row["keys"]), frozenset(row["fresh"] or ())) for row in rows]
    return sorted(found, key=lambda group: group.label)  # a database may order texts otherwise


def peers(keys: Sequence[str]) -> dict[str, Peer]:
    """Reads what is compared of memories."""
    found: dict[str, Peer] = {}
    for page in _pages(keys):
        for row in direct.select("reading memories", _peers(), keys=page):
            found[row["key"]] = Peer(**{**row, SAID_LAST: read_moment(row[SAID_LAST])})
    return found


def vectors(keys: Sequence[str], embedder: str) -> dict[str, NDArray[np.float32]]:
    """Gives the vectors of memories, by key; of what could not be embedded none."""
    source = table("memory_vectors")
    found: dict[str, NDArray[np.float32]] = {}
    for page in _pages(keys):
        with translated("reading vectors"):
            vector = source.search_text.embedding(idx=models.tag(embedder))
            rows = source.where(source.key.isin(page)).select(key=source.key, vector=vector)
            found |= {r["key"]: r["vector"] for r in rows.collect() if r["vector"] is not None}
    return found


def by_people() -> dict[str, datetime]:
    """Gives the memories whose status somebody has put back or looked at, and when last."""
    changes = direct.live_rows("changes")
    last = sql.func.max(changes.c.at).label("at")
    decided = sql.select(changes.c.memory_key, last).where(changes.c.what.in_(BY_PEOPLE))
    statement = decided.group_by(changes.c.memory_key)
    rows = direct.select("looking for what people have decided", statement)
    return {row["memory_key"]: row["at"] for row in rows}


@cache
def _groups(by: tuple[str, ...]) -> Any:
    rows = direct.live_rows("memories")
    columns = [sql.cast(rows.c[name], sql.Text) for name in by]
    label = sql.cast(sql.func.jsonb_build_array(*columns), sql.Text)
    now, since = sql.bindparam("now", type_=TIME), sql.bindparam("since", type_=TIME)
    again = rows.c.key == sql.func.any(sql.bindparam("again", type_=TEXTS))
    fresh = sql.or_(since.is_(None), rows.c.touched_at > since, rows.c.valid_from > since, again)
    keys = sql.func.array_agg(rows.c.key)
    lasting = [sql.or_(rows.c[n].is_(None), rows.c[n] > now) for n in ("expires_at", "valid_until")]
    named = [rows.c.topic.is_not(None)] if "topic" in by else []
    return (
        sql.select(label.label("label"), keys.label("keys"), keys.filter(fresh).label("fresh"))
        .where(rows.c.status_indexed == ACTIVE, *lasting, *named)
        .group_by(label)
        .having(sql.func.count() > 1, sql.func.bool_or(fresh))
    )


@cache
def _peers() -> Any:
    rows = direct.live_rows("memories")
    wanted = rows.c.key_indexed == sql.func.any(sql.bindparam("keys", type_=TEXTS))
    said_last = rows.c.metadata.op("->>")(SAID_LAST).label(SAID_LAST)
    return sql.select(*(rows.c[name] for name in PEER), said_last).where(wanted)


def _pages(keys: Collection[str]) -> Iterator[list[str]]:
    listed = list(keys)
    for start in range(0, len(listed), AT_ONCE):
        yield listed[start : start + AT_ONCE]


TEXTS = sql.ARRAY(sql.Text)
TIME = sql.DateTime(timezone=True)


def read_moment(told: Json) -> datetime | None:
    """Reads a moment of the metadata, in which anything may stand."""
    try:
        at = datetime.fromisoformat(told) if isinstance(told, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def taken_in(metadata: Mapping[str, Json]) -> list[str]:
    """Gives the keys of what was merged into a memory, in whose metadata anything may stand."""
    told = metadata.get(MERGED)
    listed = told if isinstance(told, list) else []
    named = [one.get("key") for one in listed if isinstance(one, dict)]
    return [key for key in named if isinstance(key, str)]


def as_json(at: datetime | None) -> Json:
    """Gives a moment as a cursor keeps it."""
    return at and at.isoformat()
