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
    run, too: this one may pass over what begins later.
    """
    told = night.cursors.get(step) or {}
    if told.get("after") is not None:
        yield from _one(step, by, now, night, again)
    night.cursors[step] = {
        "since": (night.cursors.get(step) or {}).get("since"),
        "until": peers.as_json(_until(now)),
        "after": "",
    }
    yield from _one(step, by, now, night, again)


def _until(now: datetime) -> datetime | None:
    seen = peers.moment()
    return seen and min(seen, now)


def _one(
    step: str, by: Sequence[str], now: datetime, night: Night, again: Sequence[str]
) -> Iterator[list[Group]]:
    cursor = night.cursors[step]
    since = cursor["since"] and datetime.fromisoformat(cursor["since"])
    left = [g for g in peers.groups(by, since, now, again) if g.label > cursor["after"]]
    for page in _pages(left):
        yield page
        night.cursors[step] = {**cursor, "after": page[-1].label}
    night.cursors[step] = {"since": cursor["until"]}


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
