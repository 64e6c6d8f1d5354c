"""Reads the values of a post-mortem: times, people, lists, action items and timelines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from itertools import islice

from knowwhy.text.pages.markdown import Table, list_items, list_tree, outline, plain, tables
from knowwhy.text.times import (
    AMBIGUOUS,
    UNKNOWN,
    UNKNOWN_ZONE,
    ZONE,
    Told,
    find_time,
    is_unclear,
    parse_time,
    zone_named,
    zones_told,
)
from knowwhy.types import Json

MAX_TIME = 80  # characters; a longer value is prose that mentions a time
MAX_PEOPLE_LINE = 500  # characters; a longer line is prose
MAX_NAME_WORDS = 6  # words of a person or a service; more are a sentence
MAX_BEFORE = 300  # characters at the start of a timeline in which its zone is told
MAX_FIELDS = 5000  # characters at the start of a report that may tell the zone of all its times
MAX_EVENT = 1000  # characters of one event; what is longer is in the content
MAX_DETAILS = 20  # lines below an action item in which its owner and its date are looked for
MAX_KEY = 30  # characters of the name of such a detail
FEWEST_DETAILS = 2  # such lines alone below a heading make the heading the item
MAX_ENTRIES = 1000  # entries of one list; more are a log
MAX_SENTENCE = 600  # characters; a longer one is not a sentence
EPOCH_FROM = 10**9  # seconds, in 2001; a smaller number is no time
EPOCH_IN_MS = 10**11  # read as seconds it would be in the year 5138

ITEM_KEYS = {  # what the columns or keys of an action item are called, in lower-case words
    "item": r"(?:action )?items?|actions?|tasks?|description|what|to ?do|title|name|summary|step",
    "owner": r"owners?|assignees?|assigned(?: to)?|responsible|who|dri|person|team|lead",
    "status": r"status|state|done|completed?|progress",
    "due": r"due(?: (?:date|by|on))?|deadline|target(?: date)?|eta|by when|when|date",
    "type": r"type|kind|category|class",
    "ticket": r"(?:tracking )?(?:bug|ticket|issue|jira|reference|link|url).*",
}
DETAIL_KEYS = {key: ITEM_KEYS[key] for key in ("owner", "status", "due", "ticket")} | {
    "item": r"(?:action )?items?|actions?|tasks?|description|what|to ?do"
}
SERVICE_COLUMN = (  # what the column of a table is called that names services, in lower-case words
    r"(?:affected |impacted )?(?:services?|systems?|components?|applications?|apps?|products?"
    r"|resources?|names?)(?: names?| affected| impacted)?"
)
MEASURE_COLUMN = r"metrics?|measures?|before|during|after|normal|baseline|values?"
PEOPLE_COLUMN = r"names?|persons?|people|who|responders?|members?|engineers?|participants?|teams?"
EVENT_KEYS = {
    "at": r"at|time(?:stamp)?(?: .*)?|date(?: .*)?|when|ts|occurred at|created at|day",
    "event": r".*",
}

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_HOUR = r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?: ?[ap]\.?m\b\.?)?"
_BESIDE = r"(?: ?[(/,–—-]{1,2} ?(?:UTC|GMT)[-+]\d[\d:]{0,4}\)?)?"
_ZONED = rf"(?: ?\(?{ZONE}\)?{_BESIDE}|[+-]\d\d:?\d\d| ?\(?{UNKNOWN}\)?)"
_CLOCK = rf"{_HOUR}{_ZONED}?"
_UNTIL = rf"(?: ?(?:[–—→-]{{1,2}}|to|until) ?~?{_CLOCK})"  # the end of what took a while
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?:,? \d{{4}})?"
)
_EVENT = re.compile(
    rf"[\s>#*_`~\[(+-]{{0,12}}(?P<at>(?P<day>{_DAY})(?:(?:T|,? (?:at )?|[ \t]{{1,4}}){_CLOCK})?"
    rf"|{_CLOCK}(?:{_UNTIL}?,? (?:on )?(?P<later>{_DAY}))?)"
    r"(?P<rest>(?:[\])*_`:,.\s|–—→-].*)?)$",
    re.IGNORECASE | re.DOTALL,
)
_CLOCKED = re.compile(rf"(?P<clock>{_HOUR})(?P<zone>{_ZONED})?", re.IGNORECASE)
_RANGE = re.compile(_UNTIL, re.IGNORECASE)
_ALL_IN = re.compile(  # "All times are in PST", "(UTC+10)", "Times: JST"
    r"\btimes?\b[:\s]{1,3}(?:are |is |shown |given |listed |as ){0,3}(?:in )?\(?"
    rf"(?P<said>{ZONE})"
    rf"|\((?:[a-z]{{2,9}} ){{0,4}}(?P<aside>{ZONE})(?: ?[(/,–—-]{{1,2}} ?(?P<beside>{ZONE}))?\)?\)",
    re.IGNORECASE,
)
_ALL_TIMES = re.compile(rf"\ball times\b[^.\n]{{0,40}}?\b(?P<said>{ZONE})", re.IGNORECASE)
_ZONE_LINE = re.compile(  # "Timezone: AEST", a field or a row of a table
    r"^[\s>|*_-]{0,8}(?:time ?zone|tz)[*_ ]{0,4}[:|][*_ ]{0,4}(?P<said>[^\n|]{2,60})",
    re.IGNORECASE | re.MULTILINE,
)
_ALL_IN_WORDS = re.compile(  # "All times are in Singapore time"
    r"\b[Aa]ll times (?:below |here )?(?:are )?(?:given |shown |listed )?in "
    r"(?P<said>local time|(?:[A-Z][A-Za-z]{1,15} ){1,2}[Tt]ime\b|[A-Z]{2,5}\b)",
)
_LEFT = re.compile(  # all that follows a clock time, which can only be its zone
    r"[A-Z]{2,5}|[A-Z][a-z]{2,15}/\w{2,30}|(?:[A-Z][a-z]{2,15} ){1,2}[Tt]ime"
)
_PLACE = re.compile(r"\s\(?((?:[A-Z][a-z]{2,15} ){1,2}[Tt]ime)\b")  # "10:00 Berlin time"
_OF_HEADING = re.compile(rf"(?:^|[\s(,–—-])(?P<said>{ZONE})(?=[\s),–—-]|$)", re.IGNORECASE)
_EXACT = re.compile(r"(?:UTC|GMT)\s?[-+\u2212]\d", re.IGNORECASE)
_EDGES = " \t\r\n*_`~|:,;.–—-[](){}#>"
_BLOCKS = re.compile(r"\n[ \t\r]*\n")
_CHECKBOX = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\][ \t]+([^\n]*)$", re.M)
_CAUSE = re.compile(
    r"\b(?:root|underlying|primary|main) cause\b|\bcore (?:issue|problem|defect)\b"
    r"|\b(?:was|were) (?:\w+ )?(?:caused|triggered) by\b"
    r"|\b(?:stemmed|resulted) from\b|\bwas due to\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|unknown|unclear|until|still|investigat\w+)\b|\?$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n[ \t\r]*\n")
_HEADS_GROUP = re.compile(  # an item that only says what kind the items below it are of
    r"[^\n]{1,60}:|(?:(?:immediate|short|medium|mid|long|near|term|preventi(?:ve|on)|detecti(?:ve|on)"
    r"|correcti(?:ve|on)|mitigati(?:ve|on)|process|technical|actions?|items?|done|open|completed"
    r"|planned|future)[\s/-]{0,3}){1,4}",
    re.IGNORECASE,
)
_OWNER = re.compile(
    r"\b(?:owner|assignee|assigned to)\s?:\s?@?([\w.@-]+(?: [A-Z][\w.-]+)?)|@([\w-]{2,39})\W{0,2}$",
    re.IGNORECASE,
)
_DUE = re.compile(r"\b(?:due|deadline|by)\b:? (?:date:? )?(\d{4}-\d{2}-\d{2})", re.IGNORECASE)
_NOTHING = re.compile(r"[\W_]*(?:tbd|tba|todo|none|n/?a|nil|unknown|empty)?[\W_]*", re.IGNORECASE)
_ROW = re.compile(r"^[ \t]{0,3}\|[^\n]*$", re.MULTILINE)
_BETWEEN = re.compile(r" ?[,;&\n] ?(?:and )?| and ")
_HOW_MUCH = re.compile(r"(?:(?:and|also|as well as|partly|partially|mainly|mostly|possibly) )+")
_SPREAD = re.compile(r"([^\s,;{}]{0,60})\{([^{}\n]{1,300})\}")
_REMARK = re.compile(r"\s[–—→-]{1,2}\s|\.\s")
_GROUP = re.compile(  # before a colon these say how things were affected; the names follow
    r"(?:(?:affected|impacted|services?|systems?|components?|primary|primarily|secondary"
    r"|direct(?:ly)?|indirect(?:ly)?|fully|partially|partly|internal|external|upstream|downstream|other|others"
    r"|critical|main|core|and) ?){1,4}",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r" ?(?:<[^<>]{0,200}>|\([^()]{0,200}\)|\[[^\[\]]{0,200}\])")


@dataclass(frozen=True, slots=True)
class Zones:
    """Which zones the clock times of a document are in."""

    told: Told = field(default_factory=dict)  # of names that are used of several zones
    usual: str = ""  # of the times that name none; UTC when nothing is said


NO_ZONES = Zones()


def zones_in(text: str) -> Zones:
    """Reads what a document says of its zones: "All times are in AEST", "IST (UTC+5:30)"."""
    told = zones_told(text)
    if all_times := _ALL_TIMES.search(text):
        return Zones(told, all_times["said"])
    said = _ZONE_LINE.search(text[:MAX_FIELDS]) or _ALL_IN_WORDS.search(text)
    words = said["said"].strip(_EDGES) if said else ""
    return Zones(told, "" if is_nothing(words) else zone_named(words))


def begins_with_time(line: str) -> bool:
    """Says whether a line begins with a time of an event."""
    return _EVENT.match(line) is not None


def is_nothing(text: str) -> bool:
    """Says whether a text only holds the place of one: `-`, TBD, N/A."""
    return len(text) < MAX_TIME and _NOTHING.fullmatch(text) is not None


def as_text(value: Json) -> str:
    """Writes any value as markdown."""
    if isinstance(value, Mapping):
        return "\n".join(f"- **{label(key)}:** {_inline(inner)}" for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_inline(inner)}" for inner in value)
    return "" if value is None else str(value).strip()


def _inline(value: Json) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{label(key)}: {_inline(inner)}" for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_inline(inner) for inner in value)
    return "" if value is None else " ".join(str(value).split())


def label(key: Json) -> str:
    """Writes a key as a heading: `root_cause` and `rootCause` become "Root cause"."""
    words = re.sub(r"[_\s-]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(key))).strip()
    return words[:1].upper() + words[1:]


def as_prose(value: Json) -> str | None:
    """Reads a value that is a text, not a time, a number or a placeholder."""
    if isinstance(value, (bool, int, float)) or value is None:
        return None
    text = as_text(value)
    return None if is_nothing(text) or as_time(text) else text


def told_cause(text: str) -> str | None:
    """Finds the first sentence that says what the cause was."""
    for match in islice(_CAUSE.finditer(text), MAX_ENTRIES):
        before = text[max(0, match.start() - MAX_SENTENCE) : match.start()]
        after = text[match.start() : match.start() + MAX_SENTENCE]
        end = _SENTENCE_END.search(after)
        if end:
            sentence = plain(_SENTENCE_END.split(before)[-1] + after[: end.end()]).lstrip(_EDGES)
            if not _DENIED.search(sentence):
                return sentence
    return None


def as_time(value: Json, told: Told | None = None) -> datetime | None:
    """Reads a time in any notation, epoch seconds and milliseconds included."""
    if isinstance(value, (int, float)) and value >= EPOCH_FROM:
        try:
            return datetime.fromtimestamp(value / (1000 if value >= EPOCH_IN_MS else 1), UTC)
        except (OverflowError, ValueError, OSError):
            return None
    text = " ".join(value.split()) if isinstance(value, str) and len(value) <= MAX_TIME else ""
    if not text or is_unclear(text, told):
        return None
    return parse_time(text.strip(_EDGES), told) or find_time(text, told)


def as_moment(value: Json, day: date | None, zones: Zones = NO_ZONES) -> datetime | None:
    """Reads a time, which may be a clock time on a day that is known."""
    text = value.strip() if isinstance(value, str) else ""
    first = text.partition("\n")[0]
    text = first if _CLOCKED.search(first[:MAX_TIME]) else text
    text = text if len(text) <= MAX_TIME else ""
    at = " ".join(text.split()).strip(_EDGES)
    return _moment(at, day, zones.usual, zones.told)[0] or as_time(text or value, zones.told)


def as_names(value: Json) -> list[str]:
    """Reads people, teams or services, however they are separated."""
    if isinstance(value, Mapping):
        named = next(
            (value[key] for key in ("name", "email", "id", "summary") if key in value), None
        )
        return (
            as_names(named) if named else [n for inner in value.values() for n in as_names(inner)]
        )
    if isinstance(value, (list, tuple)):
        return _unique(name for inner in value for name in as_names(inner))
    text = as_text(value)
    rows = [name for table in tables(text) for name in _people_in(table)] if "|" in text else []
    text = _without_tables(text) if rows else text
    items = rows + (list_items(text) or text.split("\n"))
    return _unique(name for item in items for name in _names_in(item))


def _people_in(table: Table) -> Iterator[str]:
    """Yields the cells of the column that names people."""
    names = [label(name).lower() for name in table.header]
    at = next((n for n, name in enumerate(names) if re.fullmatch(PEOPLE_COLUMN, name)), None)
    if at is not None:
        yield from (row[at] for row in table.rows if len(row) > at)


def _names_in(line: str) -> Iterator[str]:
    if len(line) > MAX_PEOPLE_LINE:
        return
    line = _BRACKETS.sub("", " ".join(plain(line).split()))
    role, colon, names = line.partition(": ")
    for name in _BETWEEN.split(names if colon else role):
        name = name.strip(_EDGES + "@'\"")
        if name and len(name.split()) <= MAX_NAME_WORDS and not is_nothing(name):
            yield name


def as_services(value: Json) -> list[str]:
    """Reads what was affected: the column of a table that names it, or what a list's items are."""
    if not isinstance(value, str):
        return as_names(value)
    rows = [name for table in tables(value) for name in _named_in(table)] if "|" in value else []
    told = rows or _listed(_without_tables(value))
    return _unique(name for cell in told for name in _services_in(cell))


