"""Conversations at the command line: taken in, and shown again."""

import textwrap
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from knowwhy.cli.ask import timed
from knowwhy.cli.looks import columns, say, say_parts
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import names, user_of
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.text.question.question_times import dated

SHOWN_CHARS = 2_000  # characters of a turn that a person is shown: a screen
INDENT = "   "
PIPE = 80  # columns of a text in a pipe


@click.command("history")
@click.option("--user", help="Whose turns; the user of the operating system when left out.")
@click.option("--everybody", is_flag=True, help="The turns that are everybody's, of no user.")
@click.option("--project", help="Only this project.")
@click.option("--session", help="Only this session.")
@click.option("--words", help="Only turns in which all these words stand.")
@timed
@click.option("--limit", default=20, show_default=True, help="How many turns at most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def history_command(
    user: str | None,
    everybody: bool,
    project: str | None,
    session: str | None,
    words: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Show what was said, newest first.

    Those of another user are shown only when they are asked for by --user, those that were taken in
    without a user by --everybody; expired ones never.
    """
    within = dated(since, until)
    user = user_of(user, everybody=everybody)
    named = names(user=user, project=project, session=session)
    open_home(Settings.from_environ())
    from knowwhy.tables.talk.turns import history

    turns = history(**named, words=words, limit=limit, now=datetime.now(UTC), within=within)
    if as_json:
        print_json([told(turn) for turn in turns])
    else:
        _print(turns)


def take_in(
    paths: tuple[Path, ...],
    ttl_days: int | None,
    *,
    user: str | None,
    everybody: bool,
    claim: bool,
    are_found: bool = False,
    **given: str | None,
) -> Any:
    """Ingests chats and gives what that did; those that were found need say nothing."""
    from knowwhy.cli.progress import course

    if claim and everybody:
        raise BadInput("--claim and --everybody exclude each other.")
    owner = user_of(user, everybody=everybody)
    named = names(user=user, **given)
    settings = Settings.from_environ()
    open_home(settings)
    from knowwhy.ingest.chat import chat_files
    from knowwhy.ingest.chat.places import Places, here
    from knowwhy.ingest.chat.turning import Whose

    ttl = None if ttl_days is None else timedelta(days=ttl_days)
    with course("conversation", chat_files.count_chats(paths)) as advance:
        how = chat_files.Hearing(
            settings.max_file_mb,
            Whose(**named, owner=owner),
            ttl,
            advance,
            places=Places(None if are_found else here()),
            may_be_empty=are_found,
            claims=claim,
        )
        return chat_files.ingest_chats(paths, how)


def told(turn: Any) -> dict[str, Any]:
    """Gives a turn as programs are shown it."""
    return {
        "key": turn.key,
        "at": turn.at.astimezone(UTC).isoformat(),
        "user": turn.user_id,
        "project": turn.project,
        "session": turn.session_id,
        "role": turn.role,
        "speaker": turn.speaker,
        "text": turn.content,
        "context": turn.context,
        "expires_at": turn.expires_at and turn.expires_at.astimezone(UTC).isoformat(),
    }


def _print(turns: list[Any]) -> None:
    """Prints turns as a person reads them: when, who, where, and below what was said."""
    from knowwhy.text.characters import printable

    if not turns:
        say("No such turns; --user names another user, --everybody those of no user.")
    for turn in turns:
        at = turn.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        who = turn.role if turn.speaker is None else f"{turn.speaker} ({turn.role})"
        place = " · ".join(part for part in (turn.session_id, turn.project, turn.user_id) if part)
        say_parts([at, who, place])
        for line in _lines(printable(turn.content), (columns() or PIPE) - len(INDENT)):
            click.echo(f"{INDENT}{line}".rstrip())
        click.echo()


def _lines(text: str, width: int) -> list[str]:
    """Breaks a text into lines that fit, keeping its own; of a long one the beginning."""
    cut = len(text) > SHOWN_CHARS
    shown = text[:SHOWN_CHARS].rsplit(None, 1)[0] + " …" if cut else text
    return [part for line in shown.split("\n") for part in textwrap.wrap(line, width) or [""]]
