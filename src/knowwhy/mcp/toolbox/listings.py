"""Tools that list what there is: records by kind, a service as a whole, counts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.refusals import for_tools
from knowwhy.mcp.toolbox.given import Limit, Since, Until
from knowwhy.mcp.toolbox.narrowing import check_kinds, nothing_about, records_of
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.text.question.question_times import dated, left_out
from knowwhy.types import Json, Record

if TYPE_CHECKING:
    from knowwhy.tables.kept.nights import Run

SHOWN = 8  # records of a kind in an overview
NEWEST = "the newest first"
OF_MEMORIES = ("expire", "merge", "contradictions", "undo")  # steps of a night that change some
_COUNTS = {"yours": " of yours", "of_all": " in all"}
MOST_LEFT_OUT = 1_000_000  # records; more than a home is made for


def list_records(
    caller: Caller,
    kind: Annotated[
        str | None,
        Field(max_length=60, description="Only this kind.", examples=["adr", "incident"]),
    ] = None,
    service: Annotated[
        str | None, Field(max_length=200, description="Only this service.", examples=["auth"])
    ] = None,
    status: Annotated[
        str | None,
        Field(max_length=60, description="Only with this status.", examples=["accepted"]),
    ] = None,
    limit: Limit = 20,
    offset: Annotated[int, Field(ge=0, le=MOST_LEFT_OUT, description="How many to leave out.")] = 0,
    since: Since = None,
    until: Until = None,
) -> Said:
    """List records, the newest first: decisions, incidents, meetings, documents, code.

    Use it for "all incidents of a service" or "the latest decisions". Not for finding something by
    what it says (semantic_search).
    """
    check_kinds(caller, [kind] if kind else [])
    within = dated(since, until)
    found = records_of(caller, kind, service, status)
    in_time = [record for record in found if within.holds(record.draft.occurred_at)]
    if service is not None and not found and not records_of(caller, service=service):
        raise nothing_about(caller, service)
    undated = sum(record.draft.occurred_at is None for record in found) if within else 0
    said = page_said(in_time, limit, offset, undated)
    if found or records_of(caller):
        return said
    from knowwhy.retrieval.narrowed import NO_RECORDS

    return replace(said, text=for_tools(NO_RECORDS))


def service_overview(
    caller: Caller,
    service: Annotated[
        str | None,
        Field(max_length=200, description="Left out: which services there are.", examples=["auth"]),
    ] = None,
) -> Said:
    """Show what is known about a service: its decisions, incidents, documents and code.

    Use it before working on a service that is new to you. Not for what it depends on and who owns
    it (graph).
    """
    if service is None:
        return _services(caller)
    from knowwhy.mcp.rendered import NOTE, about_record, listed, record_data

    found = records_of(caller, service=service)
    if not found:
        raise nothing_about(caller, service)
    kinds = Counter(record.draft.kind for record in found)
    first = [r for kind in kinds for r in _of_kind(found, kind)[:SHOWN]]
    counts = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    entries = ((about_record(r), "") for r in first)
    text = listed("What is known about it:", entries, "", above=f"{service}: {counts}")
    data = {"note": NOTE, "service": service, "kinds": dict(kinds)}
    return Said(text, {**data, "records": [record_data(record) for record in first]})


def statistics(caller: Caller) -> Said:
    """Count what is stored: records by kind and service, and your memories by status.

    Use it to see how many records there are, and whether anything has been taken in at all.
    Not for the records themselves (list_records).
    """
    from knowwhy.mcp.rendered import NOTE, data_block
    from knowwhy.tables.kept.memories import STATUSES, count

    found = records_of(caller)
    now = caller.now()
    kinds = Counter(record.draft.kind for record in found)
    services = Counter(r.draft.service for r in found if r.draft.service)
    memories = {s: n for s in STATUSES if (n := count(caller.asker, statuses=(s,), now=now))}
    lines = [
        f"{len(found)} records: {_counted(kinds)}",
        f"{len(services)} services: {_counted(services)}",
        f"{sum(memories.values())} memories of yours: {_counted(Counter(memories))}",
    ]
    data = {"records": len(found), "kinds": dict(kinds), "services": dict(services)}
    text = data_block("What is stored:", "\n".join(lines))
    return Said(text, {"note": NOTE, **data, "memories": memories})


def search_health(caller: Caller) -> Said:
    """Tell how much of what is nearest the vector search found when it was last measured.

    Use it when answers seem to miss what is stored. It measures nothing: `knowwhy health` and the
    night do. Not for whether something is stored at all (statistics, list_records).
    """
    from knowwhy.health.shown import told
    from knowwhy.mcp.rendered import NOTE
    from knowwhy.tables.vectors.health_checks import last_looks

    checks = last_looks()
    text = (
        "\n".join(told(checks))
        or "It has not been measured yet; a person measures it with `knowwhy health`."
    )
    measured: list[Json] = [
        {
            "view": check.searched,
            "filter": check.filtered_by,
            "recall_at_10": check.recall_at_10,
            "worst": check.worst,
            "baseline": check.against,
            "at": check.at.isoformat(),
            "alarms": [alarm.code for alarm in check.alarms],
        }
        for check in checks
    ]
    return Said(text, {"note": NOTE, "measurements": measured})


def nightly_runs(caller: Caller, limit: Limit = 5) -> Said:
    """List the last runs of the night shift and how many of your memories each step has changed.

    Use it when memories have expired or were superseded overnight. It runs nothing: `knowwhy
    nightly` does, and undoes a run. Not for which memory and for what reason (list_memories, why).
    """
    from knowwhy.mcp.rendered import NOTE
    from knowwhy.tables.kept import nights, signed

    runs = [nights.seen(run) for run in nights.runs(limit)]
    signs = {f"{report['name']} {run.key}" for run in runs for report in run.reports}
    since = min((run.at for run in runs), default=caller.now())
    counts = signed.counted(signs, since, caller.asker) if signs else {}
    told = [_night(caller, run, counts) for run in runs]
    lines = ["The last runs of the night shift:", *map(_night_line, told)]
    text = (
        "\n".join(lines)
        if told
        else "The night shift has not run yet; a schedule or a person runs `knowwhy nightly`."
    )
    return Said(text, {"note": NOTE, "runs": told})


def _night(caller: Caller, run: "Run", counts: Mapping[str, int]) -> dict[str, Json]:
    """Gives a run without a key or a word of anybody; counts of all only to who owns the home."""
    steps: list[Json] = []
    for report in run.reports:
        name = report["name"]
        step: dict[str, Json] = {n: report[n] for n in ("name", "seconds", "finished")}
        step["alarms"] = [alarm["code"] for alarm in report["alarms"]]
        if name in OF_MEMORIES:
            step["yours"] = counts.get(f"{name} {run.key}", 0)
        if caller.serving.is_local:
            step["of_all"] = report["done"]
        steps.append(step)
    return {
        "run": run.key,
        "at": run.at.astimezone(UTC).isoformat(),
        "ended_at": run.ended_at and run.ended_at.astimezone(UTC).isoformat(),
        "state": run.state,
        "only": run.only,
        "undoes": run.undoes,
        "steps": steps,
    }


def _night_line(run: Mapping[str, Json]) -> str:
    """Tells a run in a line."""
    did = [_step_said(step) for step in run["steps"]]
    undoes = f" It undoes {run['undoes']}." if run["undoes"] else ""
    return (
        f"{run['run']} of {run['at'][:16]} {run['state']}: {', '.join(did) or 'nothing'}.{undoes}"
    )


def _step_said(step: Mapping[str, Json]) -> str:
    counts = [f"{step[name]}{said}" for name, said in _COUNTS.items() if name in step]
    more = [f"{step['seconds']:.1f} s", *step["alarms"]]
    state = "failed" if step.get("failed") else "not finished"
    more += [] if step["finished"] else [state]
    return " ".join([step["name"], *counts, f"({', '.join(more)})"])


def _of_kind(found: list[Record], kind: str) -> list[Record]:
    return [record for record in found if record.draft.kind == kind]


def page_said(found: list[Record], limit: int, offset: int = 0, undated: int = 0) -> Said:
    """Says some of the records that were found, and how many no date lets into a span of time."""
    from knowwhy.mcp.rendered import NOTE, about_record, listed, record_data

    page, total = found[offset : offset + limit], len(found)
    head = f"{len(page)} of {total} records, {NEWEST}:"
    text = listed(head, ((about_record(record), "") for record in page), "No such records.")
    data = {"note": NOTE, "total": total}
    if undated:
        text, data["undated"] = f"{text}\nnote: {left_out(undated)}", undated
    return Said(text, {**data, "records": [record_data(record) for record in page]})


def _services(caller: Caller) -> Said:
    from knowwhy.mcp.rendered import NOTE, listed

    found = Counter(r.draft.service for r in records_of(caller))
    named = [(str(name), f"{n} records") for name, n in found.most_common() if name]
    text = listed(
        f"{len(named)} services:", named[:100], "No record names a service; services are unknown."
    )
    data = {name: n for name, n in found.most_common() if name}
    return Said(text, {"note": NOTE, "services": data})


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.most_common(20)) or "none"
