"""Reads architecture decision records, in the formats that people keep them in."""

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from knowwhy.errors import BadInput
from knowwhy.ingest.document import (
    AUTHOR_NAMES,
    DATE_NAMES,
    by_name,
    date_of,
    folded,
    people,
    texts,
)
from knowwhy.ingest.standing import BETWEEN_RECORDS, STATES, related, standing, stated_relations
from knowwhy.text.formats.headers import front_matter, header_fields
from knowwhy.text.formats.naming import (
    FAMILY,
    is_collection,
    label_of_fields,
    label_of_path,
    number_of,
    split_heading,
    stem_of_path,
    title_of_path,
    with_family,
)
from knowwhy.text.pages.forms import NOTEBOOK, WRITTEN, as_markdown, form_of
from knowwhy.text.pages.markdown import (
    field_lines,
    links,
    list_items,
    outline,
    plain,
    tables,
    without_comments,
)
from knowwhy.text.relating.relation_words import relation_of
from knowwhy.text.times import find_time, find_times, parse_time
from knowwhy.types import Draft, Json

DECIDER_NAMES = ("deciders", "decider", "decision makers", "decision maker", "decided by")
LIST_NAMES = {
    "deciders": DECIDER_NAMES,
    "consulted": ("consulted",),
    "informed": ("informed",),
}
PEOPLE_NAMES = (*AUTHOR_NAMES, *DECIDER_NAMES)
STATUS_NAMES = ("status", "decision status", "adr status", "current status", "state")
CHANGE_NAMES = ("changelog", "change log", "change history", "revision history", "history")
OTHER_NAMES = (
    *("consulted", "informed", "tags", "title", "technical story", "supersedes"),
    *("reviewers", "reviewer", "approvers"),
)
KNOWN_NAMES = frozenset((*STATUS_NAMES, *AUTHOR_NAMES, *DECIDER_NAMES, *DATE_NAMES, *OTHER_NAMES))
USUAL_HEADINGS = frozenset(
    (
        *STATUS_NAMES,
        *("context", "context and problem statement", "decision", "consequences", "changelog"),
        *("date", "background", "problem", "motivation", "abstract", "summary", "what", "why"),
    )
)
GENERIC_TITLES = frozenset(("architecture decision record", "architectural decision record", "adr"))
PARTS = {  # headings of what a decision tells, in lower-case words
    "why": re.compile(r"(?:context|problem|background|issue|motivation|summary|situation)\b"),
    "what": re.compile(r"(?:decision|proposal|proposed|solution|resolution|outcome)\b"),
    "else": re.compile(
        r"(?:consequence|considered|alternative|options?|pros|implication|rationale|drawback"
        r"|argument|positions|trade)"
    ),
}
_DECIDES = re.compile(  # a heading of a part that decides, or that weighs what may be decided
    r"\b(?:decision|decided|outcome|resolution|propos(?:al|ed)|consequences?|alternatives|rationale"
    r"|drawbacks|trade ?offs|considered options|options considered|pros and cons|solution)\b"
)
DECIDING_NAMES = (*DECIDER_NAMES, "decision", "outcome", "resolution", "approvers", "approved by")
DECIDED = frozenset(STATES) - {"draft", "review"}  # what pages of other kinds seldom are
MAX_HEADING_WORDS = 5  # of a part's name; longer ones are sentences
CLASSIC = ("context", "decision", "consequences")  # headings, in Nygard's words
BESIDE = ("kep.yaml", "kep.yml", "rfc.yaml", "rfc.yml", "adr.yaml", "adr.yml", "proposal.yaml")
FEWEST_PARTS = 2  # of these and a status; a page about decisions seldom has two of its own
FEWEST_LISTED = 3  # links to records that, as most of a page's items, make it a list of records
MAX_DECISION = 50_000  # characters of a README in which its parts are looked for
MAX_NOTEBOOK = 2_000_000  # bytes of one, which can be read only as a whole
MEANT = ("README", "readme", "Readme", "index", "INDEX")  # what may stand for its folder
MAX_BESIDE = 1000  # files beside a README that are looked at
MAX_OPENING = 20_000  # characters before the first section in which fields are looked for
MAX_Y = 3_000  # characters of one Y-statement; the longest published example has 700
MAX_Y_TRIES = 20  # places that begin like a Y-statement
Y_PARTS = (
    ("context", r"\bin the context of\b"),
    ("facing", r"\bfac(?:ing|ed with)\b"),
    (
        "decided",
        r"\bwe (?:have )?(?:decided|decide|chose|choose)(?: (?:for|to|on|in favou?r of))?\b",
    ),
    ("neglected", r"\b(?:and )?(?:neglected|rejected|against|over)\b"),
    ("achieve", r"\bto achieve\b"),
    ("accepting", r"\baccepting(?: that)?\b"),
    ("because", r"\bbecause\b"),
)
_Y_PATTERNS = [(name, re.compile(pattern, re.I)) for name, pattern in Y_PARTS]
_RECORD = re.compile(
    r"-\d+$|\.(?:md|mdx|markdown|rst|adoc|asciidoc|org)$"
)  # what a list of references may relate to
_Y_END = re.compile(r"\n\s*\n|\.\s|\.$")
_Y_EDGES = " \t\r\n,;.…*_:"


