"""What a bench adds up: counts among its figures that have to be 0."""

from collections.abc import Mapping, Sequence
from typing import Any


def added_up(figures: Mapping[str, str], *names: str) -> int:
    """Adds up counts among figures; of “3 of 200” it takes the 3."""
    return sum(int(figures[name].split()[0]) for name in names)


def undone(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names what nights, by their JSON, did not do: come to their end, or a step of theirs."""
    ends = [f"a night is {report['state']}" for report in reports if report["state"] != "finished"]
    steps = [step for report in reports for step in report["reports"]]
    return ends + [
        f"{step['name']}: {'; '.join(step['notes'])}"
        for step in steps
        if step["failed"] or step["skipped"] or not step["finished"]
    ]