def _without_tables(text: str) -> str:
    return _ROW.sub("", text) if tables(text) else text


def _named_in(table: Table) -> Iterator[str]:
    """Yields the cells of the column that names services, else of the first unless it measures."""
    names = [label(name).lower() for name in table.header]
    if names[:1] == [""] or any(re.fullmatch(MEASURE_COLUMN, name) for name in names):
        return
    at = next((n for n, name in enumerate(names) if re.fullmatch(SERVICE_COLUMN, name)), 0)
    yield from (row[at] for row in table.rows if len(row) > at)


def _listed(text: str) -> list[str]:
    return [item for item, _ in list_tree(text)] or text.split("\n")


def _services_in(line: str) -> Iterator[str]:
    """Yields the services of a list's item, without what it says of them."""
    if len(line) > MAX_PEOPLE_LINE:
        return
    line = _SPREAD.sub(_one_by_one, " ".join(plain(line).split()))
    name, colon, rest = _BRACKETS.sub("", line).partition(": ")
    is_group = bool(colon) and _GROUP.fullmatch(name.strip(_EDGES)) is not None
    for piece in _BETWEEN.split(_REMARK.split(rest if is_group else name)[0]):
        piece = _HOW_MUCH.sub("", piece.strip(_EDGES + "@'\""), count=1)
        if piece and len(piece.split()) <= MAX_NAME_WORDS and not is_nothing(piece):
            yield piece


