"""One look at how well the vector search finds: measured, judged, repaired where it can be."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from knowwhy import models
from knowwhy.errors import StoreFailed
from knowwhy.health.asking_set import Questions
from knowwhy.health.judge import (
    Baselines,
    helps_no_more,
    judged,
    may_be_baseline,
    of_index,
    repairable,
)
from knowwhy.health.milestones import milestone, reviews
from knowwhy.health.recall import GOLDEN, RECALLS, TEXTS, Query, Tally, measure
from knowwhy.janitor.night import Night
from knowwhy.tables.only_one import is_taken, only_one
from knowwhy.tables.vectors import health_checks, vector_index
from knowwhy.tables.vectors.both_ways import comparing
from knowwhy.tables.vectors.health_checks import Check
from knowwhy.tables.vectors.roads import EVERYTHING, VIEWS, Road, roads
from knowwhy.tables.vectors.vector_index import VectorIndex
from knowwhy.types import Alarm, StepReport

QUERIES = 50  # besides the golden ones
PART = "health check"
BUSY = "Another process measures this home's search; wait for its end."
PATIENCE = 60.0  # seconds that a night waits for another look; a small home's takes some
PAUSE = 1.0  # seconds between two looks at whether it has ended
VACUUM, REINDEX = "VACUUM", "REINDEX"
BOTH = f"{VACUUM} and {REINDEX}"
NOT_AGAIN = timedelta(days=7)  # for that long nights leave alone what a repair did not help


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Asked:
    """How to look."""

    queries: int = QUERIES
    dry_run: bool = False  # measures, but repairs nothing and writes no row
    new_baseline: bool = False  # what is found now is what later runs are held against
    insist: bool = True  # builds an index anew also where that did not help the last time
    keep: Callable[[], None] = _nothing  # called between searches; raises to stop
    is_over: Callable[[], bool] = lambda: False  # asked between tables


@dataclass(slots=True)
class Look:
    """What was found."""

    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    finished: bool = True

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """What stands after the repairs."""
        return tuple(alarm for check in self.checks for alarm in check.alarms)


def look(embedder: str, now: datetime, asked: Asked | None = None) -> Look:
    """Measures every table that the vector leg searches; alone in its home."""
    asked = asked or Asked()
    with only_one(PART, busy=BUSY):
        found = Look()
        seed = now.timestamp()
        questions = Questions(embedder, asked.queries, random.Random(seed))
        run = f"h-{now.astimezone(UTC):%Y%m%d}-{uuid4().hex[:8]}"
        low = _low()
        baselines = {} if asked.new_baseline else health_checks.baselines(models.tag(embedder))
        if not asked.dry_run:
            vector_index.analyze()
        for view in _the_oldest_look_first():
            if asked.is_over():
                found.finished = False
                break
            at = _View(view, embedder, now, run, questions.of(view), baselines, seed, asked, low)
            checks, notes = _looked(at)
            found.checks += checks
            found.notes += notes
            if not asked.dry_run:
                health_checks.keep(checks)
    return found


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Is the night's look: what was repaired are its changes."""
    _wait_for_another(night)
    asked = Asked(dry_run=dry_run, insist=False, keep=night.keep, is_over=night.is_over)
    found = look(night.embedder, now, asked)
    repaired = {check.searched: check.repaired for check in found.checks if check.repaired}
    changes = tuple(
        {"key": name, "what": "repaired", "why": f"by {done}: its recall was an alarm"}
        for name, done in repaired.items()
    )
    measured = sum(check.recall_at_10 is not None for check in found.checks)
    notes, alarms = tuple(found.notes), found.alarms
    return StepReport("health", measured, changes, notes, alarms, finished=found.finished)


def _wait_for_another(night: Night) -> None:
    """Waits a little for the end of another process's look."""
    until = time.monotonic() + PATIENCE
    while is_taken(PART) and time.monotonic() < until and not night.is_over():
        night.keep()
        time.sleep(PAUSE)


def _the_oldest_look_first() -> list[str]:
    """Orders the tables: what a look of before had no time for comes first."""
    last = {check.searched: check.at.timestamp() for check in health_checks.last_looks()}
    return sorted(VIEWS, key=lambda view: last.get(view, 0.0))


def _low() -> frozenset[str]:
    """Gives the marks of all filters that the last looks have found below the floor."""
    return frozenset(mark for check in health_checks.last_looks() for mark in check.low)


def standing() -> tuple[Alarm, ...]:
    """Gives the alarms that the last look at each table has left."""
    return tuple(alarm for check in health_checks.last_looks() for alarm in check.alarms)


@dataclass(frozen=True, slots=True)
class _View:
    """What is needed to look at one table."""

    name: str
    embedder: str
    now: datetime
    run: str
    queries: Sequence[Query]
    baselines: Baselines
    seed: float  # what is measured again after a repair is the same
    asked: Asked
    again: frozenset[str]  # marks of the filters that were below the floor the last time


