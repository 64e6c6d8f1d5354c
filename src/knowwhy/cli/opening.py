"""Opens the home for a command and passes on what its user should know."""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import click

from knowwhy.cli.whose import owner
from knowwhy.config import Settings
from knowwhy.types import Asker

STOPPED = 130  # what shells give a program that Ctrl-C ended
END_SECONDS = 4.0  # that a command may take to stop by itself; the store outlives any kill
STOPPING = "knowwhy: stopping …\n"
CLEAR = "\r\x1b[K"  # takes the line off a terminal that progress was drawn on
DRAWN_WITHIN = 0.5  # seconds that one who stops waits for a line that is being drawn
HAS_STOPPED = "knowwhy: stopped; what was written stays, the same command goes on.\n"

_stop_asked = threading.Event()
_answered = threading.Event()
_has_told = threading.Event()
_drawing, _is_drawn = threading.Lock(), threading.Event()


def notice_ctrl_c() -> None:
    """Answers Ctrl-C at once, and ends a command that does not stop.

    The interpreter raises it where the main thread next runs Python, which one that computes or
    waits does late, and the store swallows some; a thread of its own hears of every one.
    """

    def note(*_: object) -> None:
        _stop_asked.set()
        raise KeyboardInterrupt

    def unheard(lost: "sys.UnraisableHookArgs") -> None:
        if lost.exc_type is not KeyboardInterrupt:  # which came while something was cleaned up
            sys.__unraisablehook__(lost)

    heard, rung = os.pipe()
    os.set_blocking(rung, False)
    signal.signal(signal.SIGINT, note)
    signal.set_wakeup_fd(rung, warn_on_full_buffer=False)
    sys.unraisablehook = unheard

    def listen() -> None:
        while numbers := os.read(heard, 1):
            if signal.SIGINT in numbers:
                stopping(lambda: signal.getsignal(signal.SIGINT) is note)

    threading.Thread(target=listen, name="ctrl-c", daemon=True).start()


def stopping(may_end: Callable[[], bool] = lambda: True) -> None:
    """Says that a command stops, and ends it after some seconds unless it must not be disturbed.

    A second Ctrl-C ends it at once.
    """
    if _answered.is_set():
        if may_end():
            _end()
        return
    _answered.set()

    def wait() -> None:
        time.sleep(END_SECONDS)
        while not may_end():
            time.sleep(END_SECONDS)
        _end()

    threading.Thread(target=wait, name="end", daemon=True).start()
    is_whole = _drawing.acquire(timeout=DRAWN_WITHIN)
    os.write(2, f"{CLEAR if _is_drawn.is_set() else ''}{STOPPING}".encode())
    if is_whole:
        _drawing.release()


def draw(line: str) -> None:
    """Draws a line of progress over the one before, an empty one for its end; none once stopped."""
    with _drawing:
        if not is_stopping():
            (_is_drawn.set if line else _is_drawn.clear)()
            with contextlib.suppress(OSError, ValueError):  # who has gone needs not be told
                click.echo(f"{CLEAR}{line}", nl=False, err=True)
                sys.stderr.flush()


def is_stopping() -> bool:
    """Tells whether Ctrl-C has been answered."""
    return _answered.is_set()


def _end() -> None:
    if not _has_told.is_set():
        with contextlib.suppress(OSError):
            os.set_blocking(2, False)
            os.write(2, HAS_STOPPED.encode())
    os._exit(STOPPED)


def stopped() -> int:
    """Says that a command has stopped; gives its exit code."""
    _has_told.set()
    click.echo(HAS_STOPPED, nl=False, err=True)
    return STOPPED


def stop_if_asked() -> None:
    """Stops where a Ctrl-C was swallowed."""
    if _stop_asked.is_set():
        raise KeyboardInterrupt


def open_home(settings: Settings, *, keeping: bool = False) -> str:
    """Opens the home, making it first when there is none; gives the embedder of its vectors.

    Who keeps it in order opens it with its own model though another one is set: that is an alarm.
    """
    from knowwhy.tables.connect import connect

    opened = connect(settings, changing=keeping)
    if opened.is_foreign:
        connect(settings)  # refuses, and says why: its own model is not there
    stop_if_asked()
    for note in opened.notes:
        click.echo(f"note: {note}", err=True)
    return opened.embedder


def tell_if_new(settings: Settings) -> None:
    """Says that a home will be made where there is none yet."""
    from knowwhy.tables.homes import home

    mark = home.FINISHED if settings.database is None else home.FINISHED_ELSEWHERE
    if not os.path.exists(settings.home / mark):  # which a folder that is closed to us is not
        click.echo(f"note: making a home in {settings.home}; it has none yet.", err=True)


def open_memories(settings: Settings, *, keeping: bool = False) -> str:
    """Opens the home for a command that reads or writes memories; finishes what was cut off."""
    embedder = open_home(settings, keeping=keeping)
    from knowwhy.grounding.checkpoints import finish_begun

    finish_begun()
    return embedder


def opened_for(user: str | None, project: str | None) -> tuple[Asker, Settings, str]:
    """Opens the home for who has agents; gives who asks, the settings and the embedder."""
    asker, settings = owner(user, project), Settings.from_environ()
    return asker, settings, open_memories(settings)


def print_json(value: Any) -> None:
    """Prints a value as JSON for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def is_terminal() -> bool:
    """Tells whether a person reads stderr, where progress is shown."""
    return sys.stderr.isatty()
