"""What agents did, row after row, each with a hash of all before it."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.agents.registries import (
    Row,
    Write,
    acting,
    added,
    conditions,
)
from knowwhy.tables.failures import translated
from knowwhy.tables.write import table

FIRST = "0" * 64  # stands before the first row
PAGE = 1_000  # rows read at once when all of them are
DIGITS = 12  # of a row's number in its key, so that keys sort as numbers
COUNTED = ("updates", "deletes")  # what the store knows to have happened to rows
OF_OWNERS = ("register_agent", "deactivate_agent")  # acts of an owner, by no agent
CHAINED = ("key", "before", "hash")
_NUMBERED = sql.text(
    "SELECT md->>'next_row_id' AS rows FROM tables "
    "WHERE 'tbl_' || replace(id::text, '-', '') = :name"
)
_SHAPES = sql.text(
    "SELECT schema_version AS version FROM tableschemaversions "
    "WHERE 'tbl_' || replace(tbl_id::text, '-', '') = :name"
)


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


def noting(
    act: str,
    *,
    user_id: str | None,
    agent_id: str | None,
    target: str | None,
    outcome: str,
    reason: str | None = None,
) -> Write:
    """Gives the row that adds an act to the chain; the queue of acts must be held."""
    who = {"user_id": user_id, "agent_id": agent_id}
    return noting_each(
        [{**who, "act": act, "target": target, "outcome": outcome, "reason": reason}]
    )


def noting_each(told: Iterable[Row]) -> Write:
    """Gives the rows that add acts to the chain, in this order; the queue must be held."""
    last, now = _last(), datetime.now(UTC)
    first, before = (last["number"] + 1, last["hash"]) if last else (1, FIRST)
    rows = []
    for number, one in enumerate(told, first):
        row = {**one, "number": number, "at": now}
        rows.append({**row, "key": _key(number), "before": before, "hash": _hash(row, before)})
        before = rows[-1]["hash"]
    return added("audit", *rows)


def following(rows: Sequence[Row], stored: Mapping[str, Row]) -> list[Row]:
    """Gives of an imported page what goes on where the chain of this home ends.

    Of two chains none can be made one: into a home with acts of its own none are taken.
    """
    last = _last()
    later = [row for row in rows if last is None or row["number"] > last["number"]]
    if last is None or not later or later[0]["before"] == last["hash"]:
        return later
    told = {row["key"]: row for row in rows}
    key = _key(last["number"])
    return later if key in stored and stored[key] == told[key] else []


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
            wanted = wanted.where(*conditions(source, **{column: value}))
    if since is not None:
        wanted = wanted.where(source.c.at_indexed >= since)
    newest = wanted.order_by(source.c.number_indexed.desc()).limit(most)
    return [Act(**row) for row in reversed(direct.select("reading what was done", newest))]


def acted_since(agent_id: str, moment: datetime, *, but: str) -> int:
    """Counts what an agent did or tried since a moment, but what was refused for one reason."""
    source = direct.live_rows("audit")
    return _counted(source, _by(source, agent_id), *_lately(source, moment, but))


def refused_to(user_id: str, moment: datetime, *, but: str) -> int:
    """Counts what an owner was refused by no agent of theirs since a moment, but for one reason."""
    source = direct.live_rows("audit")
    whose = (source.c.user_id == user_id, _by(source, None), source.c.outcome == "refused")
    by_agents = source.c.act.not_in(OF_OWNERS)
    return _counted(source, *whose, by_agents, *_lately(source, moment, but))


def refused_since(
    user_id: str, agent_id: str | None, moment: datetime, reason: str
) -> set[str | None]:
    """Tells to whom of an owner's agent and none of theirs something was refused for a reason."""
    source = direct.live_rows("audit")
    by = sql.or_(_by(source, agent_id), _by(source, None))
    since = (source.c.at_indexed >= moment, source.c.reason == reason)
    wanted = sql.select(source.c.agent_id).distinct().where(*since, by, source.c.user_id == user_id)
    return {row["agent_id"] for row in direct.select("looking for a refusal", wanted)}


