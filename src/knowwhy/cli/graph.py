"""The command that shows, checks and derives again what points to what."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.looks import say, say_parts
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.whose import names
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Filters

if TYPE_CHECKING:
    from knowwhy.graph.audit import Audit
    from knowwhy.graph.build import Graph
    from knowwhy.graph.near import Tie
    from knowwhy.types import Edge

HOPS_AT_MOST = 5  # farther, nearly everything is connected
LONGEST_SHOWN = 120  # characters of what is no relation
SHOWN = 20  # lines of each list of an audit for people; --json gives all


@click.command("graph")
@click.argument("key", required=False)
@click.option("--hops", default=1, show_default=True, help="How many relations away.")
@click.option("--relation", help="Only this relation, in both directions.")
@click.option("--project", help="Only what this project states, and what belongs to none.")
@click.option("--audit", "is_audit", is_flag=True, help="Show the whole edge set and its doubts.")
@click.option("--backfill", is_flag=True, help="Derive the links of all records anew.")
@click.option("--dry-run", is_flag=True, help="With --backfill: only show what would change.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
def graph_command(
    key: str | None,
    hops: int,
    relation: str | None,
    project: str | None,
    is_audit: bool,
    backfill: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Show what points to a record, and back.

    KEY is a key, label (ADR-5), path or title, a package or folder of code, or the name of a
    person, team or service.
    """
    if [key is not None, is_audit, backfill].count(True) != 1:
        raise BadInput("Give one of KEY, --audit and --backfill.")
    if dry_run and not backfill:
        raise BadInput("--dry-run goes with --backfill.")
    if project is not None and backfill:
        raise BadInput("--project does not go with --backfill, which derives all links.")
    if not 1 <= hops <= HOPS_AT_MOST:
        raise BadInput(f"--hops must be between 1 and {HOPS_AT_MOST}.")
    wanted, seeing = _relation(relation), Filters(project=names(project=project)["project"])
    open_home(Settings.from_environ())
    if backfill:
        _derive(dry_run, as_json)
    elif is_audit:
        _show_audit(seeing, as_json)
    elif key is not None:
        _show_near(key, hops, wanted, seeing, as_json)


def _relation(written: str | None) -> str | None:
    from knowwhy.text.relating.relation_words import relation_of

    if written is None:
        return None
    found = relation_of(written.upper()) or relation_of(written)
    if found is None:
        raise BadInput(
            f"{redact(written)[:LONGEST_SHOWN]!r} is no relation; REFERENCES and 'depends on' are."
        )
    return found


def _show_near(key: str, hops: int, relation: str | None, seeing: Filters, as_json: bool) -> None:
    from knowwhy.graph.live import current
    from knowwhy.graph.near import find_node, neighbourhood
    from knowwhy.graph.packages import members

    graph = current()
    node = find_node(graph, key, seeing)
    inside = members(graph, node, seeing)
    ties = neighbourhood(graph, node, hops, relation, seeing)
    if as_json:
        facts = _facts(graph, node) | {"title": graph.title(node, seeing)}
        holds = {"holds": list(inside)} if inside else {}
        print_json({"node": node, **facts, **holds, "edges": [_as_json(t) for t in ties]})
        return
    say_parts([node, graph.title(node, seeing)])
    for title, shown in (
        ("Points to", [t for t in ties if t.tail == node]),
        ("Pointed to by", [t for t in ties if t.head == node and t.tail != node]),
        ("Farther away", [t for t in ties if node not in (t.tail, t.head)]),
    ):
        if shown:
            click.echo(f"\n{title}")
        for tie in shown:
            say_parts(_parts(graph, tie, node, seeing), "  ")
    if inside:
        _list("Holds", list(inside))
    if not ties:
        _say("Nothing points to it, and it points to nothing.")


