"""What the vector search was measured to find: history, and the baselines that are part of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import uuid4

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.vectors.roads import VIEWS
from knowwhy.tables.write import append, table
from knowwhy.types import Alarm

MOST_CHECKS = 1_000  # read at once: some weeks of nights
MOST_SORTS = 20  # of filters of one table, with room for more


@dataclass(frozen=True, slots=True)
class Check:
    """How much of the nearest ten the searches of one table find, through one sort of filter."""

    run: str
    searched: str  # the table
    filtered_by: str  # everything, project, user, kind, keeps 25%, …
    embedder: str  # tag of what made the vectors
    rows: int  # of the table
    filters: int = 0  # of this sort, that were measured
    all_filters: int | None = None  # of this sort, that have enough rows to be
    keeps: float | None = None  # share of the rows that they keep, in the mean
    queries: int = 0
    recalls: int = 0  # of these: asked by somebody once
    texts: int = 0  # some words of a stored text
    golden: int = 0
    by_index: int = 0  # of these: searches that went over the index; the others found exactly
    recall_at_10: float | None = None  # None where there was nothing to find
    worst: float | None = None  # of any one filter of this sort
    against: float | None = None  # the baseline that it was held against
    is_baseline: bool = False
    milestone: int | None = None  # rows; the highest that the table has passed
    repaired: str | None = None  # what was done to the index before this was measured
    settings: Mapping[str, str] = field(default_factory=dict)  # of the sessions that searched
    alarms: tuple[Alarm, ...] = ()
    low: tuple[str, ...] = ()  # marks of the filters below the floor: the next look asks them again
    key: str = field(default_factory=lambda: f"h-{uuid4().hex}")
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


CHECK = tuple(name.name for name in fields(Check))


def keep(checks: Sequence[Check]) -> None:
    """Writes the measurements of a table, new baselines with them: all of them or none."""
    rows = [
        asdict(check) | {"alarms": _told(check.alarms), "low": list(check.low)} for check in checks
    ]
    append("health_checks", rows)


def last_looks() -> list[Check]:
    """Gives what was measured last of each table: a run may have had no time for all of them."""
    found = _read(direct.select("reading measurements", _of_last_looks()))
    return sorted(found, key=lambda check: VIEWS.index(check.searched))


def last_after(repair: str, searched: str, embedder: str, since: datetime) -> list[Check]:
    """Gives what was measured of a table when it was last repaired in a way, since a moment."""
    source = table("health_checks")
    of_it = (source.searched == searched) & (source.embedder == embedder)
    chosen = source.where(of_it & (source.repaired == repair) & (source.at > since))
    rows = _rows(source, chosen.order_by(source.at, asc=False).limit(MOST_SORTS))
    return [check for check in rows if check.run == rows[-1].run]


def baselines(embedder: str) -> dict[tuple[str, str], Check]:
    """Gives the newest baseline of each table and filter, for the vectors of one model."""
    source = table("health_checks")
    chosen = (source.is_baseline == True) & (source.embedder == embedder)  # noqa: E712  # SQL
    rows = _rows(source, source.where(chosen).order_by(source.at, asc=False).limit(MOST_CHECKS))
    return {(row.searched, row.filtered_by): row for row in rows}  # the newest is the last


def passed(searched: str) -> int:
    """Gives the highest milestone that a table is known to have passed."""
    source = table("health_checks")
    known = source.where((source.searched == searched) & (source.milestone != None))  # noqa: E711  # SQL
    with reading(source):
        found = known.order_by(source.milestone, asc=False).limit(1)
        rows = list(found.select(milestone=source.milestone).collect())
    return int(rows[0]["milestone"]) if rows else 0


def _told(alarms: Sequence[Alarm]) -> list[dict[str, Any]]:
    return [asdict(alarm) for alarm in alarms]


def _rows(source: Any, query: Any) -> list[Check]:
    with translated("reading measurements"), reading(source):
        columns = {name: getattr(source, name) for name in CHECK}
        rows = list(query.select(**columns).collect())
    return _read(rows)


@cache
def _of_last_looks() -> Any:
    rows = direct.live_rows("health_checks")
    of_it = rows.select().where(rows.c.searched.in_(VIEWS)).subquery()
    newest = sql.func.first_value(of_it.c.run).over(
        partition_by=of_it.c.searched, order_by=(of_it.c.at.desc(), of_it.c.key.desc())
    )
    named = sql.select(*(of_it.c[name] for name in CHECK), newest.label("newest")).subquery()
    columns = (named.c[name] for name in CHECK)
    return sql.select(*columns).where(named.c.run == named.c.newest)


def _read(rows: Sequence[Mapping[str, Any]]) -> list[Check]:
    """Gives rows as measurements, in the order in which they were made."""
    found = [Check(**{**row, **_tuples(row)}) for row in rows]
    return sorted(found, key=lambda check: (check.at, check.key))


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    alarms = tuple(Alarm(**alarm) for alarm in row["alarms"])
    return {"alarms": alarms, "low": tuple(row["low"] or ())}
