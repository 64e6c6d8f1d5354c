"""Gives memories whose time has passed the status that they have for every reader already."""

from dataclasses import replace
from datetime import datetime

from knowwhy.janitor.night import MOST_CHANGES, Night
from knowwhy.tables.kept import upkeep
from knowwhy.tables.kept.memories import EXPIRED
from knowwhy.tables.kept.upkeep import pace
from knowwhy.types import StepReport


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Expires what was kept or valid until a moment that has passed, page by page."""
    report, after = StepReport("expire"), ""
    while found := upkeep.ended(now, after):
        for page in pace.pages(found):
            after = page[-1].key
            over = page if dry_run else upkeep.expire(page, now, night.signed("expire"))
            night.would_be |= {memory.key: memory for memory in over}
            told = [{"key": m.key, "what": EXPIRED, "why": m.why} for m in over]
            changes = (*report.changes, *told)[:MOST_CHANGES]
            report = replace(report, done=report.done + len(over), changes=changes)
            night.keep()
            if night.is_over():
                return replace(report, finished=False)
    return report
