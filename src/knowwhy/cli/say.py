"""A message taken in at the command line as it is said."""

import sys
from datetime import timedelta
from typing import Any

import click

from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import hand, names, user_of, words
from knowwhy.config import Settings
from knowwhy.errors import BadInput

STDIN = "-"


@click.command("say")
@words("text")
@click.option("--user", help="Whose it is; the user of the operating system when left out.")
@click.option("--everybody", is_flag=True, help="It is everybody's, of no user.")
@click.option("--project", help="The project that it is about.")
@click.option("--session", help="The conversation that it belongs to.")
@click.option("--role", type=click.Choice(("user", "assistant")), default="user", show_default=True)
@click.option("--speaker", help="Who says it, where several have one role.")
@click.option("--id", "message", help="Its own id: the same one told again is kept once.")
@click.option("--ttl-days", type=click.IntRange(1, 36_500), help="Days that it lives.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def say_command(
    text: str,
    user: str | None,
    everybody: bool,
    project: str | None,
    session: str | None,
    role: str,
    speaker: str | None,
    message: str | None,
    ttl_days: int | None,
    as_json: bool,
) -> None:
    """Take in one message of a conversation.

    `history` shows it at once; what is worth remembering of it is learned later, by a server or by
    `extract`. TEXT - is standard input.
    """
    user = user_of(user, everybody=everybody)
    named = names(user=user, project=project, session=session)
    content = _stdin() if text == STDIN else text
    open_home(Settings.from_environ())
    from knowwhy.tables.talk.said import Saying, add_turn

    ttl = None if ttl_days is None else timedelta(days=ttl_days)
    whose = (named["user"], named["project"], named["session"])
    via = hand().via
    from knowwhy.cli.memory import tell_secrets

    saying = Saying(content, *whose, role=role, speaker=speaker, ttl=ttl, id=message, via=via)
    turn = add_turn(saying)
    _print(turn, as_json)
    if not as_json:
        tell_secrets(content, turn.content)


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("Standard input is not in UTF-8.") from None


def _print(turn: Any, as_json: bool) -> None:
    if not as_json:
        click.echo(turn.key)
        return
    from knowwhy.cli.history import told

    print_json(told(turn))
