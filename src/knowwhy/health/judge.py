"""When a measurement is an alarm: below the floor, or far below what it was."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from knowwhy.tables.vectors.health_checks import Check
from knowwhy.tables.vectors.vector_index import VectorIndex
from knowwhy.types import Alarm

FLOOR = 0.90  # recall@10 that no filter may fall below
DRIFT = 0.05  # of the baseline, that recall may lose
GROWN = 0.10  # of the rows: by so much another number may make another index
REPAIRABLE = {"recall-below-floor", "recall-drift", "index-invalid"}
AGAIN = "knowwhy health"  # tries the repairs once more: others may have been in the way
LOOK = "knowwhy doctor"

Baselines = Mapping[tuple[str, str], Check]


def judged(check: Check, baselines: Baselines, repaired: str | None) -> Check:
    """Holds a measurement against the floor and its baseline; what is not measured passes."""
    baseline = baselines.get((check.searched, check.filtered_by))
    against = baseline.recall_at_10 if baseline else None
    check = replace(check, against=against, repaired=repaired)
    after = f", also after {repaired}" if repaired else ""
    return replace(check, alarms=tuple(_alarms(check, after)))


def _alarms(check: Check, after: str) -> list[Alarm]:
    if check.recall_at_10 is None or check.worst is None:
        return []
    where = f"The vector search of {check.searched} ({check.filtered_by}{_share(check)})"
    found = []
    if check.worst < FLOOR:
        text = f"{where} finds {check.worst:.2f} of the ten nearest, less than {FLOOR:.2f}{after}."
        found.append(Alarm("recall-below-floor", text, AGAIN))
    if check.against is not None and check.recall_at_10 < check.against * (1 - DRIFT):
        text = (
            f"{where} finds {check.recall_at_10:.3f} of the ten nearest, more than {DRIFT:.0%} "
            f"less than the {check.against:.3f} of its baseline{after}."
        )
        found.append(Alarm("recall-drift", text, AGAIN))
    return found


def _share(check: Check) -> str:
    """Says how many filters of how many were asked, where that is not all of them."""
    every = check.all_filters or 0
    return f", {check.filters} of {every:,} asked" if every > check.filters else ""


def of_index(searched: str, index: VectorIndex) -> list[Alarm]:
    """Says what is wrong with an index itself."""
    found = []
    if index.name is None:
        found.append(Alarm("index-invalid", f"The vectors of {searched} have no index.", LOOK))
    elif not index.valid:
        text = f"The index of the vectors of {searched} is not valid: searches do not use it."
        found.append(Alarm("index-invalid", text, "knowwhy health"))
    if index.missing:
        text = f"{index.missing} of {index.rows} rows of {searched} have no vector: none is found."
        found.append(Alarm("vectors-missing", text, LOOK))
    return found


def may_be_baseline(check: Check) -> bool:
    """Tells whether later runs may be held against this one: it asked the index, and it is well."""
    went_over_it = check.by_index * 2 > check.queries
    return check.recall_at_10 is not None and went_over_it and not check.alarms


def repairable(checks: Sequence[Check]) -> set[str]:
    """Names the sorts of filter whose alarms a repair of the index may end."""
    return {check.filtered_by for check in checks if _codes(check)}


def helps_no_more(checks: Sequence[Check], then: Sequence[Check]) -> bool:
    """Tells whether each alarm stood already after the repairs of `then`, and finds no less."""
    before = {check.filtered_by: check for check in then}
    low = [check for check in checks if _codes(check)]
    return all(
        check.filtered_by in before and _is_alike(check, before[check.filtered_by]) for check in low
    )


def _codes(check: Check) -> set[str]:
    return REPAIRABLE & {alarm.code for alarm in check.alarms}


def _is_alike(check: Check, before: Check) -> bool:
    """Tells whether a measurement has no other alarms than one before, of about as many rows."""
    pairs = ((check.recall_at_10, before.recall_at_10), (check.worst, before.worst))
    finds_less = any((now or 0.0) < (once or 0.0) * (1 - DRIFT) for now, once in pairs)
    is_as_large = abs(check.rows - before.rows) <= before.rows * GROWN
    return _codes(check) <= _codes(before) and is_as_large and not finds_less
