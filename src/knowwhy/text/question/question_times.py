"""Times in plain words: "last month", "2 weeks ago", "early 2022", "2023-Q3", "since March 2024".

Days are those of the user who asks; where they begin and end is read in UTC, as the dates of
records are.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from knowwhy.errors import BadInput
from knowwhy.text.patterns import regex
from knowwhy.text.times import MONTHS, parse_time
from knowwhy.types import ALWAYS, Between

LONGEST = 60  # characters; "the beginning of the second quarter of 2023" is 43
SHOWN = 40  # characters of a time that could not be read
FORMS = 'a date (2024-03-01), a month (2024-03), a quarter (2024-Q1), a year or "2 weeks"'

_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(_WORDS.split(), 1)}
_NUMBERS |= {"a": 1, "an": 1, "couple": 2, "few": 3}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
_ORDINALS |= {"fourth": 4, "4th": 4, "last": 4}
_YEAR = r"(?:19|20)\d\d"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_COUNT = rf"(?:\d{{1,4}}|{_WORDS.replace(' ', '|')}|an|a|a couple of|a few)"
_UNIT = r"(?:day|week|month|quarter|year)"
_TH = r"(?:st|nd|rd|th)?"
_BASES = {  # each form of a time with a name of its own; the longest first
    "day": rf"(?P<day>{_YEAR}-\d\d-\d\d)",
    "written": rf"(?P<d1>\d{{1,2}}){_TH}(?: of)? (?P<n1>{_MONTH}),? (?P<y1>{_YEAR})"
    rf"|(?P<n2>{_MONTH}) (?P<d2>\d{{1,2}}){_TH},? (?P<y2>{_YEAR})",
    "part": rf"(?:the )?(?P<nth>{'|'.join(_ORDINALS)}) (?P<of>quarter|half) (?:of|in) "
    rf"(?P<py>{_YEAR})",
    "short": rf"(?P<sy1>{_YEAR})[ /-]?(?P<s1>[qh][1-4])|(?P<s2>[qh][1-4])(?:[ /-]|,? of )"
    rf"(?P<sy2>{_YEAR})|(?P<alone>q[1-4])",
    "month": rf"(?P<iso>{_YEAR}-(?:0[1-9]|1[0-2]))|(?P<n3>{_MONTH}),? (?:of )?(?P<y3>{_YEAR})"
    rf"|(?P<y4>{_YEAR}) (?P<n4>{_MONTH})",
    "ago": rf"(?P<ago>{_COUNT}) (?P<ago_unit>{_UNIT})s? ago",
    "rolling": rf"(?:the )?(?:past|last|previous|recent) (?P<many>{_COUNT}) "
    rf"(?P<many_unit>{_UNIT})s?|(?:the )?past (?P<past>{_UNIT})",
    "whole": rf"(?:the )?(?P<which>last|previous|this|current) (?P<unit>{_UNIT})",
    "near": r"(?P<near>today|yesterday)",
    "decade": r"(?:the )?(?P<decade>(?:19|20)\d)0['’]?s",
    "year": rf"(?P<year>{_YEAR})",
}
_EDGE = r"(?:(?P<edge>early|mid|late|(?:the )?(?:beginning|start|middle|end) of)[ -](?:in )?)?"
_TIME = rf"{_EDGE}(?:{'|'.join(_BASES.values())})"
_FOUND = regex(rf"(?<![\w:./§$#@+-]){_TIME}(?![\w$%§]|[-:/+]\w|\.\d)", re.I)
_WHOLE = regex(_TIME, re.I)
_LENGTH = regex(rf"(?P<n>{_COUNT}) ?(?P<u>{_UNIT})s?|(?P<short>\d{{1,4}}) ?(?P<letter>[dwy])", re.I)
_LONE_MONTH = regex(_MONTH, re.I)
_LETTERS = {"d": "day", "w": "week", "y": "year"}
_THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
ON = ("on", "onward", "onwards")  # after "from 2014": since then
RELATIVE = frozenset(("ago", "rolling", "whole", "near"))  # which only say a time

Got = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Time:
    """A time that is written somewhere in a text."""

    start: int
    end: int
    form: str  # day, written, part, short, month, ago, rolling, whole, near, decade or year
    is_edge: bool  # only a part of it: "early 2022"
    span: Between

    @property
    def is_told_alone(self) -> bool:
        """Tells whether it says when without a preposition: "last month", "early 2022"."""
        return self.is_edge or self.form in RELATIVE


def today_here() -> date:
    """Gives the day that it is for the user: that of the machine's own time zone."""
    return datetime.now().astimezone().date()