@dataclass(frozen=True, slots=True)
class Part:
    """A section by its heading in lower-case words."""

    level: int
    name: str
    heading: str
    body: str


@dataclass(frozen=True, slots=True)
class _Record:
    """A decision record taken apart: its fields by where they stand, and its sections."""

    path: str
    front: Mapping[str, Json]
    headers: Mapping[str, str]
    lines: Mapping[str, str]
    parts: list[Part]
    fields: dict[str, Json]  # all of them, as written
    known: Mapping[str, Json]  # all of them, by their names in lower-case words


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a text being a decision."""

    is_settled: bool  # it has a status that decisions have
    told: frozenset[str]  # parts of a decision that it has, by their names in PARTS
    is_classic: bool  # it has those that Nygard named
    is_headed: bool  # its head names a date or people
    is_list: bool  # most of what it lists are other records
    decides: bool  # a part or a field of it decides, besides any status


def read_adr(text: str, *, path: str, beside: Mapping[str, Json] | None = None) -> Draft:
    """Read what a decision record says about itself; its content stays as it is.

    What a file beside it says of it counts as its own head.
    """
    if not text.strip():
        raise BadInput(f"{path or 'The decision record'} is empty.")
    record = _take_apart(text, path, beside or {})
    label, title = _label_and_title(record)
    status = _status_text(record)
    now = standing(status)
    when = _date(record, now.since)
    story = _y_statement(text)
    found = _lists(record.known) | {
        "number": number_of(label),
        "date": when.date().isoformat() if when else None,
        "technical_story": next(iter(texts(record.known.get("technical story"))), None),
        "y_statement": story,
        "relations": _relations(record, status, now.state, label),
        "format": _format(record, has_story=bool(story)),
        "fields": record.fields,
    }
    return Draft(
        id="",
        kind="adr",
        title=title,
        content=text,
        label=label,
        status=now.state,
        authors=people(record.known, PEOPLE_NAMES) or _listed_authors(record.parts),
        occurred_at=when,
        metadata={name: value for name, value in found.items() if value is not None},
    )


def evidence_of(text: str, *, path: str) -> Evidence:
    """Gather what speaks for a text being a decision, wherever it stands."""
    text = text[:MAX_DECISION]
    record = _take_apart(text, path)
    names = [part.name for part in record.parts if part.level]
    state = standing(_status_text(record)).state
    is_headed = bool(date_of(record.known) or people(record.known, PEOPLE_NAMES))
    is_named = any(texts(record.known.get(name)) for name in DECIDING_NAMES) or any(
        _DECIDES.search(name) and len(name.split()) <= MAX_HEADING_WORDS for name in names
    )
    told = {kind for kind, words in PARTS.items() if any(words.match(name) for name in names)}
    return Evidence(
        is_settled=state in STATES,
        told=frozenset(told),
        is_classic=all(any(name.startswith(one) for name in names) for one in CLASSIC),
        is_headed=is_headed,
        is_list=_is_list(text),
        decides=is_named or (state in DECIDED and is_headed),
    )


def _is_list(text: str) -> bool:
    """Tell a list of records: most of what it lists leads to one."""
    listed = [link for link in links(text) if _leads_to_record(link.target)]
    items = len(list_items(text)) + sum(len(table.rows) for table in tables(text))
    return len(listed) >= FEWEST_LISTED and 2 * len(listed) >= items


def is_decision(text: str, *, path: str, is_alone: bool = False) -> bool:
    """Tell a decision that a README holds from a README about decisions: by its parts and links.

    The only text of a folder needs no parts that are known, which other languages call otherwise.
    """
    text = text[:MAX_DECISION]
    try:
        record = _take_apart(text, path)
    except BadInput:
        return False
    names = [part.name for part in record.parts if part.level]
    said = evidence_of(text, path=path)
    fewest = FEWEST_PARTS if not is_alone else 0
    is_written = not is_alone or len(names) >= FEWEST_PARTS or label_of_path(path) is not None
    return len(said.told) + said.is_settled >= fewest and is_written and not said.is_list


def holds_decision(file: Path, texts_of: frozenset[str]) -> bool:
    """Tell whether a README or index is the decision that its folder is named after.

    Any other file, such as PROCESS, is one when its text has the parts of one, and a status or a
    number as well.
    """
    folder = file.parent
    is_meant = _is_meant(file)
    if beside_of(file) is not None:
        return True
    try:
        text = beginning(file)
        beside = [p for p in islice(folder.iterdir(), MAX_BESIDE) if p.name != file.name]
        others = [p for p in beside if form_of(p) in texts_of and not p.is_symlink()]
        is_alone = not others and not any(p.is_dir() and _has_text(p, texts_of) for p in beside)
    except OSError:
        return False
    is_shared = is_collection(folder.name) or any(label_of_path(p.name) for p in others)
    if text is None or (is_meant and is_shared):
        return False
    path = f"{folder.name}/{file.name}"
    is_told = is_meant or _is_numbered_or_settled(text, path)
    return is_told and is_decision(text, path=path, is_alone=is_alone and is_meant)


def is_attachment(file: Path, texts_of: frozenset[str]) -> bool:
    """Tell a page that belongs to the decision that the README or index beside it holds."""
    folder = file.parent
    if _is_meant(file) or is_collection(folder.name) or label_of_path(file.name):
        return False
    try:
        names = [folder / f"{name}{suffix}" for name in MEANT for suffix in sorted(texts_of)]
        pages = [page for page in names if page.is_file()]
        text = beginning(file) if pages else None
        if text is None or _is_numbered_or_settled(text, file.name):
            return False
        found = ((page, beginning(page)) for page in pages)
        owners = [page for page, told in found if told and _is_numbered_or_settled(told, str(page))]
    except OSError:
        return False
    return any(holds_decision(page, texts_of) for page in owners)


def _is_meant(file: Path) -> bool:
    """Tell a file that may stand for its folder."""
    return file.stem.lower().startswith(("readme", "index"))


def beginning(file: Path) -> str | None:
    """Read the beginning of a file, unless it is a pipe or a link."""
    if not stat.S_ISREG(file.lstat().st_mode):
        return None
    is_whole = form_of(file) in NOTEBOOK
    with file.open("rb") as handle:
        raw = handle.read(MAX_NOTEBOOK if is_whole else MAX_DECISION)
    text = raw.decode("utf-8", errors="ignore").removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return as_markdown(text, file)
    except BadInput:
        return None


def _is_numbered_or_settled(text: str, path: str) -> bool:
    """Tell a text that has the number or the status of a decision of its own."""
    try:
        record = _take_apart(text, path)
    except BadInput:
        return False
    return bool(_label_and_title(record)[0]) or standing(_status_text(record)).state in STATES


def _has_text(folder: Path, texts_of: frozenset[str]) -> bool:
    return any(form_of(p) in texts_of for p in islice(folder.iterdir(), MAX_BESIDE))


def _leads_to_record(target: str) -> bool:
    """Tell whether a link leads to a record beside or below a page."""
    path = target.partition("#")[0].removeprefix("./").rstrip("/")
    is_below = bool(path) and "://" not in path and not path.startswith(("/", "../", "mailto:"))
    return is_below and (form_of(path) in WRITTEN or label_of_path(path) is not None)


def beside_of(file: Path) -> Path | None:
    """Give the file that states a README's facts, as kep.yaml does; None when there is none."""
    if not _is_meant(file):
        return None
    found = (file.parent / name for name in BESIDE)
    return next((page for page in found if page.is_file() and not page.is_symlink()), None)


