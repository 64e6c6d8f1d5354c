"""Where memories come from and what people decided about them."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.errors import BadInput
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.indexed import INDEXED_CHARACTERS
from knowwhy.tables.kept.memories import (
    MEMORY,
    MOST_MEMORIES,
    PENDING,
    REFUSED,
    RETRACTED,
    SUPERSEDED,
    held,
    read_row,
    read_rows,
    safe,
    standing,
    without_words,
)
from knowwhy.tables.kept.memory_changes import CHANGE
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import seen
from knowwhy.tables.talk.gaps import REJECTED
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import TURN, table
from knowwhy.types import Asker, Change, Json, Memory, Turn

MOST_CHANGES = 1_000  # given at once
MOST_TAKEN_BACK = 500  # of one scope that a claim in other words is held against
ROLLED_BACK = "Rolled back to the checkpoint"  # begins a reason that says nothing of what is true
SUPERSEDED_BY = r"\ASuperseded by (m-[0-9a-f]{1,64}):"  # how the reason of its status begins


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A memory that a person has rejected or retracted, and when."""

    memory: Memory
    at: datetime


def waiting(asker: Asker, limit: int, now: datetime) -> list[Memory]:
    """Lists the memories that wait for review, the oldest first."""
    _check(limit, MOST_MEMORIES)
    source = table("memories")
    query = source.where(seen(source, safe(asker)) & standing(source, (PENDING,), now))
    oldest = query.order_by(source.created_at, source.key).limit(limit)
    return [memory for memory, _ in read_rows(source, oldest)]


def successors(asker: Asker, memory: Memory) -> list[Memory]:
    """Gives the memories that were made to stand in the place of one, oldest first."""
    source = table("memories")
    named = re.findall(SUPERSEDED_BY, memory.why or "") if memory.status == SUPERSEDED else []
    is_next = (source.supersedes == memory.key) | source.key.isin(named)
    return _oldest_first(source, source.where(seen(source, safe(asker)) & is_next))


def predecessors(asker: Asker, memory: Memory) -> list[Memory]:
    """Gives the memories whose place one has taken, or is to take, oldest first."""
    source = table("memories")
    gone = (source.status == SUPERSEDED) & source.why.contains(f"Superseded by {memory.key}:")
    is_before = gone | (source.key == (memory.supersedes or ""))
    return _oldest_first(source, source.where(seen(source, safe(asker)) & is_before))


def _oldest_first(source: Any, query: Any) -> list[Memory]:
    found = [memory for memory, _ in read_rows(source, query)]
    return sorted(found, key=lambda memory: (memory.created_at, memory.key))


def derived(asker: Asker, key: str) -> tuple[int, Json]:
    """Gives the tier of a memory and its evidence, as the store derived them."""
    source = table("memories")
    query = source.where(seen(source, safe(asker)) & (source.key == key))
    with reading(source):
        rows = list(query.select(tier=source.tier, evidence=source.evidence).collect())
    return rows[0]["tier"], rows[0]["evidence"]


def lent_support(key: str) -> tuple[int, Json]:
    """Gives the tier of a memory and what it cites, to those whom it is lent to."""
    source = table("memories")
    query = source.where(source.key == key)
    with reading(source):
        rows = list(query.select(tier=source.tier, citations=source.citations).collect())
    return rows[0]["tier"], rows[0]["citations"]


def turn_of(asker: Asker, key: str, now: datetime) -> Turn | None:
    """Finds the turn that a memory was read from, while it lives."""
    turns = direct.live_rows("turns").c
    lives = (turns.expires_at == None) | (turns.expires_at > now)  # noqa: E711  # SQL
    named = (turns.key_indexed == key[:INDEXED_CHARACTERS]) & (turns.key == key)
    wanted = sql.select(*(turns[name] for name in TURN))
    rows = direct.select("reading a turn", wanted.where(seen(turns, safe(asker)), named, lives))
    return Turn(**rows[0]) if rows else None


