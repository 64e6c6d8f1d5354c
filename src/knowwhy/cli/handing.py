"""Handoffs at the command line: given, taken, refused, done, looked up."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.opening import opened_for, print_json
from knowwhy.cli.pooling import acts
from knowwhy.errors import BadInput
from knowwhy.text.characters import one_line, printable

if TYPE_CHECKING:
    from knowwhy.maas.handoffs import Handoff

HANDOFF = click.argument("handoff")
WHY = click.option("--why", help="Why; the sender sees it.")
TOKENS = click.option(
    "--tokens",
    type=click.IntRange(200, 20_000),
    default=2_000,
    show_default=True,
    help="Of what goes with it, at most.",
)
SHOWN_TASK = 80  # characters of a task in a list


@click.group("handoffs")
def handoffs_command() -> None:
    """Hand a task from agent to agent.

    --agent is the agent of yours that gives or takes. What nobody took in its time has expired.
    """


@handoffs_command.command("give")
@click.argument("to")
@click.argument("task")
@click.option("--context", help="What the receiver must know beside it.")
@click.option("--memory", "memories", multiple=True, help="The key of a memory that goes with it.")
@click.option("--record", "records", multiple=True, help="A record that goes with it.")
@click.option("--ttl", default="1d", show_default=True, help="To accept it in: 30m, 12h or 7d.")
@acts
def give_command(
    to: str,
    task: str,
    context: str | None,
    memories: tuple[str, ...],
    records: tuple[str, ...],
    ttl: str,
    agent: str,
    as_json: bool,
    **who: Any,
) -> None:
    """Hand a task to another agent, of yours or of a common pool, and print the handoff's id."""
    lasts = _lasting(ttl)
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs
    from knowwhy.tables import queries

    given = handoffs.initiate(
        asker,
        settings,
        agent,
        to,
        task,
        context=context,
        memory_keys=memories,
        record_keys=records,
        ttl=lasts,
        named=lambda name: queries.record(name, project=asker.project).draft.id,
    )
    if as_json:
        print_json(_as_json(given))
    else:
        click.echo(given.key)


@handoffs_command.command("list")
@click.option("--sent", is_flag=True, help="What the agent has handed to others instead.")
@click.option("--state", help="pending, accepted, rejected, expired, completed or failed.")
@click.option("--limit", type=int, default=50, show_default=True, help="How many at most.")
@acts
def list_command(
    sent: bool, state: str | None, limit: int, agent: str, as_json: bool, **who: Any
) -> None:
    """List what waits for an agent; with --state or --sent what it was or has handed over."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs

    if sent:
        found = handoffs.sent(asker, settings, agent, state, limit)
    else:
        found = handoffs.received(asker, settings, agent, state or "pending", limit)
    if as_json:
        print_json([_as_json(one) for one in found])
    else:
        _print(found)


@handoffs_command.command("show")
@HANDOFF
@TOKENS
@acts
def show_command(handoff: str, tokens: int, agent: str, as_json: bool, **who: Any) -> None:
    """Show a handoff to an agent that has sent or received it."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs

    one = handoffs.look_up(asker, settings, agent, handoff)
    _show(asker, agent, one, tokens, as_json=as_json)


@handoffs_command.command("accept")
@HANDOFF
@TOKENS
@acts
def accept_command(handoff: str, tokens: int, agent: str, as_json: bool, **who: Any) -> None:
    """Take a task over, and print what goes with it."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs

    one = handoffs.accept(asker, settings, agent, handoff)
    _show(asker, agent, one, tokens, as_json=as_json)


@handoffs_command.command("reject")
@HANDOFF
@WHY
@acts
def reject_command(handoff: str, why: str | None, agent: str, as_json: bool, **who: Any) -> None:
    """Refuse a task that was not accepted yet."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs

    _say(handoffs.reject(asker, settings, agent, handoff, why), as_json=as_json)


@handoffs_command.command("complete")
@HANDOFF
@click.option("--result", help="What came of it; the sender sees it.")
@acts
def complete_command(
    handoff: str, result: str | None, agent: str, as_json: bool, **who: Any
) -> None:
    """Say that an accepted task is done, and what came of it."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs

    _say(handoffs.complete(asker, settings, agent, handoff, result), as_json=as_json)


@handoffs_command.command("fail")
@HANDOFF
@WHY
@acts
def fail_command(handoff: str, why: str | None, agent: str, as_json: bool, **who: Any) -> None:
    """Say that an accepted task could not be done."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import handoffs

    _say(handoffs.fail(asker, settings, agent, handoff, why), as_json=as_json)


def _lasting(written: str) -> timedelta:
    from knowwhy.text.times import parse_span

    lasts = parse_span(written)
    if lasts is None:
        raise BadInput("--ttl is 30m, 12h or 7d.")
    return lasts


def _show(asker: Any, agent: str, one: "Handoff", tokens: int, *, as_json: bool) -> None:
    """Prints a handoff; for its receiver, while it is open, with what goes with it."""
    from knowwhy.retrieval.context.handoff_context import is_receiver, pack_handoff

    packed = None
    if is_receiver(one, agent):
        packed = pack_handoff(asker, one, tokens, datetime.now(UTC))
    if as_json:
        print_json({**_as_json(one), "packed": packed and packed.text})
        return
    _say(one, as_json=False)
    if one.suspicious:
        click.echo(f"suspicious: {one.suspicious}")
    told = [packed.text] if packed else [one.task, f"result: {one.result or 'none'}"]
    for text in [*told, *([f"why: {one.why}"] if one.why else [])]:
        click.echo(printable(text))


def _say(one: "Handoff", *, as_json: bool) -> None:
    if as_json:
        print_json(_as_json(one))
    else:
        click.echo(one_line(_line(one)))


def _print(found: "Sequence[Handoff]") -> None:
    for one in found:
        task = " ".join(one.task.split())
        shown = task if len(task) <= SHOWN_TASK else f"{task[:SHOWN_TASK]}…"
        mark = f"  suspicious: {one.suspicious}" if one.suspicious else ""
        click.echo(one_line(f"{_line(one)}  {shown}{mark}"))
    if not found:
        click.echo("No such handoffs.")


def _line(one: "Handoff") -> str:
    return f"{one.key}  {one.state}  from {one.sender.name} to {one.receiver.name}"


def _as_json(one: "Handoff") -> dict[str, Any]:
    """Gives a handoff in the stable form of docs/json.md."""
    return {
        "handoff": one.key,
        "state": one.state,
        "from": {"agent": one.sender.key, "name": one.sender.name, "type": one.sender.type},
        "to": {"agent": one.receiver.key, "name": one.receiver.name, "type": one.receiver.type},
        "task": one.task,
        "context": one.context,
        "memories": list(one.memory_keys),
        "records": list(one.record_keys),
        "other_records": one.other_records,
        "why": one.why,
        "result": one.result,
        "suspicious": one.suspicious,
        "created_at": one.created_at.astimezone(UTC).isoformat(),
        "expires_at": one.expires_at.astimezone(UTC).isoformat(),
        "touched_at": one.touched_at.astimezone(UTC).isoformat(),
    }
