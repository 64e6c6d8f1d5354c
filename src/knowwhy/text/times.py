"""Dates and times as people write them, read into UTC."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from knowwhy.text.patterns import regex

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
LONGEST_TIME = 80  # characters; "Wednesday, 12 September 2024 at 09:00:00.000000 a.m. (UTC)" is 59

ZONES = {  # minutes from UTC, of the names that mean one zone only; IANA's tz database
    **dict.fromkeys(("Z", "UTC", "GMT", "WET"), 0),
    **dict.fromkeys(("CET", "WEST", "WAT"), 60),
    **dict.fromkeys(("CEST", "EET", "SAST", "CAT"), 120),
    **dict.fromkeys(("EEST", "MSK", "EAT", "TRT"), 180),
    **{"IDT": 180, "GST": 240, "PKT": 300, "NPT": 345, "ICT": 420, "WIB": 420},
    **dict.fromkeys(("SGT", "MYT", "HKT", "PHT", "AWST", "WITA"), 480),
    **{"JST": 540, "KST": 540, "WIT": 540, "ACST": 570, "AEST": 600, "ACDT": 630, "AEDT": 660},
    **{"NZST": 720, "NZDT": 780, "NDT": -150, "NST": -210, "BRT": -180, "ART": -180, "UYT": -180},
    **{"CLST": -180, "ADT": -180, "CLT": -240, "EDT": -240, "COT": -300, "PET": -300},
    **{"EST": -300, "CDT": -300, "MDT": -360, "MST": -420, "PDT": -420, "PST": -480},
    **{"AKDT": -480, "AKST": -540, "HDT": -540, "HST": -600},
}
AMBIGUOUS = {  # minutes from UTC of each zone of that name, with the words that tell which it is
    "IST": {
        330: "india indian kolkata calcutta mumbai bangalore bengaluru delhi chennai pune",
        120: "israel israeli jerusalem haifa aviv",
        60: "ireland irish dublin cork",
    },
    "CST": {
        -360: "chicago texas dallas houston austin mexico cdt est edt pst pdt mst mdt",
        480: "china chinese beijing shanghai shenzhen hangzhou taipei taiwan",
    },
    "BST": {
        60: "british britain london uk england scotland wales edinburgh manchester gmt",
        360: "bangladesh dhaka",
    },
    "AST": {
        -240: "atlantic halifax bermuda canada puerto adt",
        180: "arabia arabian saudi riyadh kuwait bahrain qatar",
    },
}
# Named without saying whether it is summer: minutes from UTC in winter.
_AMERICAN = {"ET": -300, "CT": -360, "MT": -420, "PT": -480}
_SHORT = {"AET": "Australia/Sydney", "NZT": "Pacific/Auckland"}  # as above, of other countries
_PLACES = {"eastern": "ET", "central": "CT", "mountain": "MT", "pacific": "PT"}
CHANGED_SUMMERS = 2007  # the first year in which summer time in the United States began in March

Told = Mapping[str, int]  # minutes from UTC of names of zones, as a document tells them

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
_OFFSET = r"[-+\u2212]\d{1,2}(?::?\d{2})?(?!\d)"
_EXPLICIT = rf"(?:UTC|GMT)\s?{_OFFSET}"
_EVERY_CASE = ("Z", "UTC", "GMT", "CET", "CEST", "EET", "EEST", "JST")  # as no words are written
_ANY_CASE = (*_EVERY_CASE, *(f"{zone}{kind}T" for zone in "EMPC" for kind in "SD"), "BST")
_IN_CAPITALS = sorted(
    {*ZONES, *AMBIGUOUS, *_AMERICAN, *_SHORT}, key=lambda name: (-len(name), name)
)
_AREAS = "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc"
_CITY = rf"(?-i:(?:{_AREAS})(?:/[A-Z][A-Za-z_+-]{{2,30}}){{1,2}})(?![\w/])"
_NAME = (
    rf"(?:{_EXPLICIT}|{_CITY}|(?:{'|'.join(sorted(_ANY_CASE, key=len, reverse=True))})(?!\w)"
    rf"|(?-i:{'|'.join(_IN_CAPITALS)})(?!\w)"
    rf"|(?:US/(?:{'|'.join(_PLACES)})"
    rf"|(?:{'|'.join(_PLACES)})\s(?:standard\s|daylight\s)?time)(?!\w))"
)
_LONG = r"(?-i:[A-Z][a-z]{2,15}\s){1,3}time\s?\("  # what a name in brackets is short for
ZONE = rf"(?:(?:{_LONG})?{_NAME})"  # as it is written after a clock time, or of many
_NO_ZONES = "POST|PUT|GET|TEST|EXIT|HALT|ROOT|CERT|BOT|GPT|JWT|MQTT|NAT|NOT|OUT|HOST|LOST|NEXT"
UNKNOWN = (  # what can only be a zone by its form and its place, whichever it is
    rf"(?:(?-i:(?!(?:{_NO_ZONES})\b)[A-Z]{{2,3}}T)(?=\s{{0,3}}[)\]|:,;]|\s{{1,3}}[–—-])"
    r"|local\stime(?!\w)|(?-i:[A-Z][a-z]{2,15}\s){1,2}time(?=\)))"
)
_LAST = (
    r"(?:(?-i:[A-Z]{2,5}|(?:[A-Z][a-z]{2,15}\s){1,2}[Tt]ime)(?=\)?\.?(?:\n|$)))"  # of a time alone
)
UNKNOWN_ZONE = "local time"  # stands for any of which nobody can say which one it is
_ZONE = (
    rf"\s{{0,3}}\(?(?P<zone>{ZONE}|{_OFFSET}|{UNKNOWN}|{_LAST})\)?"
    rf"(?:\s{{0,3}}[(/,–—-]{{0,2}}\s?(?P<beside>{_EXPLICIT})\)?|\s?\((?:{ZONE})\))?"
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
_DAY_FIRST: ContextVar[bool | None] = ContextVar("whether the day stands first", default=None)
_SPAN = regex(r"(\d{1,5})([mhd])", re.A)
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


_PAIRED = regex(  # "IST (UTC+5:30)", "AEST — UTC+10", "UTC+5:30 (IST)"
    rf"\b(?P<name>{'|'.join(sorted({*ZONES, *AMBIGUOUS, *_AMERICAN} - {'Z', 'UTC', 'GMT'}))})\b"
    rf"[\s(=:/,–—-]{{1,5}}(?P<after>{_EXPLICIT})"
    rf"|(?P<before>{_EXPLICIT})[\s(=:/,–—-]{{1,5}}"
    rf"(?P<named>{'|'.join(sorted({*ZONES, *AMBIGUOUS, *_AMERICAN} - {'Z', 'UTC', 'GMT'}))})\b"
)
_NAMED = regex(rf"\b(?:{'|'.join(AMBIGUOUS)})\b")
_WORD = regex(r"[a-z]{2,12}")
_IS_ZONE = regex(rf"{ZONE}|{_OFFSET}", re.I)
_ZONE_IN = regex(rf"(?<![\w/])(?:{ZONE})|(?<![\w:.-]){_OFFSET}", re.I)
_TIME_OF = regex(r"(?:\s{0,3}(?:standard|daylight|summer|local))?\s{1,3}time$", re.I)


def parse_time(text: str, told: Told | None = None) -> datetime | None:
    """Read a text that is one clear date or time; a date alone is midnight UTC."""
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
            return None if _is_unclear(match, told) else _read(match, told)
    return None


def zones_told(text: str) -> dict[str, int]:
    """Read which zones a document means: by an offset beside a name, else by the places it names.

    A name that is used of several zones is left out unless all that is said is of one of them.
    """
    found = {
        (match["name"] or match["named"]): _minutes(match["after"] or match["before"])
        for match in _PAIRED.finditer(text)
    }
    used = set(_NAMED.findall(text)) - found.keys()
    words = set(_WORD.findall(text.lower())) if used else set()
    for name in used:
        meant = [ahead for ahead, places in AMBIGUOUS[name].items() if words & set(places.split())]
        if len(meant) == 1:
            found[name] = meant[0]
    return found


def is_unclear(text: str, told: Told | None = None) -> bool:
    """Tell whether a text gives a clock time in a zone of which nobody can say which one it is."""
    match = _TIME_AFTER.search(text) or _TIME_BEFORE.search(text)
    return match is not None and match["hour"] is not None and _is_unclear(match, told)


def zone_named(words: str) -> str:
    """Give the zone that words name in a form that is read after a clock time."""
    found = [match[0] for match in _ZONE_IN.finditer(words[:LONGEST_TIME])]
    exact = [zone for zone in found if zone_of(zone, datetime(CHANGED_SUMMERS, 1, 1))]
    place = _TIME_OF.sub("", words.strip(" ()*_.`")).lower()
    return next(iter(exact or found), _cities().get(place, UNKNOWN_ZONE))


def zone_of(written: str, moment: datetime, told: Told | None = None) -> timezone | None:
    """Read the name or the offset of a zone; None for a name that is not clear."""
    name = written.strip()
    if not _IS_ZONE.fullmatch(name):
        return _zone_at(_cities().get(_TIME_OF.sub("", name).lower(), ""), moment)
    name = name.rpartition("(")[2]
    place = _PLACES.get(name.lower().removeprefix("us/").split()[0])
    short = place or name.upper()
    if told and short in told:
        minutes = told[short]
    elif short in ZONES:
        minutes = ZONES[short]
    elif short in AMBIGUOUS:
        return None
    elif short in _AMERICAN:
        minutes = _AMERICAN[short] + 60 * _is_summer(name.lower(), moment)
    elif short in _SHORT or "/" in name:
        return _zone_at(_SHORT.get(short, name), moment)
    else:
        minutes = _minutes(name)
    return timezone(timedelta(minutes=minutes))


def _zone_at(name: str, moment: datetime) -> timezone | None:
    """Read how far a place was ahead; None where it, or the system's list of them, is missing."""
    try:
        ahead = moment.replace(tzinfo=ZoneInfo(name)).utcoffset() if name else None
    except (LookupError, ValueError, OSError):
        return None
    return timezone(ahead) if ahead is not None else None


