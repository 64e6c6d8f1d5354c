"""Dates and times as people write them, read into UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

from knowwhy.text.patterns import regex

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
LONGEST_TIME = 80  # characters; "Wednesday, 12 September 2024 at 09:00:00.000000 a.m. (UTC)" is 59

ZONES = {  # hours from UTC; where a name is used twice, the meaning in most postmortems
    "z": 0,
    "utc": 0,
    "gmt": 0,
    "bst": 1,
    "cet": 1,
    "cest": 2,
    "eet": 2,
    "eest": 3,
    "jst": 9,
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
}

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_WEEKDAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?\.?,?\s{1,3})?"
_DATES = (
    r"(?P<y1>\d{4})(?P<sep>[-/.])(?P<m1>\d{1,2})(?P=sep)(?P<d1>\d{1,2})",
    rf"(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s{{1,3}}of)?[-\s/]{{1,3}}(?P<n2>{_MONTH}),?"
    r"[-\s/]{1,3}(?P<y2>\d{4})",
    rf"(?P<n3>{_MONTH})[-\s]{{1,3}}(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?[-\s]{{1,3}}(?P<y3>\d{{4}})",
    rf"(?P<y4>\d{{4}})[-\s]{{1,3}}(?P<n4>{_MONTH})[-\s]{{1,3}}(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?",
    r"(?P<d5>\d{1,2})\.\s?(?P<m5>\d{1,2})\.\s?(?P<y5>\d{4})",
    r"(?P<a6>\d{1,2})(?P<sep6>[/-])(?P<b6>\d{1,2})(?P=sep6)(?P<y6>\d{4})",
)
_ZONE = (
    r"\s{0,3}\(?(?P<zone>(?:UTC|GMT)?\s?[-+]\d{1,2}(?::?\d{2})?(?!\d)"
    rf"|(?:{'|'.join(sorted(ZONES, key=len, reverse=True))})(?!\w))\)?"
)
_CLOCK = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s{0,3}(?P<half>[ap]\.?m\b\.?))?|\s{0,3}(?P<half_alone>[ap]\.?m\b\.?))"
    rf"(?:{_ZONE})?"
)
_DATE = rf"(?<![\w./-]){_WEEKDAY}(?:{'|'.join(_DATES)})(?![\d-])"
_TIME_AFTER = regex(
    rf"{_DATE}(?:(?:\s{{0,3}},)?(?:[T\s]|\s{{1,3}}at\s{{1,3}}){{1,3}}{_CLOCK})?", re.I | re.A
)
_TIME_BEFORE = regex(
    rf"(?<![\w.:-]){_CLOCK}(?:\s{{0,3}},|\s{{1,3}}on)?\s{{1,3}}{_DATE}", re.I | re.A
)
_SPAN = regex(r"(\d{1,5})([mhd])", re.A)
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def parse_time(text: str) -> datetime | None:
    """Read a text that is one date or time; a date alone is midnight UTC."""
    written = text.strip()
    if not written or len(written) > LONGEST_TIME:
        return None
    try:
        return _utc(datetime.fromisoformat(written))
    except (ValueError, OverflowError):
        pass
    for pattern in (_TIME_AFTER, _TIME_BEFORE):
        match = pattern.fullmatch(written.rstrip("."))
        if match:
            return _read(match)
    return None


def parse_span(text: str) -> timedelta | None:
    """Reads how long something lasts, as 30m, 12h or 7d."""
    read = _SPAN.fullmatch(text.strip())
    return timedelta(**{_UNITS[read[2]]: int(read[1])}) if read else None


def find_time(text: str) -> datetime | None:
    """Find the first date in a longer text."""
    return next(find_times(text), None)


def find_times(text: str) -> Iterator[datetime]:
    """Find every date in a text, in the order in which they are written."""
    for match in _TIME_AFTER.finditer(text):
        moment = _read(match)
        if moment:
            yield moment


def _read(match: re.Match[str]) -> datetime | None:
    got = match.groupdict()
    try:
        year, month, day = _date(got)
        fraction = int((got["fraction"] or "0")[:6].ljust(6, "0"))
        moment = datetime(
            year, month, day, _hour(got), int(got["minute"] or 0), int(got["second"] or 0), fraction
        )
        return _utc(moment.replace(tzinfo=_zone(got["zone"])))
    except (ValueError, OverflowError):
        return None


def _date(got: dict[str, str | None]) -> tuple[int, int, int]:
    for number in "12345":
        year, day = got[f"y{number}"], got[f"d{number}"]
        if year and day:
            name = got.get(f"n{number}")
            month = MONTHS.index(name[:3].lower()) + 1 if name else int(got[f"m{number}"] or 0)
            return int(year), month, int(day)
    first, second = int(got["a6"] or 0), int(got["b6"] or 0)
    if first <= 12 and second <= 12 and first != second:
        raise ValueError("the day and the month cannot be told apart")
    return int(got["y6"] or 0), min(first, second), max(first, second)


def _hour(got: dict[str, str | None]) -> int:
    hour = int(got["hour"] or 0)
    half = got["half"] or got["half_alone"]
    if not half:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError("there is no such hour on a clock of twelve")
    return hour % 12 + (12 if half[0] in "pP" else 0)


def _zone(name: str | None) -> timezone:
    if not name:
        return UTC
    if name.lower() in ZONES:
        return timezone(timedelta(hours=ZONES[name.lower()]))
    offset = name[3:].strip() if name[0] in "uUgG" else name
    digits = offset[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    ahead = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-ahead if offset[0] == "-" else ahead)


def _utc(moment: datetime) -> datetime:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC)
