"""The repository in front of us at the command line: what one works on, and its commits."""

import json
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.looks import say
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import asker, whose, words
from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotFound

if TYPE_CHECKING:
    from knowwhy.session.state import Commit
    from knowwhy.tables.tasks import Task

REPO = click.option(
    "--repo",
    type=click.Path(path_type=Path),
    help="The repository; the one around the working folder when left out.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.group("task")
def task_command() -> None:
    """Say what you work on, and see it again.

    It is your own, of this repository, and stays until it is set anew or cleared. Work trees and
    clones of one remote are one repository.
    """


@task_command.command("set")
@words("text")
@click.option("--details", metavar="JSON", help="More about it, as a JSON object.")
@REPO
@whose
@JSON
def set_command(
    text: str,
    details: str | None,
    repo: Path | None,
    user: str | None,
    everybody: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Note what you work on, in place of what was noted before."""
    who, known = asker(user, project, everybody=everybody), _details(details)
    repository, *_ = _names(repo)
    open_home(Settings.from_environ())
    from knowwhy.session.task import set_task

    _print_task(set_task(who, repository, text, known), as_json)


@task_command.command("show")
@REPO
@whose
@JSON
def show_command(
    repo: Path | None, user: str | None, everybody: bool, project: str | None, as_json: bool
) -> None:
    """Show what you work on."""
    who, names = asker(user, project, everybody=everybody), _names(repo)
    open_home(Settings.from_environ())
    from knowwhy.session.task import get_task

    _print_task(get_task(who, *names), as_json)


@task_command.command("clear")
@REPO
@whose
@JSON
def clear_command(
    repo: Path | None, user: str | None, everybody: bool, project: str | None, as_json: bool
) -> None:
    """Take out what you worked on, and show it a last time."""
    who, names = asker(user, project, everybody=everybody), _names(repo)
    open_home(Settings.from_environ())
    from knowwhy.session.task import clear_task

    _print_task(clear_task(who, *names), as_json)


@click.command("commits")
@click.argument("words", nargs=-1)
@click.option("--author", help="Only by authors in whose names this stands.")
@click.option("--path", help="Only those that changed this file or folder.")
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="Most.")
@REPO
@JSON
def commits_command(
    words: tuple[str, ...],
    author: str | None,
    path: str | None,
    limit: int,
    repo: Path | None,
    as_json: bool,
) -> None:
    """Find commits by words, or by an id.

    The words are looked for in their messages, authors and paths. Without words the last ones
    are listed.
    """
    from knowwhy.session.git import open_repository

    repository = open_repository(repo or Path())
    found = repository.search_commits(" ".join(words), limit, author=author, path=path)
    commits = [one.commit for one in found]
    if as_json:
        print_json([commit_as_json(commit) for commit in commits])
    elif commits:
        _print_commits(commits)
    else:
        click.echo("No such commits." if words else str(repository.branch()))


def commit_as_json(commit: "Commit") -> dict[str, Any]:
    """Gives a commit as programs are shown it."""
    return {
        "id": commit.id,
        "author": commit.author,
        "at": commit.at.isoformat(),
        "subject": commit.subject,
        "body": commit.body,
        "files": [
            {"path": file.path, "state": file.state, "old_path": file.old_path}
            for file in commit.files
        ],
    }


def task_as_json(task: "Task | None") -> dict[str, Any] | None:
    """Gives a task as programs are shown it."""
    if task is None:
        return None
    return {
        "task": task.task,
        "details": dict(task.details),
        "user": task.user_id,
        "project": task.project,
        "repository": task.repository,
        "at": task.at.astimezone(UTC).isoformat(),
        "touched_at": task.touched_at.astimezone(UTC).isoformat(),
    }


def _names(repo: Path | None) -> tuple[Any, ...]:
    """Names the repository as now and as before; where none was asked for there may be none."""
    from knowwhy.session.git import open_repository

    try:
        repository = open_repository(repo or Path())
        return repository.identity(), *repository.earlier_names()
    except NotFound:
        if repo is not None:
            raise
        return (None,)


def _details(written: str | None) -> dict[str, Any]:
    try:
        read = json.loads(written or "{}")
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise BadInput('--details takes a JSON object like {"issue": 12}.')
    return read


def _print_task(task: "Task | None", as_json: bool) -> None:
    from knowwhy.text.characters import printable

    if as_json:
        print_json(task_as_json(task))
    elif task is None:
        click.echo('No task is set here; `knowwhy task set "…"` sets one.')
    else:
        begun = task.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        click.echo(printable(task.task))
        if task.details:
            click.echo(json.dumps(dict(task.details), ensure_ascii=False, indent=2))
        click.echo(f"since {begun}, in {printable(task.repository or 'no repository')}")


def _print_commits(commits: "Sequence[Commit]") -> None:
    for commit in commits:
        at = commit.at.strftime("%Y-%m-%d")
        say(f"{commit.short}  {at}  {commit.author}: {commit.subject}")
