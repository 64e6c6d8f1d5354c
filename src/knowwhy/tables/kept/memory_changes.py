"""What was done to memories: written before the memory itself, shown once it has happened."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from knowwhy.errors import StoreFailed
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import seen
from knowwhy.tables.write import table, with_kept
from knowwhy.types import Asker, Change, Json, Memory

CHANGE = tuple(field.name for field in fields(Change))
TICK = timedelta(microseconds=1)  # the store's finest; keeps two changes of a memory apart
NO_CHANGE = frozenset(("key", "touched_at"))


def stamped(memory: Memory, before: Memory | None, change: Change, now: datetime) -> Change:
    """Completes a change: whose memory it is, what it does to which column, and when."""
    after = columns(memory)
    old = columns(before) if before else {}
    changed = {name for name in after if after[name] != old.get(name)} - NO_CHANGE
    return replace(
        change,
        user_id=memory.user_id,
        project=memory.project,
        evidence_signal=change.evidence_signal or memory.evidence_signal,
        before={name: as_json(old.get(name)) for name in sorted(changed)} if before else {},
        after={name: as_json(after[name]) for name in sorted(changed)},
        follows=before.touched_at if before else None,
        at=max(now, before.touched_at + TICK) if before else now,
    )


def note(changes: Sequence[Change]) -> None:
    """Writes changes; the caller holds the queue of the memories and writes those next."""
    rows = [asdict(change) for change in changes]
    status = with_kept(["changes"], lambda kept: kept["changes"].insert(rows)) if rows else None
    if status and status.num_excs:
        raise StoreFailed("The store could not keep what was done to a memory.")


def happened(memory: Memory, asker: Asker) -> list[Change]:
    """Gives what was done to a memory, oldest first.

    Each change names the one that it follows, and the memory its last: a change that a crash cut
    off before the memory was written is followed by none.
    """
    changes = table("changes")
    query = changes.where(seen(changes, asker) & (changes.memory_key == memory.key))
    with reading(changes):
        names = {name: getattr(changes, name) for name in CHANGE}
        rows = list(query.select(**names).collect())
    by_moment = {row["at"]: Change(**{**row, **_mappings(row)}) for row in rows}
    found: list[Change] = []
    moment: datetime | None = memory.touched_at
    while moment is not None and (change := by_moment.pop(moment, None)):
        found.append(change)
        moment = change.follows
    return found[::-1]


def columns(memory: Memory) -> dict[str, Any]:
    """Gives a memory as the table holds it."""
    row = {name.name: getattr(memory, name.name) for name in fields(Memory)}
    return row | {
        "resolved": list(memory.resolved),
        "applies_to": dict(memory.applies_to),
        "metadata": dict(memory.metadata),
    }


def as_json(value: Any) -> Json:
    """Gives a column's value as JSON holds it, times in UTC."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def _mappings(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"before": row["before"] or {}, "after": row["after"] or {}}