@lru_cache(maxsize=1)
def _cities() -> dict[str, str]:
    """Give the zones of the system by their cities."""
    zones = sorted(name for name in available_timezones() if re.match(rf"(?:{_AREAS})/", name))
    return {name.rpartition("/")[2].replace("_", " ").lower(): name for name in zones}


def _is_summer(name: str, moment: datetime) -> bool:
    """Tell whether clocks in the United States were put forward, unless the name itself says it."""
    if "daylight" in name or "standard" in name:
        return "daylight" in name
    year = moment.year
    if year >= CHANGED_SUMMERS:
        begins, ends = _sunday(year, 3, 8), _sunday(year, 11, 1)
    else:
        begins, ends = _sunday(year, 4, 1), _sunday(year, 10, 25)
    return begins <= moment.date() < ends


def _sunday(year: int, month: int, day: int) -> date:
    """Give the first Sunday from a day on."""
    first = date(year, month, day)
    return first + timedelta(days=6 - first.weekday())


def _minutes(offset: str) -> int:
    """Read UTC+5:30, -0700 or +2 into minutes."""
    digits = re.sub(r"\D", "", offset)
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    ahead = 60 * int(hours) + int(minutes)
    return ahead if "+" in offset else -ahead


def parse_span(text: str) -> timedelta | None:
    """Reads how long something lasts, as 30m, 12h or 7d."""
    read = _SPAN.fullmatch(text.strip())
    return timedelta(**{_UNITS[read[2]]: int(read[1])}) if read else None