def _take_apart(text: str, path: str, beside: Mapping[str, Json] = MappingProxyType({})) -> _Record:
    front, start = front_matter(text)
    front = {**beside, **front}
    headers, _ = header_fields(text[start:])
    parts = _parts(text, start, path)
    lines = _opening_fields(parts)
    fields: dict[str, Json] = {**lines, **headers, **front}
    return _Record(path, front, headers, by_name(lines), parts, fields, by_name(fields))


def _parts(text: str, start: int, path: str) -> list[Part]:
    found = []
    for section in outline(text, form_of(path) or ".md"):
        heading, _, value = section.heading.partition(":")
        inline = value.strip() if folded(heading) in STATUS_NAMES else ""
        name = re.sub(r"^\d{1,2} ", "", folded(heading if inline else section.heading))
        body = _visible(text[max(start, section.body_start) : section.end])
        found.append(Part(section.level, name, section.heading, f"{inline}\n{body}"))
    return found


def _visible(text: str) -> str:
    """Drop the comments of Markdown and reStructuredText."""
    return re.sub(r"^\.\. _.*$", "", without_comments(text), flags=re.M)


def _opening(parts: list[Part]) -> Iterator[str]:
    for at, part in enumerate(parts[:2]):
        if at == 0 or parts[0].level == 0:
            yield part.body[:MAX_OPENING]


