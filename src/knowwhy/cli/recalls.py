"""The searches that were made, at the command line."""

from dataclasses import asdict
from datetime import UTC
from typing import Any

import click

from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import asker, whose
from knowwhy.config import Settings
from knowwhy.types import Recall


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
    from knowwhy.text.characters import one_line

    at = recall.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    who = " · ".join(part for part in (recall.agent_id, recall.user_id, recall.project) if part)
    about = [at, recall.question_class or "", f"{len(recall.result_keys)} hits", who]
    click.secho(one_line("  ".join(part for part in about if part)), dim=True)
    click.echo(one_line(recall.question))
    for number, key in enumerate(recall.result_keys, 1):
        ranks = (recall.ranks or {}).get(key, {})
        legs = ", ".join(f"{leg} {rank}" for leg, rank in ranks.items())
        click.echo(one_line(f"  {number}. {key}" + (f"  ({legs})" if legs else "")))
