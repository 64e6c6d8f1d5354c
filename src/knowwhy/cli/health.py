"""How well the search finds, at the command line."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.looks import say
from knowwhy.cli.opening import is_terminal, open_home, print_json, stop_if_asked
from knowwhy.config import Settings

if TYPE_CHECKING:
    from knowwhy.health.look import Look


@click.command("health")
@click.option(
    "--queries",
    type=click.IntRange(0, 1_000),
    default=50,
    show_default=True,
    help="Questions to measure with besides the 50 golden ones: asked ones and stored texts.",
)
@click.option("--baseline", is_flag=True, help="Hold later runs against what is found now.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def health_command(queries: int, baseline: bool, as_json: bool) -> int:
    """Measure the vector search; mend its index.

    Each search is made as a question makes it, and once more exactly. Below the floor, or far below
    its baseline, an index is vacuumed, then built anew. Exits with 1 while an alarm stands.
    """
    embedder = open_home(Settings.from_environ())
    from knowwhy.health.look import Asked, look

    if is_terminal() and not as_json:
        click.echo("Measuring; a large memory takes minutes …", err=True)
    asked = Asked(queries, new_baseline=baseline, keep=stop_if_asked)
    found = look(embedder, datetime.now(UTC), asked)
    if as_json:
        print_json(look_as_json(found))
    else:
        _print(found)
    return 1 if found.alarms else 0


def look_as_json(found: "Look") -> dict[str, Any]:
    """Gives a look in the stable form of docs/json.md."""
    from dataclasses import asdict

    from knowwhy.health.shown import check_data

    return {
        "measurements": [check_data(check) for check in found.checks],
        "alarms": [asdict(alarm) for alarm in found.alarms],
        "notes": found.notes,
    }


def _print(found: "Look") -> None:
    from knowwhy.health.shown import lines

    for line in lines(found.checks):
        say(line)
    for note in found.notes:
        say(note, fg="yellow")
    for alarm in found.alarms:
        say(f"{alarm.code}: {alarm.text}", fg="red")
        if alarm.run:
            say(f"run: {alarm.run}", " " * 6)
