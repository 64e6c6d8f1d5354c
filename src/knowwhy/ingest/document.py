"""Reads any document that is written in words."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from knowwhy.errors import BadInput
from knowwhy.text.formats.headers import front_matter, header_fields
from knowwhy.text.formats.naming import ID_NAMES, label_of_fields, title_of_path
from knowwhy.text.pages.forms import form_of
from knowwhy.text.pages.markdown import heading_title, outline, plain
from knowwhy.text.relating.people import is_proper, split_people
from knowwhy.text.times import find_time
from knowwhy.types import Draft, Json

AUTHOR_NAMES = ("author", "authors", "author s", "written by", "by", "creator", "owner", "owners")
DATE_NAMES = (
    *("date", "decision date", "decided", "decided on", "date decided", "accepted", "accepted on"),
    *("created", "created on", "created at", "creation date", "date created", "start date"),
    *("published", "published at", "pubdate", "last modified", "last updated", "updated"),
    *("lastmod", "last update", "last reviewed"),
)


def read_document(text: str, *, path: str) -> Draft:
    """Read a document's title, authors, date and status from what stands before its text."""
    if not text.strip():
        raise BadInput(f"{path or 'The document'} is empty.")
    front, start = front_matter(text)
    fields: dict[str, Json] = {**header_fields(text[start:])[0], **front}
    known = by_name(fields)
    status = known.get("status") or known.get("state")
    return Draft(
        id="",
        kind="document",
        title=_title(text, known, path),
        content=text,
        label=label_of_fields(fields) if _gives_id(fields) else None,
        status=plain(status).lower() if isinstance(status, str) and status.strip() else None,
        authors=people(known, AUTHOR_NAMES),
        occurred_at=date_of(known),
        metadata=fields,
    )


def by_name(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Give each field under its name in lower-case words: `decision makers`."""
    return {folded(name): value for name, value in fields.items()}


def folded(name: str) -> str:
    """Write a field's name or a heading in lower-case words without punctuation."""
    return " ".join(re.sub(r"[\W_]", " ", name).lower().split())


def people(known: Mapping[str, Json], names: Iterable[str]) -> tuple[str, ...]:
    """List the people under the given names, without addresses and handles' marks."""
    found: dict[str, None] = {}
    for name in names:
        value = known.get(name)
        is_form = isinstance(value, dict) or (isinstance(value, str) and value[:1] == "{")
        for written in texts(value):
            named = (person for person, _ in split_people(written))
            found |= dict.fromkeys(_bare(p) for p in named if not is_form or is_proper(p))
    return tuple(found)


def date_of(known: Mapping[str, Json]) -> datetime | None:
    """Find the date of a document, that of the decision before that of its last change."""
    written = (text for name in DATE_NAMES for text in texts(known.get(name)))
    return next(filter(None, map(find_time, written)), None)


def texts(value: Json) -> list[str]:
    """List the texts in a field's value, also those that a template's braces still stand around."""
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    if isinstance(value, dict):
        is_form = bool(value) and all(inner is None for inner in value.values())
        return [str(key) for key in value] if is_form else texts(value.get("name"))
    if isinstance(value, str) and value[:1] == "{" and value[-1] == "}":
        return [value[1:-1].strip()]
    return [str(value)] if value is not None and not isinstance(value, bool) else []


def _title(text: str, known: Mapping[str, Json], path: str) -> str:
    named = next((plain(title) for title in texts(known.get("title")) if title.strip()), None)
    if named:
        return named
    headings = [section for section in outline(text, form_of(path)) if section.heading]
    tops = [section.heading for section in headings if section.level == 1] or [
        section.heading for section in headings
    ]
    return (tops[0] if tops else heading_title(text)) or title_of_path(path)


def _gives_id(fields: Mapping[str, Json]) -> bool:
    label = label_of_fields(fields)
    named = any(folded(name) in ID_NAMES for name in fields)
    return bool(label) and (named or any(folded(n) == _family(label) for n in fields))


def _family(label: str | None) -> str:
    return (label or "").rpartition("-")[0].lower()


def _bare(person: str) -> str:
    name = person.removeprefix("@")
    return name.split("@")[0] if "@" in name and " " not in name else name
