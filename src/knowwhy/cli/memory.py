"""Telling the memory something, and taking it back, at the command line."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import click

from knowwhy.cli.looks import say, short
from knowwhy.cli.opening import open_memories, print_json
from knowwhy.cli.whose import asker, hand, pairs, whose, words
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.types import Memory

WHY = click.option("--why", required=True, help="The reason; it is kept.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.command("remember")
@words("text")
@click.option("--kind", help="preference, fact, decision, correction, procedure, memorule or note.")
@whose
@click.option("--service", help="What it is about, as a filter.")
@click.option("--session", help="The session in which it was said.")
@click.option("--source", help="Where it comes from: a URL, a record, a commit.")
@click.option("--said-by", default="user", show_default=True, help="user, assistant or import.")
@click.option("--persona", help="The role in which it is written.")
@click.option("--confidence", type=float, help="How sure it is, from 0 to 1.")
@click.option("--ttl-days", type=click.IntRange(1, 36_500), help="Forget it after so many days.")
@click.option("--valid-until", metavar="DATE", help="The last day on which it holds.")
@click.option(
    "--memorule-kind", help="behavioral_rule, feedback, preference, correction, convention."
)
@click.option("--subject", help="Of a memorule: the rule in a few words.")
@click.option(
    "--applies-to",
    multiple=True,
    metavar="WHAT=WHO",
    help="Of a memorule: persona=reviewer, surface=, specialization= or scope=; again for more.",
)
@click.option("--certainty", help="Of a memorule: observed, inferred or asserted.")
@click.option("--evidence-signal", help="Of a memorule: what prompted it.")
@JSON
def remember_command(
    text: str,
    user: str | None,
    everybody: bool,
    project: str | None,
    ttl_days: int | None,
    valid_until: str | None,
    applies_to: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Tell the memory something.

    It is judged at once. The exit code is 0 when it is kept, 3 when it waits for review and 4
    when it is refused.
    """
    until, places = day_end("--valid-until", valid_until), pairs("--applies-to", applies_to)
    who = asker(user, project, everybody=everybody)
    settings = Settings.from_environ()
    embedder = open_memories(settings)
    from knowwhy.grounding.remember import remember

    kept = remember(
        text,
        asker=who,
        embedder=embedder,
        now=datetime.now(UTC),
        ttl=None if ttl_days is None else timedelta(days=ttl_days),
        valid_until=until,
        applies_to=places,
        via=hand().via,
        max_pending=settings.max_pending,
        **given,
    )
    tell(kept, as_json=as_json, given=text)


@click.command("update")
@click.argument("key")
@words("text")
@whose
@click.option("--session", help="The session in which it is said.")
@click.option("--source", help="Where the new text comes from.")
@click.option("--persona", help="The role in which it is written.")
@JSON
def update_command(
    key: str,
    text: str,
    user: str | None,
    everybody: bool,
    project: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Say a memory anew; the old one is kept.

    The new text supersedes it. It is judged like anything that is told; the exit code is that
    of `remember`.
    """
    who = asker(user, project, everybody=everybody)
    settings = Settings.from_environ()
    embedder = open_memories(settings)
    from knowwhy.grounding.lifecycle import update

    given |= {"via": hand().via, "max_pending": settings.max_pending}
    kept = update(who, key, text, embedder=embedder, now=datetime.now(UTC), **given)
    tell(kept, as_json=as_json, given=text)


@click.command("retract")
@click.argument("key")
@WHY
@click.option("--undo", is_flag=True, help="Take the memory back in.")
@whose
@JSON
def retract_command(
    key: str,
    why: str,
    undo: bool,
    user: str | None,
    everybody: bool,
    project: str | None,
    as_json: bool,
) -> None:
    """Take a memory back; nothing is deleted.

    The reason is kept. What was retracted, or superseded by something that was retracted since,
    comes back with --undo.
    """
    who = asker(user, project, everybody=everybody)
    embedder = open_memories(Settings.from_environ())
    from knowwhy.grounding import lifecycle
    from knowwhy.grounding.memory_fields import memory_as_json

    now = datetime.now(UTC)
    if undo:
        done = lifecycle.restore(who, key, why, embedder=embedder, now=now)
    else:
        done = lifecycle.retract(who, key, why, now=now)
    if as_json:
        print_json(memory_as_json(done))
    else:
        did = "Restored" if undo else "Retracted"
        say(f"{did} {short(done.key)}; it is {done.status} now.")


def tell(memory: Memory, *, as_json: bool, given: str | None = None) -> None:
    """Says what became of a claim, and ends with the exit code that says the same."""
    from knowwhy.cli.memory_pages import OUTCOMES, print_outcome
    from knowwhy.grounding.memory_fields import memory_as_json

    if as_json:
        print_json(memory_as_json(memory))
    else:
        print_outcome(memory)
        tell_secrets(given or "", memory.content)
    if code := OUTCOMES.get(memory.status, 0):
        raise click.exceptions.Exit(code)


def tell_secrets(given: str, kept: str) -> None:
    """Says on stderr which secrets of what was told are not kept."""
    from knowwhy.text.secrets.left_out import in_words, left_out

    if said := in_words(left_out(given, kept), with_lines=False):
        say(f"note: {said}.", err=True)


def day_end(option: str, written: str | None) -> datetime | None:
    """Reads until when something holds; a date alone includes its whole day."""
    if written is None:
        return None
    from knowwhy.text.times import parse_time

    moment = parse_time(written)
    if moment is None:
        raise BadInput(f"{option} is {written[:40]!r}; write a date like 2026-12-31.")
    has_clock = ":" in written
    return moment if has_clock else datetime.combine(moment.date(), time.max, UTC)
