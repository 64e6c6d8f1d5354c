"""Numbers, units, dates and times of day in one form: 60 min and one hour read the same."""

import re
from fractions import Fraction

from knowwhy.text.patterns import regex
from knowwhy.text.times import MONTHS

_SECONDS = {
    "s": Fraction(1),
    "ms": Fraction(1, 1000),
    "us": Fraction(1, 1_000_000),
    "min": Fraction(60),
    "h": Fraction(3600),
    "day": Fraction(86_400),
    "week": Fraction(604_800),
}
_BYTES = {"b": 0, "kb": 1, "mb": 2, "gb": 3, "tb": 4, "pb": 5}  # powers of 1000
_UNITS = """
s: s sec secs second seconds; ms: ms millisecond milliseconds;
us: us µs μs microsecond microseconds; min: m min mins minute minutes; h: h hr hrs hour hours;
day: d day days; week: wk week weeks; month: month months; year: y yr yrs year years;
b: b byte bytes; kb: kb kilobyte kilobytes; mb: mb megabyte megabytes; gb: gb gigabyte gigabytes;
tb: tb terabyte terabytes; pb: pb; kib: kib; mib: mib; gib: gib; tib: tib; %: % percent pct;
eur: € eur euro euros; usd: $ usd dollar dollars; gbp: £ gbp; k: k thousand; million: million mn;
billion: billion bn
"""
_UNIT = {
    word: canonical.strip()
    for entry in _UNITS.split(";")
    for canonical, _, words in [entry.partition(":")]
    for word in words.split()
}
_SCALE = {"k": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_BINARY = {"kib": 1, "mib": 2, "gib": 3, "tib": 4}  # powers of 1024
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = (
    {word: number for number, word in enumerate(_SMALL.split())}
    | {word: 10 * (number + 2) for number, word in enumerate(_TENS.split())}
    | {"hundred": 100, "thousand": 1000, "dozen": 12, "once": 1, "twice": 2, "thrice": 3}
)
MAX_DIGITS = 18  # of a number that is calculated with; a longer one is data

_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
DATE = regex(
    r"(?<![\w./-])(?:(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? (?P<y2>\d{{4}})"
    rf"|{_MONTH.replace('month', 'month3')} (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})"
    r")(?![\w-])"
)
CLOCK = regex(
    r"(?<![\w.:])(?:(?P<h>\d{1,2}):(?P<min>\d{2})(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?P<h2>\d{1,2}) ?(?P<half2>[ap])\.?m\b\.?)(?![\w:])"
)
_WORDED = "|".join(sorted(_UNIT, key=len, reverse=True)).replace("$", r"\$")
AMOUNT = regex(
    r"(?<![\w.#/-])(?<!\d:)(?P<sign>[$€£])? ?"
    rf"(?P<n>\d{{1,3}}(?:,\d{{3}}){{1,6}}(?!\d)|\d{{1,{MAX_DIGITS}}}(?:\.\d{{1,6}})?)"
    r"(?!,?\d|\.\d)"
    rf"(?:(?:st|nd|rd|th)\b|[ -]?(?P<unit>{_WORDED})(?![\w-]))?(?![A-Za-z_])"
)
_SPELLED = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_SPELLED_NUMBER = regex(rf"(?<![\w-])(?:{_SPELLED})(?![\w-])")
_LONE_ARTICLE = regex(r"(?<![\w-])an? (?=(?:hour|minute|second|day|week|month|year)\b)")
_BEFORE_ONE = "after within in for of every than half about is to was"
_NO_RATE = "".join(rf"(?<!\b{word})" for word in _BEFORE_ONE.split())
_RATE = regex(rf"(?<=[\w%]){_NO_RATE} an? (?=(?:hour|minute|second|day|week|month|year)\b)")
_SHARED_UNIT = regex(
    rf"(?<![\w.])(\d{{1,18}}) (to|and|or|but|not) (\d{{1,18}})( ?)({_WORDED})(?![\w-])"
)


def canonical_numbers(text: str) -> str:
    """Rewrites the numbers of a text in lower case as marked words: `#1800s`, `#t09:30`."""
    text = text.replace("half an hour", "30 min")
    text = _RATE.sub(" per ", text)
    text = _SPELLED_NUMBER.sub(lambda found: str(NUMBER_WORDS[found[0]]), text)
    text = _LONE_ARTICLE.sub("1 ", text)
    text = _SHARED_UNIT.sub(r"\1 \5 \2 \3 \5", text)
    text = DATE.sub(_date, text)
    text = CLOCK.sub(_clock, text)
    return AMOUNT.sub(_amount, text)


def _date(found: re.Match[str]) -> str:
    year = found["y"] or found["y2"] or found["y3"]
    day = found["d"] or found["d2"] or found["d3"]
    name = found["month"] or found["month3"]
    month = int(found["m"]) if found["m"] else MONTHS.index(name) + 1
    return f" #{year}-{month:02}-{int(day):02} "


def _clock(found: re.Match[str]) -> str:
    hour, half = int(found["h"] or found["h2"]), found["half"] or found["half2"]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f" #t{hour:02}:{found['min'] or '00'} "


def _amount(found: re.Match[str]) -> str:
    written = found["n"].replace(",", "")
    number = Fraction(written)
    unit = _UNIT.get(found["unit"] or found["sign"] or "", "")
    if unit in _SCALE:
        number, unit = number * _SCALE[unit], _UNIT.get(found["sign"] or "", "")
    elif unit in _SECONDS:
        number, unit = number * _SECONDS[unit], "s"
    elif unit in _BYTES:
        number, unit = number * 1000 ** _BYTES[unit], "b"
    elif unit in _BINARY:
        number, unit = number * 1024 ** _BINARY[unit], "b"
    elif unit == "year":
        number, unit = number * 12, "month"
    if "." in written and not (found["unit"] or found["sign"]):
        return f" #{written} "  # perhaps a version: 3.1 is not 3.10
    return f" #{_plain(number)}{unit} "


def _plain(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.9g}"
