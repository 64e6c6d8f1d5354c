"""Runs of the night shift as they are noted: when they begin, how far they come, what they did."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from knowwhy.errors import StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.only_one import is_taken
from knowwhy.tables.reading import reading
from knowwhy.tables.write import append, queue, table
from knowwhy.types import Json

PART = "night shift"  # what only one process of a home is
RUNNING, FINISHED, STOPPED = "running", "finished", "stopped"  # stopped: by its budget or others
FAILED, CUT_OFF = "failed", "cut off"  # cut off: ended by a kill; the next run notes it
ANEW = "anew"  # marks the cursor of a step that looks at everything once more
ELSEWHERE = "elsewhere"  # stands for the cursors of a night of another home, which are of its rows


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


def begin_next(run: Run) -> Run:
    """Notes a run that begins, each step where the last run has left it."""
    with translated("noting a night run"), queue("nightly_runs"):
        begun = replace(run, cursors=left())
        _write(begun)
    return begun


def keep(run: Run, known: Mapping[str, Json] | None = None) -> Run:
    """Notes how far a run has come; what somebody set back, other than is known, stays so."""
    kept = replace(run, touched_at=datetime.now(UTC))
    with translated("noting a night run"), queue("nightly_runs"):
        stored = find(run.key)
        anew = _set_back(stored.cursors, known or {}) if stored else {}
        kept = replace(kept, cursors={**run.cursors, **anew})
        _write(kept)
    return kept


def begin_anew(steps: Collection[str]) -> None:
    """Lets steps look at everything once more: older rows came than what they have seen.

    A night that is at work goes on, and leaves that to the next one.
    """
    back = {name: {ANEW: uuid4().hex} for name in steps}
    with translated("noting what a night looks at"), queue("nightly_runs"):
        for last in _own(1):
            _write(replace(last, cursors={**last.cursors, **back}))


def left() -> dict[str, Json]:
    """Gives where each step goes on: where the last run, or who set it back, has left it.

    What a night of another home has seen says nothing of the rows of this one.
    """
    last = _own(1)
    return dict(last[0].cursors) if last else {}


def taken_in(row: Mapping[str, Json]) -> dict[str, Json]:
    """Gives the row of a night of another home as it is kept beside the nights of this one."""
    return {**row, "cursors": {ELSEWHERE: True}}


def _set_back(stored: Mapping[str, Json], known: Mapping[str, Json]) -> dict[str, Json]:
    """Gives what was set back and is not known to be: each time it is marked otherwise."""
    return {
        name: cursor
        for name, cursor in stored.items()
        if isinstance(cursor, dict) and ANEW in cursor and cursor != known.get(name)
    }


def runs(limit: int) -> list[Run]:
    """Lists the last runs, newest first."""
    source = table("nightly_runs")
    return _rows(source, source.order_by(source.at, source.key, asc=False).limit(limit))


def nights(limit: int, step: str | None = None) -> list[Run]:
    """Lists this home's last runs of all steps, newest first; of one that is named too."""
    source = table("nightly_runs")
    chosen = _of_all_steps(source)
    if step is not None:
        chosen = chosen | (source.only == step)
    wanted = source.where(chosen & _is_own(source))
    return _rows(source, wanted.order_by(source.at, source.key, asc=False).limit(limit))


def came_through() -> datetime | None:
    """Tells when all steps last came to their end; before they ever did, when the first began."""
    source = table("nightly_runs")
    own = _of_all_steps(source) & _is_own(source)
    whole = source.where(own & (source.state == FINISHED)).order_by(source.at, asc=False).limit(1)
    for run in _rows(source, whole):
        return run.ended_at or run.at
    first = _rows(source, source.where(own).order_by(source.at).limit(1))
    return first[0].at if first else None


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


def undoing() -> dict[str, str]:
    """Gives of each run that has put another back, or was doing so, which one that is."""
    source = table("nightly_runs")
    found = _rows(source, source.where(source.undoes != None))  # noqa: E711  # SQL
    return {run.key: run.undoes for run in found if run.undoes is not None}


def _own(limit: int) -> list[Run]:
    """Lists the last runs of this home, newest first."""
    source = table("nightly_runs")
    wanted = source.where(_is_own(source))
    return _rows(source, wanted.order_by(source.at, source.key, asc=False).limit(limit))


def _of_all_steps(source: Any) -> Any:
    return (source.undoes == None) & (source.only == None)  # noqa: E711  # SQL


def _is_own(source: Any) -> Any:
    return source.cursors[ELSEWHERE] == None  # noqa: E711  # SQL


def _write(run: Run) -> None:
    if table("nightly_runs").batch_update([_row(run)], if_not_exists="insert").num_excs:
        raise StoreFailed(f"The store could not note how far the run {run.key} has come.")


def _row(run: Run) -> dict[str, Any]:
    row = {name: getattr(run, name) for name in RUN}
    return row | {"cursors": dict(run.cursors), "reports": list(run.reports)}


def _rows(source: Any, query: Any) -> list[Run]:
    with reading(source):
        names = {name: getattr(source, name) for name in RUN}
        rows = list(query.select(**names).collect())
    return [Run(**row | {"reports": tuple(row["reports"])}) for row in rows]