def _opening_fields(parts: list[Part]) -> dict[str, str]:
    found: dict[str, str] = {}
    for body in _opening(parts):
        for at, paragraph in enumerate(re.split(r"\n[ \t\r]*\n", body.strip())):
            for name, value in field_lines(paragraph).items():
                if at == 0 or folded(name) in KNOWN_NAMES:
                    found.setdefault(name, value)
        for name, value in _table_fields(body):
            found.setdefault(name, value)
    return found


def _table_fields(body: str) -> Iterator[tuple[str, str]]:
    for table in tables(body, markup=True):
        rows = [row for row in (table.header, *table.rows) if any(row)]
        if rows and all(len(row) == 2 for row in rows):
            pairs = [(plain(name).rstrip(": "), value.strip()) for name, value in rows]
        elif len(rows) == 2:
            pairs = [(plain(n).rstrip(": "), v.strip()) for n, v in zip(*rows, strict=False)]
        else:
            continue
        if any(folded(name) in KNOWN_NAMES for name, _ in pairs):
            yield from ((name, value) for name, value in pairs if name)


def _label_and_title(record: _Record) -> tuple[str | None, str]:
    of_path = label_of_path(record.path)
    headed, title = split_heading(_heading(record.parts), number_of(of_path))
    named = next((plain(t) for t in texts(record.known.get("title")) if t.strip()), "")
    in_title, named = split_heading(named, number_of(of_path))
    label = label_of_fields(record.fields, headed or in_title or of_path)
    return with_family(label, of_path), named or title or title_of_path(record.path)


def _heading(parts: list[Part]) -> str:
    tops = [part for part in parts if part.level == 1]
    if tops and tops[0].name not in GENERIC_TITLES and not _is_usual(tops):
        return tops[0].heading
    others = [part for part in parts if part.level > 1]
    first = others[0] if others else None
    is_title = first and first.name not in USUAL_HEADINGS and (tops or len(others) > 1)
    if first and is_title and not _is_usual(tops):
        return first.heading
    return tops[0].heading if tops and not _is_usual(tops) else ""


def _is_usual(tops: list[Part]) -> bool:
    """Tell a record whose parts are of the first level, so that the first is no title."""
    return len(tops) > 1 and tops[0].name in USUAL_HEADINGS


def _status_text(record: _Record) -> str:
    fields = [text for name in STATUS_NAMES for text in texts(record.known.get(name))]
    sections = [part.body for part in record.parts if part.name in STATUS_NAMES]
    return next((text for text in (*fields, *sections) if text.strip()), "")


