"""The command that changes the model of a home's vectors."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import click

from knowwhy.cli.opening import is_terminal, print_json, stop_if_asked
from knowwhy.cli.progress import WIDE, Course
from knowwhy.config import Settings

TOLD_EACH = 10  # percent of the texts between two lines, where no bar can be shown
WIDTH = 10  # characters of a label


@click.command("reembed")
@click.option("--to", "wanted", help="The model to change to; KNOWWHY_EMBEDDER when left out.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def reembed_command(wanted: str | None, dry_run: bool, as_json: bool) -> None:
    """Change the model that makes the vectors.

    Searches use the old vectors until the new ones are complete, then only those; writers wait for
    some seconds, which are reported. Killed at any moment, the same command goes on. Without --to
    it goes on with the model that was begun with, or changes to the one that is set.
    """
    settings = Settings.from_environ()
    from knowwhy.tables.connect import connect

    for note in connect(settings, changing=True).notes:
        click.echo(f"note: {note}", err=True)
    stop_if_asked()
    from knowwhy import reembed

    wanted = wanted or settings.embedder
    if dry_run:
        _show_plan(reembed.plan(wanted), as_json)
        return
    with _told() as tell:
        report = reembed.reembed(wanted, tell)
    _show(report, as_json)


@contextlib.contextmanager
def _told() -> Iterator[Callable[[str, int, int], None]]:
    """Shows on a terminal a line that rewrites itself, else a line for each step and tenth."""
    if not is_terminal():
        yield _Lines()
        return
    made = Course("reembed", "", 0)
    try:
        yield made.stand
    finally:
        made.clear()


class _Lines:
    """Progress as lines: what is done now, how far it is, and how long the rest will take."""

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None
        self._course = Course("reembed", "", 0)

    def __call__(self, what: str, done: int, total: int) -> None:
        self._course.note(what, done, total)
        tenth = done * 100 // (total * TOLD_EACH) if total else 0
        if (what, tenth) != self._last:
            self._last = what, tenth
            click.echo(self._course.line(WIDE), err=True)


def _show_plan(plan: Any, as_json: bool) -> None:
    if as_json:
        from dataclasses import asdict

        print_json(asdict(plan))
        return
    _line("from", f"{plan.before} ({plan.before_tag})")
    _line("to", f"{plan.embedder} ({plan.tag})")
    if plan.before_tag == plan.tag and not plan.unfinished:
        _line("to do", "nothing; the vectors are of that model")
        return
    _line("texts", f"{plan.texts}, of which {plan.staged} are staged already")


def _show(report: Any, as_json: bool) -> None:
    if as_json:
        print_json(report.as_json())
        return
    if not report.changed and not report.seconds:
        click.echo(f"The vectors are made by {report.embedder} ({report.tag}) already.")
        return
    _line("to", f"{report.embedder} ({report.tag})")
    _line("texts", f"{report.embedded} embedded, {report.staged_before} staged before")
    waited = ", ".join(f"{base} {seconds:.1f} s" for base, seconds in report.paused.items())
    _line("paused", f"{waited}; a writer waited {report.longest_pause:.1f} s at most")
    took = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in report.seconds.items())
    _line("took", took)
    _line("freed", f"{report.freed_mb} MB")


def _line(name: str, value: str) -> None:
    click.echo(f"{name:<{WIDTH}}{value}")
