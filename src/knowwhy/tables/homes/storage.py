"""What the tables take up on disk, and what can be tidied without anybody noticing."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.homes.home import LOGS_KEPT, PGDATA
from knowwhy.tables.touched import folder

TABLES = (  # every one that changes; the others only grow
    "records", "passages", "turns", "extractions", "extraction_vectors", "memories",
    "memory_vectors", "changes", "checkpoints", "access", "repositories", "tasks", "tokens",
    "nightly_runs", "lookalikes", "reembeddings", "agents", "agent_sessions", "pools", "members",
    "shares", "handoffs",
)  # fmt: skip
LEFT_FOR = timedelta(days=1)  # what no process has touched for so long was left by a killed one
BLOCK = 512  # bytes, whatever blocks the disk has
UNFINISHED = ("knowwhy-*.fresh", "tmp/*")  # files that are renamed or removed once they are whole


@dataclass(frozen=True, slots=True)
class Versions:
    """Rows of a table, and all the versions of rows that the store keeps of it."""

    table: str
    rows: int
    versions: int
    bytes: int  # on disk, with its indexes

    @property
    def old(self) -> int:
        """The bytes of versions that later ones have replaced, as if all were of a size."""
        return self.bytes * (self.versions - self.rows) // max(1, self.versions)


def vacuum(stop: Callable[[], bool]) -> list[str]:
    """Gives back the space of dead rows and tells Postgres about the tables; names those done.

    Nobody waits for it: readers and writers go on.
    """
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    done: list[str] = []
    with translated("tidying the tables"), engine.connect() as connection:
        quote = connection.dialect.identifier_preparer.quote
        for name in TABLES:
            if stop():
                break
            connection.exec_driver_sql(f"VACUUM (ANALYZE) {quote(direct.physical_name(name))}")
            done.append(name)
    return done


def versions() -> list[Versions]:
    """Counts the rows of each table and the versions that are kept of them."""
    found = []
    for name in TABLES:
        counted = direct.select("counting rows", direct.counted(name))[0]
        found.append(Versions(name, counted["rows"], counted["versions"], counted["bytes"]))
    return found


def free() -> int | None:
    """Gives the bytes that the database may still grow by; None where its disk is elsewhere."""
    return shutil.disk_usage(folder()).free if (folder() / PGDATA).exists() else None


def size() -> int:
    """Measures the database, in bytes."""
    with translated("measuring the database"), Env.get().engine.connect() as connection:
        found = connection.scalar(sql.text("SELECT pg_database_size(current_database())"))
        return int(found or 0)


def on_disk() -> int:
    """Measures what the home takes up, in bytes, as `du` does: the blocks of all of its files.

    A database that is elsewhere is measured by what it says.
    """
    seen: set[tuple[int, int]] = set()
    blocks, waiting = 0, [folder()]
    while waiting:
        place = waiting.pop()
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                with suppress(OSError):  # what has gone meanwhile takes no room
                    about = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif (about.st_dev, about.st_ino) in seen:
                        continue  # another name of the same file
                    seen.add((about.st_dev, about.st_ino))
                    blocks += about.st_blocks
    is_elsewhere = not (folder() / PGDATA).exists()
    return blocks * BLOCK + (size() if is_elsewhere else 0)


def leftovers(now: datetime) -> list[Path]:
    """Lists files of the home that nobody needs: what a kill left, and all but the newest logs."""
    home = folder()
    left = [file for shape in UNFINISHED for file in home.glob(shape) if file.is_file()]
    old = [file for file in left if now - _touched(file) > LEFT_FOR]
    logs = sorted((home / "logs").glob("*.log"), key=lambda file: file.name, reverse=True)
    return [*old, *logs[LOGS_KEPT:]]


def remove(files: list[Path]) -> None:
    """Removes files; one that has gone meanwhile is gone."""
    for file in files:
        file.unlink(missing_ok=True)


def _touched(file: Path) -> datetime:
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError:
        return datetime.max.replace(tzinfo=UTC)