def _looked(at: _View) -> tuple[list[Check], list[str]]:
    """Measures a table; where that is an alarm, repairs and measures again."""
    ways = roads(at.name, at.embedder, at.now, at.again)
    index = _index(at, ways)
    notes = []
    if not index.dense and not at.asked.dry_run:
        index, told = _made_dense(at, index)
        notes.append(told)
    checks = _measured(at, ways, index, None)
    if not at.asked.dry_run and repairable(checks):
        checks, done = _repaired(at, ways, index, checks)
        notes += done
    known = health_checks.passed(at.name)
    passed = reviews(index.rows, known)
    notes += [f"{at.name} has passed {size:,} rows. {text}" for size, text in passed]
    is_repaired = any(check.repaired for check in checks)  # what was measured before is outdated
    return [
        check if is_repaired and not check.repaired else _with_baseline(check, at)
        for check in checks
    ], notes


def _repaired(
    at: _View, ways: Sequence[Road], index: VectorIndex, checks: list[Check]
) -> tuple[list[Check], list[str]]:
    """Vacuums an index, then builds it anew, until no measurement is an alarm."""
    if not at.asked.insist:
        since = at.now - NOT_AGAIN
        then = health_checks.last_after(BOTH, at.name, models.tag(at.embedder), since)
        last = [check for check in health_checks.last_looks() if check.searched == at.name]
        if helps_no_more(checks, then) and helps_no_more(checks, last):
            day = f"{then[0].at.astimezone(UTC):%Y-%m-%d}"
            told = f"{at.name}: {BOTH} did not help on {day}, and little has changed since."
            return checks, [told]
    notes = []
    done = [VACUUM] if _is_vacuumed(index, at.now) else []
    for act in (VACUUM, REINDEX):
        low, before = repairable(checks), _lowest(checks)
        if not low or act in done:
            continue
        try:
            (vector_index.vacuum if act == VACUUM else vector_index.rebuild)(index)
        except StoreFailed as error:
            notes.append(f"{at.name}: {act} failed. {error}")
            continue
        done.append(act)
        index = vector_index.examine(index.relation, index.column)
        # A new index is another one, and so is what later looks are held against.
        is_whole = act == REINDEX or at.asked.new_baseline
        some = ways if is_whole else [way for way in ways if way.filter in low]
        found = _measured(at, some, index, " and ".join(done))
        again = {check.filtered_by: check for check in found}
        checks = [again.get(check.filtered_by, check) for check in checks]
        notes.append(f"{at.name}: {act} took recall@10 from {before} to {_lowest(checks)}.")
    return checks, notes


def _is_vacuumed(index: VectorIndex, since: datetime) -> bool:
    """Tells whether a step of the same night has vacuumed an index already."""
    at = vector_index.vacuumed_at(index)
    return at is not None and at >= since


def _made_dense(at: _View, index: VectorIndex) -> tuple[VectorIndex, str]:
    """Builds anew what an older version has built, or what a kill has cut off, once."""
    try:
        vector_index.rebuild(index)
    except StoreFailed as error:
        return index, f"{at.name}: its index could not be built anew. {error}"
    told = f"{at.name}: its index was built anew: an older version or half a build was there."
    return vector_index.examine(index.relation, index.column), told


def _index(at: _View, ways: Sequence[Road]) -> VectorIndex:
    """Finds the index that the leg's own search stands on, by asking once."""
    with comparing() as both:
        seen = both.compare(lambda: ways[0].ask(at.queries[0].vector, 1))
    return vector_index.examine(seen.relation, seen.column)


def _measured(
    at: _View, ways: Sequence[Road], index: VectorIndex, repaired: str | None
) -> list[Check]:
    with comparing() as both:
        tallies = measure(ways, at.queries, both, at.seed, at.asked.keep, at.again)
    checks = [
        judged(_check(at, name, tally, index), at.baselines, repaired)
        for name, tally in tallies.items()
    ]
    itself = tuple(of_index(at.name, index))  # stands with the measurement of everything
    return [
        replace(check, alarms=itself + check.alarms) if check.filtered_by == EVERYTHING else check
        for check in checks
    ]


def _check(at: _View, name: str, tally: Tally, index: VectorIndex) -> Check:
    asked = sum(tally.origins.values())
    kept = sum(tally.kept) / len(tally.kept)
    return Check(
        run=at.run,
        searched=at.name,
        filtered_by=name,
        embedder=models.tag(at.embedder),
        rows=index.rows,
        filters=len(tally.kept),
        all_filters=tally.there,
        low=tally.low,
        keeps=round(min(1.0, kept / index.rows), 4) if index.rows else None,
        queries=asked,
        recalls=tally.origins[RECALLS],
        texts=tally.origins[TEXTS],
        golden=tally.origins[GOLDEN],
        by_index=tally.by_index,
        recall_at_10=None if tally.recall is None else round(tally.recall, 4),
        worst=None if tally.worst is None else round(tally.worst, 4),
        milestone=milestone(index.rows) if name == EVERYTHING else None,
        settings=dict(tally.seen.settings) if tally.seen else {},
    )


def _with_baseline(check: Check, at: _View) -> Check:
    """Makes a measurement the baseline where there is none yet."""
    is_first = (check.searched, check.filtered_by) not in at.baselines
    return replace(check, is_baseline=is_first and may_be_baseline(check))


def _lowest(checks: Sequence[Check]) -> str:
    found = [check.worst for check in checks if check.worst is not None]
    return f"{min(found):.2f}" if found else "nothing"
