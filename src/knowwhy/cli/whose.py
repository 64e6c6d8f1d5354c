"""Who asks at the command line, in which project and where."""

import getpass
import sys
from collections.abc import Sequence
from typing import Any

import click

from knowwhy.errors import BadInput
from knowwhy.types import COMMAND, PERSON, Asker, Hand

MAX_NAME = 200  # characters of a user, a project, a session or another name
OPTIONS = (
    click.option("--user", help="Whose; the user of the operating system when left out."),
    click.option("--everybody", is_flag=True, help="What is everybody's instead of a user's."),
    click.option("--project", help="In this project."),
)


def whose(command: Any) -> Any:
    """Adds the options that say who asks."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def owned(command: Any) -> Any:
    """Adds the options that say whose agents act, which are never everybody's."""
    for option in (OPTIONS[2], OPTIONS[0]):
        command = option(command)
    return command


def owner(user: str | None, project: str | None) -> Asker:
    """Gives the one whose agents act."""
    return asker(user, project, everybody=False)


def asker(user: str | None, project: str | None, *, everybody: bool) -> Asker:
    """Gives the one who asks."""
    named = names(user=user_of(user, everybody=everybody), project=project)
    return Asker(named["user"], named["project"])


def user_of(user: str | None, *, everybody: bool) -> str | None:
    """Gives the user that is asked for; None for what is everybody's."""
    if everybody and user is not None:
        raise BadInput("--user and --everybody exclude each other.")
    return None if everybody else user if user is not None else os_user()


def hand() -> Hand:
    """Says by what hand a command was typed: a person's where its input is a terminal.

    Scripts, and the shells of assistants, run commands without one.
    """
    is_typed = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    return Hand(via=PERSON if is_typed else COMMAND)


def os_user() -> str:
    """Names the user of the operating system."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise BadInput("The system names no user; say who asks by --user.") from None


def names(**given: str | None) -> dict[str, str | None]:
    """Checks the names of a scope."""
    for name, value in given.items():
        if value is not None and (len(value) > MAX_NAME or not value.strip()):
            option = f"--{name.replace('_', '-')}"
            raise BadInput(f"{option} must be a name of at most {MAX_NAME} characters.")
    return {name: value and value.strip() for name, value in given.items()}


def pairs(option: str, written: Sequence[str]) -> dict[str, str] | None:
    """Reads for whom and where something holds, as persona=reviewer."""
    read: dict[str, str] = {}
    for part in written:
        name, equals, value = part.partition("=")
        if not equals or name.strip() in read:
            raise BadInput(f"{option} is written persona=reviewer, each name once.")
        read[name.strip()] = value
    return read or None
