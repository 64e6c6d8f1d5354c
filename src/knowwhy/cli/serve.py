"""The command that serves assistants over the Model Context Protocol."""

import atexit
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import click

from knowwhy.cli.opening import STOPPED, is_stopping, stopping
from knowwhy.cli.whose import names, os_user
from knowwhy.config import Settings
from knowwhy.errors import BadInput

STOP_SECONDS = 8.0  # that jobs, the worker and threads may take to end what they are at
GONE_SECONDS = 0.5  # the same over stdio, where clients kill after 2 s what has not ended
COMPUTING = "model"  # threads that write nothing and wait for work for ever: nobody waits for them

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("serve")
@click.option("--http", "address", metavar="HOST:PORT", help="Serve over HTTP instead of stdio.")
@click.option("--user", help="Who asks over stdio; the user of the operating system when left out.")
@click.option("--project", help="Only this project's records and memories, and those of none.")
@click.option(
    "--repo",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The repository; over stdio the working folder when left out.",
)
@click.option("--profile", default="default", show_default=True, help="default or all tools.")
@click.option("--allow-host", multiple=True, help="Another name that clients call this host by.")
@click.option("--allow-origin", multiple=True, help="A web page's origin that may call.")
@click.option("--tls-cert", type=FILE, help="Serve over TLS: the certificate with its chain, PEM.")
@click.option("--tls-key", type=FILE, help="The key of that certificate, PEM, without a password.")
@click.option(
    "--behind-proxy", is_flag=True, help="A proxy in front does TLS and comes for everybody."
)
def serve_command(
    address: str | None,
    user: str | None,
    project: str | None,
    repo: Path | None,
    profile: str,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    behind_proxy: bool,
) -> None:
    """Serve the memory to assistants over MCP.

    Over stdio an assistant starts it; over HTTP each user comes with a token of `knowwhy token`.
    """
    named = names(user=user, project=project)
    tls = (tls_cert, tls_key) if tls_cert is not None and tls_key is not None else None
    if (tls_cert is None) != (tls_key is None):
        raise BadInput("--tls-cert and --tls-key go together: a certificate and its key.")
    if address is None and (allow_host or allow_origin or tls or behind_proxy):
        raise BadInput(
            "--allow-host, --allow-origin, --tls-cert, --tls-key and --behind-proxy go with --http."
        )
    if address is not None and user is not None:
        raise BadInput("Over HTTP the token says who asks; --user is for stdio.")
    settings = Settings.from_environ()
    if address is not None:
        from knowwhy.mcp.http import Ways, serve_http

        serving = _serving(settings, profile, named["project"], repo, is_local=False)
        _to_the_end(
            serving,
            lambda: serve_http(
                serving, Ways(address, allow_host, allow_origin, tls, behind_proxy), stopping
            ),
            STOP_SECONDS,
        )
        return
    from knowwhy.mcp import stdio

    wire = stdio.take_streams()
    serving = _serving(settings, profile, named["project"], repo or Path.cwd(), is_local=True)
    who = named["user"] or os_user()
    _to_the_end(serving, lambda: stdio.serve_stdio(serving, who, wire), GONE_SECONDS)


def _serving(
    settings: Settings, profile: str, project: str | None, repo: Path | None, *, is_local: bool
) -> Any:
    from knowwhy.mcp.caller import Serving
    from knowwhy.mcp.jobs import Jobs
    from knowwhy.mcp.toolbox.registry import PROFILES
    from knowwhy.mcp.warm import Warm
    from knowwhy.mcp.workplace import Workplace

    if profile not in PROFILES:
        raise BadInput(f"--profile is {profile!r}; it must be {' or '.join(PROFILES)}.")
    folder = repo.resolve() if repo else None
    return Serving(
        settings=settings,
        warm=Warm(settings),
        jobs=Jobs(),
        profile=profile,
        project=project,
        workplace=Workplace(folder),
        roots=(folder,) if folder else (),
        is_local=is_local,
    )


def _to_the_end(serving: Any, serve: Any, seconds: float) -> None:
    """Serves, then ends what runs beside it, and the process whatever still holds it."""
    try:
        serve()
    finally:
        deadline = time.monotonic() + seconds
        serving.jobs.close(seconds)
        serving.warm.close(max(0.0, deadline - time.monotonic()))
    _leave(deadline)


def _leave(deadline: float) -> None:
    """Ends the process without taking it apart, which lasts longer than clients wait."""
    own = threading.current_thread()
    for thread in threading.enumerate():
        if thread is not own and not (thread.daemon or thread.name.startswith(COMPUTING)):
            thread.join(max(0.0, deadline - time.monotonic()))
    atexit._run_exitfuncs()  # among them the writer of recalls
    sys.stderr.flush()
    os._exit(STOPPED if is_stopping() else 0)
