"""Pools at the command line: opened, joined, lent to, asked."""

from typing import Any

import click

from knowwhy.cli.ask import hand_out
from knowwhy.cli.looks import say, short
from knowwhy.cli.opening import opened_for, print_json
from knowwhy.cli.whose import owned, words
from knowwhy.types import Filters

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
AGENT = click.option("--agent", required=True, help="The id of the agent of yours that acts.")
POOL, OTHER, KEY = (click.argument(name) for name in ("pool", "other", "key"))
PERMISSION = click.option(
    "--permission", default="read", show_default=True, help="read, write or admin."
)


def acts(command: Any) -> Any:
    """Adds what every act with a pool takes: the agent that acts, its owner, and --json."""
    for option in (JSON, owned, AGENT):
        command = option(command)
    return command


@click.group("pools")
def pools_command() -> None:
    """Let agents lend each other memories.

    POOL, OTHER and --agent are ids. What a pool lends is found by the searches of its members'
    owners too; `search --pool` asks only there.
    """


@pools_command.command("create")
@click.argument("name")
@click.option(
    "--scope",
    default="team",
    show_default=True,
    help="agent-private, user, project, team or global.",
)
@acts
def create_command(name: str, scope: str, agent: str, as_json: bool, **who: Any) -> None:
    """Open a pool, and print its id; the agent is its admin."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import pools

    made = pools.create(asker, settings, agent, name, scope)
    told = {"pool": made.key, "name": made.name, "scope": made.scope, "project": made.project}
    _say(made.key, told, as_json=as_json)


@pools_command.command("list")
@acts
def list_command(agent: str, as_json: bool, **who: Any) -> None:
    """List the open pools that an agent is in or invited to."""
    asker, settings, _ = opened_for(**who)
    from dataclasses import asdict

    from knowwhy.maas import pools

    found = pools.seats(asker, settings, agent)
    if as_json:
        print_json([asdict(seat) for seat in found])
        return
    for seat in found:
        holds = f"{seat.members} members, {seat.shared} memories"
        cells = [short(seat.pool), seat.scope, seat.state, seat.permission, holds, seat.name]
        say("  ".join(cells))
    if not found:
        click.echo("That agent is in no pool; `knowwhy pools create NAME --agent A` makes one.")


@pools_command.command("members")
@POOL
@acts
def members_command(pool: str, agent: str, as_json: bool, **who: Any) -> None:
    """List who is in a pool or invited to it."""
    asker, settings, _ = opened_for(**who)
    from dataclasses import asdict

    from knowwhy.maas import membership

    found = membership.companions(asker, settings, agent, pool)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        state = f"{one.state}, deactivated" if one.is_active is False else one.state
        cells = [short(one.agent_id), state, one.permission, one.type or "", one.name or ""]
        say("  ".join(filter(None, cells)))


@pools_command.command("invite")
@POOL
@OTHER
@PERMISSION
@acts
def invite_command(
    pool: str, other: str, permission: str, agent: str, as_json: bool, **who: Any
) -> None:
    """Let another agent, of whatever owner, join a pool with a permission."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import membership

    membership.invite(asker, settings, agent, pool, other, permission)
    _member(f"{other} may join as {permission}.", pool, other, permission, as_json=as_json)


@pools_command.command("permit")
@POOL
@OTHER
@click.argument("permission")
@acts
def permit_command(
    pool: str, other: str, permission: str, agent: str, as_json: bool, **who: Any
) -> None:
    """Change what an agent may do in a pool: read, write or admin."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import membership

    membership.permit(asker, settings, agent, pool, other, permission)
    _member(f"{other} has {permission} there now.", pool, other, permission, as_json=as_json)


@pools_command.command("remove")
@POOL
@OTHER
@acts
def remove_command(pool: str, other: str, agent: str, as_json: bool, **who: Any) -> None:
    """Take another agent out of a pool, or its invitation back."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import membership

    membership.remove(asker, settings, agent, pool, other)
    _member(f"{other} is out of the pool.", pool, other, None, as_json=as_json)


@pools_command.command("join")
@POOL
@acts
def join_command(pool: str, agent: str, as_json: bool, **who: Any) -> None:
    """Let an agent into a pool that it was invited to, or that is open to it."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import membership

    may = membership.join(asker, settings, agent, pool).permission
    _member(f"{agent} is in the pool with {may}.", pool, agent, may, as_json=as_json)


@pools_command.command("leave")
@POOL
@acts
def leave_command(pool: str, agent: str, as_json: bool, **who: Any) -> None:
    """Take an agent out of a pool, or decline an invitation; who leaves last closes it."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import membership

    membership.leave(asker, settings, agent, pool)
    _member(f"{agent} has left the pool.", pool, agent, None, as_json=as_json)


@pools_command.command("archive")
@POOL
@acts
def archive_command(pool: str, agent: str, as_json: bool, **who: Any) -> None:
    """Close a pool for good; what was lent stays its owners'."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import pools

    pools.archive(asker, settings, agent, pool)
    _say(f"The pool {pool} is archived.", {"pool": pool}, as_json=as_json)


@pools_command.command("share")
@POOL
@KEY
@acts
def share_command(pool: str, key: str, agent: str, as_json: bool, **who: Any) -> None:
    """Lend a memory of yours to the members of a pool; nothing is copied."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import shared

    shared.share(asker, settings, agent, pool, key)
    _say(f"The pool lends {key} now.", {"pool": pool, "key": key}, as_json=as_json)


@pools_command.command("withdraw")
@POOL
@KEY
@acts
def withdraw_command(pool: str, key: str, agent: str, as_json: bool, **who: Any) -> None:
    """Lend a memory no longer; the memory itself stays as it is."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import shared

    shared.withdraw(asker, settings, agent, pool, key)
    _say(f"The pool lends {key} no longer.", {"pool": pool, "key": key}, as_json=as_json)


@pools_command.command("query")
@words("question")
@click.option("--pool", help="Only this one; all that the agent is in when left out.")
@click.option("--k", default=5, show_default=True, help="How many hits to give.")
@acts
def query_command(
    question: str, pool: str | None, k: int, agent: str, as_json: bool, **who: Any
) -> None:
    """Ask what pools lend to an agent, and nothing else."""
    asker, settings, embedder = opened_for(**who)
    from knowwhy.retrieval.pooled import query

    answer = query(asker, settings, agent, question, embedder=embedder, pool=pool, k=k)
    hand_out(answer, Filters(asker=asker), asker, as_json=as_json, agent=agent)


def _member(said: str, pool: str, agent: str, permission: str | None, *, as_json: bool) -> None:
    _say(said, {"pool": pool, "agent": agent, "permission": permission}, as_json=as_json)


def _say(said: str, told: dict[str, Any], *, as_json: bool) -> None:
    """Says what was done, to a person or to a program."""
    if as_json:
        print_json(told)
    else:
        click.echo(said)
