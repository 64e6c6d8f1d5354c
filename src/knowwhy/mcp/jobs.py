"""Long work in the background: begun by a call, followed by others, and stopped when asked."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from knowwhy.errors import CapacityReached, Error, NotFound
from knowwhy.types import Asker, Json

MOST_WAITING = 20  # jobs of one server that have not ended; a model that asks for more loops
MOST_KEPT = 100  # jobs that have ended, to be asked about
MOST_OF_ONE = 5  # of them that are one user's, so that others find a place
AT_ONCE = 1  # two of them would only take turns at the models and the table
KEY_DIGITS = 8
MOST_WATCHED = 4  # jobs that calls wait for, half the threads of a server
POLL = 0.1  # seconds between two looks at a job that is waited for

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
STOPPING = "stopping"  # as it is told: it stops where it next says how far it is
ENDED = (DONE, FAILED, CANCELLED)

logger = logging.getLogger(__name__)


class Cancelled(Exception):  # no error: it was asked for
    """Stops a job where it tells how far it is."""


@dataclass(slots=True)
class Job:
    """One piece of long work, and how far it is."""

    what: str
    asker: Asker
    key: str = field(default_factory=lambda: f"j-{uuid4().hex[:KEY_DIGITS]}")
    state: str = WAITING
    done: int = 0
    total: int | None = None
    result: Mapping[str, Json] | None = None
    error: Error | None = None
    begun_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    turn: "Future[None] | None" = None  # in the thread that does the work

    def advance(self, done: int = 1, at: Sequence[str] = ()) -> None:
        """Counts what has been done; stops the job where that was asked for."""
        self.done += done
        self.check()

    def check(self) -> None:
        """Stops the job where that was asked for."""
        if self.stop.is_set():
            raise Cancelled

    @property
    def told_state(self) -> str:
        """Its state as it is told."""
        return STOPPING if self.stop.is_set() and self.state not in ENDED else self.state

    def as_json(self) -> dict[str, Json]:
        """Gives the job as programs are shown it."""
        return {
            "job": self.key,
            "what": self.what,
            "state": self.told_state,
            "done": self.done,
            "total": self.total,
            "begun_at": self.begun_at.isoformat(timespec="seconds"),
            "ended_at": self.ended_at and self.ended_at.isoformat(timespec="seconds"),
            "result": self.result and dict(self.result),
            "error": self.error and str(self.error),
        }


Work = Callable[[Job], Mapping[str, Any]]


class Jobs:
    """The jobs of a server; they end with it, and what they wrote stays."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._watched = threading.BoundedSemaphore(MOST_WATCHED)

    def begin(self, what: str, asker: Asker, work: Work) -> Job:
        """Begins a job, or puts it behind those that run."""
        job = Job(what, asker)
        with self._lock:
            self._check_places(asker)
            for key in [j.key for j in self._jobs.values() if j.state in ENDED][:-MOST_KEPT]:
                del self._jobs[key]
            self._jobs[job.key] = job
            self._pool = self._pool or ThreadPoolExecutor(AT_ONCE, thread_name_prefix="job")
            job.turn = self._pool.submit(_run, job, work)
        return job

    def _check_places(self, asker: Asker) -> None:
        """Refuses a job that finds no place among those that have not ended."""
        users = [job.asker.user_id for job in self._jobs.values() if job.state not in ENDED]
        if users.count(asker.user_id) >= MOST_OF_ONE:
            raise CapacityReached(
                f"{MOST_OF_ONE} of your jobs have not ended; see job_status, and try again later "
                "or cancel one with cancel_job."
            )
        if len(users) >= MOST_WAITING:
            raise CapacityReached(
                f"{MOST_WAITING} jobs are waiting; see job_status, and try again later."
            )

    def find(self, asker: Asker, key: str) -> Job:
        """Gives one of an asker's jobs; of another's it says what it says of none."""
        job = self._jobs.get(key)
        if job is None or job.asker != asker:
            raise NotFound(f"You have no job {key[:20]!r}. job_status without a job lists yours.")
        return job

    def of(self, asker: Asker) -> list[Job]:
        """Lists an asker's jobs, newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.asker == asker]

    def cancel(self, asker: Asker, key: str) -> Job:
        """Asks a job to stop; what it has written stays, and the same call goes on from there.

        One that waits for its turn has ended then.
        """
        job = self.find(asker, key)
        with self._lock:
            _stop(job)
        return job

    def watch(self, job: Job, seconds: float, tell: Callable[[], None]) -> None:
        """Waits for a job, telling how far it is; beyond so many watchers nobody waits.

        A watcher holds a thread of the server, and others need those.
        """
        if not self._watched.acquire(blocking=False):
            return
        try:
            deadline = time.monotonic() + seconds
            while not job.ended.wait(POLL) and time.monotonic() < deadline:
                tell()
        finally:
            self._watched.release()

    def close(self, wait: float) -> None:
        """Stops all jobs and waits so many seconds for them."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.state not in ENDED]
            pool, self._pool = self._pool, None
            for job in running:
                _stop(job)
        if pool is not None:
            pool.shutdown(wait=False)
        deadline = time.monotonic() + wait
        for job in running:
            job.ended.wait(max(0.0, deadline - time.monotonic()))


def _stop(job: Job) -> None:
    """Asks a job to stop, and ends one that has not begun."""
    job.stop.set()
    if job.state == WAITING and job.turn is not None and job.turn.cancel():
        _end(job, CANCELLED)


def _end(job: Job, state: str) -> None:
    job.state, job.ended_at = state, datetime.now(UTC)
    job.ended.set()


def _run(job: Job, work: Work) -> None:
    state = FAILED
    try:
        job.check()
        job.state = RUNNING
        job.result = work(job)
        state = DONE
    except Cancelled:
        state = CANCELLED
    except Error as error:
        job.error = error
    except Exception as error:  # the thread serves other jobs after this one
        logger.exception("the job %s has failed", job.key)
        job.error = Error(f"It has failed: {type(error).__name__}.")
    finally:
        _end(job, state)
