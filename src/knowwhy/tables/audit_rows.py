"""What agents did, row after row, each with a hash of all before it."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.registries import Row, add
from knowwhy.tables.write import table

FIRST = "0" * 64  # stands before the first row
PAGE = 1_000  # rows read at once when all of them are
DIGITS = 12  # of a row's number in its key, so that keys sort as numbers
COUNTED = ("updates", "deletes")  # what the store knows to have happened to rows


@dataclass(frozen=True, slots=True)
class Act:
    """One act: who did what to what, how it ended and when; no text that anybody wrote."""

    number: int
    user_id: str | None
    agent_id: str | None
    act: str
    target: str | None
    outcome: str  # done, or refused
    reason: str | None  # the code of the error that refused it
    at: datetime


def note(
    act: str,
    *,
    user_id: str | None,
    agent_id: str | None,
    target: str | None,
    outcome: str,
    reason: str | None = None,
) -> None:
    """Adds an act to the chain; the queue of acts must be held."""
    last = _last()
    number, before = (last["number"] + 1, last["hash"]) if last else (1, FIRST)
    told = Act(number, user_id, agent_id, act, target, outcome, reason, datetime.now(UTC))
    row = {name: getattr(told, name) for name in Act.__dataclass_fields__}
    add(
        "audit",
        {**row, "key": f"{number:0{DIGITS}}", "before": before, "hash": _hash(row, before)},
    )


def acts(
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    since: datetime | None = None,
    most: int,
) -> list[Act]:
    """Lists the newest acts, oldest of them first: of a user, of an agent, since a moment."""
    source = direct.live_rows("audit")
    wanted = sql.select(*(source.c[name] for name in Act.__dataclass_fields__))
    for column, value in (("user_id", user_id), ("agent_id", agent_id)):
        if value is not None:
            wanted = wanted.where(source.c[f"{column}_indexed"] == value)
    if since is not None:
        wanted = wanted.where(source.c.at_indexed >= since)
    newest = wanted.order_by(source.c.number_indexed.desc()).limit(most)
    return [Act(**row) for row in reversed(direct.select("reading what was done", newest))]


def acted_since(agent_id: str, moment: datetime) -> int:
    """Counts what an agent did or tried since a moment."""
    source = direct.live_rows("audit")
    those = (source.c.agent_id_indexed == agent_id) & (source.c.at_indexed >= moment)
    counted = sql.select(sql.func.count().label("rows")).select_from(source).where(those)
    return int(direct.select("counting what was done", counted)[0]["rows"])


def faults() -> tuple[int, list[str]]:
    """Reads the whole chain; gives how many rows it has and where it is broken, a sentence each."""
    number, before = 0, FIRST
    found: list[str] = []
    for row in _all():
        if row["number"] != number + 1:
            missing = row["number"] - number - 1
            found.append(f"Row {number + 1} is missing (and {missing - 1} more after it)."
                         if missing > 1 else f"Row {number + 1} is missing.")  # fmt: skip
        elif row["before"] != before:
            found.append(f"Row {row['number']} does not follow the row before it.")
        if row["hash"] != _hash(row, row["before"]):
            found.append(f"Row {row['number']} is not what was written.")
        number, before = row["number"], row["hash"]
    return number, found + list(_meddled(number))


def _meddled(rows: int) -> Iterator[str]:
    """Compares with what the store itself remembers of the table: a cut end breaks no chain."""
    with translated("reading the history of the audit"):
        versions = table("audit").get_versions()
    for done in COUNTED:
        if number := sum(version[done] for version in versions):
            yield f"The store remembers {number} {done} of rows, and rows are only ever added."
    added = sum(version["inserts"] for version in versions)
    if added != rows:
        yield f"The store remembers {added} rows that were added, and {rows} are there."


def _last() -> Row | None:
    source = direct.live_rows("audit")
    newest = sql.select(source.c.number, source.c.hash).order_by(source.c.number_indexed.desc())
    found = direct.select("reading the last act", newest.limit(1))
    return dict(found[0]) if found else None


def _all() -> Iterator[Row]:
    last = 0
    while True:
        source = direct.live_rows("audit")
        later = sql.select(
            *(source.c[name] for name in (*Act.__dataclass_fields__, "before", "hash"))
        )
        page = later.where(source.c.number_indexed > last).order_by(source.c.number_indexed)
        rows = direct.select("reading what was done", page.limit(PAGE))
        yield from (dict(row) for row in rows)
        if len(rows) < PAGE:
            return
        last = rows[-1]["number"]


def _hash(row: dict[str, Any], before: str) -> str:
    told = [row[name] for name in Act.__dataclass_fields__ if name != "at"]
    written = json.dumps([*told, row["at"].astimezone(UTC).isoformat(), before])
    return hashlib.sha256(written.encode()).hexdigest()