def _one_by_one(match: re.Match[str]) -> str:
    """Writes media/{a, b} as media/a, media/b."""
    return ", ".join(f"{match[1]}{name.strip()}" for name in match[2].split(","))


def as_list(value: Json) -> list[str]:
    """Reads the entries of a list, or the paragraphs of a text without one."""
    if isinstance(value, Mapping):
        return _unique(entry for inner in value.values() for entry in as_list(inner))
    if isinstance(value, (list, tuple)):
        return _unique(_inline(inner) for inner in value)
    return _unique(entry for _, body in _headed(as_text(value)) for entry in _entries(body))


def _headed(text: str) -> Iterator[tuple[str, str]]:
    for section in outline(text):
        yield section.heading, text[section.body_start : section.end]


def _entries(body: str) -> list[str]:
    return list_items(body) or [plain(block) for block in _BLOCKS.split(body)]


def _unique(entries: Iterator[str]) -> list[str]:
    kept = dict.fromkeys(entry.strip() for entry in entries)
    return [entry for entry in kept if entry and not is_nothing(entry)][:MAX_ENTRIES]


def as_actions(value: Json) -> list[dict[str, str]]:
    """Reads action items from a table, a list, checkboxes, paragraphs or records."""
    if isinstance(value, Mapping):
        return [item for inner in value.values() for item in as_actions(inner)]
    if isinstance(value, (list, tuple)):
        return [item for entry in value if (item := _action(entry))]
    actions = []
    for heading, body in _headed(as_text(value)):
        rows = _rows(body, ITEM_KEYS)
        done = {plain(text): mark != " " for mark, text in _CHECKBOX.findall(body)}
        if rows is not None and done:
            rows = [*(rows if _names_items(body) else []), *({"item": item} for item in done)]
        for entry in _told_actions(heading, body) if rows is None else rows:
            if (item := _action(entry)) is not None:
                if item["item"] in done:
                    item.setdefault("status", "done" if done[item["item"]] else "open")
                if heading and heading != item["item"] and not begins_with_time(heading):
                    item.setdefault("type", heading)
                actions.append(item)
    return actions[:MAX_ENTRIES]


