"""Tells whether the day or the month stands first in dates such as 04/07/2019."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from knowwhy.ingest.adr import MAX_BESIDE, beginning
from knowwhy.session.command import ask
from knowwhy.text.pages.forms import WRITTEN, form_of
from knowwhy.text.times import parse_time, slashed_dates

ADDED = (  # the commit that added a file, without running what the repository configures
    *("--literal-pathspecs", "log", "--no-show-signature", "--no-ext-diff", "--no-textconv"),
    *("--follow", "--diff-filter=A", "--format=%aI"),
)
MAX_READ = 20_000  # characters of a text in which its dates are looked for
MAX_ASKED = 30  # files of a folder of which git is asked when they were added
LATER = timedelta(days=1)  # that a date may lie after the commit of its file, by zones of time
NEARER = 3  # times that one reading must be nearer to the commit than the other

Slashed = tuple[int, int, int]


@dataclass(slots=True)
class Orders:
    """The order of each folder's dates, looked for when a date needs it."""

    _proven: dict[Path, bool | None] = field(default_factory=dict)
    _added: dict[Path, date | None] = field(default_factory=dict)

    def day_first(self, file: Path, text: str) -> bool | None:
        """Tells whether days stand first in a text; None when nothing tells, or nobody asks."""
        own = list(slashed_dates(text[:MAX_READ]))
        unclear = [one for one in own if is_unclear(one)]
        if not unclear:
            return None
        proven = _proven(own)
        if proven is None:
            proven = self._of_folder(file.parent)
        return proven if proven is not None else self._nearest(file, unclear[0])

    def _of_folder(self, folder: Path) -> bool | None:
        if folder not in self._proven:
            found = {f: _dates_in(f) for f in _texts_in(folder)}
            proven = _proven([one for dates in found.values() for one in dates])
            if proven is None:
                first = ((f, next(filter(is_unclear, dates), None)) for f, dates in found.items())
                proven = self._by_commits([(f, one) for f, one in first if one is not None])
            self._proven[folder] = proven
        return self._proven[folder]

    def _by_commits(self, dates: list[tuple[Path, Slashed]]) -> bool | None:
        """Tells the one order in which no date lies after the commit that added its file."""
        known = [(one, at) for f, one in dates[:MAX_ASKED] if (at := self._added_at(f))]
        fitting = [
            order
            for order in (True, False)
            if all((day := read_as(one, order)) and day <= at + LATER for one, at in known)
        ]
        return fitting[0] if known and len(fitting) == 1 else None

    def _nearest(self, file: Path, one: Slashed) -> bool | None:
        """Tells the reading that lies much nearer to the commit that added a file."""
        added = self._added_at(file)
        days = [read_as(one, order) for order in (True, False)]
        if added is None or None in days:
            return None
        first, second = (abs((day - added).days) for day in days if day)
        if first * NEARER <= second:
            return True
        return False if second * NEARER <= first else None

    def _added_at(self, file: Path) -> date | None:
        if file not in self._added:
            lines = ask(file.parent, *ADDED, "--", file.name).text().split()
            moment = parse_time(lines[-1]) if lines else None
            self._added[file] = moment.date() if moment else None
        return self._added[file]


def is_unclear(one: Slashed) -> bool:
    """Tells a date that can be read in two ways."""
    first, second, _ = one
    return 1 <= first <= 12 and 1 <= second <= 12 and first != second


def read_as(one: Slashed, day_first: bool) -> date | None:
    """Reads a date in one order."""
    first, second, year = one
    day, month = (first, second) if day_first else (second, first)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _proven(dates: list[Slashed]) -> bool | None:
    """Tells the order that dates with a day over 12 prove, unless they prove both."""
    orders = {first > 12 for first, second, _ in dates if (first > 12) != (second > 12)}
    return orders.pop() if len(orders) == 1 else None


def _dates_in(file: Path) -> list[Slashed]:
    try:
        return list(slashed_dates((beginning(file) or "")[:MAX_READ]))
    except OSError:
        return []


def _texts_in(folder: Path) -> Iterator[Path]:
    try:
        yield from (
            f for f in islice(sorted(folder.iterdir()), MAX_BESIDE) if form_of(f) in WRITTEN
        )
    except OSError:
        return