def taken_back(
    hashes: Iterable[str], topics: Iterable[str], *, user_id: str | None, project: str | None
) -> list[TakenBack]:
    """Gives what people have rejected or retracted in exactly one scope, the last first.

    Of what has these words or topics all of it, of the rest the last: a claim may say it otherwise.
    """
    memories, changes = direct.live_rows("memories"), direct.live_rows("changes")
    by_people = sql.and_(
        changes.c.user_id_indexed == safe_name(user_id),
        changes.c.project_indexed == safe_name(project),
        changes.c.what.in_((REJECTED, RETRACTED)),
        sql.not_(sql.func.coalesce(changes.c.why, "").startswith(ROLLED_BACK)),
    )
    # Planned as one with the memories, every refused one is looked up: a quarter of a second.
    done = _first(sql.select(changes.c.memory_key, changes.c["at"]).where(by_people), "done")
    is_of = sql.and_(
        memories.c.key_indexed == done.c.memory_key, memories.c.touched_at == done.c["at"]
    )
    chosen = [*(memories.c[name] for name in MEMORY), memories.c.words]
    is_out = memories.c.status.in_((REFUSED, RETRACTED))
    found = _first(
        sql.select(*chosen, done.c["at"].label("taken_back_at"))
        .select_from(done.join(memories, is_of))
        .where(is_out),
        "found",
    )
    named = found.c.words.in_(list(hashes)) | found.c.topic.in_(list(topics))
    last = sql.select(found).order_by(found.c.taken_back_at.desc()).limit(MOST_TAKEN_BACK)
    either = sql.union_all(sql.select(found).where(named), sql.select(last.subquery()))
    rows = direct.select("looking for what was taken back", either)
    by_key = {row["key"]: TakenBack(read_row(row), row["taken_back_at"]) for row in rows}
    return sorted(by_key.values(), key=lambda one: (one.at, one.memory.key), reverse=True)


def _first(statement: Any, name: str) -> Any:
    """Has the store run one part of a statement before the others."""
    return statement.cte(name).prefix_with("MATERIALIZED", dialect="postgresql")


def changes(
    asker: Asker, whats: Collection[str], limit: int, now: datetime | None = None
) -> list[Change]:
    """Lists what was done to an asker's memories, newest first; no words that are forgotten."""
    _check(limit, MOST_CHANGES)
    source = table("changes")
    query = source.where(seen(source, safe(asker)) & source.what.isin(list(whats)))
    newest = query.order_by(source.at, source.key, asc=False).limit(limit)
    with reading(source):
        rows = list(newest.select(**{name: getattr(source, name) for name in CHANGE}).collect())
    keys = {row["memory_key"] for row in rows}
    happened, forgotten = _happened(keys), _forgotten(keys, now or datetime.now(UTC))
    found = [
        Change(**{**row, "before": row["before"] or {}, "after": row["after"] or {}})
        for row in rows
        if (row["memory_key"], row["at"]) in happened
    ]
    return [without_words(one) if one.memory_key in forgotten else one for one in found]


def _forgotten(keys: Collection[str], now: datetime) -> set[str]:
    """Tells of which memories the words were to be forgotten by now."""
    ends = {key: memory.expires_at for key, memory in held(keys).items()}
    return {key for key, end in ends.items() if end is not None and end <= now}


def _happened(keys: Collection[str]) -> set[tuple[Any, Any]]:
    """Tells which changes of memories were not cut off: the last of each, and what is followed."""
    memories, source = table("memories"), table("changes")
    with translated("reading what was done to memories"):
        last = memories.where(memories.key.isin(list(keys))).select(
            key=memories.key, at=memories.touched_at
        )
        followed = source.where(source.memory_key.isin(list(keys))).select(
            key=source.memory_key, at=source.follows
        )
        return {(row["key"], row["at"]) for query in (last, followed) for row in query.collect()}


def _check(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise BadInput(f"The limit is {limit}; it must be from 1 to {most:,}.")
