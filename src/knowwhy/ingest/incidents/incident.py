"""Reads post-mortems and incident reports: written in any template, YAML or JSON."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from knowwhy.errors import BadInput
from knowwhy.ingest.incidents import structured
from knowwhy.ingest.incidents.entries import (
    Zones,
    as_actions,
    as_list,
    as_moment,
    as_names,
    as_prose,
    as_services,
    as_text,
    as_time,
    as_timeline,
    is_nothing,
    told_cause,
    zones_in,
)
from knowwhy.ingest.incidents.postmortem import (
    KEPT_AT,
    Part,
    document_fields,
    field_parts,
    ranked,
    slots,
    text_parts,
    together,
)
from knowwhy.text.formats.headers import front_matter_end
from knowwhy.text.pages.forms import WRITTEN, bare, form_of
from knowwhy.text.pages.markdown import field_lines, outline, plain
from knowwhy.text.times import find_time
from knowwhy.types import Draft, Json

MAX_TITLE = 120  # characters; some two lines
MAX_HEADING = 300  # characters of a heading in which words like "Post-mortem" are looked for
MAX_LABEL = 40  # characters; a longer id is a sentence
MAX_STATUS = 40  # characters; "complete, action items in progress" has 34
MAX_SEVERITY = 60  # characters; of what is longer only the words before an explanation count
OPENING = 2000  # characters at the start where a date or a severity speaks of the whole
TOLD = 200_000  # characters in which a sentence about the cause is looked for
NOON = timedelta(hours=12)
ONE_DAY = timedelta(hours=27)  # around noon: a day anywhere on earth, seen from UTC
FEWEST_EVENTS = 3  # events that make a part under any name the timeline

PROSE_SLOTS = ("summary", "root_cause", "trigger", "detection", "resolution", "impact")
STRUCTURED_SUFFIXES = (".yaml", ".yml", ".json")
WRITTEN_SUFFIXES = (*WRITTEN, ".html")
STATES = (
    *("open", "investigating", "identified", "monitoring", "mitigated", "resolved", "closed"),
    *("draft", "complete", "published", "final", "ongoing", "active", "reopened", "cancelled"),
)
SEVERITY_WORDS = {  # as in the handbooks that call SEV-1 critical, SEV-2 major and SEV-3 minor
    **dict.fromkeys(("critical", "blocker", "catastrophic", "emergency"), 1),
    **dict.fromkeys(("major", "high", "severe"), 2),
    **dict.fromkeys(("minor", "moderate", "medium"), 3),
    "low": 4,
    **dict.fromkeys(("trivial", "cosmetic", "informational"), 5),
}
SEVERITY_FORMS = "SEV-0 to SEV-5 (or sev1, S1, P1, 1), critical, major, minor, low or trivial"

_LEVEL = re.compile(r"(?:sev(?:erity)?|s|p|priority|level)?[\s_#:-]{0,3}([0-5])(?![\d.:%])", re.I)
_SIGNS = re.compile(r"^[^\w\[({<|]{1,9}")  # a coloured dot before it
_EXPLAINED = re.compile(r"[(\[,;:.\n–—]|\s[-/|]\s|\b(?:because|due|since|as|with|for)\b")
_TOLD_SERVICE = re.compile(
    r"^[ \t]*(?:(?:affected|impacted) )?(?:services?|systems?|components?):[ \t]+(\S[^\n]{0,80})$",
    re.I | re.M,
)
_TOLD_LEVEL = re.compile(
    r"\bSEV(?:ERITY)?[ :_-]{0,3}([0-5])\b|\bP([0-4]) (?:incident|outage)", re.I
)
_ID = r"(?:[A-Z][A-Z0-9]{0,9}[-_ ]?\d{4}[-_]\d{1,5}|[A-Z][A-Z0-9]{1,9}[-_#]\d{1,8})(?![-.]?\d)"
_HEADING_ID = re.compile(rf"\W{{0,3}}(?:(?:Incident|Post-?mortem)\W{{1,3}})?({_ID})\b\W{{0,5}}")
_WORD_ID = re.compile(
    r"((?:inc|incident|pm|postmortem|pir|rca|coe)[-_](?:\d{4}[-_])?\d{1,8})(?![-_.]?\d)[\W_]{0,5}",
    re.IGNORECASE,
)
_NUMBER_ID = re.compile(r"\b(?:incident|outage|post-?mortem)\s(?:id\s)?#\s?(\d{1,9})\b", re.I)
_NOT_AN_ID = re.compile(r"(?:SEV|P|S|UTF|SHA|RFC|CVE|CWE|HTTP|V|AES|TLS)[-_#]?\d")
_REPORT = re.compile(
    r"(?:(?:incident|outage|issue|service|event|post[ -]?mortem|report|review|retrospective|summary"
    r"|rca|root cause analysis|pir|name|title|template|analysis|coe|correction of errors?"
    r"|post(?=[ -](?:incident|outage|event))|(?:after|lessons?)[ -](?:action|learned)"
    r"|(?:preliminary|final|initial|full|blameless|public|major|security)(?=[ -]))\W{0,3}){1,9}",
    re.IGNORECASE,
)
_REPORT_END = re.compile(  # " - Post Incident Review", "(RCA)"
    r"\s{0,3}(?:[:|(]|\s[–—-]{1,2}\s)\s{0,3}(?=[^:|()]{0,40}\b(?:post-?mortem|report|review|pir|rca"
    r"|retrospective|analysis|coe)\b)(?P<report>(?:(?!\s[–—-])[^:|()]){3,60}?)\)?$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[-_#]\d")  # PIR-12, which is an id
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_./]?(\d\d)[-_./]?(\d\d)(?!\d)[\s_,.:-]*")
_PUBLISHED = re.compile(
    r"(?:source[ _-])?(?:published|posted|publication|pub)[ _-]?(?:at|on|date)?", re.IGNORECASE
)
_MONTH_AND_DAY = re.compile(r"^[01]\d[-_.][0-3]\d[-_. ]+")
_NO_NAME = re.compile(
    r"[0-9a-f-]{16,}|[\W\d_]*|(?:incident|post-?mortem|index|readme)[\W\d_]*", re.I
)
_SENTENCE = re.compile(r".*?[.!?。](?=\s|$)", re.DOTALL)


def read_incident(text: str, *, path: str) -> Draft:
    """Reads one incident; what only the pipeline knows is left at its default."""
    if not text.strip():
        raise BadInput("The incident is empty.")
    suffix = form_of(path)
    if suffix not in STRUCTURED_SUFFIXES:
        return _read_document(text, path, ".rst" if suffix == ".rst" else ".md")
    fields = structured.load(text, suffix)
    parts = field_parts(fields)
    label = _label(parts, "", path)
    title = _field_title(parts) or _title("", path, "", _summary(parts))
    content = structured.markdown(title, fields)
    return _draft(parts, parts, title, label, path, content, {"fields": fields})


def incident_from_fields(
    summary: str,
    severity: str | None,
    lessons: str | None,
    *,
    service: str | None = None,
    occurred_at: datetime | None = None,
) -> Draft:
    """Makes an incident of what somebody typed in."""
    if not summary.strip():
        raise BadInput("The summary is empty; say in a sentence what happened.")
    raw = (severity or "").strip()
    level = severity_of(raw, whole=True)
    if raw and not level:
        raise BadInput(f"The severity {raw!r} is not known; use {SEVERITY_FORMS}.")
    title = _first_sentence(summary)
    metadata = {
        "severity": level,
        "severity_raw": raw,
        "started_at": occurred_at.isoformat() if occurred_at else None,
        "services": [service] if service else None,
        "summary": summary.strip(),
        "lessons": as_list(lessons or ""),
    }
    return Draft(
        id="",
        kind="incident",
        title=title,
        content=_told(title, {"Severity": level, "Service": service}, summary, lessons or ""),
        service=service,
        occurred_at=occurred_at,
        metadata={key: value for key, value in metadata.items() if value},
    )


def _told(title: str, facts: Mapping[str, str | None], summary: str, lessons: str) -> str:
    lines = "\n".join(f"- **{name}:** {value}" for name, value in facts.items() if value)
    ends = f"## Lessons\n\n{lessons.strip()}" if lessons.strip() else ""
    parts = (f"# {title}", lines, f"## Summary\n\n{summary.strip()}", ends)
    return "\n\n".join(filter(None, parts)) + "\n"


def severity_of(written: Json, *, whole: bool = False) -> str | None:
    """Reads SEV1, P1, `2 - High` and "critical" into SEV-1 and so on; `whole` allows no more."""
    text = as_text(written).strip("*_` \t\n").lower()
    if whole:
        level, words = _LEVEL.fullmatch(text), [text]
    else:
        text = _SIGNS.sub("", text)
        level, words = _LEVEL.match(text), re.findall(r"[a-z]+", _lead(text))
    if level:
        return f"SEV-{level[1]}"
    number = next((SEVERITY_WORDS[word] for word in words if word in SEVERITY_WORDS), None)
    return f"SEV-{number}" if number else None


def _lead(text: str) -> str:
    """Gives the words that name a severity, before those that explain it."""
    if len(text) <= MAX_SEVERITY:
        return text
    return _EXPLAINED.split(text[: MAX_SEVERITY + 1], maxsplit=1)[0]


def _read_document(text: str, path: str, suffix: str) -> Draft:
    sections = outline(text, suffix)
    fields, lines = document_fields(text), field_lines(text)
    parts = text_parts(text, sections, fields, lines)
    named = field_parts(fields | field_lines(text[:OPENING]))
    headings = [section for section in sections if section.heading]
    heading = next((section.heading for section in headings if section.level == 1), "")
    lower = headings[0].heading if headings else ""
    title = _field_title(field_parts(fields)) or _title(
        heading, path, lower, _summary(parts) or _introduction(text)
    )
    label = _label(named, heading, path)
    metadata: dict[str, Json] = {"fields": fields | lines}
    if not ranked(parts, "root_cause"):
        metadata["root_cause"] = told_cause(text[:TOLD])
    return _draft(parts, named, title, label, path, text, metadata)


def _draft(
    parts: list[Part],
    named: list[Part],
    title: str,
    label: str | None,
    path: str,
    content: str,
    known: Mapping[str, Json],
) -> Draft:
    opening = f"{title}\n{content[:OPENING]}"
    zones = zones_in(content[:TOLD])
    named_day = _moment(parts, "date", None, zones) or _day(title) or _day(_file_name(path))
    day = named_day or find_time(KEPT_AT.sub("", opening), zones.told) or _published(named)
    timeline = _timeline(parts, day, zones)
    times = _times(parts, day, timeline, named_day, zones)
    metadata = {
        **_severity(parts, opening),
        **{key: moment.isoformat() for key, moment in times.items() if key != "occurred_at"},
        **_facts(parts, opening),
        "timeline": timeline,
        **known,
    }
    return Draft(
        id="",
        kind="incident",
        title=title,
        content=content,
        label=label,
        status=_status(named),
        authors=tuple(name for value in ranked(named, "authors")[:1] for name in as_names(value)),
        occurred_at=times.get("occurred_at"),
        metadata={key: value for key, value in metadata.items() if value},
    )


def _facts(parts: list[Part], opening: str) -> dict[str, Json]:
    facts: dict[str, Json] = {slot: _first_prose(parts, slot) for slot in PROSE_SLOTS}
    durations = (as_text(value) for value in ranked(parts, "duration"))
    facts["duration"] = next((text for text in durations if not is_nothing(text)), None)
    services = [as_services(value) for value in ranked(parts, "services")]
    services += [as_services(told[1].rstrip(".")) for told in _TOLD_SERVICE.finditer(opening)]
    facts["services"] = next(filter(None, services), None)
    responders = [name for part in together(parts, "responders") for name in as_names(part.value)]
    facts["responders"] = list(dict.fromkeys(responders))
    lessons = [lesson for part in together(parts, "lessons") for lesson in as_list(part.value)]
    facts["lessons"] = list(dict.fromkeys(lessons))
    actions = [item for part in together(parts, "action_items") for item in as_actions(part.value)]
    facts["action_items"] = list({item["item"]: item for item in reversed(actions)}.values())[::-1]
    return facts


def _first_prose(parts: list[Part], slot: str) -> str | None:
    return next(filter(None, map(as_prose, ranked(parts, slot))), None)


def _severity(parts: list[Part], opening: str) -> dict[str, Json]:
    written = [as_text(value) for value in ranked(parts, "severity")]
    for raw in written:
        if level := severity_of(raw):
            return {"severity": level, "severity_raw": raw}
    if told := _TOLD_LEVEL.search(opening):
        return {"severity": f"SEV-{told[1] or told[2]}", "severity_raw": told[0]}
    return {"severity_raw": written[0]} if written and len(written[0]) <= MAX_SEVERITY else {}


def _published(named: list[Part]) -> datetime | None:
    """Gives the day on which a report was published, the nearest that is known to the incident."""
    said = (as_time(as_text(part.value)) for part in named if _PUBLISHED.fullmatch(part.name))
    return next(filter(None, said), None)


def _times(
    parts: list[Part],
    day: datetime | None,
    timeline: list[dict[str, str]],
    named: datetime | None,
    zones: Zones,
) -> dict[str, datetime]:
    """Finds when it started, was seen and ended, and the best answer to when it was."""
    slots_of_times = ("started_at", "detected_at", "ended_at")
    given = {slot: _moment(parts, slot, day, zones) for slot in slots_of_times}
    told = [at for event in timeline if (at := as_time(event["at"]))]
    first = next((at for at in told if named and abs(at - named - NOON) <= ONE_DAY), None)
    earliest = first or (told[0] if told else None)
    occurred = (given["started_at"], first, given["detected_at"], named, earliest, day)
    times = given | {"occurred_at": next(filter(None, occurred), None)}
    times["started_at"] = given["started_at"] or earliest
    return {key: moment for key, moment in times.items() if moment}


def _moment(parts: list[Part], slot: str, day: datetime | None, zones: Zones) -> datetime | None:
    on = day.date() if day else None
    moments = (as_moment(value, on, zones) for value in ranked(parts, slot))
    return next(filter(None, moments), None)


def _file_name(path: str) -> str:
    return PurePosixPath(path).name


def _day(name: str) -> datetime | None:
    match = _DAY.search(name)
    try:
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC) if match else None
    except ValueError:
        return None


def _timeline(parts: list[Part], day: datetime | None, zones: Zones) -> list[dict[str, str]]:
    start = day.date() if day else None
    named = together(parts, "timeline")
    events = [event for part in named for event in as_timeline(part.value, start, part.name, zones)]
    if events:
        return events
    for part in parts:
        if isinstance(part.value, str) and not slots(part.name).keys() & {"summary"}:
            events = as_timeline(part.value, start, part.name, zones)
            if len(events) >= FEWEST_EVENTS:
                return events
    return []


def _status(parts: list[Part]) -> str | None:
    for value in ranked(parts, "status"):
        text = " ".join(as_text(value).strip("*_` ").lower().split())
        state = next((state for state in STATES if text.startswith(state)), None)
        if state or (text and len(text) <= MAX_STATUS and not text[0].isdigit()):
            return state or text
    return None


def _label(parts: list[Part], heading: str, path: str) -> str | None:
    for value in ranked(parts, "label"):
        text = as_text(value).lstrip("#")
        if text and len(text) <= MAX_LABEL and not re.search(r"\s", text):
            return f"INC-{text}" if text.isdigit() else text
    for name in (heading, _without_report(heading), _file_name(path)):
        match = _id_at_start(name)
        if match:
            return match[1].upper().replace("_", "-").replace("#", "-").replace(" ", "-")
    number = _NUMBER_ID.search(heading)
    return f"INC-{number[1]}" if number else None


def _id_at_start(name: str) -> re.Match[str] | None:
    match = _HEADING_ID.match(name) or _WORD_ID.match(name)
    return match if match and not _NOT_AN_ID.match(match[1]) else None


def _field_title(parts: list[Part]) -> str | None:
    titles = (as_text(value) for value in ranked(parts, "title"))
    title = next((title for title in titles if title and not is_nothing(title)), None)
    return _cleaned(plain(title)) or _shortened(plain(title)) if title else None


def _title(heading: str, path: str, lower: str, told: str) -> str:
    """Takes the heading unless it names a template, else the file's name, else what is told."""
    return (
        _cleaned(heading)
        or _cleaned(_file_title(path))
        or _cleaned(lower)
        or _first_sentence(told)
        or f"Incident {_stem(path)}".strip()
    )


