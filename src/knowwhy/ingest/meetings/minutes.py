"""Takes minutes apart: the sections that mean something, and the statements in each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowwhy.ingest.document import folded
from knowwhy.text.pages.markdown import plain

MAX_NAME = 60  # characters of a section's name; a longer line is a sentence
MAX_HEADING = 200  # characters of a heading; a longer line is a sentence
MAX_STATEMENT = 2000  # characters of one statement that are looked at; longer ones are documents
MAX_STATEMENTS = 50_000  # statements of one meeting; more are no minutes
MAX_SECTIONS = 5000  # headings and labels of one meeting; more are no minutes either
MAX_ROWS = 1000  # lines of the tables of one section
FEWEST_UNDERLINE = 3  # characters of the line below a title
BOLD_LEVEL, LABEL_LEVEL = 7, 8  # below the six levels of headings: **Decisions** and `Decisions:`

SLOTS = {
    "both": r"(?:decisions?|agreements?) (?:and|actions?)(?: \w+){0,3}|actions? (?:items? )?"
    r"(?:and )?decisions?|outcomes?(?: and \w+){0,2}",
    "decisions": r"(?:\w+ )?(?:decisions?|resolutions?|agreements?)"
    r"(?: (?:made|taken|reached|log|items?|points?|summary|record(?:ed)?|today))?"
    r"|resolved|(?:what )?we (?:have )?(?:decided|agreed)(?: \w+)?|(?:items )?agreed(?: \w+)?",
    "actions": r"(?:new |open |our |the )?(?:actions?|todos?|to dos?|tasks?|ais?|next steps?"
    r"|follow ?ups?|assignments?)(?: (?:items?|points?|list|register|taken|and \w+|owners?))*",
    "attendees": r"(?:\w+ )?(?:attendees?|participants?)|attendance|(?:people |members |those )?"
    r"present|in attendance|attending|roll call|who was there|people",
    "absent": r"absent(?:ees)?|apologies(?: for absence)?|regrets|not present|excused",
}
_SLOTS = {slot: re.compile(words) for slot, words in SLOTS.items()}
_OLD = re.compile(r"(?:previous|last|old|past|prior|review|completed|closed|pending|rejected)\b")
_HEADING = re.compile(r"(#{1,6})[ \t]++([^\n]+)$")
_CLOSING = re.compile(r"(?<!#)#{1,6}$")  # of a heading, as some close it
_BOLD = re.compile(r"[ \t]{0,3}(?:\*\*|__)([^*_\n]{2,60}?):?(?:\*\*|__):?[ \t]*$")
_LABEL = re.compile(
    r"[ \t]{0,3}(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Za-z][\w /&'’-]{1,40}?)"
    r"(?::(?:\*\*|__)?|(?:\*\*|__):)(?:[ \t]+(\S.*))?$"
)
_UNDERLINE = re.compile(r"([=\-~])\1{2,}[ \t]*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$")
_BOX = re.compile(r"(\s*)()\[([ xX])\]\s+(.*)$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_MARKED = re.compile(
    r"\W{0,4}(?:DECISION|DECIDED|RESOLVED|RESOLUTION|AGREED|ACTION|AI|AP|TODO|TASK)\b", re.I
)


@dataclass(slots=True)
class Statement:
    """A list item or a paragraph, with its markup."""

    text: str
    indent: int = 0
    is_item: bool = False
    is_done: bool | None = None  # None without a checkbox


@dataclass(slots=True)
class Section:
    """Statements below one heading; a slot says what they are about."""

    slot: str
    heading: str
    level: int
    is_field: bool = False  # a name and its value in one line, which ends at a blank one
    statements: list[Statement] = field(default_factory=list)
    table: list[str] = field(default_factory=list)


def read_sections(text: str) -> list[Section]:
    """Cuts minutes into sections of statements."""
    sections = [Section("", "", 0)]
    gap = True  # whether the next line cannot continue the statement before it
    left = MAX_STATEMENTS
    for line, after in _lines_with_next(text):
        named = _named(line, after) if len(sections) < MAX_SECTIONS else None
        current = sections[-1]
        if not line.strip() or _UNDERLINE.match(line):
            gap = True
        elif named:
            heading, level, rest = named
            sections.append(_opened(current, heading, level))
            if rest:
                sections[-1].statements.append(Statement(rest))
                sections[-1].is_field = True
            gap = not rest or line[:1] == "#"
        elif line.lstrip()[:1] == "|":
            current.table += [line] if len(current.table) < MAX_ROWS else []
        elif left > 0:
            if _ends(current, line, gap):
                sections.append(Section("", "", current.level))
            left -= _take(sections[-1], line, gap)
            gap = False
    return sections


def _lines_with_next(text: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    in_code = False
    for at, line in enumerate(lines):
        is_fence = bool(_FENCE.match(line))
        in_code ^= is_fence
        if not in_code and not is_fence:
            yield line.rstrip("\r"), lines[at + 1] if at + 1 < len(lines) else ""


def _named(line: str, after: str) -> tuple[str, int, str] | None:
    """Reads a line that names what follows: its name, its level, and what else it says."""
    if heading := _heading(line):
        level, written = heading
        title = plain(written)
        name, _, rest = title.partition(":")
        is_whole = not rest.strip() or not slot_of(name)
        return (title, level, "") if is_whole else (name, level, rest.strip())
    if line.strip() and line[:1].isalnum() and len(line) <= MAX_NAME:
        under = _UNDERLINE.match(after)
        if under and len(after.strip()) >= FEWEST_UNDERLINE:
            return line.strip(), 1 if under[1] == "=" else 2, ""
    if bold := _BOLD.match(line):
        return bold[1], BOLD_LEVEL, ""
    label = _LABEL.match(line[:MAX_STATEMENT])
    slot = slot_of(label[1]) if label else ""
    if label and (slot in ("attendees", "absent") or (slot and not label[2])):
        return label[1], LABEL_LEVEL, label[2] or ""
    return None


def _heading(line: str) -> tuple[int, str] | None:
    """Reads the level of a heading and what it says, without the signs that close it."""
    found = _HEADING.match(line.rstrip(" \t"))
    if not found:
        return None
    title = _CLOSING.sub("", found[2]).rstrip(" \t") or found[2]
    return (len(found[1]), title) if len(title) <= MAX_HEADING else None


def slot_of(name: str) -> str:
    """Says what a section of this name holds, empty when that does not matter here."""
    words = re.sub(r"^\d{1,2} ", "", folded(name)) if len(name) <= MAX_NAME else ""
    if not words or _OLD.match(words):
        return ""
    return next((slot for slot, pattern in _SLOTS.items() if pattern.fullmatch(words)), "")


def _opened(before: Section, heading: str, level: int) -> Section:
    slot = slot_of(heading)
    inherits = not slot and before.slot and before.level < level and not _OLD.match(folded(heading))
    if inherits:
        return Section(before.slot, heading, before.level)
    return Section(slot, heading, level)


def _ends(section: Section, line: str, gap: bool) -> bool:
    """Says whether a paragraph after a labelled list, or after a field, is about something else."""
    if section.is_field:
        return gap or bool(_LABEL.match(line[:MAX_STATEMENT]))
    if section.level < BOLD_LEVEL or not gap or not section.statements:
        return False
    return not _ITEM.match(line) and line[:1] not in " \t"


def _take(section: Section, line: str, gap: bool) -> bool:
    """Adds a line as a statement or to the one before it; says whether it was a new one."""
    item = _ITEM.match(line)
    box = None if item else _BOX.match(line)
    if item or box:
        indent, mark, words = item.groups() if item else (box[1], box[3], box[4]) if box else ()
        done = None if mark is None else mark != " "
        width = len(indent.expandtabs(4))
        section.statements.append(Statement(words.strip(), width, True, done))
        return True
    last = section.statements[-1] if section.statements else None
    goes_on = not gap and not _MARKED.match(line) and not (last and _is_said(last.text))
    if last and goes_on and len(last.text) < MAX_STATEMENT:
        last.text = f"{last.text} {line.strip()}".strip()
        return False
    section.statements.append(Statement(line.strip()))
    return True


def _is_said(text: str) -> bool:
    """Says whether a marked statement is a whole sentence; what follows is about something else."""
    return text[-1:] in (".", "!", "?") and bool(_MARKED.match(text))
