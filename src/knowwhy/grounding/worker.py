"""The worker that learns from conversations after the reply: one a home, in small batches.

What it has to do is what the tables lack, so it can be killed at any moment; only what waits for
something, and until when, is known to the process alone.
"""

import json
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from knowwhy.errors import Error, ModelBusy, ModelUnavailable, StoreBusy, StoreFailed
from knowwhy.grounding import stuck
from knowwhy.grounding.heard import judge_facts
from knowwhy.grounding.learn import Learned, Learner, read_turns
from knowwhy.tables.only_one import is_taken, only_one
from knowwhy.tables.talk import extractions, gaps, spends
from knowwhy.tables.touched import folder
from knowwhy.tables.vectors import holders
from knowwhy.text.secrets.redact import redact

PART = "extractor"  # the name of what only one process of a home is
POLL = 1.0  # seconds between two looks for new turns; a look costs a millisecond
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0  # seconds after something failed; doubled each time
ELSEWHERE = 10.0  # seconds between two looks whether another worker has ended
NICENESS = 10  # of a worker in the background: whoever waits for a reply goes first
FILE = "knowwhy-extractor.json"  # in the home: why the worker waits, for those who ask
LONGEST_REASON = 500  # characters of it

PASSING = (ModelUnavailable, StoreBusy, StoreFailed)  # what may be over soon

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the worker is, and what it waits for."""

    extractor: str  # its version
    turns: int  # to read
    facts: int  # to judge
    failed: int  # turns that were given up
    running: bool  # a process is at it
    problem: str | None  # why something waits, as it was last met
    problem_at: str | None
    problem_code: str | None
    spent_today: float  # dollars
    put_aside: dict[str, str]  # of those given up, turns that have stopped the worker, and why


@dataclass(slots=True)
class Worker:
    """A worker at work."""

    how: Learner
    stop: Callable[[], bool] = lambda: False
    tell: Callable[[Learned], None] = lambda done: None
    again: bool = False  # also read what another version has read
    _aside: dict[str, float] = field(default_factory=dict)  # turns, and until when they wait
    _begun: bool = False
    _failures: int = 0  # one after the other
    _done_at: object = None  # how the tables stood when there was nothing to do

    def run(self, limit: int | None = None) -> Learned:
        """Works until nothing is left that can be done now, or so many turns have been read."""
        done = Learned()
        with only_one(PART) as check:
            self._begin()
            while not self.stop():
                check()
                left = None if limit is None else limit - done.turns - done.failed
                batch = self.step(left)
                done.add(batch)
                done.aside |= batch.aside
                if batch.is_idle or (batch.is_blocked and not batch.facts):
                    break
            self._forget()
        return done

    def watch(self, wait: Callable[[float], object]) -> None:
        """Works on whatever comes in until it is stopped; `wait` waits for so many seconds."""
        while not self.stop():
            try:
                with only_one(PART) as check:
                    self._begin()
                    while not self.stop():
                        check()
                        pause = self._watch_step()
                        if pause:
                            wait(pause)
            except StoreBusy:  # another process does it
                wait(ELSEWHERE)
            except Error as error:
                wait(self._fail(error))
            except Exception as error:  # what nobody foresaw is told, and tried again later
                logger.warning("learning has failed", exc_info=True)
                wait(self._fail(Error(f"Learning has failed: {type(error).__name__}.")))

    def _begin(self) -> None:
        """Lets what was given up be tried anew, once, when that is asked for."""
        stuck.settle()
        if self.again and not self._begun:
            extractions.forget_failures(self.how.version, self.how.whose)
            stuck.forget(stuck.given_up())
        self._begun = True

    def _watch_step(self) -> float:
        """Does a batch and says how long to wait then."""
        now = gaps.last_moves()
        if self._done_at == now and not self._is_over():
            return POLL
        batch = self.step(None)
        if batch.is_blocked and not (batch.turns or batch.facts):
            return self._fail(list(batch.aside.values())[-1])
        self._failures = 0
        if batch.is_idle:
            self._done_at = now
            self._forget()
            return POLL
        return 0.0

    def step(self, left: int | None) -> Learned:
        """Judges what waits to be judged, else reads a batch of turns; last what has stopped it."""
        moment = time.monotonic()
        self.how = replace(self.how, embedder=holders.embedder())
        waiting = [key for key, until in self._aside.items() if until > moment]
        without, doubted = [*waiting, *stuck.given_up()], stuck.suspects()
        done = self._batch(left, [*without, *doubted])
        for one in doubted:
            if not done.is_idle:
                break
            others = [key for key in doubted if key != one]
            done = self._batch(left and 1, [*without, *others])
            if done.is_idle and one not in waiting:
                stuck.forget([one])
        self._put_aside(done)
        self.tell(done)
        return done

    def _batch(self, left: int | None, waiting: list[str]) -> Learned:
        now = datetime.now(UTC)
        done = judge_facts(self.how, now, without=waiting)
        if not done.facts and not (left is not None and left <= 0):
            kept_waiting = [*waiting, *done.aside]
            read = read_turns(
                self.how, now, most=left, again=self.again, without=kept_waiting, stop=self.stop
            )
            done.add(read)
            done.aside |= read.aside
        return done

    def _put_aside(self, done: Learned) -> None:
        for key, error in done.aside.items():
            self._aside[key] = time.monotonic() + self._pause(error)
            note_problem(error)
        if done.turns or done.facts:
            self._aside = {k: t for k, t in self._aside.items() if t > time.monotonic()}
            self._forget()

    def _forget(self) -> None:
        """Forgets why something had to wait when nothing has to any more."""
        if not self._aside:
            forget_problem()

    def _is_over(self) -> bool:
        """Tells whether something has waited long enough."""
        return any(until <= time.monotonic() for until in self._aside.values())

    def _fail(self, error: Error) -> float:
        """Notes why nothing can be done now, and says how long to wait."""
        note_problem(error)
        logger.warning("learning waits: %s", error)
        self._failures += 1
        return self._pause(error)

    def _pause(self, error: Error) -> float:
        """Gives how long to wait: what a service asks for, else longer each time."""
        if not isinstance(error, PASSING):  # it is for a person to do something
            return LONGEST_PAUSE
        asked = error.wait if isinstance(error, ModelBusy) else None
        longer = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self._failures, 10))
        return longer if asked is None else min(max(asked, POLL), LONGEST_PAUSE)


@dataclass(frozen=True, slots=True)
class Running:
    """A worker in a thread of its own."""

    thread: threading.Thread
    _stop: threading.Event

    def stop(self, wait: float = 10.0) -> bool:
        """Lets the worker end its batch; tells whether it has ended within so many seconds."""
        self._stop.set()
        self.thread.join(wait)
        return not self.thread.is_alive()


def start(how: Learner, *, again: bool = False) -> Running:
    """Starts a worker beside whatever else this process does."""
    stop = threading.Event()
    worker = Worker(how, stop=stop.is_set, again=again)

    def work() -> None:
        step_back()
        worker.watch(stop.wait)

    thread = threading.Thread(target=work, name="extractor", daemon=True)
    thread.start()
    return Running(thread, stop)


def step_back() -> None:
    """Lets others go first: on Linux only before this thread, elsewhere not at all."""
    if hasattr(os, "setpriority") and hasattr(threading, "get_native_id"):
        thread = threading.get_native_id()
        try:
            lowest = max(os.getpriority(os.PRIO_PROCESS, thread), NICENESS)
            os.setpriority(os.PRIO_PROCESS, thread, lowest)
        except OSError:
            logger.debug("the priority stays as it is", exc_info=True)


def standing(how: Learner, *, again: bool = False) -> Standing:
    """Tells how far the worker of this home is."""
    now = datetime.now(UTC)
    lost = stuck.given_up()
    waiting = gaps.backlog(how.version, now, again=again, without=lost, whose=how.whose)
    problem = _problem()
    return Standing(
        extractor=how.version,
        turns=waiting.turns,
        facts=waiting.facts,
        failed=waiting.failed,
        running=is_taken(PART),
        problem=problem.get("problem"),
        problem_at=problem.get("at"),
        problem_code=problem.get("code"),
        spent_today=spends.spent_micro_dollars(now) / spends.MICRO,
        put_aside={key: why for key, why in lost.items() if key in waiting.without},
    )


def note_problem(error: Error) -> None:
    """Keeps why the worker waits where other processes can read it."""
    told = {
        "problem": redact(str(error))[:LONGEST_REASON],
        "code": error.code,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    try:
        fresh = _file().with_suffix(".part")
        fresh.write_text(json.dumps(told), encoding="utf-8")
        fresh.replace(_file())
    except OSError:
        logger.debug("why learning waits cannot be noted", exc_info=True)


def forget_problem() -> None:
    """Forgets why the worker waited."""
    _file().unlink(missing_ok=True)


def _problem() -> dict[str, str]:
    try:
        told = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _file() -> Path:
    return folder() / FILE
