"""Memories read back at the command line: a list of them, and everything about one."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.ask import timed
from knowwhy.cli.looks import say, short
from knowwhy.cli.opening import open_memories, print_json
from knowwhy.cli.whose import asker, pairs, whose
from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotFound
from knowwhy.text.question.question_times import dated
from knowwhy.types import SPEAKER, Memory, Turn

if TYPE_CHECKING:
    from knowwhy.grounding.origin import Provenance
    from knowwhy.tables.agents.lending import LentMemory

ELSEWHERE = ("content", "subject", "raw_source", "metadata")  # shown in another part, or not
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.command("memories")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    default=("active",),
    show_default=True,
    help="active, pending, refused, superseded, expired or retracted; again for more.",
)
@click.option("--kind", "kinds", multiple=True, help="Only this kind; can be given again.")
@click.option("--service", help="Only this service.")
@click.option("--session", help="Only what was told in this session.")
@click.option(
    "--for",
    "places",
    multiple=True,
    metavar="WHAT=WHO",
    help="Memorules only, first what applies for persona=, surface=, specialization= or scope=.",
)
@whose
@timed
@click.option("--limit", default=50, show_default=True, help="How many at most.")
@JSON
def memories_command(
    statuses: tuple[str, ...],
    kinds: tuple[str, ...],
    service: str | None,
    session: str | None,
    places: tuple[str, ...],
    user: str | None,
    everybody: bool,
    project: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the memories that you may see.

    The newest come first. Those are a user's own and everybody's; of a project only with
    --project, but for one's own.
    """
    who, here = asker(user, project, everybody=everybody), pairs("--for", places)
    within = dated(since, until)
    if here and (kinds or service or session or within or statuses != ("active",)):
        raise BadInput("--for goes with --limit only: it asks for the active memorules.")
    open_memories(Settings.from_environ())
    from knowwhy.cli.memory_pages import print_memories
    from knowwhy.grounding.claims import KINDS
    from knowwhy.grounding.memorules import applying
    from knowwhy.grounding.memory_fields import memory_as_json
    from knowwhy.retrieval.narrowed import check_kinds
    from knowwhy.retrieval.noted import APPLYING, note_given
    from knowwhy.tables.kept.memories import memories

    check_kinds(kinds, KINDS, {})
    now = datetime.now(UTC)
    if here:
        found = applying(who, here, limit, now=now)
    else:
        found = memories(
            who,
            statuses=statuses,
            kinds=kinds or None,
            service=service,
            session=session,
            limit=limit,
            now=now,
            within=within,
        )
    if as_json:
        print_json([memory_as_json(memory) for memory in found])
    else:
        print_memories(found, "No such memories.")
    if here:
        size = sum(len(memory.content.encode()) for memory in found)
        note_given(found, APPLYING, who, payload_bytes=size, packed={"applies_to": here})


@click.command("provenance")
@click.argument("key")
@whose
@JSON
def provenance_command(
    key: str, user: str | None, everybody: bool, project: str | None, as_json: bool
) -> None:
    """Show where a memory comes from.

    What it stands on and what was done to it is shown too.
    """
    who = asker(user, project, everybody=everybody)
    open_memories(Settings.from_environ())
    from knowwhy.grounding.origin import provenance
    from knowwhy.tables.agents.lending import lent_memory

    now = datetime.now(UTC)
    try:
        found = provenance(who, key, now=now)
    except NotFound:
        _print_lent(lent_memory(who, key, now), as_json=as_json)
        return
    if as_json:
        print_json(provenance_as_json(found))
    else:
        _print(found)


def provenance_as_json(found: "Provenance") -> dict[str, Any]:
    """Gives everything about a memory in the stable form of docs/json.md."""
    from knowwhy.cli.memory_pages import change_as_json
    from knowwhy.grounding.memory_fields import iso, memory_as_json

    turn = found.turn and {
        "key": found.turn.key,
        "at": iso(found.turn.at),
        "session": found.turn.session_id,
        "role": found.turn.role,
        "speaker": found.turn.speaker,
        "text": found.turn.content,
        "context": found.turn.context,
    }
    return {
        **memory_as_json(found.memory),
        "tier": found.tier,
        "evidence": found.evidence,
        "raw_source": found.memory.raw_source,
        "extractor_version": found.memory.extractor_version,
        "turn": turn,
        "earlier": [memory_as_json(memory) for memory in found.earlier],
        "later": [memory_as_json(memory) for memory in found.later],
        "changes": [change_as_json(change) for change in found.changes],
    }


def _speaks(turn: Turn) -> str:
    return turn.role if turn.speaker is None else f"{turn.speaker} ({turn.role})"


def _print_lent(found: "LentMemory", *, as_json: bool) -> None:
    """Prints what is shown of a memory that a pool lends, or that was handed over."""
    from knowwhy.cli.memory_pages import headed, print_fields
    from knowwhy.grounding.memory_fields import memory_as_json
    from knowwhy.text.characters import printable

    cites = [cited["target"] for cited in found.citations or ()]
    told = {"tier": found.tier, "cited": cites, "lent_by": list(found.pools)}
    shown = memory_as_json(found.memory)
    if as_json:
        print_json(shown | told)
        return
    click.echo(printable(headed(found.memory)))
    click.echo()
    print_fields({name: value for name, value in shown.items() if name != "text"} | told)


def _print(found: "Provenance") -> None:
    """Prints a memory, what it was read from, its other versions and its changes."""
    from knowwhy.cli.memory_pages import headed, print_changes, print_fields
    from knowwhy.text.characters import printable

    memory = found.memory
    click.echo(printable(headed(memory)))
    click.echo()
    shown = {name: value for name, value in asdict(memory).items() if name not in ELSEWHERE}
    evidence = {"tier": found.tier, "support": found.evidence["confidence"]}
    speaker = {"speaker": memory.metadata.get(SPEAKER)}
    print_fields(shown | speaker | evidence | {"cited": found.evidence["cited"]})
    _print_part("Read from", [memory.raw_source] if memory.raw_source else [])
    turn = found.turn
    _print_part("Turn", [f"{turn.key}  {_speaks(turn)}: {turn.content}"] if turn else [])
    _print_part("In the place of", [_line(version) for version in found.earlier])
    _print_part("Followed by", [_line(version) for version in found.later])
    click.echo("\nChanges")
    print_changes(found.changes)


def _print_part(title: str, lines: list[str]) -> None:
    if lines:
        click.echo(f"\n{title}")
    for line in lines:
        say(line, "  ")


def _line(version: Memory) -> str:
    from knowwhy.cli.memory_pages import day, headed

    return f"{short(version.key)}  {version.status}  {day(version.created_at)}  {headed(version)}"
