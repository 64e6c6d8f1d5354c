"""Tells whether the day or the month stands first in dates such as 04/07/2019."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import MAX_BESIDE, beginning
from knowwhy.ingest.files import decode
from knowwhy.ingest.load import LeftOut
from knowwhy.session.command import ask
from knowwhy.text.pages.forms import WRITTEN, as_markdown, form_of
from knowwhy.text.patterns import regex
from knowwhy.text.times import parse_time, slashed_dates

SAME_FILE = "-M90%"  # two that were written after one template are alike by less
ADDED = (  # the commit that added a file, without running what the repository configures
    *("--literal-pathspecs", "log", "--no-show-signature", "--no-ext-diff", "--no-textconv"),
    *("--follow", SAME_FILE, "--diff-filter=A", "--format=%aI"),
)
MAX_READ = 20_000  # characters of a text in which its dates are looked for
MAX_ASKED = 30  # files of a folder of which git is asked when they were added
LATER = timedelta(days=1)  # that a date may lie after the commit of its file, by zones of time
NEARER = 3  # times that one reading must be nearer to the commit than the other

MAX_HEAD = 1_500  # characters in which a date is the record's own
PROSE_WORDS = 7  # of a line with which the head of a text ends, if it is no field

DAY_FIRST, MONTH_FIRST, OPEN = "day first", "month first", "open"

Slashed = tuple[int, int, int]
_FIELD = regex(  # a line that is a date, or a label with a value that has one after few words
    r"[^\w\n]{0,12}(?:v?\d{1,3}(?:\.\d{1,4}){1,3},[ \t]{1,3})?(?=\d{1,2}[/-]\d{1,2}[/-]\d{4})"
    r"|[^\w\n]{0,12}[^\W\d][\w'/-]{0,30}(?:[ \t]{1,3}[\w()'/-]{1,30}){0,3}[ \t*_`\"']{0,6}[:|=]"
    r"[^\w\n]{0,12}(?:[\w.,;()'-]{1,30}[ \t(|,]{1,4}){0,3}(?=\d{1,2}[/-]\d{1,2}[/-]\d{4})"
)
_LABELLED = regex(
    r"[^\w\n]{0,12}[^\W\d][\w ()'/-]{0,40}[*_`\"']{0,3}[ \t]{0,3}[:|=]|[ \t]{0,8}[#|>-]"
)
_IN_BYTES = re.compile(rb"\d[/-]\d{1,2}[/-]\d{4}")
_DATE = regex(r"\d{1,2}[/-]\d{1,2}[/-]\d{4}")


@dataclass(frozen=True, slots=True)
class _Dates:
    """The dates of a text in which the day may stand first or second."""

    head: tuple[Slashed, ...] = ()  # of its fields
    prose: tuple[Slashed, ...] = ()

    def unclear(self) -> Slashed | None:
        """Gives the first date that can be read in two ways, one of a field before all others."""
        return next(filter(is_unclear, (*self.head, *self.prose)), None)


@dataclass(slots=True)
class Orders:
    """The order of each folder's dates, looked for when a date needs it."""

    _folders: dict[Path, dict[Path, _Dates]] = field(default_factory=dict)
    _proven: dict[Path, bool | None] = field(default_factory=dict)
    _spoken: dict[Path, bool | None] = field(default_factory=dict)
    _added: dict[Path, date | None] = field(default_factory=dict)

    def of(self, file: Path, text: str) -> str | None:
        """Tells what stands first in the dates of a text; None when none needs it."""
        own = _dates_of(text)
        one = own.unclear()
        if one is None:
            return None
        tells: tuple[Callable[[], bool | None], ...] = (
            lambda: _proven(own.head),
            lambda: self._possible(file, one) if one in own.head else None,
            lambda: self._of_folder(file.parent),
            lambda: self._nearest(file, one),
            lambda: self._of_prose(file.parent),
        )
        for tell in tells:
            if (day_first := tell()) is not None:
                return DAY_FIRST if day_first else MONTH_FIRST
        return OPEN

    def _of_folder(self, folder: Path) -> bool | None:
        """Tells the order of a folder by the fields of its texts, else by their commits."""
        if folder not in self._proven:
            found = self._dates_in(folder)
            proven = _proven([one for dates in found.values() for one in dates.head])
            if proven is None:
                first = (
                    (f, next(filter(is_unclear, dates.head), None)) for f, dates in found.items()
                )
                proven = self._by_commits([(f, one) for f, one in first if one is not None])
            self._proven[folder] = proven
        return self._proven[folder]

    def _of_prose(self, folder: Path) -> bool | None:
        """Tells the order in which all that a folder's texts say beside their fields agrees."""
        if folder not in self._spoken:
            found = self._dates_in(folder).values()
            self._spoken[folder] = _proven([one for dates in found for one in dates.prose])
        return self._spoken[folder]

    def _dates_in(self, folder: Path) -> dict[Path, _Dates]:
        if folder not in self._folders:
            self._folders[folder] = {f: _dates_in(f) for f in _texts_in(folder)}
        return self._folders[folder]

    def _by_commits(self, dates: list[tuple[Path, Slashed]]) -> bool | None:
        """Tells the one order in which no date lies after the commit that added its file."""
        known = [(one, at) for f, one in dates[:MAX_ASKED] if (at := self._added_at(f))]
        fitting = [
            order
            for order in (True, False)
            if all((day := read_as(one, order)) and day <= at + LATER for one, at in known)
        ]
        return fitting[0] if known and len(fitting) == 1 else None

    def _possible(self, file: Path, one: Slashed) -> bool | None:
        """Tells the one reading that does not lie after the commit that added a file."""
        return self._by_commits([(file, one)])

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


