"""Puts back what one night run has done to memories, and leaves alone what was changed since."""

from dataclasses import replace
from datetime import datetime

from knowwhy.janitor import merge
from knowwhy.janitor.night import MOST_CHANGES, Night
from knowwhy.tables.kept import lookalikes, nights, signed
from knowwhy.tables.kept.signed import RESTORED
from knowwhy.tables.kept.upkeep import pace
from knowwhy.types import StepReport

NAME = "undo"
MOST_NAMED = 50  # memories that were changed since, in the report


def step(run: str, now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Makes every memory that a run has changed what it was before, page by page."""
    undoing = nights.undoing()
    why = f"The night run {run} was undone."
    report, since, keys = StepReport(NAME), list[str](), signed.touched(run)
    for page in pace.pages(keys):
        back, left = signed.put_back(page, run, undoing, night.signed(NAME), why, dry_run=dry_run)
        since += left
        told = [{"key": key, "what": RESTORED, "why": why} for key in back]
        changes = (*report.changes, *told)[:MOST_CHANGES]
        report = replace(report, done=report.done + len(back), changes=changes)
        night.keep()
    alike = lookalikes.take_back(run, f"{merge.NAME} {run}", dry_run=dry_run)
    return replace(report, notes=(*_notes(since), *_of_flags(alike)))


def _of_flags(alike: int) -> tuple[str, ...]:
    return (f"{alike} pairs that are alike stand as they did before it.",) if alike else ()


def _notes(since: list[str]) -> tuple[str, ...]:
    if not since:
        return ()
    first = ", ".join(since[:MOST_NAMED])
    more = f" and {len(since) - MOST_NAMED} more" if len(since) > MOST_NAMED else ""
    return (f"{len(since)} were changed since and stay as they are: {first}{more}.",)
