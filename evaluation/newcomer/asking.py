"""Asks the questions on one repository: `python -m evaluation.newcomer.asking CHECKOUT`.

Reads one question a line from stdin and writes one row a question to stdout, with exactly what the
commands printed. The home is that of the environment.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        with _overheard() as answers:
            search = _run(search_command, "--k", str(K), "--", row["text"])
        [answer] = answers
        shown = {
            "id": row["id"],
            "search": search,
            "context": _run(context_command, "--tokens", str(TOKENS), "--", row["text"]),
            "knows": answer["knows"],
            "paths": [hit["path"] or hit["key"] for hit in answer["hits"]],
        }
        print(json.dumps(shown, ensure_ascii=False), file=out, flush=True)


def _run(command: click.Command, *arguments: str) -> str:
    """Calls a command as the shell would and gives what it printed."""
    done = CliRunner(env={"COLUMNS": str(COLUMNS)}).invoke(command, arguments)
    if done.exception is not None:
        raise SystemExit(f"{command.name} failed on {arguments[-1]!r}: {done.exception!r}")
    return done.stdout


@contextmanager
def _overheard() -> Iterator[list[dict[str, Any]]]:
    """Keeps the answer that is printed, as --json gives it: to ask again would take as long."""
    from knowwhy.cli import pages

    answers: list[dict[str, Any]] = []
    printed: Callable[..., None] = pages.print_answer

    def heard(answer: Any, **how: Any) -> None:
        answers.append(pages.answer_as_json(answer, explain=False))
        printed(answer, **how)

    setattr(pages, "print_answer", heard)  # noqa: B010
    try:
        yield answers
    finally:
        setattr(pages, "print_answer", printed)  # noqa: B010


if __name__ == "__main__":
    main()