def _date(record: _Record, since: datetime | None) -> datetime | None:
    bodies = {part.name: part.body for part in reversed(record.parts)}
    changes = "\n".join(bodies.get(name, "") for name in CHANGE_NAMES)
    return (
        date_of(record.known)
        or find_time(bodies.get("date", ""))
        or since
        or min(find_times(changes), default=None)
        or _date_of_path(record.path)
    )


def _date_of_path(path: str) -> datetime | None:
    match = re.match(r"(\d{4})-?(\d{2})-?(\d{2})(?!\d)", stem_of_path(path))
    return parse_time("-".join(match.groups())) if match else None


def _listed_authors(parts: list[Part]) -> tuple[str, ...]:
    bodies = {part.name: re.sub(r"^[^\S\n]*[-*+]\s+", "", part.body, flags=re.M) for part in parts}
    return people(bodies, PEOPLE_NAMES)


def _lists(known: Mapping[str, Json]) -> dict[str, Json]:
    found: dict[str, Json] = {
        name: list(people(known, names)) or None for name, names in LIST_NAMES.items()
    }
    tags = [tag.strip(" []`\"'#") for t in texts(known.get("tags")) for tag in t.split(",")]
    return found | {"tags": [tag for tag in tags if tag] or None}


def _relations(
    record: _Record, status: str, state: str | None, label: str | None
) -> list[dict[str, str]]:
    family = (label or "").rpartition("-")[0] or FAMILY
    found = stated_relations(status, family)
    if not found and state == "superseded":  # "Superseded (see ADR-9)"
        found = related("SUPERSEDED_BY", status, family)
    for name, value in record.fields.items():
        relation = relation_of(name)
        if relation in BETWEEN_RECORDS:
            for text in texts(value):
                found += related(relation, text, family, may_be_bare=True)
    for part in record.parts:
        relation = relation_of(part.name) if part.level else None
        if relation in BETWEEN_RECORDS:
            found += _section_relations(relation, part.body, family)
    unique = {(one["relation"], one["target"]): one for one in found if one["target"] != label}
    return list(unique.values())


def _section_relations(relation: str, body: str, family: str) -> list[dict[str, str]]:
    stated = stated_relations(body, family)
    typed = {found["target"] for found in stated}
    listed = [found for found in related(relation, body, family) if found["target"] not in typed]
    return [found for found in stated + listed if _RECORD.search(found["target"])]


def _format(record: _Record, *, has_story: bool) -> str:
    names = {part.name for part in record.parts}
    if {"considered options", "decision outcome"} & names or "decision makers" in record.known:
        return _madr(record, names)
    if record.front or record.headers:
        return "front-matter" if record.front else "headers"
    if {"context", "decision"} <= names:
        return "nygard"
    if has_story:
        return "y-statement"
    return "headers" if "status" in record.lines else "plain"


def _madr(record: _Record, names: set[str]) -> str:
    if "decision makers" in record.known or "confirmation" in names:
        return "madr4"
    if record.front or "validation" in names:
        return "madr3"
    if record.lines:
        is_log4brains = "tags" in record.lines or _date_of_path(record.path)
        return "log4brains" if is_log4brains else "madr2"
    return "madr2" if "positive consequences" in names else "madr3"


def _y_statement(text: str) -> dict[str, str] | None:
    for opening in _openings(text):
        window = text[opening : opening + MAX_Y]
        marks = list(_marks(window))
        if [name for name, *_ in marks[:3]] != ["context", "facing", "decided"]:
            continue
        ends = [*(start for _, start, _ in marks[1:]), len(window)]
        parts = {
            name: plain(_Y_END.split(window[end:until], maxsplit=1)[0]).strip(_Y_EDGES)
            for (name, _, end), until in zip(marks, ends, strict=True)
        }
        return {name: said.removesuffix(" and").rstrip(_Y_EDGES) for name, said in parts.items()}
    return None


def _openings(text: str) -> Iterator[int]:
    for count, match in enumerate(_Y_PATTERNS[0][1].finditer(text)):
        if count == MAX_Y_TRIES:
            return
        yield match.start()


def _marks(window: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    for name, pattern in _Y_PATTERNS:
        match = pattern.search(window, at)
        if match:
            yield name, match.start(), match.end()
            at = match.end()
