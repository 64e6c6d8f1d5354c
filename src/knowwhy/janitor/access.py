"""Folds what searches gave into when each thing was last asked for."""

from dataclasses import replace
from datetime import datetime, timedelta

from knowwhy.janitor.night import Night
from knowwhy.tables.kept import accesses
from knowwhy.types import StepReport

STEP = "access"
PAGE = 200  # searches: some thousand accesses, about a second
SETTLED = timedelta(minutes=1)  # a search of which may still be on its way to the table


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Counts the searches that no night has counted; done says how many.

    What is asked of a memory is a fact: a run that is undone leaves its accesses counted.
    """
    report = StepReport(STEP)
    at = night.cursors.get(STEP) or accesses.BEGINNING
    while page := accesses.given(at, now - SETTLED, PAGE):
        if night.is_over():
            return replace(report, finished=False)
        if not dry_run:
            accesses.fold(page)
        at = page[-1].mark
        report = replace(report, done=report.done + len(page))
        if not dry_run:
            night.cursors[STEP] = at
            night.keep()
    return report
