"""How a step goes through all that was written since it last came to its end, in what order."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from knowwhy.janitor.night import Night
from knowwhy.tables.kept import peers
from knowwhy.tables.kept.peers import Group

TOGETHER = 2_000  # memories looked at before the next page, unless one group has more


def through(
    step: str, by: Sequence[str], now: datetime, night: Night, again: Sequence[str] = ()
) -> Iterator[list[Group]]:
    """Gives pages of groups; when all have been seen, the next run begins where this one did.

    What a run that was stopped had not seen comes first, then what was written since it began, or
    is to be looked at again. What is written after the moment that counts as now is of the next
    run, too: this one may pass over what begins later. When the time of the night is over, what is
    left is of the next run, which goes on behind the last page; each pass comes to one at least.
    """
    told = night.cursors.get(step) or {}
    if told.get("by") != list(by):  # grouped otherwise: neither its order nor what was seen holds
        told = {}
    if told.get("after") is not None:
        yield from _one(step, by, now, night, again)
        if is_cut_short(step, night):
            return
        told = night.cursors[step]
    until = peers.as_json(_until(now))
    night.cursors[step] = {"by": list(by), "since": told.get("since"), "until": until, "after": ""}
    yield from _one(step, by, now, night, again)


def is_cut_short(step: str, night: Night) -> bool:
    """Tells whether the time was over before a step had seen everything."""
    return "after" in night.cursors[step]


def _until(now: datetime) -> datetime | None:
    seen = peers.moment()
    return seen and min(seen, now)


def _one(
    step: str, by: Sequence[str], now: datetime, night: Night, again: Sequence[str]
) -> Iterator[list[Group]]:
    cursor = night.cursors[step]
    since = cursor["since"] and datetime.fromisoformat(cursor["since"])
    left = [g for g in peers.groups(by, since, now, again) if g.label > cursor["after"]]
    pages = list(_pages(left))
    for number, page in enumerate(pages, 1):
        yield page
        night.cursors[step] = {**cursor, "after": page[-1].label}
        night.keep()
        if night.is_over() and number < len(pages):
            return
    night.cursors[step] = {"by": cursor["by"], "since": cursor["until"]}


def _pages(groups: Sequence[Group]) -> Iterator[list[Group]]:
    page: list[Group] = []
    count = 0
    for group in groups:
        if page and count + len(group.keys) > TOGETHER:
            yield page
            page, count = [], 0
        page.append(group)
        count += len(group.keys)
    if page:
        yield page
