"""Git hooks at the command line: they keep the memory of a repository fresh."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from knowwhy.cli.opening import print_json
from knowwhy.config import Settings

if TYPE_CHECKING:
    from knowwhy.session.hooks import Installed

REPO = click.option(
    "--repo",
    default=".",
    type=click.Path(path_type=Path),
    help="The repository; the working folder when left out.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
SERVICE = click.option("--service", help="The service that the records are about.")
PROJECT = click.option("--project", help="The project that the records belong to.")


@click.group("hook")
def hook_command() -> None:
    """Let git sync after each commit and merge.

    After a commit, a merge or a checkout a process of its own takes in what changed; git neither
    waits for it nor fails with it. On `git reset` git runs no hook: `knowwhy sync` takes back what
    it took away, and so does the next commit.
    """


@hook_command.command("install")
@REPO
@SERVICE
@PROJECT
@JSON
def install_command(repo: Path, service: str | None, project: str | None, as_json: bool) -> None:
    """Put the hooks in; hooks that are there already go on to run.

    They are written where core.hooksPath says, or for husky in its folder. Each work tree of a
    repository is followed when it is installed in it.
    """
    settings = Settings.from_environ()
    from knowwhy.session import hooks, own_command
    from knowwhy.session.git import open_repository

    given = {"--service": service, "--project": project}
    done = hooks.install(
        open_repository(repo),
        own_command.own_command(),
        own_command.own_environment(settings),
        own_command.secret_variables(settings),
        [word for option, value in given.items() if value for word in (option, value)],
    )
    _print(done, as_json)


@hook_command.command("remove")
@REPO
@JSON
def remove_command(repo: Path, as_json: bool) -> None:
    """Take the hooks out; what was there before stays."""
    from knowwhy.session import hooks
    from knowwhy.session.git import open_repository

    _print(hooks.remove(open_repository(repo)), as_json)


@hook_command.command("status")
@REPO
@JSON
def status_command(repo: Path, as_json: bool) -> int:
    """Tell whether the hooks are installed and what they did last; the exit code is 1 when not."""
    from knowwhy.session import hooks
    from knowwhy.session.git import open_repository

    found = hooks.standing(open_repository(repo))
    is_good = found.is_installed and found.is_runnable and not found.missing
    if as_json:
        print_json(asdict(found))
        return 0 if is_good else 1
    if not found.is_installed:
        click.echo("Not installed; `knowwhy hook install` puts the hooks in.")
        return 1
    for hook in found.missing:
        click.echo(f"{hook} in {found.folder} does not call us; `knowwhy hook install` mends it.")
    if not found.is_runnable:
        click.echo(f"{found.command} is gone; run `knowwhy hook install` again.")
    if is_good:
        click.echo(f"Installed in {found.folder}.")
    if (last := found.last) is None:
        click.echo("No sync has ended yet.")
    else:
        how = "well" if last.code == 0 else f"with {last.code}; see {found.log}"
        click.echo(f"Last sync after {last.because}, {last.at}: ended {how}, {last.seconds} s.")
    return 0 if is_good else 1


@hook_command.command("run", hidden=True)
@REPO
@SERVICE
@PROJECT
@click.option("--because", default="hand", help="The hook that asks.")
def run_command(repo: Path, service: str | None, project: str | None, because: str) -> None:
    """Sync after git has moved a work tree; what hooks start."""
    from knowwhy.session.following import FOLDER, follow
    from knowwhy.session.git import open_repository
    from knowwhy.session.own_command import own_command

    place = open_repository(repo).place
    given = {"--service": service, "--project": project}
    options = [word for option, value in given.items() if value for word in (option, value)]
    follow(place.git / FOLDER, [*own_command(), "sync", str(place.folder), *options], because)


def _print(done: "Installed", as_json: bool) -> None:
    if as_json:
        print_json(asdict(done))
        return
    for hook, what in done.files:
        click.echo(f"{what:<14}{done.folder / hook}")
    for note in done.notes:
        click.echo(f"note: {note}", err=True)
    if not done.files and not done.notes:
        click.echo("There was nothing to remove.")
