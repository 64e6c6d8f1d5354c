"""Opens the home for a command and passes on what its user should know."""

import json
import sys
from typing import Any

import click

from knowwhy.config import Settings


def open_home(settings: Settings) -> str:
    """Opens the home, making it first when there is none; gives the embedder of its vectors."""
    from knowwhy.tables.connect import connect

    opened = connect(settings)
    for note in opened.notes:
        click.echo(f"note: {note}", err=True)
    return opened.embedder


def print_json(value: Any) -> None:
    """Prints a value as JSON for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def is_terminal() -> bool:
    """Tells whether a person reads stderr, where progress is shown."""
    return sys.stderr.isatty()