def times_in(text: str, today: date | None) -> Iterator[Time]:
    """Finds the times in a text; words as "last month" only where it is known which day it is."""
    for match in _FOUND.finditer(text):
        if found := _time_of(match, today):
            yield found


def time_at(text: str, today: date | None) -> Time | None:
    """Reads the time with which a text begins."""
    match = _FOUND.match(text)
    return _time_of(match, today) if match else None


def _time_of(match: re.Match[str], today: date | None) -> Time | None:
    got = match.groupdict()
    form = _form(got)
    if today is None and (form in RELATIVE or got["alone"]):
        return None
    try:
        span = _span(got, form, today or date.min)
    except (ValueError, OverflowError):
        return None
    if got["edge"]:
        span = _third(span, _THIRDS[got["edge"].lower().removeprefix("the ").split()[0]])
    return Time(match.start(), match.end(), form, bool(got["edge"]), span)


def _form(got: Got) -> str:
    named = ("day", "nth", "ago", "which", "near", "decade", "year")
    forms = ("day", "part", "ago", "whole", "near", "decade", "year")
    for name, form in zip(named, forms, strict=True):
        if got[name]:
            return form
    if got["d1"] or got["d2"]:
        return "written"
    if got["s1"] or got["s2"] or got["alone"]:
        return "short"
    return "month" if got["iso"] or got["n3"] or got["n4"] else "rolling"


def _span(got: Got, form: str, today: date) -> Between:
    return _READ[form](got, today)


def _days(first: date, after: date) -> Between:
    """Gives the span from a day on until another one begins."""
    return Between(_midnight(first), _midnight(after))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _one_day(day: date) -> Between:
    return _days(day, day + timedelta(days=1))


def _months(year: int, month: int, count: int) -> Between:
    """Gives so many months from the first of one on."""
    return _days(date(year, month, 1), _later(date(year, month, 1), count))


