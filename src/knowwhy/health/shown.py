"""Measurements as people and programs read them; no user, project, key or text is named."""

from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import groupby

from knowwhy.tables.vectors.health_checks import Check
from knowwhy.types import Json


def check_data(check: Check) -> dict[str, Json]:
    """Gives a measurement in the stable form of docs/json.md."""
    return {
        "run": check.run,
        "at": check.at.astimezone(UTC).isoformat(),
        "view": check.searched,
        "filter": check.filtered_by,
        "filters": check.filters,
        "all_filters": check.all_filters,
        "keeps": check.keeps,
        "rows": check.rows,
        "recall_at_10": check.recall_at_10,
        "worst": check.worst,
        "baseline": check.against,
        "is_baseline": check.is_baseline,
        "queries": {
            "all": check.queries,
            "recalls": check.recalls,
            "texts": check.texts,
            "golden": check.golden,
            "by_index": check.by_index,
        },
        "milestone": check.milestone,
        "repaired": check.repaired,
        "settings": dict(check.settings),
        "embedder": check.embedder,
        "alarms": [alarm.code for alarm in check.alarms],
    }


def lines(checks: Sequence[Check]) -> Iterator[str]:
    """Gives the measurements as lines, one paragraph a table."""
    for name, some in groupby(checks, key=lambda check: check.searched):
        group = list(some)
        settings = ", ".join(f"{key} {value}" for key, value in group[0].settings.items())
        yield f"{name}: {group[0].rows:,} rows" + (f" ({settings})" if settings else "")
        yield from (f"  {_line(check)}" for check in group)


def _line(check: Check) -> str:
    of_all = f" of {check.all_filters:,}" if (check.all_filters or 0) > check.filters else ""
    many = f" ×{check.filters}{of_all}" if check.filters > 1 or of_all else ""
    name = f"{check.filtered_by}{many}"
    if check.recall_at_10 is None:
        return f"{name:<22} nothing to find"
    compared = "" if check.against is None else f", baseline {check.against:.3f}"
    where = f"{check.recalls} asked, {check.texts} stored, {check.golden} golden"
    road = f"{check.by_index} over the index" if check.by_index else "all found exactly"
    worst = f", worst {check.worst:.3f}" if check.filters > 1 else ""
    return (
        f"{name:<22} recall@10 {check.recall_at_10:.3f}{worst}{compared}; "
        f"{check.queries} queries ({where}), {road}"
    )


def told(checks: Sequence[Check]) -> Iterator[str]:
    """Gives the measurements for whoever asks over MCP: nothing that counts others' rows."""
    for check in checks:
        if check.recall_at_10 is None:
            continue
        codes = ", ".join(alarm.code for alarm in check.alarms)
        yield (
            f"{check.searched}, {check.filtered_by}: finds {check.recall_at_10:.3f} of the ten "
            f"nearest ({check.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC)"
            + (f"; ALARM {codes}" if codes else "")
        )
