"""The audit at the command line: what agents did, and whether all of it is still there."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.looks import say
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import OPTIONS, owner, typed
from knowwhy.config import Settings
from knowwhy.errors import BadInput

if TYPE_CHECKING:
    from knowwhy.tables.agents.audit_rows import Act

BROKEN = 1  # the exit code when a row was changed or is missing
MOST = 100_000  # acts that are shown at once
SHOWN_FAULTS = 20  # that a person is shown
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.command("audit")
@click.option("--agent", help="Only what this agent of yours did.")
@click.option("--since", help="Only since then: 2026-11-19, 2026-11-19T08:30Z, 30m, 12h or 7d.")
@click.option("--limit", default=100, show_default=True, help="How many at most, the newest.")
@click.option("--verify", is_flag=True, help="Read the chain of all acts of the home instead.")
@OPTIONS[0]
@JSON
def audit_command(
    agent: str | None,
    since: str | None,
    limit: int,
    verify: bool,
    user: str | None,
    as_json: bool,
) -> None:
    """Show what your agents did, and prove it.

    That nothing of it was changed can be proved. Each act is a row: who, what, on what, how it
    ended, when. --verify reads the acts of every owner and shows none; its exit code is 1 when
    one was changed or is missing.
    """
    if verify and (agent or since):
        raise BadInput("--verify reads all acts; it goes with --json only.")
    if not 1 <= limit <= MOST:
        raise BadInput(f"--limit must be from 1 to {MOST:,}.")
    agent = typed({"agent": agent, "user": user})["agent"]
    who, moment = owner(user, None), None if since is None else _moment(since)
    open_home(Settings.from_environ())
    if verify:
        _verify(as_json=as_json)
        return
    from knowwhy.maas import agents
    from knowwhy.maas.acting import owner_of
    from knowwhy.tables.agents import audit_rows

    key = agents.look_up(who, agent).key if agent else None
    found = audit_rows.acts(user_id=owner_of(who), agent_id=key, since=moment, most=limit)
    if as_json:
        print_json([_as_json(act) for act in found])
    else:
        _print(found)


def _moment(written: str) -> datetime:
    from knowwhy.text.times import parse_span, parse_time

    if (ago := parse_span(written)) is not None:
        return datetime.now(UTC) - ago
    moment = parse_time(written)
    if moment is None:
        raise BadInput("--since is a date, a time like 2026-11-19T08:30Z, or 30m, 12h or 7d.")
    return moment


def _verify(*, as_json: bool) -> None:
    from knowwhy.tables.agents import audit_rows

    rows, faults = audit_rows.faults()
    if as_json:
        print_json({"acts": rows, "is_whole": not faults, "faults": faults})
    else:
        for fault in faults[:SHOWN_FAULTS]:
            click.echo(fault)
        if len(faults) > SHOWN_FAULTS:
            click.echo(f"… and {len(faults) - SHOWN_FAULTS} more; --json shows all")
        state = f"{len(faults)} faults" if faults else "whole"
        click.echo(f"{rows:,} acts: {state}.")
    if faults:
        raise click.exceptions.Exit(BROKEN)


def _as_json(act: "Act") -> dict[str, Any]:
    return {
        "number": act.number,
        "at": act.at.astimezone(UTC).isoformat(),
        "agent": act.agent_id,
        "act": act.act,
        "target": act.target,
        "outcome": act.outcome,
        "reason": act.reason,
    }


def _print(found: Iterable["Act"]) -> None:
    is_empty = True
    for act in found:
        is_empty = False
        at = act.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
        ended = act.outcome if act.reason is None else f"{act.outcome} ({act.reason})"
        cells = [str(act.number), at, act.agent_id or "the owner", act.act, act.target or "", ended]
        say("  ".join(cell for cell in cells if cell))
    if is_empty:
        click.echo("No acts of your agents.")
