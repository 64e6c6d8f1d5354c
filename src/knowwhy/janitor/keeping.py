"""Keeps the house: space given back, statistics made anew, leftovers removed, growth told."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from knowwhy.janitor.night import Night
from knowwhy.tables.homes import storage
from knowwhy.tables.homes.storage import Versions
from knowwhy.tables.kept import nights
from knowwhy.tables.talk import gaps
from knowwhy.types import Alarm, Json, StepReport

STEP = "keeping"
MANY_VERSIONS = 4  # versions a row: from there on reading one passes over three dead ones
MEGABYTE = 1_000_000  # bytes
OLD_MB = 200  # of old versions; below it nobody gains by moving into a new home
OLD_SHARE = 0.5  # of the database
SIZES = 8  # nights whose size is remembered: a week between the first and the last
A_DAY = timedelta(days=1)
FULL_WITHIN = 14  # days, at last week's pace: time to order a disk, or to move
RUNS = 30  # looked at for the last one that kept the house
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
    kept, size = storage.versions(), storage.size()
    sizes = night.cursors.get(STEP) or []
    report = StepReport(
        STEP,
        done=len(files) + len(tidied),
        changes=changes,
        notes=(*_growth(kept, size), *_backlog(now)),
        alarms=(*_old_versions(kept, size), *_filling(sizes, size, now)),
        finished=not night.is_over(),
    )
    if not dry_run:
        night.cursors[STEP] = _noted(sizes, size, now)
    return report


def standing() -> tuple[Alarm, ...]:
    """Gives the alarms that the last night which kept the house has left."""
    for run in nights.nights(RUNS, STEP):
        for report in run.reports:
            if report["name"] == STEP:
                return tuple(Alarm(**alarm) for alarm in report["alarms"])
    return ()


def _growth(kept: Sequence[Versions], size: int) -> list[str]:
    """Tells what the tables take up, and which keep many versions of their rows."""
    grown = [_counted(one) for one in kept if one.versions > MANY_VERSIONS * max(1, one.rows)]
    return [f"the database takes {size / MEGABYTE:,.1f} MB", *grown]


def _counted(one: Versions) -> str:
    return f"{one.table}: {one.rows:,} rows, {one.versions:,} versions"


def _old_versions(kept: Sequence[Versions], size: int) -> Iterator[Alarm]:
    """Raises an alarm where most of the database is what rows once were."""
    old = sum(one.old for one in kept)
    if old > max(OLD_MB * MEGABYTE, OLD_SHARE * size):
        text = (
            f"{old / MEGABYTE:,.0f} MB of the database's {size / MEGABYTE:,.0f} MB are old versions"
            f" of rows, which nothing removes ({_counted(max(kept, key=lambda one: one.old))})."
        )
        yield Alarm("disk-growing", text, "knowwhy export --all all.jsonl")


def _filling(sizes: Sequence[Json], size: int, now: datetime) -> Iterator[Alarm]:
    """Raises an alarm where the disk is full soon if it goes on as it did."""
    free = storage.free()
    if free is None or not sizes:
        return
    days = (now - datetime.fromisoformat(sizes[0][0])) / A_DAY
    pace = (size - sizes[0][1]) / days if days >= 1 else 0.0
    if pace <= 0 or free / pace > FULL_WITHIN:
        return
    text = (
        f"The database grows by {pace / MEGABYTE:,.1f} MB a day and {free / MEGABYTE:,.0f} MB are "
        f"free: the disk is full in {free / pace:,.0f} days."
    )
    yield Alarm("disk-growing", text, "knowwhy nightly --only keeping")


def _noted(sizes: Sequence[Json], size: int, now: datetime) -> list[Json]:
    """Adds a size to those of the last nights; of one day there is one."""
    if sizes and now - datetime.fromisoformat(sizes[-1][0]) < A_DAY / 2:
        return list(sizes)
    return [*sizes, [now.astimezone(UTC).isoformat(), size]][-SIZES:]


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
