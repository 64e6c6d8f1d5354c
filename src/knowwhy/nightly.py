"""The night shift: a list of steps, run one after another and never twice at once."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from knowwhy import reembed
from knowwhy.errors import BadInput, Error, ModelChanged, NotFound, PartTaken, StoreBusy
from knowwhy.health import look
from knowwhy.janitor import access, contradictions, expire, keeping, merge, overdue
from knowwhy.janitor import undo as undoing
from knowwhy.janitor.night import Judge, Night
from knowwhy.tables.kept import nights
from knowwhy.tables.kept.nights import CUT_OFF, FAILED, FINISHED, PART, STOPPED, Run
from knowwhy.tables.only_one import is_taken, only_one
from knowwhy.tables.vectors.holders import of_model
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Json, StepReport

logger = logging.getLogger(__name__)
UNDO = "undo"
LONGEST_SHOWN = 80  # characters of a key that no run has
NOTED_EVERY = 30.0  # seconds; what a kill loses of the way, and no row version a page
BUSY = "Another night run is at work in this home; wait for its end (`knowwhy nightly --runs`)."

Step = Callable[[datetime, bool, Night], StepReport]
STEPS: tuple[tuple[str, Step], ...] = (
    ("expire", expire.step),
    (merge.NAME, merge.step),
    (contradictions.NAME, contradictions.step),
    (access.STEP, access.step),
    (overdue.NAME, overdue.step),
    (keeping.STEP, keeping.step),
    ("health", look.step),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a run."""

    dry_run: bool = False
    only: str | None = None
    budget: float | None = None  # seconds
    judge: Judge | None = None  # asked about what rules leave unclear
    stop: Callable[[], None] = lambda: None  # raises where the user has asked to stop
    tell: Callable[[int, Sequence[str]], None] = lambda done, steps: None  # 0 where one begins


def run(embedder: str, now: datetime, asked: Asked | None = None) -> Run:
    """Runs the steps and gives what they did; a dry run writes no row and tells the same."""
    asked = asked or Asked()
    steps = chosen(asked.only)
    with alone() as check:
        cut_off = nights.running()
        begun = Run(key=new_key(now), at=now, only=asked.only)
        if asked.dry_run:
            return _work(_would_begin(begun), steps, embedder, asked, check)
        for lost in cut_off:
            nights.keep(replace(lost, state=CUT_OFF))
        return _work(nights.begin_next(begun), steps, embedder, asked, check)


def undo(key: str, embedder: str, now: datetime, asked: Asked | None = None) -> Run:
    """Puts back what a run has done to memories; what was changed since stays, and is named."""
    asked = asked or Asked()
    with alone() as check:
        if nights.find(key) is None:
            shown = redact(key)[:LONGEST_SHOWN]
            raise NotFound(f"There is no night run {shown!r}; `knowwhy nightly --runs` lists them.")
        begun = Run(key=new_key(now), at=now, undoes=key)
        steps = ((UNDO, partial(undoing.step, key)),)
        begun = _would_begin(begun) if asked.dry_run else nights.begin_next(begun)
        return _work(begun, steps, embedder, asked, check)


def chosen(only: str | None) -> Sequence[tuple[str, Step]]:
    """Gives the steps to run: all, or the one that is named."""
    names = [name for name, _ in STEPS]
    if only is not None and only not in names:
        raise BadInput(f"There is no step {only!r}; the steps are {', '.join(names)}.")
    return [(name, step) for name, step in STEPS if only in (None, name)]


def new_key(now: datetime) -> str:
    """Makes the key of a run: its day, and some digits."""
    return f"n-{now.astimezone(UTC):%Y%m%d}-{uuid4().hex[:8]}"


@contextmanager
def alone() -> Iterator[Callable[[], None]]:
    """Takes the part of the night shift, or says that somebody has it."""
    with only_one(PART, busy=BUSY) as check:
        yield check


def _would_begin(run: Run) -> Run:
    """Gives a dry run where each step would go on."""
    return replace(run, cursors=nights.left())


def _work(
    run: Run,
    steps: Sequence[tuple[str, Step]],
    embedder: str,
    asked: Asked,
    check: Callable[[], None],
) -> Run:
    """Runs the steps in their order and notes how far they came."""
    began = time.monotonic()
    night = Night(run.key, run.at, embedder, asked.judge, cursors=dict(run.cursors))
    night.deadline = None if asked.budget is None else began + asked.budget
    noted = began

    def note(**more: Json) -> None:
        nonlocal run, noted
        known, run = run.cursors, replace(run, cursors=dict(night.cursors), **more)
        if not asked.dry_run:
            nights.keep(run, known)
        noted = time.monotonic()

    def keep() -> None:
        asked.stop()
        check()
        if time.monotonic() - noted > NOTED_EVERY:
            note()

    night.keep = keep
    state = FAILED
    try:
        for named in steps:
            asked.tell(0, [named[0]])
            report = _timed(named, run.at, asked.dry_run, night)
            if report.failed or report.skipped:
                check()  # who has lost the part does not go on with the next step
            note(reports=(*run.reports, asdict(report)))
            asked.tell(1, [named[0]])
            if not (report.finished or report.failed or report.skipped):
                break
        if not any(report["failed"] for report in run.reports):
            is_whole = all(report["finished"] for report in run.reports)
            state = FINISHED if is_whole and len(run.reports) == len(steps) else STOPPED
    finally:
        note(state=state, ended_at=datetime.now(UTC))
    return run


def _timed(named: tuple[str, Step], now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Runs a step; one that fails is reported, and does not keep the others from their work."""
    began, (name, step) = time.monotonic(), named
    try:
        report = _done(step, now, dry_run, night)
    except Error as error:
        is_late = _is_in_the_way(error)
        report = StepReport(
            name, notes=(str(error),), finished=False, failed=not is_late, skipped=is_late
        )
    except Exception as error:  # nobody looks on: the next step matters as much
        logger.exception("the step %s of the night has failed", name)
        told = f"It failed by an error that nobody foresaw ({type(error).__name__})."
        report = StepReport(name, notes=(told,), finished=False, failed=True)
    return replace(report, seconds=round(time.monotonic() - began, 3))


def _done(step: Step, now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Runs a step to its end; where the home changes its model meanwhile, again with the new one.

    What it has done stays done: a step goes on where it was.
    """
    while True:
        try:
            with of_model(night.embedder):
                return step(now, dry_run, night)
        except ModelChanged as changed:
            if changed.embedder == night.embedder:  # other weights behind the same name
                raise
            night.embedder = changed.embedder


def _is_in_the_way(error: Error) -> bool:
    """Tells whether another process kept a step from its work by what it may do."""
    return isinstance(error, PartTaken) or (isinstance(error, StoreBusy) and is_taken(reembed.PART))
