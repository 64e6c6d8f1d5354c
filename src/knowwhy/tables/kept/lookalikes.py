"""Pairs of memories of which no rule can tell whether they say the same, until somebody has.

A pair is listed while both are active. What an answer has settled, or the undoing of a night has
taken back, stays noted as that.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import sqlalchemy as sql

from knowwhy.errors import BadInput, StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.kept.memories import ACTIVE, MOST_MEMORIES, as_of, held, safe
from knowwhy.tables.scope import seen, sees
from knowwhy.tables.write import queue, table
from knowwhy.types import Asker, Memory

NAME = "lookalikes"
OPEN, DIFFER, UNDONE = "open", "differ", "undone"
DIGITS = 32  # hexadecimal; 128 bits do not meet by chance
AT_ONCE = 500  # pairs of one statement
COLUMNS = ("key", "one", "other", "user_id", "project", "score", "state", "by", "run", "at")

Keys = tuple[str, str]  # of two memories, in any order


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Two memories that may say the same."""

    one: Memory
    other: Memory
    score: float  # the cosine of their vectors
    at: datetime  # when the night noted them


def flag(pairs: Sequence[tuple[str, str, float]], run: str) -> None:
    """Notes pairs for their owners; one that is noted stays as it is, unless that was undone."""
    for page in _pages(pairs):
        with translated("noting what is alike"), queue(NAME):
            stored = _stored([pair[:2] for pair in page])
            whose = held(key for pair in page for key in pair[:2])
            new = [pair for pair in page if _is_new(stored.get(key_of(*pair[:2])))]
            _write([_row(pair, whose[pair[0]], run) for pair in new if pair[0] in whose])


def settle(pairs: Sequence[Keys], by: str | None) -> None:
    """Notes that two do not say the same, for each of some pairs that are noted."""
    for page in _pages(pairs):
        with translated("settling what is alike"), queue(NAME):
            rows = [row for row in _stored(page).values() if row["state"] == OPEN]
            _write([{**row, "state": DIFFER, "by": by} for row in rows])


def differing(pairs: Sequence[Keys]) -> set[frozenset[str]]:
    """Gives those of some pairs that somebody has said not to be the same."""
    rows = [row for page in _pages(pairs) for row in _stored(page).values()]
    return {frozenset((row["one"], row["other"])) for row in rows if row["state"] == DIFFER}


def is_open(one: str, other: str) -> bool:
    """Tells whether a pair is noted and nobody has settled it."""
    return any(row["state"] == OPEN for row in _stored([(one, other)]).values())


def take_back(run: str, judged: str, *, dry_run: bool) -> int:
    """Undoes what a run has noted, and what it has settled as who judges; tells how many pairs."""
    with translated("taking back what was alike"), queue(NAME):
        rows = direct.select("looking for what is alike", _of_run(), run=run, judged=judged)
        after = [{**row, "state": UNDONE if row["run"] == run else OPEN} for row in rows]
        if not dry_run:
            _write(after)
    return len(after)


def listed(asker: Asker, limit: int, now: datetime) -> list[Lookalike]:
    """Lists an asker's pairs that nobody has settled and that both stand, the last noted first."""
    if not 1 <= limit <= MOST_MEMORIES:
        raise BadInput(f"The limit is {limit}; it must be from 1 to {MOST_MEMORIES:,}.")
    rows = direct.live_rows(NAME)
    wanted = _standing(rows, now).where(seen(rows.c, safe(asker)), rows.c.state == OPEN)
    newest = wanted.order_by(rows.c.at.desc(), rows.c.key).limit(limit)
    found = direct.select("listing what is alike", newest)
    both = held(key for row in found for key in (row["one"], row["other"]))
    return [
        Lookalike(both[row["one"]], both[row["other"]], row["score"], row["at"])
        for row in found
        if all(_stands(both.get(row[side]), asker, now) for side in ("one", "other"))
    ]


def key_of(one: str, other: str) -> str:
    """Gives the key of a pair, whichever of the two is named first."""
    told = " ".join(sorted((one, other)))
    return f"l-{hashlib.sha256(told.encode()).hexdigest()[:DIGITS]}"


def _is_new(row: dict[str, Any] | None) -> bool:
    return row is None or row["state"] == UNDONE


def _row(pair: tuple[str, str, float], whose: Memory, run: str) -> dict[str, Any]:
    one, other, score = pair
    named = {"key": key_of(one, other), "one": one, "other": other, "score": float(score)}
    scope = {"user_id": whose.user_id, "project": whose.project}
    return {**named, **scope, "state": OPEN, "by": None, "run": run, "at": datetime.now(UTC)}


def _stands(memory: Memory | None, asker: Asker, now: datetime) -> bool:
    if memory is None or as_of(memory, now).status != ACTIVE:
        return False
    return sees(safe(asker), memory.user_id, memory.project)


def _write(rows: Sequence[dict[str, Any]]) -> None:
    if rows and table(NAME).batch_update(list(rows), if_not_exists="insert").num_excs:
        raise StoreFailed("The store could not note what is alike.")


def _stored(pairs: Sequence[Keys]) -> dict[str, dict[str, Any]]:
    rows = direct.live_rows(NAME)
    named = rows.c.key_indexed.in_([key_of(*pair) for pair in pairs])
    chosen = sql.select(*(rows.c[name] for name in COLUMNS)).where(named)
    return {row["key"]: dict(row) for row in direct.select("looking for what is alike", chosen)}


def _standing(rows: Any, now: datetime) -> Any:
    """Gives the pairs of which both are active at a moment."""
    wanted = sql.select(*(rows.c[name] for name in COLUMNS))
    for side in ("one", "other"):
        memory = direct.live_rows("memories").alias(side)
        lasting = [
            sql.or_(memory.c[end].is_(None), memory.c[end] > now)
            for end in ("expires_at", "valid_until")
        ]
        named = memory.c.key_indexed == rows.c[side]
        wanted = wanted.where(sql.exists().where(named, memory.c.status == ACTIVE, *lasting))
    return wanted


@cache
def _of_run() -> Any:
    rows = direct.live_rows(NAME)
    noted = (rows.c.run == sql.bindparam("run")) & (rows.c.state == OPEN)
    settled = (rows.c.by == sql.bindparam("judged")) & (rows.c.state == DIFFER)
    chosen = sql.select(*(rows.c[name] for name in COLUMNS))
    return chosen.where(sql.or_(noted, settled)).order_by(rows.c.key)


def _pages(pairs: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(pairs), AT_ONCE):
        yield list(pairs[start : start + AT_ONCE])
