"""Syncs a work tree after git has moved it: one at a time, however often it moves."""

import fcntl
import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "knowwhy"  # in git's own folder of a work tree
LOG = "sync.log"
LOCK, AGAIN, LAST = "lock", "again", "last.json"
SETTLE_SECONDS = 0.3  # a rebase moves on many times a second; its commits are synced together
LONGEST_SECONDS = 3_600  # of one sync; the first of a large repository takes minutes
MOST_LOG = 1_000_000  # bytes of the log; of a longer one the end is kept
KEPT_LOG = 200_000  # bytes
NICENESS = 10  # whoever sits at the machine comes first
KILLED = -1  # the code of a sync that took too long


@dataclass(frozen=True, slots=True)
class Last:
    """The last sync that a hook asked for."""

    because: str  # the hook
    at: str  # when it began
    seconds: float
    code: int


def follow(own: Path, command: Sequence[str], because: str) -> int:
    """Syncs until nothing has moved since; another process that does it is left to it.

    Gives the number of syncs.
    """
    own.mkdir(exist_ok=True)
    (own / AGAIN).write_text(because, encoding="utf-8")
    done = 0
    while (own / AGAIN).exists():  # it may be written while the lock is being given back
        with (own / LOCK).open("a") as lock:
            try:
                fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return done  # who has it looks again when it is done
            while (own / AGAIN).exists():
                time.sleep(SETTLE_SECONDS)
                (own / AGAIN).unlink(missing_ok=True)
                _sync(own, command, because)
                done += 1
    return done


def last_run(own: Path) -> Last | None:
    """Reads what the last sync did."""
    try:
        return Last(**json.loads((own / LAST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _sync(own: Path, command: Sequence[str], because: str) -> None:
    at, begun = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    _shorten(own / LOG)
    with (own / LOG).open("ab", buffering=0) as log:
        log.write(f"{at} {because}\n".encode())
        code = _run(command, log.fileno())
        seconds = round(time.monotonic() - begun, 1)
        log.write(f"{at} {because}: ended with {code} after {seconds} s\n".encode())
    fresh = own / f"{LAST}.{os.getpid()}"
    fresh.write_text(json.dumps(asdict(Last(because, at, seconds, code))), encoding="utf-8")
    fresh.replace(own / LAST)


def _run(command: Sequence[str], log: int) -> int:
    try:
        return subprocess.run(
            ["nice", "-n", str(NICENESS), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            timeout=LONGEST_SECONDS,
            check=False,
        ).returncode
    except (OSError, subprocess.TimeoutExpired):
        return KILLED


def _shorten(log: Path) -> None:
    """Keeps the end of a log that has become long."""
    if not log.exists() or log.stat().st_size <= MOST_LOG:
        return
    with log.open("rb") as file:
        file.seek(-KEPT_LOG, os.SEEK_END)
        end = file.read().partition(b"\n")[2]
    fresh = log.with_name(f"{log.name}.{os.getpid()}")
    fresh.write_bytes(end)
    fresh.replace(log)
