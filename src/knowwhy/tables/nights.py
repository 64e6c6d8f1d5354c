"""Runs of the night shift as they are noted: when they begin, how far they come, what they did."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from knowwhy.errors import StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.only_one import is_taken
from knowwhy.tables.reading import reading
from knowwhy.tables.write import append, queue, table
from knowwhy.types import Json

PART = "night shift"  # what only one process of a home is
RUNNING, FINISHED, STOPPED = "running", "finished", "stopped"  # stopped: by its budget
FAILED, CUT_OFF = "failed", "cut off"  # cut off: ended by a kill; the next run notes it


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the night shift."""

    key: str
    at: datetime  # what counted as now
    state: str = RUNNING
    only: str | None = None  # the one step that was asked for
    undoes: str | None = None  # the run that this one put back
    cursors: Mapping[str, Json] = field(default_factory=dict)  # where the next run goes on, by step
    reports: tuple[Json, ...] = ()
    touched_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None


RUN = tuple(name.name for name in fields(Run))


def begin(run: Run) -> Run:
    """Notes a run that begins."""
    append("nightly_runs", [_row(run)])
    return run


def keep(run: Run) -> Run:
    """Notes how far a run has come."""
    kept = replace(run, touched_at=datetime.now(UTC))
    with translated("noting a night run"), queue("nightly_runs"):
        if table("nightly_runs").batch_update([_row(kept)]).num_excs:
            raise StoreFailed(f"The store could not note how far the run {run.key} has come.")
    return kept


def begin_anew(steps: Collection[str]) -> None:
    """Lets steps look at everything once more: older rows came than what they have seen."""
    for last in runs(1):
        if any(name in last.cursors for name in steps):
            keep(replace(last, cursors={n: c for n, c in last.cursors.items() if n not in steps}))


def runs(limit: int) -> list[Run]:
    """Lists the last runs, newest first."""
    source = table("nightly_runs")
    return _rows(source, source.order_by(source.at, source.key, asc=False).limit(limit))


def nights(limit: int, step: str | None = None) -> list[Run]:
    """Lists the last runs of all steps, newest first; those of one alone too where it is named."""
    source = table("nightly_runs")
    is_whole = (source.undoes == None) & (source.only == None)  # noqa: E711  # SQL
    wanted = source.where(is_whole if step is None else is_whole | (source.only == step))
    return _rows(source, wanted.order_by(source.at, source.key, asc=False).limit(limit))


def running() -> list[Run]:
    """Lists the runs that have not come to an end: one that is at work, or was killed."""
    source = table("nightly_runs")
    return _rows(source, source.where(source.state == RUNNING))


def seen(run: Run) -> Run:
    """Gives a run as it is: one that nobody is at any more was cut off, whatever it has noted."""
    is_dead = run.state == RUNNING and not is_taken(PART)
    return replace(run, state=CUT_OFF) if is_dead else run


def find(key: str) -> Run | None:
    """Finds a run by its key."""
    source = table("nightly_runs")
    return next(iter(_rows(source, source.where(source.key == key))), None)


def undoing(key: str) -> list[Run]:
    """Lists the runs that have put back what a run did, or were doing so."""
    source = table("nightly_runs")
    return _rows(source, source.where(source.undoes == key))


def _row(run: Run) -> dict[str, Any]:
    row = {name: getattr(run, name) for name in RUN}
    return row | {"cursors": dict(run.cursors), "reports": list(run.reports)}


def _rows(source: Any, query: Any) -> list[Run]:
    with reading(source):
        names = {name: getattr(source, name) for name in RUN}
        rows = list(query.select(**names).collect())
    return [Run(**row | {"reports": tuple(row["reports"])}) for row in rows]