def _names_items(body: str) -> bool:
    """Tells whether a table has a column of action items, not only what stands for one."""
    heads = (label(name).lower() for table in tables(body) for name in table.header)
    return any(re.fullmatch(ITEM_KEYS["item"], name) for name in heads)


def _told_actions(heading: str, body: str) -> list[dict[str, Json]]:
    """Reads the items of a list with what is said below each, else the paragraphs."""
    items = list_tree(body)
    if not items:
        return [{"item": plain(block)} for block in _BLOCKS.split(body)]
    said = _details([item for item, _ in items])
    if heading and "item" not in said and len(said) >= FEWEST_DETAILS:
        return [{"item": heading, **said}]  # "### Add an alert", and below it who and when
    found: list[dict[str, Json]] = []
    for item, below in items:
        if below and _HEADS_GROUP.fullmatch(item):
            kind = {"type": item.strip(_EDGES)}
            found += [{"item": each, **kind} for each in below]
        else:
            found.append({"item": item, **_details(below)})
    return found


def _details(lines: Sequence[str]) -> dict[str, Json]:
    """Reads "Owner: Ann" and "Due: 2024-05-01" below an item."""
    fields = dict(line.split(":", 1) for line in lines[:MAX_DETAILS] if ":" in line[:MAX_KEY])
    return {**_keyed(fields, DETAIL_KEYS)}


