"""Opens the home for a command and passes on what its user should know."""

import json
import signal
import sys
import threading
from typing import Any

import click

from knowwhy.cli.whose import owner
from knowwhy.config import Settings
from knowwhy.types import Asker

_stop_asked = threading.Event()


def notice_ctrl_c() -> None:
    """Notes that Ctrl-C was pressed, besides raising: the store swallows some of them."""

    def note(*_: object) -> None:
        _stop_asked.set()
        raise KeyboardInterrupt

    def unheard(lost: "sys.UnraisableHookArgs") -> None:
        if lost.exc_type is not KeyboardInterrupt:  # which came while something was cleaned up
            sys.__unraisablehook__(lost)

    signal.signal(signal.SIGINT, note)
    sys.unraisablehook = unheard


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
