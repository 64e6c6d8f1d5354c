"""What a client can attach to a conversation: lists of the memory, and any record by its key."""

import re
from urllib.parse import unquote

import mcp_types as types

from knowwhy.errors import NotFound
from knowwhy.mcp.caller import Caller
from knowwhy.types import Record

ROOT = "project://memory/"
RECENT = 20  # records of a list
OF_SERVICE = "active_incidents/"  # begins the name of the incidents of one service
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
    "active_incidents": "Incidents that are not closed, else the latest; those of the service that "
    "the repository's knowwhy.toml names, where it names one.",
    "conventions": "Rules and conventions that hold here: memorules, and documents of conventions.",
    "dependency_graph": "What depends on what, as records and code state it.",
}


def listed() -> list[types.Resource]:
    """Lists the resources."""
    return [
        types.Resource(uri=ROOT + name, name=name, description=about, mime_type="text/markdown")
        for name, about in LISTS.items()
    ]


def templates() -> list[types.ResourceTemplate]:
    """Gives the forms under which a record, a memory or a service's incidents can be attached."""
    named = {
        "item/{+key}": "A record or memory, by its key, label or path.",
        f"{OF_SERVICE}{{+service}}": "Incidents of a service that are not closed, else its latest.",
    }
    return [
        types.ResourceTemplate(
            uri_template=ROOT + form,
            name=form.partition("/")[0],
            description=about,
            mime_type="text/markdown",
        )
        for form, about in named.items()
    ]


def read(caller: Caller, uri: str) -> str:
    """Gives the text of a resource."""
    name = uri.removeprefix(ROOT) if uri.startswith(ROOT) else ""
    if name in LISTS:
        return _READERS[name](caller)
    kind, _, key = name.partition("/")
    if name.startswith(OF_SERVICE) and key.strip() and len(uri) <= MOST_URI:
        return _incidents_of(caller, unquote(key).strip())
    if kind == "item" and key and len(uri) <= MOST_URI:
        from knowwhy.mcp.toolbox.lookups import get

        return get(caller, unquote(key)).text
    known = ", ".join(ROOT + one for one in (*LISTS, f"{OF_SERVICE}SERVICE"))
    raise NotFound(f"There is no such resource; there are {known} and {ROOT}item/KEY.")


MOST_URI = 1_000  # characters; keys have at most 200


def _decisions(caller: Caller) -> str:
    from knowwhy.mcp.toolbox.listings import list_records

    return list_records(caller, kind="adr", limit=RECENT).text


def _incidents(caller: Caller) -> str:
    from knowwhy.mcp.toolbox.narrowing import is_about_service, records_of

    found, own = records_of(caller, "incident"), caller.serving.workplace.service()
    if own is None:
        return _open_ones(found)
    of_own = [record for record in found if is_about_service(record, own)]
    others = len(_open(found)) - len(_open(of_own))
    more = f"\n\n{others} open incidents are of other services: {ROOT}{OF_SERVICE}SERVICE."
    return _open_ones(of_own, own) + (more if others else "")


def _incidents_of(caller: Caller, service: str) -> str:
    from knowwhy.mcp.toolbox.narrowing import is_about_service, nothing_about, records_of

    found = [r for r in records_of(caller, "incident") if is_about_service(r, service)]
    if not found and not any(is_about_service(r, service) for r in records_of(caller)):
        raise nothing_about(caller, service)
    return _open_ones(found, service)


def _open_ones(found: list[Record], service: str | None = None) -> str:
    """Lists the incidents that nobody has said to be closed, else the latest."""
    from knowwhy.mcp.arguments import shown
    from knowwhy.mcp.rendered import about_record, listed

    of = f" of the service {shown(service)}" if service else ""
    unsaid = [record for record in found if not _words(record)]
    active = _open(found)
    told = [
        f"{len(active)} open incidents{of}" if active else f"No incident{of} is said to be open"
    ]
    told += [f"{len(unsaid)} that do not say whether they are open"] if unsaid else []
    closed = f"No incident{of} is open; the latest:"
    head = f"{', '.join(told)}:" if active or unsaid else closed
    shown_ones = ([*active, *unsaid] or found)[:RECENT]
    entries = ((about_record(r), "" if _words(r) else "its status is unknown") for r in shown_ones)
    return listed(head, entries, f"No incidents{of} are stored.")


def _open(found: list[Record]) -> list[Record]:
    return [r for r in found if _words(r) and _words(r)[0] not in CLOSED]


def _words(record: Record) -> list[str]:
    return re.findall(r"\w+", (record.draft.status or "").casefold())


def _conventions(caller: Caller) -> str:
    from knowwhy.mcp.toolbox.listings import page_said
    from knowwhy.mcp.toolbox.memory_tools import list_memories
    from knowwhy.mcp.toolbox.narrowing import records_of
    from knowwhy.text.agreed import is_of_conventions

    rules = list_memories(caller, kind="memorule", limit=RECENT).text
    found = [record for record in records_of(caller) if is_of_conventions(record.draft)]
    return f"{rules}\n\n{page_said(found, RECENT).text}"


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
