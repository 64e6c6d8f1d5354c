"""A home that is being restored: marked until all of it has been looked at, or begun anew."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from knowwhy.errors import HomeUnusable, StoreBusy
from knowwhy.tables.homes import home

MARK = "knowwhy.restoring"  # alone it means that a restore was killed
DERIVED = "knowwhy-*.cache"  # what an earlier life of the home has made of its tables


def check(folder: Path) -> None:
    """Refuses a home whose restore has not come to its end."""
    if (folder / MARK).exists():
        raise HomeUnusable(
            f"The home {folder} is not whole: restoring it was stopped, or goes on right now. "
            "`knowwhy restore FILE` begins it anew."
        )


def check_free(folder: Path, names: Sequence[str]) -> None:
    """Refuses a home that has a database, or files where a backup would put its own."""
    if (folder / MARK).exists():
        return
    _check_no_database(folder)
    in_the_way = [name for name in names if _holds_something(folder / name)]
    if in_the_way:
        raise HomeUnusable(
            f"{folder / in_the_way[0]} is there already; move it away, or set PIXELTABLE_HOME to "
            "another folder."
        )


def _check_no_database(folder: Path) -> None:
    held = (home.PGDATA, home.FINISHED, home.FINISHED_ELSEWHERE)
    if any(os.path.lexists(folder / name) for name in held):
        raise HomeUnusable(
            f"The home {folder} has a database, which is never overwritten. Set PIXELTABLE_HOME "
            "to a folder that does not exist yet, and restore into that."
        )


def _holds_something(path: Path) -> bool:
    if path.is_dir() and not path.is_symlink():
        return any(path.iterdir())
    return os.path.lexists(path)


@contextmanager
def begun(folder: Path, names: Sequence[str]) -> Iterator[None]:
    """Marks a home as unfinished, clears what a killed restore left, and unmarks it at the end.

    What fails is taken back. The mark names what is put beside the database.
    """
    with _marked(folder) as mark:
        left = mark.read()
        if not left:  # it is ours, and not what a killed restore has left
            _check_no_database(folder)
        clear(folder, json.loads(left)["names"] if left else ())
        mark.seek(0)
        mark.truncate()
        json.dump({"names": list(names)}, mark)
        mark.flush()
        os.fsync(mark.fileno())
        try:
            yield
        except BaseException:
            clear(folder, names)
            (folder / MARK).unlink(missing_ok=True)
            raise
        (folder / MARK).unlink()


@contextmanager
def _marked(folder: Path) -> Iterator[IO[str]]:
    with (folder / MARK).open("a+", encoding="utf-8") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreBusy(f"Another process is restoring into {folder}.") from None
        mark.seek(0)
        if os.fstat(mark.fileno()).st_nlink == 0:
            raise StoreBusy(f"Another process has just restored into {folder}.")
        yield mark


def clear(folder: Path, names: Sequence[str]) -> None:
    """Removes what a restore has put into a home, and what was derived from other tables."""
    home.stop_servers_of(folder / home.PGDATA)
    shutil.rmtree(folder / home.PGDATA, ignore_errors=True)
    for name in (home.FINISHED, home.STARTING):
        (folder / name).unlink(missing_ok=True)
    for path in folder.glob(DERIVED):
        path.unlink()
    for name in names:
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
