"""Which of a memory's changes are in force: not those that the undoing of a night has put back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from knowwhy.types import Json


@dataclass(frozen=True, slots=True)
class Written:
    """One change of a memory that was noted, whether or not it came to be."""

    at: datetime
    follows: datetime | None  # the moment of the change before it
    before: Mapping[str, Json]
    run: str | None  # of the night shift, that has signed it
    puts_back: str | None = None  # the run that it undoes


Changes = Mapping[datetime, Written]


def in_force(touched_at: datetime, changes: Changes) -> Iterator[Written]:
    """Gives the changes that are in force, the last one first.

    A change that puts a run back is passed over together with what it took back. Where the
    changes of a memory are not all known, they end early.
    """
    same: dict[datetime, datetime | None] = {}
    for change in reversed(list(_back(touched_at, changes))):
        same[change.at] = _reached(change, changes, same)
    moment: datetime | None = same.get(touched_at, touched_at)
    while moment is not None and (found := changes.get(moment)):
        yield found
        moment = found.follows and same.get(found.follows, found.follows)


def is_of_known_past(touched_at: datetime, changes: Changes) -> bool:
    """Tells whether every change of a memory is known, from its first to its last."""
    every = list(_back(touched_at, changes))
    return bool(every) and every[-1].follows is None


def _back(moment: datetime | None, changes: Changes) -> Iterator[Written]:
    """Gives all changes that came to be, the last one first."""
    while moment is not None and (change := changes.get(moment)):
        yield change
        moment = change.follows


def _reached(
    change: Written, changes: Changes, same: Mapping[datetime, datetime | None]
) -> datetime | None:
    """Gives the moment as of which a memory is after a change: its own, or an earlier one."""
    if change.puts_back is None:
        return change.at
    moment = change.follows
    while moment is not None and (before := changes.get(moment)):
        if before.run == change.puts_back:
            moment = before.follows
        elif same[moment] != moment:
            moment = same[moment]
        else:
            break
    return moment