def _action(entry: Json) -> dict[str, str] | None:
    """Reads one action item, from a record by its keys or from a text by its owner and date."""
    given = _keyed(entry, ITEM_KEYS) if isinstance(entry, Mapping) else {"item": as_text(entry)}
    if is_nothing(given.get("item", "")):
        return None
    owner, due = _OWNER.search(given["item"]), _DUE.search(given["item"])
    found = {"owner": (owner[1] or owner[2]) if owner else "", "due": due[1] if due else ""}
    return {key: text for key, text in (found | given).items() if text}


def _keyed(record: Mapping[str, Json], keys: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in record.items():
        words = label(name).lower()
        key = next((key for key, names in keys.items() if re.fullmatch(names, words)), None)
        text = _inline(value)
        if key and text and (key == "status" or not is_nothing(text)):
            found[key] = f"{found[key]} {text}" if key in found else text
    return found


def _rows(body: str, keys: Mapping[str, str]) -> list[dict[str, str]] | None:
    """Reads tables by the names of their columns; the first column stands in for a missing one."""
    found = tables(body) if "|" in body else []
    rows = []
    main = next(iter(keys))
    for table in found:
        header = table.header or ("",) * max(map(len, table.rows), default=0)
        names = [label(name).lower() for name in header]
        if names and not any(re.fullmatch(keys[main], name) for name in names):
            names[0] = main
        rows += [_keyed(dict(zip(names, row, strict=False)), keys) for row in table.rows]
    return [row for row in rows if main in row] if found else None


def as_timeline(
    value: Json, day: date | None = None, name: str = "", zones: Zones = NO_ZONES
) -> list[dict[str, str]]:
    """Reads events with their times from a table, headings, list items, lines or records."""
    if isinstance(value, Mapping):
        events = [(str(at), _inline(event)) for at, event in value.items()]
    elif isinstance(value, (list, tuple)):
        events = list(_listed_events(value))
    else:
        text = as_text(value)
        rows = _rows(text, EVENT_KEYS)
        events = [(row["at"], row.get("event", "")) for row in rows or []]
        events = events or list(_told_events(text))
        zones = replace(zones, usual=_zone_said(name, _before_events(text)) or zones.usual)
    return _dated(events, day, zones)


def _before_events(text: str) -> str:
    """Gives what stands before the first clock time, where the zone of all is told."""
    clock = _CLOCKED.search(text)
    return text[: min(clock.start(), MAX_BEFORE) if clock else MAX_BEFORE]


def _zone_said(heading: str, text: str) -> str:
    """Finds the zone of a whole timeline in its heading or before its events."""
    said = [match["said"] for match in _OF_HEADING.finditer(heading)]
    if not said and (match := _ALL_IN.search(text)):
        said = [zone for zone in match.group("said", "aside", "beside") if zone]
    exact = [zone for zone in said if _EXACT.match(zone)]
    return next(iter(exact or said), "")


def _listed_events(entries: Sequence[Json]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if isinstance(entry, Mapping):
            keyed = _keyed(entry, EVENT_KEYS)
            yield keyed.get("at", ""), keyed.get("event", "")
        elif match := _EVENT.match(as_text(entry)):
            yield _at(match), match["rest"].strip(_EDGES)
        else:
            yield "", as_text(entry)


def _told_events(text: str) -> Iterator[tuple[str, str]]:
    """Yields what follows each line that begins with a time."""
    at, told = "", list[str]()  # a line that is only a day gives the day of what follows
    for line in text.split("\n"):
        if match := _EVENT.match(line):
            if at:
                yield at, _event(told)
            at, told = _at(match), [match["rest"] or ""]
        elif at and line.strip() and len(told) < MAX_EVENT:
            told.append(line.strip())
    if at:
        yield at, _event(told)


def _at(match: re.Match[str]) -> str:
    """Gives the time of an event, with the zone that only its end names: 10:00 - 11:00 JST."""
    until = _RANGE.match(match["rest"] or "")
    zone = next((c["zone"] for c in _CLOCKED.finditer(until[0]) if c["zone"]), "") if until else ""
    clock = _CLOCKED.search(match["at"])
    is_bare = clock is not None and not clock["zone"] and clock.end() == len(match["at"])
    if is_bare and not zone and (place := _PLACE.match(match["rest"] or "")):
        named = zone_named(place[1])
        zone = "" if named == UNKNOWN_ZONE else f" {named}"  # "10:00 Response time is high"
    return f"{match['at']}{zone}" if is_bare else match["at"]


def _event(told: Sequence[str]) -> str:
    line = plain(" ".join(told)[: 2 * MAX_EVENT])
    words = line.strip(_EDGES) if _BRACKETS.sub("", line).strip(_EDGES) else ""
    return words if len(words) <= MAX_EVENT else words[: MAX_EVENT - 1].rstrip() + "…"


def _dated(
    events: Sequence[tuple[str, str]], day: date | None, zones: Zones
) -> list[dict[str, str]]:
    """Gives each event its moment; a clock time belongs to the day that was named last."""
    dated = []
    for at, event in events[:MAX_ENTRIES]:
        written = " ".join(at.split()).strip(_EDGES)
        moment, day = _moment(written, day, zones.usual, zones.told)
        if event:
            shown = moment.isoformat() if moment else _as_told(at, zones)
            dated.append({"at": shown, "event": event})
    return dated


def _as_told(at: str, zones: Zones) -> str:
    """Gives a time that could not be read, with the zone that is told for all and is not clear."""
    is_unknown = zones.usual.upper() in AMBIGUOUS or zones.usual == UNKNOWN_ZONE
    clock = _CLOCKED.search(at) if is_unknown else None
    return f"{at} {zones.usual}" if clock and not clock["zone"] else at


def _moment(
    at: str, day: date | None, zone: str, told: Told
) -> tuple[datetime | None, date | None]:
    """Reads the time of an event, with the day and the zone that hold unless it names its own.

    A clock time in a zone of which nobody can say which one it is has a day and no moment.
    """
    match = _EVENT.match(at)
    clock = _CLOCKED.search(match["at"]) if match else None
    if match is None or clock is None:
        at = _with_year(match["day"], day) + at[match.end("day") :] if match else at
        moment = as_time(at, told)
        return moment, moment.date() if moment else day
    named = match["day"] or match["later"]
    on = _with_year(named, day) if named else day.isoformat() if day else ""
    until = _RANGE.match(at, match.start("at") + clock.end())
    ends = _CLOCKED.search(until[0]) if until else None
    left = at[max(match.end("at"), until.end() if until else 0) :].strip(_EDGES)
    zoned = clock["zone"] or (ends["zone"] if ends else None)
    zoned = zoned or (f" {zone_named(left)}" if _LEFT.fullmatch(left) else zone)
    local = find_time(f"{on} {clock['clock']}") if on else None
    moment = as_time(f"{on} {clock['clock']} {zoned}".strip(), told) if local else None
    return moment, local.date() if local else day


def _with_year(named: str, day: date | None) -> str:
    return f"{named} {day.year}" if day and not re.search(r"\d{4}", named) else named
