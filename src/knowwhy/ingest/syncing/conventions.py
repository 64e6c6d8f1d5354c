"""Tells by its place in a repository what kind of source a file is."""

import os
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from knowwhy.ingest.files import ABOUT_OTHERS, SUFFIXES, TEXT
from knowwhy.text.source.languages import is_generated

ADR_FOLDERS = frozenset(
    (
        *("adr", "adrs", "madr", "decision-records", "decision-record", "decision-log"),
        *("architecture-decisions", "architecture-decision-records", "architectural-decisions"),
    )
)
DECISION_FOLDERS = frozenset(("decisions", "decision"))  # also what a program calls its own parts
INCIDENT_FOLDERS = frozenset(
    (
        *("incidents", "incident", "incident-reports", "incident-reviews", "outages"),
        *("postmortems", "postmortem", "post-mortems", "post-mortem", "rca", "rcas"),
    )
)
MEETING_FOLDERS = frozenset(
    (
        *("meetings", "meeting", "meeting-notes", "meeting-minutes", "minutes", "standups"),
        *("transcripts", "retros", "retrospectives"),
    )
)
DOC_FOLDERS = frozenset(("docs", "doc", "documentation", "wiki"))
ABOVE_RECORDS = DOC_FOLDERS | ADR_FOLDERS | {"architecture", "design"}
# Records under these were invented for a test.
INVENTED = frozenset(("fixtures", "__fixtures__", "testdata", "test-data", "__snapshots__"))
RENDERED = (".html", ".htm", ".pdf")  # documents under a folder of documents, else made or data
WRITTEN_IN = frozenset(("", *(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)))
NOT_WRITTEN = re.compile(  # what tools and lawyers keep in text files
    r"(?:requirements|constraints|cmakelists|robots|humans|ads|security|sources|top_level|entry_points"
    r"|dependency_links|manifest|version)[\w.-]{0,40}\.txt|(?:un)?licen[cs]es?|copying|notice|patents"
    r"|(?:(?:un)?licen[cs]es?|copying|notice|patents)[.-][\w.-]{1,40}",
    re.IGNORECASE,
)
_RECORD = re.compile(r"(?:adr|madr|decision)?[-_ ]?\d{1,6}[-_. ]", re.IGNORECASE)
_ADR = re.compile(r"m?adr[-_ ]?\d{1,6}(?!\d)", re.IGNORECASE)
_INCIDENT = re.compile(
    r"(?:.{0,200}[-_ ])?post-?mortem(?:[-_ .].{0,200})?|(?:incident|inc)[-_ ]?\d.{0,200}",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(  # template-long, adr-template, 0000-template; not 0012-choose-a-template
    r"(?:(?:0{1,6}|[a-z]{1,20})[-_]){0,3}templates?(?:[-_.][a-z]{1,20})?", re.IGNORECASE
)
_README = re.compile(r"readme(?:[-_.]\w{1,20})?", re.IGNORECASE)


def kind_of(path: str, is_code: Callable[[str], bool], *, tracked: bool = False) -> str | None:
    """Gives the one kind of a file by its path from the root of its repository; None for none."""
    may_be_written = os.path.splitext(path)[1].lower() in WRITTEN_IN
    if may_be_written and not is_generated(path, "", tracked=tracked):
        kind = _written(PurePosixPath(path))
        if kind is not None:
            return kind
    return "code" if is_code(path) else None


def _written(pure: PurePosixPath) -> str | None:
    folders = [_folded(part) for part in pure.parts[:-1]]
    is_hidden = any(part.startswith(".") for part in pure.parts)
    if is_hidden or INVENTED & set(folders):
        return None
    return next((kind for kind, matches in WRITTEN.items() if matches(folders, pure)), None)


def fits(path: str, kind: str, is_code: Callable[[str], bool]) -> bool:
    """Tells whether a file has a form that a kind is read from."""
    if kind == "code":
        return is_code(path)
    pure = PurePosixPath(path)
    return pure.suffix.lower() in SUFFIXES[kind] or (kind == "document" and _is_readme(pure))


def _is_adr(folders: list[str], pure: PurePosixPath) -> bool:
    if pure.suffix.lower() not in TEXT or is_about_others(pure):
        return False
    if ADR_FOLDERS & set(folders) or _ADR.match(pure.name):
        return True
    placed = DECISION_FOLDERS & set(folders)
    return bool(placed) and (
        _RECORD.match(pure.name) is not None or _is_apart(folders, DECISION_FOLDERS)
    )


def _is_incident(folders: list[str], pure: PurePosixPath) -> bool:
    suffix, inside = pure.suffix.lower(), bool(INCIDENT_FOLDERS & set(folders))
    if is_about_others(pure):
        return False
    if suffix in TEXT:
        return inside or _INCIDENT.fullmatch(pure.stem) is not None
    return suffix in SUFFIXES["incident"] and inside and _is_apart(folders, INCIDENT_FOLDERS)


def _is_meeting(folders: list[str], pure: PurePosixPath) -> bool:
    fitting = pure.suffix.lower() in SUFFIXES["meeting"] and not is_about_others(pure)
    return fitting and bool(MEETING_FOLDERS & set(folders))


def _is_document(folders: list[str], pure: PurePosixPath) -> bool:
    if _is_readme(pure):
        return True
    if NOT_WRITTEN.fullmatch(pure.name) or _TEMPLATE.fullmatch(pure.stem):
        return False
    suffix = pure.suffix.lower()
    return suffix in TEXT or (suffix in RENDERED and bool(DOC_FOLDERS & set(folders)))


WRITTEN: dict[str, Callable[[list[str], PurePosixPath], bool]] = {
    "adr": _is_adr,
    "incident": _is_incident,
    "meeting": _is_meeting,
    "document": _is_document,
}


def _is_readme(pure: PurePosixPath) -> bool:
    return pure.suffix.lower() in ("", *TEXT) and _README.fullmatch(pure.stem) is not None


def is_about_others(pure: PurePosixPath) -> bool:
    """Tells whether a file in a folder of records speaks about the records."""
    is_form = pure.stem.lower() in ABOUT_OTHERS or _TEMPLATE.fullmatch(pure.stem) is not None
    return is_form or _is_readme(pure)


def _is_apart(folders: list[str], names: frozenset[str]) -> bool:
    """Tells whether a folder of such a name stands at the top or among documents, not in code."""
    places = (place for place, folder in enumerate(folders) if folder in names)
    return any(place == 0 or folders[place - 1] in ABOVE_RECORDS for place in places)


def _folded(folder: str) -> str:
    return folder.lower().replace("_", "-").replace(" ", "-")
