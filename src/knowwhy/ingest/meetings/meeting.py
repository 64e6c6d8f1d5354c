"""Reads what was said and decided in a meeting: minutes, transcripts and captions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from knowwhy.errors import BadInput
from knowwhy.ingest.document import by_name, folded, texts
from knowwhy.ingest.incidents.entries import as_moment
from knowwhy.ingest.meetings.minutes import Section, read_sections, slot_of
from knowwhy.ingest.meetings.outcomes import outcomes_of
from knowwhy.text.formats.headers import front_matter
from knowwhy.text.formats.naming import title_of_path
from knowwhy.text.pages.forms import bare, form_of
from knowwhy.text.pages.markdown import field_lines, outline, plain
from knowwhy.text.pages.transcripts import (
    Transcript,
    Turn,
    caption_format,
    caption_title,
    clock,
    read_captions,
    read_transcript,
    written_out,
)
from knowwhy.text.relating.people import is_proper, split_people
from knowwhy.text.times import find_time, parse_time
from knowwhy.types import Draft, Json

OPENING = 3000  # characters at the start in which fields and the date of a meeting stand
MAX_TITLE = 160  # characters; a longer line is a sentence
MAX_PEOPLE = 500  # people of one meeting; more are an audience

TITLE_NAMES = ("title", "meeting", "subject", "topic", "meeting title", "meeting name")
DATE_NAMES = (
    *("date", "meeting date", "date and time", "date time", "when", "held on", "start"),
    *("start time", "started", "day", "time", "recorded", "recorded on", "created"),
)
TIME_NAMES = ("time", "start time", "started", "start", "from", "meeting time")
PEOPLE_NAMES = (
    *("attendees", "attendee", "attendance", "present", "participants", "in attendance"),
    *("attending", "people", "members present", "chair", "chairperson", "facilitator", "host"),
    *("scribe", "minutes", "notetaker", "note taker", "minute taker", "organizer", "moderator"),
    *("recorder", "secretary", "presenter", "speakers", "author", "authors", "minutes by"),
    "taken by",
)
DURATION_NAMES = ("duration", "length", "meeting duration")
_NO_TITLE = re.compile(
    r"(?:the |our )?(?:meeting )?(?:minutes|notes|transcript|summary|meeting|agenda|attendees"
    r"|recording|captions)(?: of (?:the )?meeting)?"
)
_FILE_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?([0-3]\d)(?!\d)")
_FILE_TIME = re.compile(r"(?<=\d)[-_T ]+([01]\d|2[0-3])[-_.:h]?([0-5]\d)(?:[-_.:]?\d\d)?(?!\d)")
_DATES_IN_NAME = re.compile(r"(?:GMT)?(?:19|20)\d\d[-_.]?\d\d[-_.]?\d\d(?:[-_T]+\d{4,6})?")
_MACHINE_WORDS = re.compile(
    r"\b(?:transcript|recording|captions?|cc|default|auto|en|utf8?)\b", re.IGNORECASE
)
_CLOCK = re.compile(r"\d{1,2}[:.h]\d{2}(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:UTC|GMT|CET|CEST|Z)\b)?", re.I)
_LISTED = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HANDLE_TOO = re.compile(r"(?<=\w) @[\w-]{1,39}")  # after the name of the same person
_ROLE = re.compile(r"(?<!\s)\s+[–—-]\s.*$|^[^:\n]{1,40}:\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Told:
    """A meeting taken apart."""

    form: str  # minutes, transcript, vtt or srt
    content: str
    opening: str  # what stands at its beginning and was not said
    fields: Mapping[str, Json]
    sections: Sequence[Section]
    turns: Sequence[Turn]


def read_meeting(text: str, *, path: str) -> Draft:
    """Reads a meeting: who was there, when, what was decided and what is to be done."""
    if not text.strip():
        raise BadInput(f"{path or 'The meeting'} is empty.")
    captions = caption_format(text)
    if captions:
        return _read_captions(text, path, captions)
    said = read_transcript(text)
    return _read_transcript(said, path) if said else _read_minutes(text, path)


def _read_minutes(text: str, path: str) -> Draft:
    front, body = front_matter(text)
    sections = read_sections(text[body:])
    fields = {**field_lines(text[body : body + OPENING]), **front}
    return _draft(Told("minutes", text, text[body : body + OPENING], fields, sections, ()), path)


def _read_transcript(said: Transcript, path: str) -> Draft:
    front, body = front_matter(said.outside)
    opening = said.opening[body : body + OPENING]
    fields = {**field_lines(opening), **front}
    sections = read_sections(said.outside[body:])
    return _draft(Told("transcript", said.text, opening, fields, sections, said.turns), path)


def _read_captions(text: str, path: str, form: str) -> Draft:
    turns = read_captions(text)
    if not turns:
        raise BadInput(f"{path or 'The captions'}: no cue has any words.")
    title = caption_title(text)
    fields = {"title": title} if title else {}
    return _draft(Told(form, written_out(turns), "", fields, [], turns), path)


def _draft(told: Told, path: str) -> Draft:
    known = by_name(told.fields)
    heading = _heading(told.opening, path)
    when = _when(known, heading, told.opening, path)
    attendees = _attendees(known, told.sections)
    speakers = list(dict.fromkeys(turn.speaker for turn in told.turns if turn.speaker))
    people = tuple(dict.fromkeys([*speakers[:MAX_PEOPLE], *attendees]))
    outcomes = outcomes_of(told.sections, told.turns, people)
    metadata = {
        "attendees": attendees,
        "speakers": speakers[:MAX_PEOPLE],
        "decisions": outcomes.decisions,
        "action_items": outcomes.actions,
        "date": when.date().isoformat() if when else None,
        "duration": _first(known, DURATION_NAMES) or _duration(told.turns),
        "format": told.form,
        "fields": told.fields,
    }
    return Draft(
        id="",
        kind="meeting",
        title=_title(known, heading, path) or _title_of_day(when, path),
        content=told.content,
        authors=people,
        occurred_at=when,
        metadata={name: value for name, value in metadata.items() if value},
    )


def _first(known: Mapping[str, Json], names: Sequence[str]) -> str | None:
    return next((text for name in names for text in texts(known.get(name)) if text.strip()), None)


def _heading(opening: str, path: str) -> str:
    """Gives the first heading, or the first line of a text without any."""
    headings = outline(opening, form_of(path) or ".md")
    tops = [s.heading for s in headings if s.level == 1] or [s.heading for s in headings]
    named = next((heading for heading in tops if heading), "")
    if named:
        return named
    lines = [plain(line) for line in opening.split("\n") if line.strip()][:2]
    is_title = len(lines) > 1 and len(lines[0].split()) > 1 and ":" not in lines[0]
    return lines[0] if is_title and lines[0][-1:] not in (".", "!", "?") else ""


def _title(known: Mapping[str, Json], heading: str, path: str) -> str:
    """Chooses the name of a meeting; one that only says that it is one gives way to the file's."""
    named = _first(known, TITLE_NAMES)
    of_file = _file_title(path)
    for title in (plain(named or ""), plain(heading)):
        if title and len(title) <= MAX_TITLE and not _is_generic(title):
            return title
    return of_file or plain(heading)


