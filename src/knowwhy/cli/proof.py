"""The proof that an assistant's door works, printed as a green list or as what is broken."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from knowwhy.cli.opening import is_terminal, print_json
from knowwhy.config import Settings
from knowwhy.errors import Error

if TYPE_CHECKING:
    from knowwhy.mcp.proof.proof_place import Place
    from knowwhy.mcp.proof.proving import Wire

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OPEN_SECONDS = 300  # that the user's own home may take to say its embedder


def print_proof(settings: Settings, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Proves the server on a scratch home; the exit code is 0 only when every wire is whole."""
    from knowwhy.session.own_command import own_command

    command = own_command()
    with _stoppable():
        _tell("asking the home which embedder it has")
        embedder = settings.embedder or _embedder_of_home(settings, command)
        wires = _proved(command, environ, embedder)
    broken = [wire for wire in wires if not wire.is_whole]
    if as_json:
        print_json([asdict(wire) for wire in wires])
        return 1 if broken else 0
    for wire in wires:
        _print(wire)
    names = ", ".join(dict.fromkeys(wire.what for wire in broken))
    all_told = f"{len(wires)} wires, all whole"
    click.echo(f"{len(broken)} of {len(wires)} wires are broken: {names}" if broken else all_told)
    return 1 if broken else 0


def _proved(command: list[str], environ: Mapping[str, str], embedder: str | None) -> "list[Wire]":
    from knowwhy.mcp.proof.proof_place import a_place

    with a_place(command, environ, embedder) as place:
        wires = asyncio.run(_until_stopped(place))
        if wires is None:
            raise KeyboardInterrupt
        return wires


async def _until_stopped(place: "Place") -> "list[Wire] | None":
    """Proves until a signal comes; a second one does not disturb the end of the first."""
    import anyio

    from knowwhy.mcp.proof.proving import prove

    loop = asyncio.get_running_loop()
    with anyio.CancelScope() as scope:  # which stops whatever is awaited, however often
        for number in STOPPING:
            loop.add_signal_handler(number, scope.cancel)
        wires = await prove(place, _tell)
    return None if scope.cancel_called else wires


@contextmanager
def _stoppable() -> Iterator[None]:
    """Makes every polite signal end a proof as Ctrl-C does, so that nothing of it stays."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _embedder_of_home(settings: Settings, command: list[str]) -> str | None:
    """Asks the user's own home for its embedder; one that was never made takes the best."""
    from knowwhy.tables.homes import home

    mark = home.FINISHED if settings.database is None else home.FINISHED_ELSEWHERE
    if home.read_mark(settings.home, mark) is None:
        return None
    try:
        asked = subprocess.run(
            [*command, "status", "--json"],
            capture_output=True,
            text=True,
            timeout=OPEN_SECONDS,
            check=False,
        )
        return str(json.loads(asked.stdout)["embedder"])
    except subprocess.TimeoutExpired:
        said = f"it gave no answer in {OPEN_SECONDS} s"
    except (ValueError, KeyError):
        said = (asked.stderr.strip().splitlines() or ["it said nothing"])[-1]
    raise Error(
        f"The home {settings.home} does not say which embedder it has ({said}). Mend it first, see "
        "`knowwhy doctor`, or set KNOWWHY_EMBEDDER."
    )


def _print(wire: "Wire") -> None:
    if wire.is_whole:
        click.secho("ok     ", nl=False, fg="green")
        click.echo(f"{wire.what}: {wire.came}")
        return
    click.secho("broken ", nl=False, fg="red")
    click.echo(f"{wire.what}: expected {wire.expected}; came {wire.came}")


def _tell(what: str) -> None:
    """Says on a terminal what is being done; that takes a minute."""
    if is_terminal():
        click.echo(f"… {what}", err=True)
        sys.stderr.flush()