def _parts(graph: "Graph", tie: "Tie", node: str, seeing: Filters) -> list[str]:
    origins = ", ".join(
        origin if by == tie.tail else f"{origin} of {by}" for by, origin in tie.stated
    )
    if tie.tail == node:
        return [f"{tie.relation} {tie.head}", graph.title(tie.head, seeing), f"({origins})"]
    if tie.head == node:
        return [f"{tie.tail} {tie.relation}", graph.title(tie.tail, seeing), f"({origins})"]
    return [f"{tie.tail} {tie.relation} {tie.head}", f"({origins})"]


def _show_audit(seeing: Filters, as_json: bool) -> None:
    from knowwhy.graph.audit import audit
    from knowwhy.graph.live import current

    found = audit(current(), seeing)
    if as_json:
        print_json(
            {
                **asdict(found),
                "unresolved": [
                    {"target": u.target, "stated": _stated(u.stated), "called_so": u.called_so}
                    for u in found.unresolved
                ],
                "self_loops": [_as_json(tie) for tie in found.self_loops],
                "duplicates": [_as_json(tie) for tie in found.duplicates],
            }
        )
        return
    click.echo("Nodes")
    _say("  " + ", ".join(f"{count} {kind}" for kind, count in found.nodes.items()))
    click.echo("\nEdges")
    for relation, origins in found.edges.items():
        told = ", ".join(f"{origin} {count}" for origin, count in origins.items())
        _say(f"  {relation} {sum(origins.values())}  ({told})")
    _say_doubts(found)


def _say_doubts(found: "Audit") -> None:
    _list(
        "Targets that are no record",
        [
            f"{u.target}  stated by {u.stated[0][0]} ({u.stated[0][1]})"
            + (f" and {len(u.stated) - 1} more" if len(u.stated) > 1 else "")
            + (f"; {len(u.called_so)} records are called so" if u.called_so else "")
            for u in found.unresolved
        ],
    )
    _list("Records that point to themselves", [f"{t.tail} {t.relation}" for t in found.self_loops])
    _list(
        "Edges that are stated more than once",
        [
            f"{t.tail} {t.relation} {t.head}  {', '.join(f'{o} of {by}' for by, o in t.stated)}"
            for t in found.duplicates
        ],
    )
    _list("Records without any edge", list(found.without_edges))


def _list(title: str, lines: list[str]) -> None:
    click.echo(f"\n{title}: {len(lines)}")
    for line in lines[:SHOWN]:
        _say(f"  {line}")
    if len(lines) > SHOWN:
        _say(f"  and {len(lines) - SHOWN} more; --json gives all")


def _derive(dry_run: bool, as_json: bool) -> None:
    from knowwhy.tables.edges import count_records, derive_links

    changed = []
    for key, before, now in derive_links(dry_run=dry_run):
        told = {"added": _sorted(now - before), "gone": _sorted(before - now)}
        changed.append({"key": key, **told})
        if not as_json:
            _say(f"{key}  {len(told['added'])} added, {len(told['gone'])} gone")
            for sign, links in (("+", told["added"]), ("-", told["gone"])):
                for link in links:
                    _say(f"  {sign} {link['relation']} {link['target']}  ({link['origin']})")
    records = count_records()
    if as_json:
        print_json({"records": records, "changed": changed})
    else:
        would = "would change" if dry_run else "changed"
        _say(f"{len(changed)} of {records} records {would}.")


def _sorted(links: "set[Edge]") -> list[dict[str, str]]:
    return sorted((asdict(link) for link in links), key=lambda link: tuple(link.values()))


def _say(line: str) -> None:
    indent = line[: len(line) - len(line.lstrip())]
    say(line.lstrip(), indent)


def _facts(graph: "Graph", node: str) -> dict[str, Any]:
    facts = graph.net.nodes.get(node) or {"type": node.partition(":")[0]}  # a package is no node
    return {name: facts.get(name) for name in ("type", "title", "label", "kind")}


def _as_json(tie: "Tie") -> dict[str, Any]:
    return {
        "hop": tie.hop,
        "from": tie.tail,
        "relation": tie.relation,
        "to": tie.head,
        "stated": _stated(tie.stated),
    }


def _stated(stated: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"by": by, "origin": origin} for by, origin in stated]
