"""The tokens of HTTP at the command line."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from knowwhy.cli.looks import say, short
from knowwhy.cli.memory import day_end
from knowwhy.cli.opening import open_home, print_json
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.types import COLLEAGUE, RIGHTS

MOST_DAYS = 36_500
LEAST_TYPED = 6  # characters of a key: what is revoked stays so

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.group("token")
def token_command() -> None:
    """Let users in who call over HTTP.

    Whoever has a user's token may do with what is that user's what the token has the rights for.
    """


@token_command.command("add")
@click.argument("user")
@click.option("--name", help="What it is for, to tell it from others.")
@click.option(
    "--may",
    metavar="RIGHT",
    multiple=True,
    help=f"One of {', '.join(RIGHTS)}; given again for more. Left out: {', '.join(COLLEAGUE)}.",
)
@click.option("--until", metavar="DATE", help="The last day on which it holds.")
@click.option("--days", type=int, help="For how many days from now it holds.")
@JSON
def add_command(
    user: str,
    name: str | None,
    may: tuple[str, ...],
    until: str | None,
    days: int | None,
    as_json: bool,
) -> None:
    """Make a token for USER; it is shown now and never again.

    `read` searches and shows, `write` keeps and changes, `review` judges the claims that wait,
    and `metrics` reads the page /metrics, which tells of the whole home, and nothing else.
    """
    rights, end = _rights(may), _end(until, days)
    open_home(Settings.from_environ())
    from knowwhy.tables.agents import bearers

    token, made = bearers.add(user, name, rights, end)
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

    found = bearers.bearers()
    if as_json:
        print_json([_as_json(bearer) for bearer in found])
        return
    for bearer in found:
        told = [short(bearer.key), _state(bearer), _day(bearer.created_at), ",".join(bearer.rights)]
        told.append(f"used {_day(bearer.used_at)}" if bearer.used_at else "never used")
        told += [f"until {_day(bearer.expires_at)}"] if bearer.expires_at else []
        say("  ".join([*told, bearer.user_id, bearer.name or ""]).rstrip())


@token_command.command("revoke")
@click.argument("key")
@JSON
def revoke_command(key: str, as_json: bool) -> None:
    """Make a token useless from now on; KEY is the one that `list` shows, or its beginning."""
    if len(key) < LEAST_TYPED:
        raise BadInput(f"{key!r} is too short for a token: give at least {LEAST_TYPED} characters.")
    open_home(Settings.from_environ())
    from knowwhy.maas.typed_ids import one_begun
    from knowwhy.tables.agents import bearers

    revoked = bearers.revoke(one_begun(key, (bearer.key for bearer in bearers.bearers())))
    if as_json:
        print_json(_as_json(revoked))
    else:
        called = f" ({revoked.name})" if revoked.name else ""
        say(f"Revoked {revoked.key}{called} of {revoked.user_id}.")


def _rights(may: tuple[str, ...]) -> tuple[str, ...]:
    """Reads the rights, each given alone or several with commas."""
    named = [right.strip() for given in may for right in given.split(",")]
    if unknown := [right for right in named if right not in RIGHTS]:
        raise BadInput(f"--may is {unknown[0][:40]!r}; it must be one of {', '.join(RIGHTS)}.")
    return tuple(named) or COLLEAGUE


def _end(until: str | None, days: int | None) -> datetime | None:
    """Reads when a token ends, which is said in one way only."""
    if days is None:
        return day_end("--until", until)
    if until is not None:
        raise BadInput("--until and --days say the same; give one of them.")
    if not 0 < days <= MOST_DAYS:
        raise BadInput(f"--days is {days}; it must be a whole number from 1 to {MOST_DAYS:,}.")
    return datetime.now(UTC) + timedelta(days=days)


def _state(bearer: Any) -> str:
    if bearer.revoked_at:
        return "revoked"
    return "valid" if bearer.holds(datetime.now(UTC)) else "ended"


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def _as_json(bearer: Any) -> dict[str, Any]:
    moments = ("created_at", "expires_at", "used_at", "revoked_at")
    told = {name: getattr(bearer, name) for name in moments}
    return {
        "key": bearer.key,
        "user": bearer.user_id,
        "name": bearer.name,
        "state": _state(bearer),
        "rights": list(bearer.rights),
        **{name: at and at.astimezone(UTC).isoformat() for name, at in told.items()},
    }