@contextmanager
def dates_read(*, day_first: bool | None) -> Iterator[None]:
    """Reads dates such as 04/07/2019 in an order that is known, as long as it lasts."""
    before = _DAY_FIRST.set(day_first)
    try:
        yield
    finally:
        _DAY_FIRST.reset(before)


def slashed_dates(text: str) -> Iterator[tuple[int, int, int]]:
    """Find the dates in which the day may stand before the month or after it, as written."""
    for match in _TIME_AFTER.finditer(text):
        if match["y6"]:
            yield int(match["a6"]), int(match["b6"]), int(match["y6"])


def find_time(text: str, told: Told | None = None) -> datetime | None:
    """Find the first date in a longer text."""
    return next(find_times(text, told), None)


def find_times(text: str, told: Told | None = None) -> Iterator[datetime]:
    """Find every date in a text, in the order in which they are written."""
    for match in _TIME_AFTER.finditer(text):
        moment = _read(match, told)
        if moment:
            yield moment


def _read(match: re.Match[str], told: Told | None) -> datetime | None:
    """Read a match; a time of the day in a zone that is not clear leaves the day alone."""
    got = match.groupdict()
    try:
        year, month, day = _date(got)
        fraction = int((got["fraction"] or "0")[:6].ljust(6, "0"))
        moment = datetime(
            year, month, day, _hour(got), int(got["minute"] or 0), int(got["second"] or 0), fraction
        )
        if _is_unclear(match, told):
            return datetime(year, month, day, tzinfo=UTC)
        return _utc(moment.replace(tzinfo=_zone(match, moment, told)))
    except (ValueError, OverflowError):
        return None


def _is_unclear(match: re.Match[str], told: Told | None) -> bool:
    written = None if match["beside"] else match["zone"]
    return written is not None and zone_of(written, datetime(CHANGED_SUMMERS, 1, 1), told) is None


def _zone(match: re.Match[str], moment: datetime, told: Told | None) -> timezone:
    written = match["beside"] or match["zone"]
    return (zone_of(written, moment, told) if written else None) or UTC


def _date(got: dict[str, str | None]) -> tuple[int, int, int]:
    for number in "12345":
        year, day = got[f"y{number}"], got[f"d{number}"]
        if year and day:
            name = got.get(f"n{number}")
            month = MONTHS.index(name[:3].lower()) + 1 if name else int(got[f"m{number}"] or 0)
            return int(year), month, int(day)
    first, second = int(got["a6"] or 0), int(got["b6"] or 0)
    if first <= 12 and second <= 12 and first != second:
        day_first = _DAY_FIRST.get()
        if day_first is None:
            raise ValueError("the day and the month cannot be told apart")
        return int(got["y6"] or 0), *((second, first) if day_first else (first, second))
    return int(got["y6"] or 0), min(first, second), max(first, second)


def _hour(got: dict[str, str | None]) -> int:
    hour = int(got["hour"] or 0)
    half = got["half"] or got["half_alone"]
    if not half:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError("there is no such hour on a clock of twelve")
    return hour % 12 + (12 if half[0] in "pP" else 0)


def _utc(moment: datetime) -> datetime:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC)
