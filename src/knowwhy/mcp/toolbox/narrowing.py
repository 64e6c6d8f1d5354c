"""What a search or a list can be narrowed to: the kinds and services that there are."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from knowwhy.errors import NotFound
from knowwhy.mcp.arguments import shown
from knowwhy.mcp.caller import Caller
from knowwhy.text.nearest import did_you_mean
from knowwhy.text.question.question_times import dated
from knowwhy.types import Filters, Record

SHOWN_SERVICES = 10


def records_of(
    caller: Caller,
    kind: str | None = None,
    service: str | None = None,
    status: str | None = None,
) -> list[Record]:
    """Gives the live records that the caller may see, without their texts, the newest first."""
    from knowwhy.graph.live import current

    live = current()
    with live.lock:
        found = [
            record
            for record in live.records.values()
            if Filters(project=caller.serving.project).within(record.draft.project)
            and kind in (None, record.draft.kind)
            and service in (None, record.draft.service)
            and (status is None or (record.draft.status or "").casefold() == status.casefold())
        ]
    return sorted(found, key=_newest, reverse=True)


def is_about_service(record: Record, service: str) -> bool:
    """Tells whether a record is of a service, or says that it touched it among others."""
    named = record.draft.metadata.get("services")
    others = named if isinstance(named, list) else [named]
    wanted = _folded(service)
    return any(isinstance(n, str) and _folded(n) == wanted for n in (record.draft.service, *others))


def narrowed(
    caller: Caller,
    kinds: Sequence[str] | None,
    service: str | None,
    since: str | None = None,
    until: str | None = None,
) -> Filters:
    """Limits a search of everything; a kind that nothing can be of is refused."""
    from knowwhy.grounding.claims import KINDS

    check_kinds(caller, kinds or (), (*KINDS, "turn"))
    return caller.filters(kinds, service, dated=dated(since, until))


def check_kinds(caller: Caller, kinds: Sequence[str], said: Collection[str] = ()) -> None:
    """Refuses a kind that no reader gives, that no record is of, and that nothing said is of."""
    from knowwhy.ingest.syncing.layout import KINDS

    ours = tuple(dict.fromkeys((*KINDS, *said)))
    if any(kind not in ours for kind in kinds):
        from knowwhy.retrieval import narrowed as narrowed_to

        stored = Counter(record.draft.kind for record in records_of(caller))
        narrowed_to.check_kinds(kinds, ours, stored)


def check_service(caller: Caller, service: str) -> None:
    """Refuses a service that no record and no memory of the caller is about."""
    from knowwhy.tables.kept.memories import STATUSES, count

    kept = count(caller.asker, statuses=STATUSES, service=service, now=caller.now())
    if not kept and not records_of(caller, service=service):
        raise nothing_about(caller, service, "No record and no memory")


def nothing_about(caller: Caller, service: str, what: str = "No record") -> NotFound:
    """Says that nothing is about a service, and which services records name."""
    names = sorted({r.draft.service for r in records_of(caller) if r.draft.service})
    there = ", ".join(map(shown, names[:SHOWN_SERVICES])) or "none"
    said = did_you_mean(service, names) or "."
    return NotFound(f"{what} is about a service {shown(service)}; there are {there}{said}")


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


def _newest(record: Record) -> tuple[float, str]:
    """Orders by date; what has none comes last."""
    at = record.draft.occurred_at
    return at.timestamp() if at else float("-inf"), record.draft.id
