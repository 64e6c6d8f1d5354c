"""Reads the values of a post-mortem: times, people, lists, action items and timelines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import islice

from knowwhy.text.pages.markdown import list_items, outline, plain, tables
from knowwhy.text.times import find_time, parse_time
from knowwhy.types import Json

MAX_TIME = 80  # characters; a longer value is prose that mentions a time
MAX_PEOPLE_LINE = 500  # characters; a longer line is prose
MAX_NAME_WORDS = 6  # words of a person or a service; more are a sentence
MAX_EVENT = 1000  # characters of one event; what is longer is in the content
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
EVENT_KEYS = {
    "at": r"at|time(?:stamp)?(?: .*)?|date(?: .*)?|when|ts|occurred at|created at|day",
    "event": r".*",
}

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_ZONE_NAME = r"(?-i:Z|UTC|GMT|[A-Z]{2,3}T)"
_CLOCK = (
    r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?: ?[ap]\.?m\b\.?)?"
    rf"(?: ?\(?{_ZONE_NAME}\b\)?|[+-]\d\d:?\d\d)?"
)
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?:,? \d{{4}})?"
)
_EVENT = re.compile(
    rf"[\s>#*_`~\[(+-]{{0,12}}(?P<at>(?P<day>{_DAY})(?:(?:T|,? (?:at )?|[ \t]{{1,4}}){_CLOCK})?"
    rf"|{_CLOCK})(?P<rest>(?:[\])*_`:,.\s|–—-].*)?)$",
    re.IGNORECASE | re.DOTALL,
)
_ZONE = re.compile(rf"\btimes?\s(?:are\s)?(?:in\s)?\(?({_ZONE_NAME})\b|\(({_ZONE_NAME})\)")
_ZONED = re.compile(rf"(?:{_ZONE_NAME}\)?|[+-]\d\d:?\d\d)$")
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
_OWNER = re.compile(
    r"\b(?:owner|assignee|assigned to)\s?:\s?@?([\w.@-]+(?: [A-Z][\w.-]+)?)|@([\w-]{2,39})\W{0,2}$",
    re.IGNORECASE,
)
_DUE = re.compile(r"\b(?:due|deadline|by)\b:? (?:date:? )?(\d{4}-\d{2}-\d{2})", re.IGNORECASE)
_NOTHING = re.compile(r"[\W_]*(?:tbd|tba|todo|none|n/?a|nil|unknown|empty)?[\W_]*", re.IGNORECASE)
_BETWEEN = re.compile(r" ?(?:[,;&\n]| and ) ?")
_BRACKETS = re.compile(r" ?(?:<[^<>]{0,200}>|\([^()]{0,200}\)|\[[^\[\]]{0,200}\])")


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


def as_time(value: Json) -> datetime | None:
    """Reads a time in any notation, epoch seconds and milliseconds included."""
    if isinstance(value, (int, float)) and value >= EPOCH_FROM:
        try:
            return datetime.fromtimestamp(value / (1000 if value >= EPOCH_IN_MS else 1), UTC)
        except (OverflowError, ValueError, OSError):
            return None
    text = " ".join(value.split()) if isinstance(value, str) and len(value) <= MAX_TIME else ""
    return parse_time(text.strip(_EDGES)) or find_time(text) if text[:1] else None


def as_moment(value: Json, day: date | None) -> datetime | None:
    """Reads a time, which may be a clock time on a day that is known."""
    text = value if isinstance(value, str) and len(value) <= MAX_TIME else ""
    return as_time(value) or _moment(" ".join(text.split()).strip(_EDGES), day, "")[0]


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
    items = list_items(text) or text.split("\n")
    return _unique(name for item in items for name in _names_in(item))


def _names_in(line: str) -> Iterator[str]:
    if len(line) > MAX_PEOPLE_LINE:
        return
    line = _BRACKETS.sub("", " ".join(plain(line).split()))
    role, colon, names = line.partition(": ")
    for name in _BETWEEN.split(names if colon else role):
        name = name.strip(_EDGES + "@'\"")
        if name and len(name.split()) <= MAX_NAME_WORDS and not is_nothing(name):
            yield name


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
        for entry in [{"item": text} for text in _entries(body)] if rows is None else rows:
            if (item := _action(entry)) is not None:
                if item["item"] in done:
                    item.setdefault("status", "done" if done[item["item"]] else "open")
                if heading and not begins_with_time(heading):
                    item.setdefault("type", heading)
                actions.append(item)
    return actions[:MAX_ENTRIES]


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


def as_timeline(value: Json, day: date | None = None, name: str = "") -> list[dict[str, str]]:
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
        zone = _ZONE.search(f"{name} {text[:300]}")
        return _dated(events, day, (zone[1] or zone[2]) if zone else "")
    return _dated(events, day, "")


def _listed_events(entries: Sequence[Json]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if isinstance(entry, Mapping):
            keyed = _keyed(entry, EVENT_KEYS)
            yield keyed.get("at", ""), keyed.get("event", "")
        elif match := _EVENT.match(as_text(entry)):
            yield match["at"], match["rest"].strip(_EDGES)
        else:
            yield "", as_text(entry)


def _told_events(text: str) -> Iterator[tuple[str, str]]:
    """Yields what follows each line that begins with a time."""
    at, told = "", list[str]()  # a line that is only a day gives the day of what follows
    for line in text.split("\n"):
        if match := _EVENT.match(line):
            if at:
                yield at, _event(told)
            at, told = match["at"], [match["rest"] or ""]
        elif at and line.strip() and len(told) < MAX_EVENT:
            told.append(line.strip())
    if at:
        yield at, _event(told)


def _event(told: Sequence[str]) -> str:
    line = plain(" ".join(told)[: 2 * MAX_EVENT])
    words = line.strip(_EDGES) if _BRACKETS.sub("", line).strip(_EDGES) else ""
    return words if len(words) <= MAX_EVENT else words[: MAX_EVENT - 1].rstrip() + "…"


def _dated(events: Sequence[tuple[str, str]], day: date | None, zone: str) -> list[dict[str, str]]:
    """Gives each event its moment; a clock time belongs to the day that was named last."""
    dated = []
    for at, event in events[:MAX_ENTRIES]:
        moment, day = _moment(" ".join(at.split()).strip(_EDGES), day, zone)
        if event:
            dated.append({"at": moment.isoformat() if moment else at, "event": event})
    return dated


def _moment(at: str, day: date | None, zone: str) -> tuple[datetime | None, date | None]:
    """Reads the time of an event, with the day and the zone that hold unless it names its own."""
    match = _EVENT.match(at)
    if match and day and not match["day"]:
        at = f"{day.isoformat()} {at}"
    elif match and day and not re.search(r"\d{4}", match["day"]):
        at = at.replace(match["day"], f"{match['day']} {day.year}", 1)
    local = as_time(at)
    if not local:
        return None, day
    moment = as_time(f"{at} {zone}") if zone and not _ZONED.search(at) else local
    return moment or local, local.date()
