"""Learning from conversations: by hand, in the background, and how far it is."""

from dataclasses import asdict, replace
from typing import Any

import click

from knowwhy.cli.opening import is_terminal, open_home, print_json, stop_if_asked
from knowwhy.cli.whose import names
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.types import Asker


@click.command("extract")
@click.option("--watch", is_flag=True, help="Go on with what comes in until Ctrl-C.")
@click.option("--status", "only_status", is_flag=True, help="Only tell how far it is.")
@click.option("--again", is_flag=True, help="Also read what another version read, or none could.")
@click.option("--limit", type=click.IntRange(1), help="Read so many turns at most.")
@click.option("--user", help="Only from what this user said; the others' turns go on waiting.")
@click.option("--project", help="Only from what was said in this project.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def extract_command(
    watch: bool,
    only_status: bool,
    again: bool,
    limit: int | None,
    user: str | None,
    project: str | None,
    as_json: bool,
) -> int:
    """Learn from what was said in conversations.

    Reads the turns that nobody has read, and judges each fact in them; servers do it by themselves.
    Killed at any moment it loses nothing: the same command goes on. Exits with 1 when something has
    to wait, and says why.
    """
    if watch and (only_status or limit is not None or as_json):
        raise BadInput("--watch goes with --again, --user and --project only.")
    named = names(user=user, project=project)
    how = replace(learner(Settings.from_environ()), whose=Asker(named["user"], named["project"]))
    from knowwhy.grounding import worker

    if only_status:
        _show(worker.standing(how, again=again), as_json)
        return 0
    if watch:
        _watch(how, again)
        return 0
    at_work = worker.Worker(how, stop=_stop, tell=_told if is_terminal() else _silent, again=again)
    done = at_work.run(limit)
    left = worker.standing(how, again=again)
    _report(done, left, as_json)
    return 1 if done.aside else 0


def learner(settings: Settings, *, keeping: bool = False) -> Any:
    """Opens the home and gives with what it learns."""
    embedder = open_home(settings, keeping=keeping)
    from knowwhy.grounding.learn import Learner

    return Learner(
        embedder,
        settings.extractor,
        settings.extractor_model,
        settings.daily_dollars,
        settings.max_pending,
    )


def _watch(how: Any, again: bool) -> None:
    """Works in a thread that lets others go first, until Ctrl-C."""
    from knowwhy.grounding import worker

    running = worker.start(how, again=again)
    try:
        while running.thread.is_alive():
            running.thread.join(worker.POLL)
            stop_if_asked()
    finally:
        running.stop()


def _stop() -> bool:
    stop_if_asked()
    return False


def _told(done: Any) -> None:
    if done.turns or done.facts:
        click.echo(f"{done.turns} turns read, {done.facts} facts judged", err=True)


def _silent(done: Any) -> None:
    pass


def _report(done: Any, left: Any, as_json: bool) -> None:
    why = list(dict.fromkeys(str(error) for error in done.aside.values()))
    if as_json:
        told = {"turns": done.turns, "failed": done.failed, "facts": done.facts, "kept": done.kept}
        print_json({**told, "waiting": why, "standing": asdict(left)})
        return
    statuses = ", ".join(f"{count} {status}" for status, count in sorted(done.kept.items()))
    click.echo(f"{done.turns} turns read, {done.facts} facts judged{statuses and f': {statuses}'}")
    for reason in why:
        click.echo(f"waits: {reason}", err=True)
    if left.turns or left.facts:
        click.echo(f"left: {left.turns} turns to read, {left.facts} facts to judge", err=True)
    if left.failed:
        click.echo(f"given up: {left.failed} turns; `knowwhy extract --again` tries anew", err=True)


def _show(standing: Any, as_json: bool) -> None:
    """Prints how far the learning is."""
    if as_json:
        print_json(asdict(standing))
        return
    click.echo(f"extractor  {standing.extractor}")
    click.echo(f"to read    {standing.turns} turns")
    click.echo(f"to judge   {standing.facts} facts")
    click.echo(f"given up   {standing.failed} turns")
    click.echo(f"at work    {'yes' if standing.running else 'no'}")
    click.echo(f"spent      ${standing.spent_today:.4f} today")
    if standing.problem:
        click.echo(f"problem    {standing.problem_at}: {standing.problem}")