def order_of(file: Path, raw: bytes, name: str, orders: Orders) -> str | None:
    """Tells what stands first in the dates of a file's bytes; None when none needs it."""
    if form_of(name) not in WRITTEN or not _IN_BYTES.search(raw):
        return None
    try:
        return orders.of(file, as_markdown(decode(raw), name))
    except (LeftOut, BadInput):
        return None  # whoever reads it is told


def both_readings(one: Slashed) -> tuple[str, str]:
    """Writes out what a date can mean, with the day first and with the month first."""
    first, second, year = one
    return f"{year}-{second:02}-{first:02}", f"{year}-{first:02}-{second:02}"


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


def _dates_of(text: str) -> _Dates:
    """Takes the dates of a text's fields apart from those of its prose."""
    seen = text[:MAX_READ]
    if not _DATE.search(seen):
        return _Dates()
    end = _head_end(seen)
    head: list[Slashed] = []
    prose: list[Slashed] = []
    for line in seen[:end].splitlines():
        (head if _FIELD.match(line) else prose).extend(slashed_dates(line))
    return _Dates(tuple(head), (*prose, *slashed_dates(seen[end:])))


def _head_end(text: str) -> int:
    """Tells where the head of a text ends: with its first line of prose."""
    at = 0
    for line in text[:MAX_HEAD].splitlines(keepends=True):
        if len(line.split()) >= PROSE_WORDS and not _LABELLED.match(line):
            break
        at += len(line)
    return at


def _proven(dates: Iterable[Slashed]) -> bool | None:
    """Tells the order that dates with a day over 12 prove, unless they prove both."""
    orders = {first > 12 for first, second, _ in dates if (first > 12) != (second > 12)}
    return orders.pop() if len(orders) == 1 else None


def _dates_in(file: Path) -> _Dates:
    try:
        return _dates_of(beginning(file) or "")
    except OSError:
        return _Dates()


def _texts_in(folder: Path) -> Iterator[Path]:
    try:
        yield from (
            f for f in islice(sorted(folder.iterdir()), MAX_BESIDE) if form_of(f) in WRITTEN
        )
    except OSError:
        return
