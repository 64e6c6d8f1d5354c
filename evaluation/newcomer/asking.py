"""Asks the questions on one repository: `python -m evaluation.newcomer.asking CHECKOUT`.

Reads one question a line from stdin and writes one row a question to stdout, with exactly what the
commands printed. The home is that of the environment.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import click
from click.testing import CliRunner

K = 3  # hits that a newcomer reads
TOKENS = 1200  # of a context for a model
COLUMNS = 100


def main() -> None:
    """Asks each question as soon as it is read."""
    from knowwhy.cli.ask import search_command
    from knowwhy.cli.context import context_command

    out = sys.stdout
    os.chdir(sys.argv[1])  # after the start: no file of the checkout is ever imported
    for row in map(json.loads, sys.stdin):
        text = row["text"]
        found = json.loads(_run(search_command, "--k", str(K), "--json", "--", text))
        shown = {
            "id": row["id"],
            "search": _run(search_command, "--k", str(K), "--", text),
            "context": _run(context_command, "--tokens", str(TOKENS), "--", text),
            "knows": found["knows"],
            "paths": list(_paths(found["hits"])),
        }
        print(json.dumps(shown, ensure_ascii=False), file=out, flush=True)


def _run(command: click.Command, *arguments: str) -> str:
    """Calls a command as the shell would and gives what it printed."""
    done = CliRunner(env={"COLUMNS": str(COLUMNS)}).invoke(command, arguments)
    if done.exception is not None:
        raise SystemExit(f"{command.name} failed on {arguments[-1]!r}: {done.exception!r}")
    return done.stdout


def _paths(hits: list[dict[str, Any]]) -> Iterator[str]:
    for hit in hits:
        yield hit["path"] or hit["key"]


if __name__ == "__main__":
    main()
