"""What one run of the night shift has written to memories, by what it signed, and put back."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.scope import seen
from knowwhy.tables.write import queue
from knowwhy.types import Asker, Change, Json, Memory

MOMENTS = ("valid_from", "valid_until", "expires_at", "verified_at", "created_at")
RESTORED = "restored"
MERGED = "merged"  # the change of the memory that stays, beside that of the one that went into it


@dataclass(frozen=True, slots=True)
class Written:
    """One change that a run has noted, whether or not it came to be."""

    memory_key: str
    at: datetime
    follows: datetime | None
    before: Mapping[str, Json]


def written(runs: Collection[str]) -> dict[str, list[Written]]:
    """Gives what runs have noted, by memory."""
    found: dict[str, list[Written]] = defaultdict(list)
    for run in runs:
        doing = "reading what a night run has done"
        for row in direct.select(doing, _signed(), run=f"% {run}"):
            found[row["memory_key"]].append(Written(**row))
    return dict(found)


def counted(signs: Collection[str], since: datetime, asker: Asker) -> dict[str, int]:
    """Counts the memories of an asker that were ended, flagged or put back, by who signed it."""
    changes = direct.live_rows("changes")
    mine = seen(changes.c, memories.safe(asker)) & changes.c.by.in_(sorted(signs))
    keys = sql.func.count(changes.c.memory_key.distinct())
    counting = sql.select(changes.c.by, keys.label("times")).group_by(changes.c.by)
    statement = counting.where(changes.c.at >= since, mine, changes.c.what != MERGED)
    rows = direct.select("counting what night runs have done", statement)
    return {row["by"]: int(row["times"]) for row in rows}


def put_back(
    page: Sequence[str],
    done: Mapping[str, Sequence[Written]],
    undone: Mapping[str, Sequence[Written]],
    by: str,
    why: str,
    *,
    dry_run: bool,
) -> tuple[list[str], list[str]]:
    """Makes memories what they were before a run; gives those it has, and those changed since.

    What was put back before, and what was noted and never written, is neither.
    """
    with translated("putting memories back"), queue("memories"):
        stored = memories.held(page)
        goals = {key: _goal(stored[key], done[key]) for key in page if key in stored}
        since = [
            key
            for key, goal in goals.items()
            if goal is None
            and not any(change.at == stored[key].touched_at for change in undone.get(key, ()))
            and not any(change.follows == stored[key].touched_at for change in done[key])
        ]
        back = [goal for goal in goals.values() if goal is not None]
        if back and not dry_run:
            memories.update(back, [Change(memory.key, RESTORED, why, by) for memory in back])
        return [memory.key for memory in back], since


def _goal(memory: Memory, noted: Sequence[Written]) -> Memory | None:
    """Gives a memory as it was before a run, where the run was the last to write it."""
    by_moment = {change.at: change for change in noted}
    moment: datetime | None = memory.touched_at
    before: dict[str, Any] = {}
    while moment is not None and (change := by_moment.get(moment)):
        before |= change.before
        moment = change.follows
    if not before:
        return None
    return replace(memory, **{name: _read(name, value) for name, value in before.items()})


def _read(name: str, value: Json) -> Any:
    """Reads a column that a change noted as JSON."""
    if name in MOMENTS and value:
        return datetime.fromisoformat(value)
    if name == "resolved":
        return tuple(value or ())
    return (value or {}) if name in ("applies_to", "metadata") else value


@cache
def _signed() -> Any:
    changes = direct.live_rows("changes")
    wanted = [changes.c[name] for name in ("memory_key", "at", "follows", "before")]
    return sql.select(*wanted).where(changes.c.by.like(sql.bindparam("run")))
