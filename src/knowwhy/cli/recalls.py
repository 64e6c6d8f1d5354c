"""The searches that were made, at the command line."""

from dataclasses import asdict
from datetime import UTC
from typing import Any

import click

from knowwhy.cli.looks import say, say_parts, short
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import asker, whose
from knowwhy.config import Settings
from knowwhy.types import Recall

# What is shown in the place of a question where there was none.
NO_QUESTION = {"newest": "(the newest memories)", "applying": "(the rules that apply)"}


@click.command("recalls")
@whose
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    help="How many searches at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def recalls_command(
    user: str | None, everybody: bool, project: str | None, limit: int, as_json: bool
) -> None:
    """List what was asked last and what it gave.

    Each search leaves one row; secrets in questions are redacted. Another user's are shown only
    when they are asked for by --user.
    """
    who = asker(user, project, everybody=everybody)
    open_home(Settings.from_environ())
    from knowwhy.tables import queries

    found = queries.recalls(limit, who)
    if as_json:
        print_json([recall_as_json(recall) for recall in found])
        return
    if not found:
        click.echo("Nothing has been asked yet.")
    for recall in found:
        _print(recall)


def recall_as_json(recall: Recall) -> dict[str, Any]:
    """Gives a search in the stable form of docs/json.md."""
    shown = {**asdict(recall), "result_keys": list(recall.result_keys)}
    return {**shown, "at": recall.at.astimezone(UTC).isoformat()}


def _print(recall: Recall) -> None:
    at = recall.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    who = " · ".join(part for part in (recall.agent_id, recall.user_id, recall.project) if part)
    about = [at, recall.question_class or "", f"{len(recall.result_keys)} hits", who]
    say("  ".join(part for part in about if part), dim=True)
    say(recall.question or NO_QUESTION.get(recall.question_class or "", ""))
    for number, key in enumerate(recall.result_keys, 1):
        ranks = (recall.ranks or {}).get(key, {})
        legs = ", ".join(f"{leg} {rank}" for leg, rank in ranks.items())
        say_parts([f"{number}. {short(key)}", f"({legs})" if legs else ""], "  ")
