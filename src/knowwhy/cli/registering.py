"""Agents at the command line: registered, listed, at work, deactivated."""

from collections.abc import Iterable
from datetime import UTC
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.ask import hand_out
from knowwhy.cli.looks import say, short
from knowwhy.cli.opening import opened_for, print_json
from knowwhy.cli.whose import owned, words
from knowwhy.types import Filters

if TYPE_CHECKING:
    from knowwhy.maas.acting import Agent
    from knowwhy.maas.agents import Session

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
AGENT = click.argument("agent")
SORTS = ("code_kb", "decisions", "incidents")


@click.group("agents")
def agents_command() -> None:
    """Register agents; see what each may do.

    AGENT is the id that `register` gives; an agent of another owner does not exist for you.
    """


@agents_command.command("register")
@click.argument("name")
@click.option("--type", required=True, help="human, coding_assistant, llm_agent, pipeline, …")
@click.option(
    "--can",
    "capabilities",
    multiple=True,
    help="A capability, instead of those of its type; can be given again.",
)
@click.option("--max-scope", default="team", show_default=True, help="The widest pools it reads.")
@owned
@JSON
def register_command(
    name: str,
    type: str,
    capabilities: tuple[str, ...],
    max_scope: str,
    as_json: bool,
    **who: Any,
) -> None:
    """Register an agent, and print its id."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import agents

    may = capabilities or None
    made = agents.register(asker, settings, name, type, capabilities=may, max_scope=max_scope)
    if as_json:
        print_json(_as_json(made))
    else:
        click.echo(made.key)
        click.echo(f"It may: {', '.join(made.capabilities) or 'nothing'}.", err=True)


@agents_command.command("list")
@click.option("--all", "inactive", is_flag=True, help="Also those that were deactivated.")
@owned
@JSON
def list_command(inactive: bool, as_json: bool, **who: Any) -> None:
    """List your agents, oldest first."""
    asker, _, _ = opened_for(**who)
    from knowwhy.maas import agents

    found = agents.of(asker, inactive=inactive)
    if as_json:
        print_json([_as_json(agent) for agent in found])
    else:
        _print(found)


@agents_command.command("show")
@AGENT
@owned
@JSON
def show_command(agent: str, as_json: bool, **who: Any) -> None:
    """Show an agent of yours, what it may do, and its open sessions."""
    asker, _, _ = opened_for(**who)
    from knowwhy.cli.memory_pages import print_fields
    from knowwhy.maas import agents

    told = _as_json(agents.look_up(asker, agent))
    at_work = agents.open_sessions(asker, agent)
    if as_json:
        print_json({**told, "sessions": [_session_as_json(one) for one in at_work]})
    else:
        print_fields({**told, "sessions": [one.key for one in at_work]})


@agents_command.command("deactivate")
@AGENT
@owned
@JSON
def deactivate_command(agent: str, as_json: bool, **who: Any) -> None:
    """Take all rights from an agent, for good, and end its sessions."""
    asker, _, _ = opened_for(**who)
    from knowwhy.maas import agents

    done = agents.deactivate(asker, agent)
    if as_json:
        print_json(_as_json(done))
    else:
        click.echo(f"Deactivated {done.key}.")


@agents_command.command("start")
@AGENT
@owned
@JSON
def start_command(agent: str, as_json: bool, **who: Any) -> None:
    """Note that an agent begins to work, and print the id of its session."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import agents

    session = agents.start_session(asker, settings, agent)
    if as_json:
        print_json({"session": session, "agent": agent})
    else:
        click.echo(session)


@agents_command.command("end")
@AGENT
@click.argument("session")
@owned
@JSON
def end_command(agent: str, session: str, as_json: bool, **who: Any) -> None:
    """Note that an agent has ended a session of its own."""
    asker, settings, _ = opened_for(**who)
    from knowwhy.maas import agents

    agents.end_session(asker, settings, agent, session)
    if as_json:
        print_json({"session": session, "agent": agent})
    else:
        click.echo(f"Ended {session}.")


@agents_command.command("search")
@AGENT
@click.argument("sort", type=click.Choice(SORTS))
@words("question")
@click.option("--k", default=5, show_default=True, help="How many hits to give.")
@owned
@JSON
def search_command(agent: str, sort: str, question: str, k: int, as_json: bool, **who: Any) -> None:
    """Search one sort of knowledge in an agent's name, if its capabilities allow that."""
    asker, settings, embedder = opened_for(**who)
    from knowwhy.maas.sorts import allowed
    from knowwhy.retrieval.search import search

    given = Filters(project=asker.project, asker=asker)
    filters = allowed(f"search_{sort}", asker, settings, agent, given)
    model = settings.reranker
    answer = search(question, embedder=embedder, reranker=model, k=k, filters=filters)
    hand_out(answer, filters, asker, as_json=as_json, agent=agent)


def _as_json(agent: "Agent") -> dict[str, Any]:
    return {
        "agent": agent.key,
        "name": agent.name,
        "type": agent.type,
        "capabilities": list(agent.capabilities),
        "max_scope": agent.max_scope,
        "project": agent.project,
        "is_active": agent.is_active,
        "created_at": agent.created_at.astimezone(UTC).isoformat(),
    }


def _session_as_json(session: "Session") -> dict[str, str]:
    return {
        "session": session.key,
        "started_at": session.started_at.astimezone(UTC).isoformat(),
    }


def _print(found: Iterable["Agent"]) -> None:
    is_empty = True
    for agent in found:
        is_empty = False
        state = "active" if agent.is_active else "deactivated"
        cells = [short(agent.key), state, agent.type, agent.max_scope]
        cells += [agent.project or "", agent.name]
        say("  ".join(cell for cell in cells if cell))
    if is_empty:
        click.echo("No agents; `knowwhy agents register NAME --type T` makes one.")