def _cleaned(heading: str) -> str:
    """Leaves out an id and words like "Postmortem:" at the start; empty when nothing is left."""
    words = _without_report(_SIGNS.sub("", heading))
    match = _id_at_start(words)
    words = _without_report(words[match.end() :].strip()) if match else words
    words = words.strip(" :-–—")
    return "" if not words or slots(words) or is_nothing(words) else _shortened(words)


def _without_report(words: str) -> str:
    """Leaves out what only says that this is a report: "Post Incident Review:", " - RCA"."""
    ends = _REPORT_END.search(words[:MAX_HEADING])
    if ends and ends.start() and _REPORT.fullmatch(ends["report"]):
        words = words[: ends.start()]
    opened = words.lstrip("[(")
    report = _REPORT.match(opened)
    if report is None or _NUMBERED.match(opened, report.end() - 1):
        return words
    last = opened[: report.end()].rstrip()[-1]
    is_apart = last in ":|–—-" or (last in "])" and opened != words)
    return opened[report.end() :].strip() if is_apart or report.end() == len(opened) else words


def _file_title(path: str) -> str:
    stem = _stem(path)
    match = _id_at_start(stem)
    words = _DAY.sub("", stem[match.end() :] if match else stem, count=1)
    words = _MONTH_AND_DAY.sub("", words)
    if _NO_NAME.fullmatch(words):
        return ""
    words = words if " " in words else re.sub(r"[_-]+", " ", words)
    return words[:1].upper() + words[1:]


def _stem(path: str) -> str:
    name = bare(path)
    while name.suffix.lower() in (*WRITTEN_SUFFIXES, *STRUCTURED_SUFFIXES):
        name = name.with_suffix("")
    return name.name


def _summary(parts: list[Part]) -> str:
    told = (_first_prose(parts, slot) for slot in ("summary", "impact", "detection"))
    return next(filter(None, told), "")


def _introduction(text: str) -> str:
    """Gives the first paragraph that is neither a heading, a list nor a table."""
    body = text[front_matter_end(text) :][:OPENING]
    blocks = re.split(r"\n[ \t\r]*\n", body)
    return next((block for block in blocks if block.strip()[:1] not in tuple("#-*+|<>`=:")), "")


def _first_sentence(text: str) -> str:
    line = plain(
        re.split(r"\n[ \t\r]*\n|\n(?=[-*+] )", text.strip(), maxsplit=1)[0][:OPENING]
    ).lstrip("-*+ ")
    sentence = _SENTENCE.match(line)
    return _shortened(sentence[0].rstrip(".") if sentence else line)


def _shortened(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= MAX_TITLE else words[: MAX_TITLE - 1].rstrip() + "…"