def faults() -> tuple[int, list[str]]:
    """Reads the whole chain; gives how many rows it has and where it is broken, a sentence each."""
    chain = _Chain()
    chain.follow(_after(0))  # nearly all of it, while others go on acting
    with acting():
        chain.follow(_after(chain.number))
        chain.found += _meddled(chain.number)
    return chain.number, chain.found


def broken() -> tuple[int, list[str]]:
    """Follows the rows alone; gives how many there are and where the chain is broken.

    What the store remembers of them is left out: `faults` asks for that, too.
    """
    chain = _Chain()
    chain.follow(_after(0))
    return chain.number, chain.found


@dataclass(slots=True)
class _Chain:
    """How far the rows have been followed, and where they were found broken."""

    number: int = 0
    hash: str = FIRST
    found: list[str] = field(default_factory=list)

    def follow(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if (missing := row["number"] - self.number - 1) != 0:
                more = f" (and {missing - 1} more after it)" if missing > 1 else ""
                self.found.append(f"Row {self.number + 1} is missing{more}.")
            elif row["before"] != self.hash:
                self.found.append(f"Row {row['number']} does not follow the row before it.")
            if not _is_as_written(row):
                self.found.append(f"Row {row['number']} is not what was written.")
            self.number, self.hash = row["number"], row["hash"]


def _is_as_written(row: Row) -> bool:
    """Compares a row with its hash, and its key with its number."""
    return (row["key"], row["hash"]) == (_key(row["number"]), _hash(row, row["before"]))


def _meddled(rows: int) -> Iterator[str]:
    """Compares with what the store itself remembers of the table: a cut end breaks no chain."""
    with translated("reading the history of the audit"):
        versions = table("audit").get_versions()
    physical = {"name": direct.physical_name("audit")}
    reshaped = {row["version"] for row in direct.select("reading its shapes", _SHAPES, **physical)}
    # An index that another version of knowwhy adds or drops counts each row as updated.
    versions = [version for version in versions if version["version"] not in reshaped]
    for done in COUNTED:
        if number := sum(version[done] for version in versions):
            yield f"The store remembers {number} {done} of rows, and rows are only ever added."
    added = sum(version["inserts"] for version in versions)
    if added != rows:
        yield f"The store remembers {added} rows that were added, and {rows} are there."
    found = direct.select("reading the history of the audit", _NUMBERED, **physical)
    given = int(found[0]["rows"])
    if given != added:  # a version that was taken back is forgotten, but not how far it counted
        yield f"The store has numbered {given} rows, and remembers {added} of them."


def _counted(source: Any, *conditions: Any) -> int:
    number = sql.select(sql.func.count().label("rows")).select_from(source).where(*conditions)
    return int(direct.select("counting what was done", number)[0]["rows"])


def _lately(source: Any, moment: datetime, but: str) -> tuple[Any, Any]:
    return source.c.at_indexed >= moment, source.c.reason.is_distinct_from(but)


def _by(source: Any, agent_id: str | None) -> Any:
    return source.c.agent_id_indexed == agent_id  # of nobody it is NULL, which this asks for too


def _last() -> Row | None:
    source = direct.live_rows("audit")
    newest = sql.select(source.c.number, source.c.hash).order_by(source.c.number_indexed.desc())
    found = direct.select("reading the last act", newest.limit(1))
    return dict(found[0]) if found else None


def _after(number: int) -> Iterator[Row]:
    while True:
        source = direct.live_rows("audit")
        columns = (*Act.__dataclass_fields__, *CHAINED)
        later = sql.select(*(source.c[name] for name in columns))
        page = later.where(source.c.number_indexed > number).order_by(source.c.number_indexed)
        rows = direct.select("reading what was done", page.limit(PAGE))
        yield from (dict(row) for row in rows)
        if len(rows) < PAGE:
            return
        number = rows[-1]["number"]


def _key(number: int) -> str:
    return f"{number:0{DIGITS}}"


def _hash(row: dict[str, Any], before: str) -> str:
    told = [row[name] for name in Act.__dataclass_fields__ if name != "at"]
    written = json.dumps([*told, row["at"].astimezone(UTC).isoformat(), before])
    return hashlib.sha256(written.encode()).hexdigest()
