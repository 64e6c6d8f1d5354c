"""The tokens of HTTP at the command line."""

from datetime import UTC
from typing import Any

import click

from knowwhy.cli.opening import open_home, print_json
from knowwhy.config import Settings

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.group("token")
def token_command() -> None:
    """Make, list and revoke the tokens with which users call over HTTP.

    Whoever has a user's token sees and writes what is that user's.
    """


@token_command.command("add")
@click.argument("user")
@click.option("--name", help="What it is for, to tell it from others.")
@JSON
def add_command(user: str, name: str | None, as_json: bool) -> None:
    """Make a token for USER; it is shown now and never again."""
    open_home(Settings.from_environ())
    from knowwhy.tables.agents import bearers

    token, made = bearers.add(user, name)
    if as_json:
        print_json({**_as_json(made), "token": token})
        return
    click.echo(token)
    click.echo(f"{made.key} of {made.user_id}: it is not kept and not shown again.", err=True)


@token_command.command("list")
@JSON
def list_command(as_json: bool) -> None:
    """List the tokens, newest first, without their secrets."""
    open_home(Settings.from_environ())
    from knowwhy.tables.agents import bearers
    from knowwhy.text.characters import one_line

    found = bearers.bearers()
    if as_json:
        print_json([_as_json(bearer) for bearer in found])
        return
    for bearer in found:
        state = "revoked" if bearer.revoked_at else "valid"
        made = bearer.created_at.astimezone(UTC).date().isoformat()
        click.echo(
            one_line("  ".join([bearer.key, state, made, bearer.user_id, bearer.name or ""]))
        )


@token_command.command("revoke")
@click.argument("key")
@JSON
def revoke_command(key: str, as_json: bool) -> None:
    """Make a token useless from now on; KEY is the one that `list` shows."""
    open_home(Settings.from_environ())
    from knowwhy.tables.agents import bearers

    revoked = bearers.revoke(key)
    if as_json:
        print_json(_as_json(revoked))
    else:
        click.echo(f"Revoked {revoked.key} of {revoked.user_id}.")


def _as_json(bearer: Any) -> dict[str, Any]:
    return {
        "key": bearer.key,
        "user": bearer.user_id,
        "name": bearer.name,
        "created_at": bearer.created_at.astimezone(UTC).isoformat(),
        "revoked_at": bearer.revoked_at and bearer.revoked_at.astimezone(UTC).isoformat(),
    }
