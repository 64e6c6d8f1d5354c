"""The store's own errors, told as ours."""

import errno
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.config import Config
from pixeltable.exceptions import ExprEvalError

from knowwhy.errors import DiskFull, StoreFailed
from knowwhy.text.secrets.redact import redact

OF_THE_STORE = (pxt.Error, ExprEvalError, sql.exc.SQLAlchemyError)
OF_ITS_SERVER = (OSError, subprocess.SubprocessError, AssertionError)  # it asserts what it reads
LINES_SHOWN = 2  # the first names the expression or statement, the second what went wrong
LONGEST = 300  # characters of the store's own words
NO_ROOM = "No space left on device"
# Postgres ends where it cannot begin a file of its log of changes, and does not always say so.
ONE_MORE_FILE = 16_777_216  # bytes
LITTLE_ROOM = 64_000_000  # bytes
LAST_WORDS = 4_000  # bytes of what Postgres has said


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turns what the store raises while `doing` something into one clear sentence."""
    try:
        yield
    except (*OF_THE_STORE, *OF_ITS_SERVER) as error:
        if is_full(error):
            raise DiskFull(Config.get().home) from error
        raise StoreFailed(f"The store failed while {doing}: {_said(error)}") from error


def _said(error: BaseException) -> str:
    cause = error.exc if isinstance(error, ExprEvalError) else error
    text = " ".join(str(cause).split("\n")[:LINES_SHOWN]).strip() or type(cause).__name__
    return redact(text[:LONGEST])


def is_full(error: BaseException) -> bool:
    """Tells whether a failure comes from a full disk, also where it has ended the server."""
    cause: BaseException | None = error
    while cause is not None:
        if NO_ROOM in str(cause) or (isinstance(cause, OSError) and cause.errno == errno.ENOSPC):
            return True
        cause = cause.__cause__ or cause.__context__
    return isinstance(error, sql.exc.OperationalError) and _has_no_room()


def _has_no_room() -> bool:
    """Tells whether it was for want of room that the server did not answer."""
    home = Path(Config.get().home)
    with suppress(OSError):
        if shutil.disk_usage(home / "pgdata").free < ONE_MORE_FILE:
            return True
    with suppress(OSError), (home / "pgdata" / "log").open("rb") as log:
        log.seek(max(0, log.seek(0, 2) - LAST_WORDS))
        said = log.read().decode(errors="replace")
        return NO_ROOM in said and shutil.disk_usage(home).free < LITTLE_ROOM
    return False
