"""What a post-mortem says: the named parts of any template, and the fact that each tells."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from textwrap import dedent

from knowwhy.ingest.incidents.entries import begins_with_time
from knowwhy.text.formats.headers import front_matter, header_fields
from knowwhy.text.pages.markdown import Section, outline, tables
from knowwhy.text.times import find_times, slashed_dates
from knowwhy.types import Json

MAX_PARTS = 2000  # named parts of one document; a long post-mortem has some hundred
MAX_NAME = 80  # characters; a longer heading is a sentence

_ABOUT = r"(?:(?:the|our|incident|outage|event|issue|post ?mortem|report) )*"
_AT = r"(?: (?:at|on|time|date|timestamp|utc))*"
_THING = r"(?:services?|systems?|components?|products?|applications?|apps?)"
SLOTS = {  # the words under which each fact is written, the best first
    "title": ("title|name|headline|subject",),
    "label": ("id|identifier|number|key|reference(?: number)?",),
    "status": ("(?:current )?(?:status|state)",),
    "severity": ("sev(?:erity)?(?: level| rating)?", "(?:impact level|priority)"),
    "authors": ("authors?|written by|prepared by", "owners?|(?:reported|created) by"),
    "started_at": (
        f"start(?:ed|s)?{_AT}|time (?:of )?(?:start|started|incident)|start of .*",
        f"(?:began|begins?|beginning|onset|occurred|happened){_AT}",
        f"impact (?:start|began|begin)(?:ed)?{_AT}",
    ),
    "detected_at": (
        f"(?:first |initially )?(?:detected|discovered|noticed|identified){_AT}"
        "|time (?:of )?(?:detected|detection|discovery)|(?:detection|discovery) (?:time|date)",
        f"(?:reported|alerted|acknowledged|declared|opened|created){_AT}",
    ),
    "ended_at": (
        f"(?:resolved|ended|restored|recovered|fixed){_AT}|end{_AT}|end of .*"
        "|(?:resolution|recovery) (?:time|date|at)"
        "|time (?:of )?(?:resolved|resolution|recovery|end)",
        f"impact end(?:ed)?{_AT}|(?:closed|finished|stopped|repaired|mitigated){_AT}",
    ),
    "date": ("dates?(?: of (?:the )?(?:incident|outage))?|date (?:and )?time|when|day",),
    "duration": (
        "(?:total |impact |overall )*(?:duration|downtime|length)(?: .*)?",
        "time to (?:resol|recover|repair|restor|mitigat).*|mttr|ttr",
    ),
    "services": (
        f"(?:affected|impacted) {_THING}|{_THING} (?:affected|impacted|involved)",
        _THING,
    ),
    "summary": (
        "(?:executive )?summary(?: .*)?|overview|abstract|synopsis|tl ?dr",
        "description|what happened.*",
    ),
    "root_cause": (
        "(?:root|underlying|primary|direct|technical|probable) causes?(?: .*)?|rca",
        "causes?(?: .*)?|(?:why|how) (?:did )?(?:it|this) (?:happen|fail|occur).*",
        "contribut(?:ing|ory) .*|(?:five |5 )?whys",
    ),
    "trigger": ("trigger(?:s|ing)?(?: .*)?",),
    "detection": (
        "detection(?! (?:delay|time|lag))(?: .*)?"
        "|how .*(?:detect|notice|find out|learn of|know about).*",
        "identified|detected|discovery",
    ),
    "resolution": (
        "resol(?:ution|ved)(?: .*)?|how .*(?:fix|resolve|mitigate).*",
        "(?:recovery|mitigations?|remediation|fix(?:es)?)(?: .*)?|restoration",
    ),
    "impact": (
        "(?:customer |user |business |service )*impacts?(?: .*)?",
        "effects?|who was (?:affected|impacted)|blast radius|scope",
    ),
    "lessons": (
        "lessons?(?: .*)?|(?:key )?(?:learnings?|takeaways?)(?: .*)?|what (?:we|did we) learn.*"
        "|what went .*|what (?:could|should) .*|what did(?:nt| not) (?:go|work).*|what worked.*"
        "|(?:things|what) (?:that )?(?:went|we did) .*|where .*lucky.*|how(?:d| did) we do"
        "|reflections?",
    ),
    "action_items": (
        "(?:[a-z]+ )?(?:actions?|follow ?ups?|to ?dos?|(?:review|improvement) actions?)"
        "(?: (?:items?|actions?|plans?|points?|tasks?|work))*(?: taken| required| completed)?",
        "correct(?:ive|ion).*|prevent(?:i|a).*|next steps?.*|(?:moving|going) forward.*"
        "|future (?:actions?|work|plans?|steps?|improvements?|mitigations?|prevention).*"
        "|remedia(?:tion|l) (?:actions?|items?|plan|steps|tasks?).*|recommendations?.*"
        "|(?:[a-z]+ ){0,3}improvements?(?: .*)?|tasks?|(?:[a-z]+ )?(?:actions?|follow ?ups?) .*"
        "|what (?:is|are|were|we) .*(?:doing|going to).*|how .* prevent.*",
    ),
    "responders": (
        "responders?|(?:response )?team(?: members)?|(?:involved|key) (?:parties|people|teams)"
        "|people(?: involved)?|att?endees?|participants?|who (?:was involved|responded)",
        "commander|(?:response )?lead|manager|on ?call(?: .*)?|coordinator",
    ),
    "timeline": (
        "(?:[a-z]+ ){0,2}(?:timelines?|chronology)(?: .*)?"
        "|(?:sequence|log) of events|(?:key )?events",
    ),
}
TELLING = frozenset(
    ("impact", "timeline", "root_cause", "action_items", "lessons", "detection", "resolution")
)
FEWEST_TELLING = 3  # of these; a guide to one has a cause and a fix, and no more
MAX_TELLING = 50_000  # characters in which they are looked for
SINGLE = {"severity", "date", "duration", "started_at", "detected_at", "ended_at"}  # one value each
_SLOTS = {
    slot: [re.compile(_ABOUT + f"(?:{words})") for words in ranked]
    for slot, ranked in SLOTS.items()
}

_REPORT = r"(?:post-?mortem|incident (?:report|review|retrospective)|root cause analysis)"
_CALLED = re.compile(  # a title that says what it is: "[Postmortem] …", "…: incident report"
    rf"^\W{{0,3}}{_REPORT}(?:[\]:)]|\s{{1,3}}[–—-]\s|\s{{1,3}}(?:of|on|for)\s)"
    rf"|[\s(\[]{_REPORT}\W{{0,3}}$",
    re.IGNORECASE,
)
KEPT_AT = re.compile(  # lines that date a page, a copy or a review, not what it is about
    r"^[^\w\n]{0,8}(?:[a-z]{1,12}[ _-]){0,3}(?:fetched|crawled|scraped|retrieved|downloaded"
    r"|imported|exported|generated|indexed|synced|archived|accessed|updated|modified|reviewed?|published"
    r"|posted|expires|due)(?:[ _-](?:at|on|by|date|time)){0,2}[*_\"'` ]{0,4}[:|=][^\n]{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_LAST_CHANGED = re.compile(  # the same without a colon
    r"^[^\w\n]{0,8}(?:(?:this|the|page|document|runbook|version|was) ){0,3}last[ -]"
    r"(?:updated|modified|reviewed|edited|changed|tested|verified)\b[^\n]{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_ON_REPORTS = re.compile(  # a title of a page on how such are written or what to do
    r"\b(?:post-?mortems|incident (?:reports|reviews|retrospectives)|root cause analyses)\b"
    r"|\b(?:run-?book|play-?book|how-?to|trouble-?shooting|guide(?:lines?)?|polic(?:y|ies)"
    r"|checklist|handbook)\b|^\W{0,3}how to\b|\b(?:process|procedure|template)\W{0,3}$",
    re.IGNORECASE,
)
_HISTORY = re.compile(  # sections that date a page
    r"(?:document |page |revision |version |change )*(?:history|revisions?|versions?|changes|log)"
    r"|changelog|references?|related(?: .*)?|see also|links|further reading|metadata"
)
_TOLD_LATER = frozenset(  # what a page on a fault has as well, with dates of other things
    ("root_cause", "resolution", "detection", "action_items", "lessons", "trigger", "status")
)
FEWEST_CLOCKS = 2  # events with a time of day in a timeline without a date
_LABEL_LINE = re.compile(
    r"^(?P<margin>[ \t]{0,3}(?:[-*+][ \t]{1,4})?)(?P<bold>\*\*|__)"
    r"(?P<name>[^*\n:]{2,60})(?::(?P=bold)|(?P=bold)[ \t]?:)[ \t]*(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_ALONE = re.compile(  # a name alone on its line, and its value in the paragraph below
    r"(?:^|\n[ \t]*\n)[*_]{0,2}(?P<name>[A-Za-z][A-Za-z ]{2,30}):?[*_]{0,2}:?[ \t]*\n[ \t]*\n"
    r"(?=(?P<value>\w[^\n]{0,60})[ \t]*(?:\n[ \t]*\n|\n?$))"
)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_KEY_EVENT = re.compile(
    r"^[ \t]{0,6}(?:[-*+][ \t]{1,4})?[*_]{0,2}(?P<name>[A-Za-z][A-Za-z ]{2,40}?)[*_]{0,2}"
    r"[ \t]{1,4}(?P<value>\d{4}-\d\d?-\d\d?[^\n]{0,40})$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """Something with a name; its value is markdown, or what a structured source holds."""

    name: str
    value: Json
    start: int = 0
    end: int = 0


def says_incident(text: str, suffix: str) -> bool:
    """Tells a post-mortem by its parts and when it happened, wherever it stands."""
    text = text[:MAX_TELLING]
    parted = outline(text, suffix)
    names = [section.heading for section in parted if section.heading]
    names += [match["name"] for match in islice(_LABEL_LINE.finditer(text), MAX_PARTS)]
    told = {slot for name in names[:MAX_PARTS] for slot, rank in slots(name).items() if not rank}
    told &= TELLING
    is_whole = {"timeline", "impact"} <= told and len(told) > FEWEST_TELLING
    is_called = any(_CALLED.search(name[:MAX_NAME]) for name in names[:1]) and len(told) > 0
    is_told = is_called or is_whole or ("root_cause" in told and len(told) >= FEWEST_TELLING)
    is_on_others = any(_ON_REPORTS.search(name[:MAX_NAME]) for name in names[:1])
    return is_told and not is_on_others and _has_event(text, parted)


def _has_event(text: str, parted: list[Section]) -> bool:
    """Tells a text with a day in the past, or times in a timeline, of its own: no empty form."""
    said, now = [], datetime.now(UTC)
    for at, section in enumerate(parted):
        told = slots(section.heading).keys()
        if "timeline" in told:
            lines = text[section.body_start : _subtree_end(parted, at)].splitlines()
            if sum(map(begins_with_time, lines)) >= FEWEST_CLOCKS:
                return True
        is_later = bool(told) and told <= _TOLD_LATER
        if not is_later and not _HISTORY.fullmatch(_words(section.heading)):
            said.append(text[section.start : section.end])
    words = _LAST_CHANGED.sub("", KEPT_AT.sub("", "\n".join(said)))
    return any(day <= now for day in find_times(words)) or any(slashed_dates(words))


def text_parts(
    text: str, sections: list[Section], fields: Mapping[str, Json], lines: Mapping[str, str]
) -> list[Part]:
    """Lists the named parts of a document, in the order in which they are believed."""
    parts = [Part(name, value) for name, value in fields.items()]
    parts += _section_parts(text, sections)
    parts += _label_parts(text, [section.start for section in sections])
    parts += _table_parts(text)
    parts += [Part(name, value) for name, value in lines.items()]
    parts += [Part(match["name"], match["value"]) for match in _KEY_EVENT.finditer(text)]
    parts += [Part(match["name"], match["value"]) for match in _alone(text)]
    timed = [section for section in sections if begins_with_time(section.heading)]
    parts = parts[: MAX_PARTS - 1]
    parts += [Part("headings", "\n".join(text[part.start : part.end] for part in timed))]
    return parts


def document_fields(text: str) -> dict[str, Json]:
    """Reads the fields that stand before a document."""
    fields, body = front_matter(text)
    return fields or (header_fields(text[body:])[0] if not body else {})


def field_parts(fields: Mapping[str, Json]) -> list[Part]:
    """Lists the fields of a structured source, and below them those of groups without a meaning."""
    parts = [Part(str(name), value) for name, value in fields.items()]
    groups = [
        part.value for part in parts if isinstance(part.value, Mapping) and not slots(part.name)
    ]
    return (parts + [part for group in groups for part in field_parts(group)])[:MAX_PARTS]


def ranked(parts: list[Part], slot: str) -> list[Json]:
    """Gives the values that tell a fact, those under the best names first."""
    found = [
        (rank, part.value) for part in parts if (rank := slots(part.name).get(slot)) is not None
    ]
    return [
        value for _, value in sorted(found, key=lambda pair: pair[0]) if value not in (None, "")
    ]


def together(parts: list[Part], slot: str) -> list[Part]:
    """Gives all parts that tell a fact in their order, leaving out those inside another."""
    found: list[Part] = []
    for part in parts:
        inside = any(other.start <= part.start < other.end for other in found)
        if slot in slots(part.name) and part.value not in (None, "") and not inside:
            found.append(part)
    return found


def slots(name: str) -> dict[str, int]:
    """Says which facts may be written under a name, with their rank among the names for it."""
    return _slots_of(_words(name))


@lru_cache(maxsize=4096)
def _slots_of(words: str) -> dict[str, int]:
    found = {
        slot: rank
        for slot, ranked_patterns in _SLOTS.items()
        for rank, pattern in reversed(list(enumerate(ranked_patterns)))
        if words and pattern.fullmatch(words)
    }
    if "timeline" in found:
        found.pop("action_items", None)  # the timeline of the follow-up
    return found


def _words(name: str) -> str:
    """Writes `rootCause`, `root_cause` and `2. Root cause:` in one way."""
    if len(name) > MAX_NAME:
        return ""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    words = re.sub(r"[\W_]+", " ", re.sub(r"['’`]", "", spaced)).strip()
    return re.sub(r"^(?:\d{1,2} )+(?=[a-z])", "", words)


def _section_parts(text: str, sections: list[Section]) -> Iterator[Part]:
    """Yields each headed section with all that is below it."""
    for place, section in enumerate(sections[:MAX_PARTS]):
        if section.level and slots(section.heading):
            end = _subtree_end(sections, place)
            yield Part(section.heading, text[section.body_start : end], section.start, end)


def _subtree_end(sections: list[Section], place: int) -> int:
    for later in sections[place + 1 :]:
        if later.level <= sections[place].level:
            return later.start
    return sections[-1].end


def _label_parts(text: str, headings: list[int]) -> Iterator[Part]:
    """Yields what follows `- **Impact**:` and `**Impact:**`, to the next such line or heading."""
    found = list(islice(_LABEL_LINE.finditer(text), MAX_PARTS))
    starts = [*(match.start() for match in found), len(text)]
    for place, match in enumerate(found):
        body = match.start("rest")
        later = headings[bisect_right(headings, body) :][:1] or [len(text)]
        end = min(starts[place + 1], later[0])
        if match["rest"].strip() and not match["margin"].strip():
            blank = _BLANK_LINE.search(text, body, end)
            end = blank.start() if blank else end
        yield Part(match["name"], dedent(text[body:end]).strip(), match.start(), end)


def _alone(text: str) -> Iterator[re.Match[str]]:
    found = islice(_ALONE.finditer(text), MAX_PARTS)
    return (match for match in found if SINGLE & slots(match["name"]).keys())


def _table_parts(text: str) -> Iterator[Part]:
    """Yields the rows of tables with two columns, one for a name and one for its value."""
    for table in tables(text) if "|" in text else ():
        if len(table.header) == 2:
            for row in (table.header, *table.rows):
                if slots(row[0]) and not (row is table.header and slots(row[1])):
                    yield Part(row[0], row[1])
