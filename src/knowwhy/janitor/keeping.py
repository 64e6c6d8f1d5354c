"""Keeps the house: space given back, statistics made anew, leftovers removed, growth told."""

from datetime import datetime

from knowwhy.janitor.night import Night
from knowwhy.tables import gaps, storage
from knowwhy.types import StepReport

STEP = "keeping"
MANY_VERSIONS = 4  # versions a row: from there on reading one passes over three dead ones
MEGABYTE = 1_000_000  # bytes
ANY_VERSION = ""  # of an extractor: a turn that any has read is read


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Tidies tables and files, and tells how they have grown; done counts both."""
    files = storage.leftovers(now)
    changes = tuple(
        {"key": file.name, "what": "removed", "why": "Nobody needs it."} for file in files
    )
    tidied: list[str] = []
    if not dry_run:
        storage.remove(files)
        tidied = storage.vacuum(night.is_over)
    return StepReport(
        STEP,
        done=len(files) + len(tidied),
        changes=changes,
        notes=(*_growth(), *_backlog(now)),
        finished=not night.is_over(),
    )


def _growth() -> list[str]:
    """Tells what the tables take up, and which keep many versions of their rows."""
    grown = [
        f"{kept.table}: {kept.rows:,} rows, {kept.versions:,} versions"
        for kept in storage.versions()
        if kept.versions > MANY_VERSIONS * max(1, kept.rows)
    ]
    return [f"the database takes {storage.size() / MEGABYTE:,.1f} MB", *grown]


def _backlog(now: datetime) -> list[str]:
    """Tells what is still to be learned, where anything is."""
    left = gaps.backlog(ANY_VERSION, now)
    parts = [
        (left.turns, "turns to read"),
        (left.facts, "facts to judge"),
        (left.failed, "turns given up"),
    ]
    told = [f"{count:,} {what}" for count, what in parts if count]
    return [f"learning: {', '.join(told)}"] if told else []
