"""What one run of the night shift has written to memories, by what it signed, and put back."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import takewhile
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.in_force import Changes, Written, in_force, is_of_known_past
from knowwhy.tables.kept.upkeep import turn
from knowwhy.tables.scope import seen
from knowwhy.types import Asker, Change, Json, Memory

MOMENTS = ("valid_from", "valid_until", "expires_at", "verified_at", "created_at")
RESTORED = "restored"
MERGED = "merged"  # the change of the memory that stays, beside that of the one that went into it


def touched(run: str) -> list[str]:
    """Lists the memories of which a run has noted a change, whether or not it came to be."""
    rows = direct.select("reading what a night run has done", _signed(), run=f"% {run}")
    return [row["memory_key"] for row in rows]


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
    run: str,
    undoing: Mapping[str, str],
    by: str,
    why: str,
    *,
    dry_run: bool,
) -> tuple[list[str], list[str]]:
    """Makes memories what they were before a run; gives those it has, and those changed since.

    What was put back before, and what was noted and never written, is neither. `undoing` names of
    each run that has put one back which one that was.
    """
    with translated("putting memories back"), turn() as written:
        stored = memories.held(page)
        noted = _noted(page, {key: of for key, of in undoing.items() if key != run})
        back: list[Memory] = []
        since: list[str] = []
        for key, memory in stored.items():
            goal, is_over = _goal(memory, noted.get(key, {}), run)
            back += [goal] if goal else []
            since += [] if goal or is_over else [key]
        if back and not dry_run:
            changes = [Change(memory.key, RESTORED, why, by) for memory in back]
            written += memories.commit([], back, stored, changes)
        return [memory.key for memory in back], since


def _goal(memory: Memory, noted: Changes, run: str) -> tuple[Memory | None, bool]:
    """Gives a memory as it was before a run, where nothing in force is later than what it did.

    Else tells whether nothing of the run is in force any more, or ever was.
    """
    standing = list(in_force(memory.touched_at, noted))
    before: dict[str, Any] = {}
    for change in takewhile(lambda change: change.run == run, standing):
        before |= change.before
    if not before:
        is_known = is_of_known_past(memory.touched_at, noted)
        return None, is_known and not any(change.run == run for change in standing)
    return replace(memory, **{name: _read(name, value) for name, value in before.items()}), True


def _noted(keys: Sequence[str], undoing: Mapping[str, str]) -> dict[str, dict[datetime, Written]]:
    """Gives all that was noted of memories, by their keys and its moments."""
    found: dict[str, dict[datetime, Written]] = defaultdict(dict)
    for row in direct.select("reading what was done to memories", _of_memories(), keys=list(keys)):
        at, follows = row["at"], row["follows"]
        if follows is not None and follows >= at:
            continue  # which no version writes: an import may bring anything
        run = (row["by"] or "").rpartition(" ")[2]
        puts_back = undoing.get(run) if row["what"] == RESTORED else None
        found[row["memory_key"]][at] = Written(at, follows, row["before"] or {}, run, puts_back)
    return dict(found)


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
    keys = sql.select(changes.c.memory_key).distinct().order_by(changes.c.memory_key)
    return keys.where(changes.c.by.like(sql.bindparam("run")))


@cache
def _of_memories() -> Any:
    changes = direct.live_rows("changes")
    wanted = ("memory_key", "at", "follows", "before", "by", "what")
    keys = sql.bindparam("keys", type_=sql.ARRAY(sql.Text))
    named = changes.c.memory_key_indexed == sql.func.any(keys)
    return sql.select(*(changes.c[name] for name in wanted)).where(named)
