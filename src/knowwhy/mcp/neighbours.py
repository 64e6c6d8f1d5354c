"""How the neighbours of a node read."""

from typing import Any

from knowwhy.errors import BadInput
from knowwhy.graph.build import Graph
from knowwhy.graph.near import Tie
from knowwhy.mcp.arguments import shown
from knowwhy.mcp.rendered import NOTE, data_block
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.text.characters import one_line
from knowwhy.text.relating.relation_words import relation_of
from knowwhy.types import Filters

MOST_TIES = 200  # edges of one answer; a hub has thousands


def relation_named(written: str | None) -> str | None:
    """Gives the relation that a word names."""
    found = written and (relation_of(written.upper()) or relation_of(written))
    if written and not found:
        raise BadInput(f"{shown(written)} is no relation; REFERENCES and 'depends on' are.")
    return found or None


def ties_said(live: Graph, node: str, ties: list[Tie], seeing: Filters) -> Said:
    """Says the edges around a node."""
    shown = {node, *(end for tie in ties[:MOST_TIES] for end in (tie.tail, tie.head))}
    with live.lock:
        about = {
            end: (live.net.nodes.get(end) or {}) | {"title": live.title(end, seeing)}
            for end in shown
        }
    lines = [_line(tie, node, about) for tie in ties[:MOST_TIES]]
    more = [f"and {len(ties) - MOST_TIES} more"] if len(ties) > MOST_TIES else []
    head = f"It has {len(ties) or 'no'} edges" + (":" if ties else ".")
    edges = [
        {
            "hop": tie.hop,
            "from": tie.tail,
            "relation": tie.relation,
            "to": tie.head,
            "stated": [{"by": by, "origin": origin} for by, origin in tie.stated],
        }
        for tie in ties[:MOST_TIES]
    ]
    data = {"note": NOTE, "node": node, "title": about[node].get("title"), "edges": edges}
    return Said(data_block(head, "\n".join([_named(node, about[node]), *lines, *more])), data)


def _line(tie: Tie, node: str, about: dict[str, dict[str, Any]]) -> str:
    origins = ", ".join(o if by == tie.tail else f"{o} of {by}" for by, o in tie.stated)
    ends = [end if end == node else _named(end, about[end]) for end in (tie.tail, tie.head)]
    return one_line(f"{ends[0]} {tie.relation} {ends[1]}  [{origins}]")


def _named(node: str, about: dict[str, Any]) -> str:
    title = about.get("title")
    status = f", {about['status']}" if about.get("status") else ""
    return f"{node} ({title}{status})" if title and title != node else node
