"""Who asks at the command line, in which project and where."""

import getpass
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.types import COMMAND, PERSON, Asker, Hand

Command = TypeVar("Command", bound=Callable[..., Any])
MAX_NAME = 200  # characters of a user, a project, a session or another name
OPTIONS = (
    click.option("--user", help="Whose; the user of the operating system when left out."),
    click.option("--everybody", is_flag=True, help="What is everybody's instead of a user's."),
    click.option("--project", help="In this project."),
)


def words(name: str) -> Callable[[Command], Command]:
    """Gives an argument of several words that need no quotes: the shell's words are joined."""
    return click.argument(name, nargs=-1, required=True, callback=_joined)


def _joined(_: click.Context, __: click.Parameter, given: Sequence[str]) -> str:
    return " ".join(given)


def whose(command: Any) -> Any:
    """Adds the options that say who asks."""
    command = _with_whole_ids(command)
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def owned(command: Any) -> Any:
    """Adds the options that say whose agents act, which are never everybody's."""
    command = _with_whole_ids(command)
    for option in (OPTIONS[2], OPTIONS[0]):
        command = option(command)
    return command


def _with_whole_ids(command: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a command take ids as a hand types them; whole ones cost nothing."""

    @wraps(command)
    def called(**given: Any) -> Any:
        return command(**typed(given))

    return called


def typed(given: dict[str, Any]) -> dict[str, Any]:
    """Gives what a command was given with whole ids, of what exists for who asks."""
    from knowwhy.maas.typed_ids import are_typed, whole_ids

    if not are_typed(given):
        return given
    everybody = bool(given.get("everybody"))
    who = asker(given.get("user"), given.get("project"), everybody=everybody)
    from knowwhy.cli.opening import open_home

    open_home(Settings.from_environ())
    return whole_ids(who, given)


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
