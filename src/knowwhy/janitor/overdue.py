"""Writes that handoffs which nobody took in their time have expired, as every reader sees it."""

from dataclasses import replace
from datetime import datetime

from knowwhy.janitor.night import MOST_CHANGES, Night
from knowwhy.tables.agents import handed_over
from knowwhy.tables.agents.handed_over import EXPIRED
from knowwhy.types import StepReport

NAME = "handoffs"
PAGE = 125  # rows, and as many acts; those who act wait for half a second


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Expires what was handed over and not taken, page by page.

    That its time has passed is a fact: a run that is undone leaves it expired.
    """
    report, after = StepReport(NAME), ""
    while True:
        if night.is_over():
            return replace(report, finished=False)
        page = handed_over.overdue(now, after, PAGE)
        if not page:
            return report
        after = page[-1]["key"]
        over = page if dry_run else handed_over.expire(page, now)
        told = [
            {
                "key": row["key"],
                "what": EXPIRED,
                "why": f"Nobody took it until {row['expires_at'].isoformat(' ', 'minutes')}.",
            }
            for row in over
        ]
        changes = (*report.changes, *told)[:MOST_CHANGES]
        report = replace(report, done=report.done + len(over), changes=changes)
        night.keep()