def _title_of_day(when: datetime | None, path: str) -> str:
    return f"Meeting of {when.date().isoformat()}" if when else title_of_path(path)


def _is_generic(title: str) -> bool:
    words = folded(_CLOCK.sub("", _DATES_IN_NAME.sub("", title)))
    is_known = bool(_NO_TITLE.fullmatch(words)) or bool(slot_of(title))
    return not words or is_known or parse_time(title) is not None


def _file_title(path: str) -> str:
    """Makes a title of a file's name without its date and the words that programs add."""
    stem = _DATES_IN_NAME.sub(" ", bare(path).stem)
    words = " ".join(re.split(r"[-_.\s]+", _MACHINE_WORDS.sub(" ", stem.replace("_", " ")))).strip()
    return words[:1].upper() + words[1:]


def _when(known: Mapping[str, Json], heading: str, opening: str, path: str) -> datetime | None:
    """Finds when a meeting began: told by a field, its heading, its file or its first lines."""
    written = (text for name in DATE_NAMES for text in texts(known.get(name)))
    day = next(filter(None, map(find_time, written)), None) or find_time(heading)
    day = day or _file_time(PurePosixPath(path).name) or find_time(opening)
    at = next(
        filter(None, (_CLOCK.search(t) for n in TIME_NAMES for t in texts(known.get(n)))), None
    )
    if day and at and (day.hour, day.minute) == (0, 0):
        return as_moment(at[0].replace("h", ":").replace(".", ":", 1), day.date()) or day
    return day


def _file_time(name: str) -> datetime | None:
    day = _FILE_DAY.search(name)
    if not day:
        return None
    at = _FILE_TIME.match(name, day.end())
    return parse_time(f"{day[1]}-{day[2]}-{day[3]} {f'{at[1]}:{at[2]}' if at else ''}".strip())


def _attendees(known: Mapping[str, Json], sections: Sequence[Section]) -> list[str]:
    """Lists who was there, by the fields and the sections that say so."""
    lines = [line for name in PEOPLE_NAMES for line in texts(known.get(name))]
    for section in sections:
        if section.slot == "attendees":
            lines += [statement.text for statement in section.statements]
            lines += [line.strip("| ").split("|")[0] for line in section.table[2:]]
    names = (name for line in lines for name in _names(line))
    return list(dict.fromkeys(names))[:MAX_PEOPLE]


def _names(line: str) -> list[str]:
    bare = _HANDLE_TOO.sub("", _ROLE.sub("", plain(_LISTED.sub("", line))))
    found = (name.removeprefix("@") for name, _ in split_people(bare))
    return [name for name in found if "@" in line or is_proper(name) or line.islower()]


def _duration(turns: Sequence[Turn]) -> str | None:
    """Says how long a recording is, from its first to its last time."""
    times = [at for turn in turns for at in (turn.start, turn.end) if at is not None]
    length = max(times) - min(times) if times else 0
    return clock(length) if length > 0 else None
