"""What a client can attach to a conversation: lists of the memory, and any record by its key."""

import re
from urllib.parse import unquote

import mcp_types as types

from knowwhy.errors import NotFound
from knowwhy.mcp.caller import Caller
from knowwhy.types import Record

ROOT = "project://memory/"
RECENT = 20  # records of a list
# With which word a status begins that says that nothing is to be done any more; what else is said
# ("in progress", "not resolved") says that something is.
CLOSED = frozenset(
    ("abandoned", "accepted", "approved", "archived", "canceled", "cancelled", "closed", "complete",
     "completed", "done", "duplicate", "ended", "false", "final", "finished", "fixed", "over",
     "published", "recovered", "rejected", "resolved", "restored", "reviewed", "solved",
     "abgeschlossen", "behoben", "beendet", "erledigt", "gelöst", "geschlossen", "cerrado",
     "cerrada", "resuelto", "resuelta")
)  # fmt: skip
EDGES = ("DEPENDS_ON", "USES", "CALLS")  # what a picture of dependencies is made of
MOST_EDGES = 300

LISTS = {
    "recent_decisions": "The latest decisions, with their status.",
    "active_incidents": "Incidents that are not closed, else the latest.",
    "conventions": "Rules and conventions that hold here.",
    "dependency_graph": "What depends on what, as records and code state it.",
}


def listed() -> list[types.Resource]:
    """Lists the resources."""
    return [
        types.Resource(uri=ROOT + name, name=name, description=about, mime_type="text/markdown")
        for name, about in LISTS.items()
    ]


def templates() -> list[types.ResourceTemplate]:
    """Gives the form under which any record or memory can be attached."""
    return [
        types.ResourceTemplate(
            uri_template=f"{ROOT}item/{{+key}}",
            name="item",
            description="A record or memory, by its key, label or path.",
            mime_type="text/markdown",
        )
    ]


def read(caller: Caller, uri: str) -> str:
    """Gives the text of a resource."""
    name = uri.removeprefix(ROOT) if uri.startswith(ROOT) else ""
    if name in LISTS:
        return _READERS[name](caller)
    kind, _, key = name.partition("/")
    if kind == "item" and key and len(uri) <= MOST_URI:
        from knowwhy.mcp.toolbox.lookups import get

        return get(caller, unquote(key)).text
    known = ", ".join(ROOT + one for one in LISTS)
    raise NotFound(f"There is no such resource; there are {known} and {ROOT}item/KEY.")


MOST_URI = 1_000  # characters; keys have at most 200


def _decisions(caller: Caller) -> str:
    from knowwhy.mcp.toolbox.listings import list_records

    return list_records(caller, kind="adr", limit=RECENT).text


def _incidents(caller: Caller) -> str:
    from knowwhy.mcp.rendered import about_record, listed
    from knowwhy.mcp.toolbox.narrowing import records_of

    found = records_of(caller, "incident")
    unsaid = [record for record in found if not _words(record)]
    active = [r for r in found if _words(r) and _words(r)[0] not in CLOSED]
    told = [f"{len(active)} open incidents" if active else "No incident is said to be open"]
    told += [f"{len(unsaid)} that do not say whether they are open"] if unsaid else []
    head = f"{', '.join(told)}:" if active or unsaid else "No incident is open; the latest:"
    shown = ([*active, *unsaid] or found)[:RECENT]
    entries = ((about_record(r), "" if _words(r) else "its status is unknown") for r in shown)
    return listed(head, entries, "No incidents are stored.")


def _words(record: Record) -> list[str]:
    return re.findall(r"\w+", (record.draft.status or "").casefold())


def _conventions(caller: Caller) -> str:
    from knowwhy.mcp.toolbox.listings import page_said
    from knowwhy.mcp.toolbox.memory_tools import list_memories
    from knowwhy.mcp.toolbox.narrowing import records_of

    rules = list_memories(caller, kind="memorule", limit=RECENT).text
    return f"{rules}\n\n{page_said(records_of(caller, 'convention'), RECENT).text}"


def _dependencies(caller: Caller) -> str:
    from knowwhy.graph.live import current
    from knowwhy.mcp.rendered import data_block

    live, filters = current(), caller.filters()
    with live.lock:
        edges = [
            f"{tail} {relation} {head}"
            for tail, head, relation, _ in live.edges(filters)
            if relation in EDGES
        ]
    if not edges:
        return "No record states what depends on what."
    shown = sorted(edges)[:MOST_EDGES]
    return data_block(f"{len(shown)} of {len(edges)} dependencies:", "\n".join(shown))


_READERS = {
    "recent_decisions": _decisions,
    "active_incidents": _incidents,
    "conventions": _conventions,
    "dependency_graph": _dependencies,
}
