"""Tells by its place in a repository what kind of source a file is."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowwhy.ingest.files import (
    IS_TEMPLATE,
    NOT_WRITTEN,
    SUFFIXES,
    TEXT,
    is_readme,
    is_template,
    may_hold_folder,
    why_none,
)
from knowwhy.ingest.naming import dashed, is_collection
from knowwhy.text.source.languages import is_generated

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
ABOVE_RECORDS = DOC_FOLDERS | {"architecture", "design"}  # and what is named after decisions
# Records under these were invented for a test.
INVENTED = frozenset(("fixtures", "__fixtures__", "testdata", "test-data", "__snapshots__"))
RENDERED = (".html", ".htm", ".pdf")  # documents under a folder of documents, else made or data
WRITTEN_IN = frozenset(("", *(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)))
_RECORD = re.compile(r"(?:adr|madr|decision)?[-_ ]?\d{1,6}[-_. ]", re.IGNORECASE)
_ADR = re.compile(r"m?adr[-_ ]?\d{1,6}(?!\d)", re.IGNORECASE)
_INCIDENT = re.compile(
    r"(?:.{0,200}[-_ ])?post-?mortem(?:[-_ .].{0,200})?|(?:incident|inc)[-_ ]?\d.{0,200}",
    re.IGNORECASE,
)
_PADDED = re.compile(r"(?:adr|madr|decision)?[-_ ]?0\d{2,5}[-_. ]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a file stands in its repository."""

    folders: list[str]
    pure: PurePosixPath
    top: str  # the folder of the repository itself
    holds: Callable[[], bool]  # whether its text is the decision that its folder is named after


def kind_of(
    path: str,
    is_code: Callable[[str], bool],
    *,
    tracked: bool = False,
    top: str = "",
    holds: Callable[[], bool] = lambda: False,
) -> str | None:
    """Gives the one kind of a file by its path from the root of its repository; None for none.

    A README may hold the decision that its folder is named after, which only its text can tell.
    """
    may_be_written = os.path.splitext(path)[1].lower() in WRITTEN_IN
    if may_be_written and not is_generated(path, "", tracked=tracked):
        kind = _written(_place(path, top, holds))
        if kind is not None:
            return kind
    return "code" if is_code(path) else None


def why_skipped(path: str, top: str = "") -> str | None:
    """Says why a file in a folder of records is taken as nothing at all: a template, a licence."""
    place = _place(path, top, lambda: False)
    if place.pure.suffix.lower() not in TEXT or _is_apart_from_all(place):
        return None
    is_among = _is_among_decisions(place) or _is_all_decisions(place.top)
    is_among = is_among or bool(INCIDENT_FOLDERS & set(place.folders))
    why = why_none(place.pure, "adr", lambda: True) if is_among else None
    return why if why and not _is_document(place) else None


def _place(path: str, top: str, holds: Callable[[], bool]) -> _Place:
    pure = PurePosixPath(path)
    return _Place([dashed(part) for part in pure.parts[:-1]], pure, dashed(top), holds)


def _written(place: _Place) -> str | None:
    if _is_apart_from_all(place):
        return None
    return next((kind for kind, matches in WRITTEN.items() if matches(place)), None)


def _is_apart_from_all(place: _Place) -> bool:
    is_hidden = any(part.startswith(".") for part in place.pure.parts)
    return is_hidden or bool(INVENTED & set(place.folders))


def fits(path: str, kind: str, is_code: Callable[[str], bool]) -> bool:
    """Tells whether a file has a form that a kind is read from."""
    if kind == "code":
        return is_code(path)
    pure = PurePosixPath(path)
    return pure.suffix.lower() in SUFFIXES[kind] or (kind == "document" and is_readme(pure))


def _is_adr(place: _Place) -> bool:
    pure = place.pure
    if pure.suffix.lower() not in TEXT or not _is_among_decisions(place):
        return False
    may_hold = not may_hold_folder(pure) or _is_own_folder(place)
    return not is_about_others(pure, "adr", lambda: may_hold and place.holds())


def _is_among_decisions(place: _Place) -> bool:
    folders, name = place.folders, place.pure.name
    if any(map(is_collection, folders)) or _ADR.match(name):
        return True
    if DECISION_FOLDERS & set(folders):
        own = place.pure.parent.name if may_hold_folder(place.pure) else ""
        is_record = _RECORD.match(name) or _RECORD.match(f"{own}-")
        return bool(is_record) or _is_apart(folders, lambda f: f in DECISION_FOLDERS)
    if not _is_all_decisions(place.top):
        return False
    is_numbered = _RECORD.match(name) if not folders else _PADDED.match(name)
    return bool(is_numbered) or (bool(folders) and may_hold_folder(place.pure))


def _is_all_decisions(top: str) -> bool:
    """Tells a repository that holds nothing else by its name: adrs, shop-adrs, decision-records."""
    parts = top.split("-")
    return any(is_collection("-".join(parts[at:])) for at in range(len(parts)))


def _is_own_folder(place: _Place) -> bool:
    """Tells a folder that may be named after one decision from one of all decisions."""
    last = place.folders[-1] if place.folders else ""
    return bool(last) and last not in DECISION_FOLDERS and not is_collection(last)


def _is_incident(place: _Place) -> bool:
    pure, folders = place.pure, place.folders
    suffix, inside = pure.suffix.lower(), bool(INCIDENT_FOLDERS & set(folders))
    if is_about_others(pure, "incident"):
        return False
    if suffix in TEXT:
        return inside or _INCIDENT.fullmatch(pure.stem) is not None
    is_form = suffix in SUFFIXES["incident"] and inside
    return is_form and _is_apart(folders, lambda f: f in INCIDENT_FOLDERS)


def _is_meeting(place: _Place) -> bool:
    pure = place.pure
    fitting = pure.suffix.lower() in SUFFIXES["meeting"] and not is_about_others(pure, "incident")
    return fitting and bool(MEETING_FOLDERS & set(place.folders))


def _is_document(place: _Place) -> bool:
    pure = place.pure
    if is_readme(pure):
        return True
    if NOT_WRITTEN.fullmatch(pure.name) or is_template(pure):
        return False
    if _is_among_decisions(place) and why_none(pure, "adr", lambda: True) == IS_TEMPLATE:
        return False  # by its folder
    suffix = pure.suffix.lower()
    return suffix in TEXT or (suffix in RENDERED and bool(DOC_FOLDERS & set(place.folders)))


WRITTEN: dict[str, Callable[[_Place], bool]] = {
    "adr": _is_adr,
    "incident": _is_incident,
    "meeting": _is_meeting,
    "document": _is_document,
}


def is_about_others(
    pure: PurePosixPath, kind: str, holds: Callable[[], bool] = lambda: False
) -> bool:
    """Tells whether a file in a folder of records speaks about the records."""
    return why_none(pure, kind, holds) is not None


def _is_apart(folders: list[str], is_named: Callable[[str], bool]) -> bool:
    """Tells whether a folder of such a name stands at the top or among documents, not in code."""
    places = (place for place, folder in enumerate(folders) if is_named(folder))
    return any(
        place == 0 or folders[place - 1] in ABOVE_RECORDS or is_collection(folders[place - 1])
        for place in places
    )
