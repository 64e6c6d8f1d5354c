"""Connecting assistants at the command line."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from knowwhy.cli.looks import say
from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotFound

if TYPE_CHECKING:
    from knowwhy.session.client_files import Client, Way


@click.command("connect")
@click.argument("client", required=False)
@click.option("--write", is_flag=True, help="Write the client's file; the rest of it stays.")
@click.option("--global", "is_user", is_flag=True, help="For all projects of the user.")
@click.option("--http", "url", metavar="URL", help="A server that runs already, shared by many.")
@click.option("--token-env", metavar="NAME", help="The variable that holds its token.")
@click.option(
    "--repo",
    type=click.Path(path_type=Path),
    help="The repository that is worked in; the working folder when left out.",
)
def connect_command(
    client: str | None,
    write: bool,
    is_user: bool,
    url: str | None,
    token_env: str | None,
    repo: Path | None,
) -> None:
    """Connect an assistant.

    Its configuration is printed, or written. Without CLIENT the known ones are listed. The
    client starts the server itself, unless --http names one that runs already.
    """
    from knowwhy.session import client_files, untracked

    if client is None:
        _list()
        return
    if token_env and not url:
        raise BadInput("--token-env belongs to --http: a server that is started here needs none.")
    project = _project(repo or Path())
    to = client_files.client(client)
    is_user = is_user or not to.project
    file = client_files.file_of(to, project, Path.home(), is_user=is_user)
    way = client_files.shared(url, token_env) if url else _served(to, project, repo, is_user)
    if client_files.is_open(way):
        click.echo("note: the token travels readable over http://; use https://.", err=True)
    if write:
        is_new = client_files.write(to, way, file)
        say(f"{to.title}: {'wrote' if is_new else 'nothing to change in'} {file}")
        if not is_user and not url and (said := untracked.keep_out(file)):
            say(f"note: {said}.", err=True)
        say(f"next: {client_files.asks_next(to, is_user=is_user)}", after=" " * len("next: "))
        return
    _print(to, way, file, is_user)


def _project(folder: Path) -> Path:
    """Finds the top of the repository that a folder belongs to; clients look for files there."""
    from knowwhy.session.git import open_repository

    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder.")
    try:
        return open_repository(folder).place.folder
    except (BadInput, NotFound):
        return folder.absolute()


def _list() -> None:
    from knowwhy.session.client_files import CLIENTS

    for client in CLIENTS.values():
        files = [*client.project[:1], *(f"~/{name}" for name in client.user[:1])]
        say(f"{client.name:<16}{client.title:<16}{', '.join(files)}", after=" " * 16)


def _served(to: "Client", project: Path, repo: Path | None, is_user: bool) -> "Way":
    from knowwhy.session import client_files, own_command

    settings = Settings.from_environ()
    if secrets := own_command.secret_variables(settings):
        say(
            f"note: {' and '.join(secrets)} may hold a password and is left out; set it where the "
            "client runs.",
            err=True,
        )
    place = str(project) if repo else None if is_user else to.folder
    if is_user and not to.in_project:
        place = _only_repository(to, project, is_chosen=repo is not None)
    return client_files.served(
        own_command.own_command(), own_command.own_environment(settings), place
    )


def _only_repository(to: "Client", project: Path, *, is_chosen: bool) -> str | None:
    """Chooses the repository of a client that starts servers in a folder of its own, and says so.

    Its configuration is one for all projects, so it has one repository, or none.
    """
    if is_chosen or (not to.project and (project / ".git").exists()):
        again = "connect again there, or with --repo, for another one"
        say(f"note: {to.title} will work in {project} only; {again}.", err=True)
        return str(project)
    instead = "leave --global out in a project" if to.project else "connect in one"
    say(
        f"note: {to.title} may start the server outside of your repository, and tools for the "
        f"session then have none; {instead}, or name one with --repo.",
        err=True,
    )
    return None


def _print(to: "Client", way: "Way", file: Path, is_user: bool) -> None:
    from knowwhy.session import client_files

    ours = client_files.entry(to, way)
    if pasted := client_files.pasted(to, way, is_user=is_user):
        click.echo(f"# paste this:\n{pasted}\n\n# or put this into {file}, or use --write:")
    else:
        click.echo(f"# put this into {file}, or use --write:")
    fresh = client_files.written(to, "", ours, file)
    click.echo(fresh if file.suffix == ".toml" else json.dumps(json.loads(fresh), indent=2))
