"""Turns that stop the worker: what it is at stands in the home, where the next one finds it.

Who is killed cannot say at which turn; and who stands still in a match cannot run a line of Python.
So each turn is noted before it is read or judged, and a clock that needs no Python writes down
where the worker stands when that takes too long. Such turns are taken up alone and last. While
rules read, which holds all threads, the system ends the process in the end.
"""

import faulthandler
import json
import logging
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from knowwhy.tables.touched import folder

FILE = "knowwhy-extractor-at.json"  # in the home: the turns that are read, and how often in vain
STOOD = "knowwhy-extractor-stood.txt"  # in the home: where a worker stood when it took too long
STILL_AFTER = 60.0  # seconds at one step of one turn, which takes less than one
ENDS_AFTER = 180.0  # seconds of processor time that rules may read one turn; it takes milliseconds
STILL_AT_MOST = 2  # times that a turn may hold a worker up
ENDED_AT_MOST = 5  # times that a worker may be gone at a turn: people end it for other reasons too

PROCESSOR = signal.ITIMER_PROF  # its signal, where nobody asks for it, ends the process

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Notes:
    at: list[str] = field(default_factory=list)
    still: dict[str, int] = field(default_factory=dict)  # times, by turn
    ended: dict[str, int] = field(default_factory=dict)


@contextmanager
def noted(keys: Collection[str], *, reading: bool = False) -> Iterator[None]:
    """Notes which turns are worked on; what ends the process leaves the note behind.

    Rules that read wait for nothing: what takes them too long will never end.
    """
    before = _read()
    _write(_Notes([*keys], before.still, before.ended))
    with _clock(), _end() if reading else nullcontext():
        try:
            yield
        except Exception:
            _write(before)
            raise
        except BaseException:  # a person has interrupted it
            _fold(stood_only=True)
            raise
        _write(before)


def settle() -> None:
    """Counts what a worker that is gone was at; called by the only one that is there."""
    _fold()
    _stood().unlink(missing_ok=True)


def suspects() -> list[str]:
    """Gives the turns at which a worker has stopped, and that may be tried again."""
    notes, over = _read(), given_up()
    return [key for key in dict.fromkeys((*notes.still, *notes.ended)) if key not in over]


def given_up() -> dict[str, str]:
    """Gives the turns that are left alone, and why."""
    notes = _read()
    still = {
        key: f"It has held the worker up {times} times, for more than {STILL_AFTER:g} seconds each."
        for key, times in notes.still.items()
        if times >= STILL_AT_MOST
    }
    ended = {
        key: f"The worker has ended {times} times while it was at this turn."
        for key, times in notes.ended.items()
        if times >= ENDED_AT_MOST
    }
    return ended | still


def forget(keys: Collection[str]) -> None:
    """Forgets what was counted against turns."""
    notes = _read()
    for counted in (notes.still, notes.ended):
        for key in keys:
            counted.pop(key, None)
    _write(notes)


def _fold(*, stood_only: bool = False) -> None:
    notes = _read()
    has_stood = _stood().is_file() and _stood().stat().st_size > 0
    if notes.at and (has_stood or not stood_only):
        counted = notes.still if has_stood else notes.ended
        for key in notes.at:
            counted[key] = counted.get(key, 0) + 1
    _write(_Notes([], notes.still, notes.ended))


@contextmanager
def _clock() -> Iterator[None]:
    """Writes where this process stands once it has taken too long, whatever holds its threads."""
    try:
        out = _stood().open("w", encoding="utf-8")
    except OSError:
        logger.debug("nobody watches how long a turn takes", exc_info=True)
        yield
        return
    with out:
        faulthandler.dump_traceback_later(STILL_AFTER, file=out)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _end() -> Iterator[None]:
    """Has the system end this process where a match holds it for ever, so that others go on."""
    if signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL or signal.getitimer(PROCESSOR)[0]:
        yield  # somebody measures this process by the same clock
        return
    signal.setitimer(PROCESSOR, ENDS_AFTER)
    try:
        yield
    finally:
        signal.setitimer(PROCESSOR, 0)


def _read() -> _Notes:
    try:
        told = json.loads(_file().read_text(encoding="utf-8"))
        return _Notes(list(told["at"]), dict(told["still"]), dict(told["ended"]))
    except (OSError, ValueError, LookupError, TypeError):
        return _Notes()


def _write(notes: _Notes) -> None:
    """Writes the notes as a whole; none is written where there is nothing to say."""
    try:
        if not (notes.at or notes.still or notes.ended):
            _file().unlink(missing_ok=True)
            return
        told = {"at": notes.at, "still": notes.still, "ended": notes.ended}
        fresh = _file().with_suffix(".part")
        fresh.write_text(json.dumps(told), encoding="utf-8")
        fresh.replace(_file())
    except OSError:
        logger.debug("what is worked on cannot be noted", exc_info=True)


def _file() -> Path:
    return folder() / FILE


def _stood() -> Path:
    return folder() / STOOD