def _later(day: date, months: int) -> date:
    """Gives the same day so many months on, or the last one of a month that is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return min(date(year, month + 1, 1) + timedelta(day.day - 1), following - timedelta(1))


def _count(words: str) -> int:
    last = words.lower().removeprefix("a ").removesuffix(" of")
    return _NUMBERS[last] if last in _NUMBERS else int(last)


def _back(today: date, count: int, unit: str) -> date:
    """Gives the day that lies so many days, weeks, months … before one."""
    if unit in ("day", "week"):
        return today - timedelta(count * (7 if unit == "week" else 1))
    return _later(today, -count * {"month": 1, "quarter": 3, "year": 12}[unit])


def _around(day: date, unit: str) -> Between:
    """Gives the day, week, month, quarter or year that a day is in."""
    if unit == "day":
        return _one_day(day)
    if unit == "week":
        monday = day - timedelta(day.weekday())
        return _days(monday, monday + timedelta(7))
    if unit == "year":
        return _months(day.year, 1, 12)
    is_quarter = unit == "quarter"
    month = (day.month - 1) // 3 * 3 + 1 if is_quarter else day.month
    return _months(day.year, month, 3 if is_quarter else 1)


def _of_day(got: Got, today: date) -> Between:
    return _one_day(date.fromisoformat(got["day"] or ""))


def _of_written(got: Got, today: date) -> Between:
    number = "1" if got["d1"] else "2"
    year, day = int(got[f"y{number}"] or 0), int(got[f"d{number}"] or 0)
    return _one_day(date(year, _month_number(got[f"n{number}"]), day))


def _month_number(name: str | None) -> int:
    return MONTHS.index((name or "")[:3].lower()) + 1


def _of_part(got: Got, today: date) -> Between:
    length = 3 if (got["of"] or "").lower() == "quarter" else 6
    nth = _ORDINALS[(got["nth"] or "").lower()]
    nth = 12 // length if (got["nth"] or "").lower() == "last" else nth
    return _months(int(got["py"] or 0), length * (nth - 1) + 1, length)


def _of_short(got: Got, today: date) -> Between:
    part = (got["s1"] or got["s2"] or got["alone"] or "").lower()
    length, nth = 3 if part[0] == "q" else 6, int(part[1])
    year = int(got["sy1"] or got["sy2"] or today.year)
    span = _months(year, length * (nth - 1) + 1, length)
    has_begun = span.after is not None and span.after <= _midnight(today)
    return span if has_begun or not got["alone"] else _months(year - 1, 3 * (nth - 1) + 1, 3)


def _of_month(got: Got, today: date) -> Between:
    if got["iso"]:
        year, month = map(int, got["iso"].split("-"))
        return _months(year, month, 1)
    number = "3" if got["n3"] else "4"
    return _months(int(got[f"y{number}"] or 0), _month_number(got[f"n{number}"]), 1)


def _of_ago(got: Got, today: date) -> Between:
    unit = (got["ago_unit"] or "").lower()
    return _around(_back(today, _count(got["ago"] or ""), unit), unit)


def _of_rolling(got: Got, today: date) -> Between:
    count = _count(got["many"]) if got["many"] else 1
    first = _back(today, count, (got["many_unit"] or got["past"] or "").lower())
    return _days(first, today + timedelta(1))


def _of_whole(got: Got, today: date) -> Between:
    unit = (got["unit"] or "").lower()
    is_this = (got["which"] or "").lower() in ("this", "current")
    return _around(today if is_this else _back(today, 1, unit), unit)


def _of_near(got: Got, today: date) -> Between:
    return _one_day(today - timedelta((got["near"] or "").lower() == "yesterday"))


def _of_decade(got: Got, today: date) -> Between:
    return _months(int(got["decade"] or 0) * 10, 1, 120)


def _of_year(got: Got, today: date) -> Between:
    return _months(int(got["year"] or 0), 1, 12)


_READ: Mapping[str, Callable[[Got, date], Between]] = {
    **{"day": _of_day, "written": _of_written, "part": _of_part, "short": _of_short},
    **{"month": _of_month, "ago": _of_ago, "rolling": _of_rolling, "whole": _of_whole},
    **{"near": _of_near, "decade": _of_decade, "year": _of_year},
}


def _third(span: Between, which: int) -> Between:
    """Gives the first, second or last third of a span: of a year four months, else in days."""
    assert span.after is not None, "a time has both ends"
    assert span.before is not None, "a time has both ends"
    first, after = span.after.date(), span.before.date()
    months = (after.year - first.year) * 12 + after.month - first.month
    if first.day == after.day and months % 3 == 0:
        edges = [_later(first, months // 3 * n) for n in range(4)]
    else:
        edges = [first + (after - first) * n / 3 for n in range(4)]
    return _days(edges[which], edges[which + 1])


def bounded(word: str, span: Between) -> Between:
    """Gives what a preposition makes of a span: before 2014, since March; "from 2014" is of it."""
    if word == "before":
        return Between(None, span.after)
    if word in ("until", "till"):
        return Between(None, span.before)
    if word == "after":
        return Between(span.before, None)
    return Between(span.after, None) if word == "since" else span


def dated(since: str | None, until: str | None, today: date | None = None) -> Between:
    """Reads two filters into a span; both days belong to it."""
    today = today or today_here()
    after = _read("since", since, today).after if since is not None else None
    before = _read("until", until, today).before if until is not None else None
    if after and before and after >= before:
        raise BadInput(
            f"since ({after:%Y-%m-%d}) is later than until ({before - timedelta(1):%Y-%m-%d}); "
            "give the earlier one as since."
        )
    return Between(after, before) if after or before else ALWAYS


def _read(name: str, text: str, today: date) -> Between:
    """Reads one filter: a time, how long ago, a month of late, or a moment."""
    written = " ".join(text.split())
    try:
        found = _read_words(written, today) if len(written) <= LONGEST else None
    except (ValueError, OverflowError):
        found = None
    if found is None:
        shown = written if len(written) <= SHOWN else f"{written[:SHOWN]}…"
        raise BadInput(f"{name} {shown!r} is no time that can be read: give {FORMS}.")
    return found


def _read_words(written: str, today: date) -> Between | None:
    length = _LENGTH.fullmatch(re.sub(r" ago$", "", written, flags=re.I))
    if length:
        unit = (length["u"] or _LETTERS[length["letter"].lower()]).lower()
        return _one_day(_back(today, _count(length["n"] or length["short"]), unit))
    if _LONE_MONTH.fullmatch(written):
        month = _month_number(written)
        return _months(today.year - (month > today.month), month, 1)
    match = _WHOLE.fullmatch(re.sub(r"^(?:in|on) ", "", written, flags=re.I))
    if match:
        found = _time_of(match, today)
        return found.span if found else None
    moment = parse_time(written)
    if moment is None:
        return None
    return Between(moment, moment) if ":" in written else _one_day(moment.date())


def told(span: Between) -> str:
    """Says a span in days."""
    first = f"{span.after:%Y-%m-%d}" if span.after else ""
    last = f"{span.before - timedelta(microseconds=1):%Y-%m-%d}" if span.before else ""
    if first and last:
        return f"of {first}" if first == last else f"of {first} to {last}"
    return f"since {first}" if first else f"until {last}" if last else ""


def left_out(undated: int) -> str:
    """Says how many records are in no span of time."""
    return f"{undated:,} without a date {'is' if undated == 1 else 'are'} left out"
