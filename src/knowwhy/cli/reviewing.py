"""Claims that wait for a person, at the command line."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import click

from knowwhy.cli.looks import say, short
from knowwhy.cli.opening import open_memories, print_json
from knowwhy.cli.whose import asker, hand, whose, words
from knowwhy.config import Settings

if TYPE_CHECKING:
    from knowwhy.grounding.review import Outcome

KEYS = click.argument("keys", nargs=-1, required=True, metavar="KEY...")
LIMIT = click.option(
    "--limit", type=click.IntRange(1, 1_000), default=50, show_default=True, help="How many."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


class Listing(click.Group):
    """Lists what waits when nothing else is asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `list` before options that stand alone."""
        is_command = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if is_command else ["list", *args])


@click.group("review", cls=Listing)
def review_command() -> None:
    """Judge the claims that wait.

    One sees and judges one's own; a claim of no user, made for a project or for everybody, is
    judged by anybody who sees it.
    """


@review_command.command("list")
@whose
@LIMIT
@JSON
def list_command(
    user: str | None, everybody: bool, project: str | None, limit: int, as_json: bool
) -> None:
    """List the claims that wait, the oldest first."""
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.cli.memory_pages import print_memories
    from knowwhy.grounding import review
    from knowwhy.grounding.memory_fields import memory_as_json

    waiting = review.pending(who, limit, now=datetime.now(UTC))
    if as_json:
        print_json([memory_as_json(memory) for memory in waiting])
    else:
        print_memories(waiting, "Nothing waits for review.")


@review_command.command("approve")
@KEYS
@whose
@JSON
def approve_command(
    keys: tuple[str, ...], user: str | None, everybody: bool, project: str | None, as_json: bool
) -> None:
    """Take in claims that wait, as they are."""
    who = asker(user, project, everybody=everybody)
    embedder = open_memories(Settings.from_environ())
    from knowwhy.grounding import review

    now = datetime.now(UTC)
    approve = partial(review.approve, who, embedder=embedder, now=now, hand=hand())
    _tell_each(review.each(keys, approve), "Approved", as_json=as_json)


@review_command.command("correct")
@click.argument("key")
@words("text")
@whose
@JSON
def correct_command(
    key: str, text: str, user: str | None, everybody: bool, project: str | None, as_json: bool
) -> None:
    """Take in a claim that waits in other words.

    The exit code is that of `remember`; when the new text is refused the claim goes on waiting.
    """
    who = asker(user, project, everybody=everybody)
    embedder = open_memories(Settings.from_environ())
    from knowwhy.cli.memory import tell
    from knowwhy.grounding import review

    now = datetime.now(UTC)
    done = review.correct(who, key, text, embedder=embedder, now=now, hand=hand())
    tell(done, as_json=as_json, given=text)


@review_command.command("reject")
@KEYS
@click.option("--why", required=True, help="The reason; it is kept.")
@whose
@JSON
def reject_command(
    keys: tuple[str, ...],
    why: str,
    user: str | None,
    everybody: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Refuse claims that wait, with the reason; they are kept as refused."""
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import review

    now = datetime.now(UTC)
    reject = partial(review.reject, who, why=review.reason(why), now=now, hand=hand())
    _tell_each(review.each(keys, reject), "Rejected", as_json=as_json)


@review_command.command("conflicts")
@whose
@LIMIT
@JSON
def conflicts_command(
    user: str | None, everybody: bool, project: str | None, limit: int, as_json: bool
) -> None:
    """List what was found to contradict something else, the last found first.

    Where one of two was newer, the older one is superseded already; `settle` takes the flag off.
    """
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.cli.memory_pages import headed
    from knowwhy.grounding.memory_fields import memory_as_json
    from knowwhy.tables.kept.contradicted import flagged

    pairs = flagged(who, limit, datetime.now(UTC))
    if as_json:
        print_json([{"memory": memory_as_json(a), "against": memory_as_json(b)} for a, b in pairs])
        return
    for memory, other in pairs:
        say(f"{short(memory.key)}  {memory.status}  {headed(memory)}")
        say(f"against {short(other.key)}  {other.status}  {headed(other)}", "  ")
    if not pairs:
        click.echo("Nothing is flagged.")


@review_command.command("alike")
@whose
@LIMIT
@JSON
def alike_command(
    user: str | None, everybody: bool, project: str | None, limit: int, as_json: bool
) -> None:
    """List what the night found alike and could not tell to be the same, the last found first.

    A pair goes from the list when one of the two is retracted or updated, or by `differ`.
    """
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.cli.memory_pages import headed
    from knowwhy.grounding.memory_fields import memory_as_json
    from knowwhy.tables.kept.lookalikes import listed

    pairs = listed(who, limit, datetime.now(UTC))
    if as_json:
        told = [(memory_as_json(p.one), memory_as_json(p.other), p.score) for p in pairs]
        print_json([{"memory": one, "alike": other, "score": score} for one, other, score in told])
        return
    for pair in pairs:
        say(f"{short(pair.one.key)}  {headed(pair.one)}")
        say(f"like {short(pair.other.key)}  {pair.score:.2f}  {headed(pair.other)}", "  ")
    if not pairs:
        click.echo("Nothing is alike that nobody has looked at.")


@review_command.command("differ")
@click.argument("one")
@click.argument("other")
@whose
def differ_command(
    one: str, other: str, user: str | None, everybody: bool, project: str | None
) -> None:
    """Say that two memories which are alike do not say the same: they are not listed again."""
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import review

    review.differ(who, one, other, now=datetime.now(UTC))
    click.echo("They stay beside each other.")


@review_command.command("settle")
@KEYS
@whose
@JSON
def settle_command(
    keys: tuple[str, ...], user: str | None, everybody: bool, project: str | None, as_json: bool
) -> None:
    """Take the flag of a contradiction off memories that you have looked at.

    They stay as they are; to decide otherwise `retract` or `update` one of the two.
    """
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import review

    settle = partial(review.settle, who, now=datetime.now(UTC))
    _tell_each(review.each(keys, settle), "Settled", as_json=as_json)


@review_command.command("history")
@whose
@LIMIT
@JSON
def history_command(
    user: str | None, everybody: bool, project: str | None, limit: int, as_json: bool
) -> None:
    """List what was judged, the newest first."""
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.cli.memory_pages import change_as_json, print_changes
    from knowwhy.grounding import review

    judged = review.history(who, limit)
    if as_json:
        print_json([change_as_json(change) for change in judged])
    else:
        print_changes(judged, "Nothing has been judged yet.")


def _tell_each(outcomes: "Iterable[Outcome]", done: str, *, as_json: bool) -> None:
    """Says what became of each claim; the exit code is 1 when one could not be judged."""
    from knowwhy.grounding.memory_fields import memory_as_json

    told = list(outcomes)
    if as_json:
        print_json(
            [
                {
                    "key": one.key,
                    "memory": one.memory and memory_as_json(one.memory),
                    "error": one.error and {"code": one.error.code, "text": str(one.error)},
                }
                for one in told
            ]
        )
    for one in told if not as_json else ():
        if one.error is None:
            say(f"{done} {short(one.key)}.")
        else:
            say(f"knowwhy: {one.error}", err=True)
    if any(one.error for one in told):
        raise click.exceptions.Exit(1)
