"""Tells by its place in a repository what kind of source a file is."""

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
from knowwhy.text.formats.naming import (
    DECISION_FOLDERS,
    FAMILY,
    dashed,
    family_of_folder,
    is_collection,
    label_of_path,
)
from knowwhy.text.pages.forms import bare, form_of
from knowwhy.text.source.languages import is_generated

_INCIDENTS = re.compile(  # what a folder of post-mortems is called, in lower case with dashes
    r"(?:[a-z]{2,20}-)?(?:incidents?|outages|post-?mortems?|rcas?|(?:post-)?incident-retrospectives?)"
    r"(?:-(?:reports?|reviews?|retros?|retrospectives?|post-?mortems?|rcas?|logs?|archive))?"
    r"|root-cause-analys[ei]s|outage-(?:reports?|reviews?)"
)
MEETING_FOLDERS = frozenset(
    (
        *("meetings", "meeting", "meeting-notes", "meeting-minutes", "minutes", "standups"),
        *("transcripts", "retros", "retrospectives"),
    )
)
GENERAL = ("document", "meeting")  # what a text that is a decision or a post-mortem may look like
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
    says: Callable[[], str | None]  # the kind that its text shows


def kind_of(
    path: str,
    is_code: Callable[[str], bool],
    *,
    tracked: bool = False,
    top: str = "",
    holds: Callable[[], bool] = lambda: False,
    says: Callable[[], str | None] = lambda: None,
) -> str | None:
    """Gives the one kind of a file by its path from the root of its repository; None for none.

    A README may hold the decision that its folder is named after, which only its text can tell; a
    document may be a decision or a post-mortem by what it says, whatever its folder is called.
    """
    may_be_written = form_of(path) in WRITTEN_IN
    if may_be_written and not is_generated(path, "", tracked=tracked):
        kind = _written(_place(path, top, holds, says))
        if kind is not None:
            return kind
    return "code" if is_code(path) else None


def why_skipped(path: str, top: str = "") -> str | None:
    """Says why a file in a folder of records is taken as nothing at all: a template, a licence."""
    place = _place(path, top)
    if form_of(place.pure) not in TEXT or _is_apart_from_all(place):
        return None
    is_among = _is_among_decisions(place) or _is_all_decisions(place.top)
    is_among = is_among or _is_among_incidents(place.folders) or _family(place) is not None
    why = why_none(place.pure, "adr", lambda: True) if is_among else None
    return why if why and not _is_document(place) else None


def _place(
    path: str,
    top: str,
    holds: Callable[[], bool] = lambda: False,
    says: Callable[[], str | None] = lambda: None,
) -> _Place:
    pure = PurePosixPath(path)
    return _Place([dashed(part) for part in pure.parts[:-1]], pure, dashed(top), holds, says)


def _written(place: _Place) -> str | None:
    if _is_apart_from_all(place):
        return None
    kind = next((kind for kind, matches in WRITTEN.items() if matches(place)), None)
    return (place.says() or kind) if kind in GENERAL else kind


def _is_apart_from_all(place: _Place) -> bool:
    is_hidden = any(part.startswith(".") for part in place.pure.parts)
    return is_hidden or bool(INVENTED & set(place.folders))


def fits(path: str, kind: str, is_code: Callable[[str], bool]) -> bool:
    """Tells whether a file has a form that a kind is read from."""
    if kind == "code":
        return is_code(path)
    pure = PurePosixPath(path)
    return form_of(pure) in SUFFIXES[kind] or (kind == "document" and is_readme(pure))


def _is_adr(place: _Place) -> bool:
    pure = place.pure
    if form_of(pure) not in TEXT or not _is_among_decisions(place):
        return False
    may_hold = not may_hold_folder(pure) or _is_own_folder(place)
    return not is_about_others(pure, "adr", lambda: may_hold and place.holds())


def _is_among_decisions(place: _Place) -> bool:
    folders, name = place.folders, place.pure.name
    if any(map(is_collection, folders)) or _ADR.match(name):
        return True
    if may_hold_folder(place.pure) and _is_own_proposal(place):
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


def _family(place: _Place) -> str | None:
    """Gives the family of proposals that a file's folders, or its repository, are named after."""
    return family_of_folder([place.top, *place.folders])


def _is_own_proposal(place: _Place) -> bool:
    """Tells a file in a numbered folder among proposals: keps/sig-node/1287-resize/README.md."""
    own = place.pure.parent.name
    is_numbered = bool(place.folders) and label_of_path(f"{own}.md", FAMILY) is not None
    is_numbered = is_numbered or re.match(r"\d{1,6}-\D", own) is not None
    return is_numbered and family_of_folder([place.top, *place.folders[:-1]]) is not None


def is_template_folder(pure: PurePosixPath) -> bool:
    """Tells a file in a folder of templates."""
    return why_none(pure, "adr", lambda: True) == IS_TEMPLATE


def _is_among_incidents(folders: list[str]) -> bool:
    return any(is_incident_folder(folder) for folder in folders)


def is_incident_folder(folder: str) -> bool:
    """Tells whether a folder's name, in lower case with dashes, says that it holds post-mortems."""
    return _INCIDENTS.fullmatch(folder) is not None


def _is_own_folder(place: _Place) -> bool:
    """Tells a folder that may be named after one decision from one of all decisions."""
    last = place.folders[-1] if place.folders else ""
    return bool(last) and last not in DECISION_FOLDERS and not is_collection(last)


def _is_incident(place: _Place) -> bool:
    pure, folders = place.pure, place.folders
    suffix, inside = form_of(pure), _is_among_incidents(folders)
    if is_about_others(pure, "incident"):
        return False
    if suffix in TEXT:
        return inside or _INCIDENT.fullmatch(bare(pure).stem) is not None
    is_form = suffix in SUFFIXES["incident"] and inside
    return is_form and _is_apart(folders, is_incident_folder)


def _is_meeting(place: _Place) -> bool:
    pure = place.pure
    fitting = form_of(pure) in SUFFIXES["meeting"] and not is_about_others(pure, "incident")
    return fitting and bool(MEETING_FOLDERS & set(place.folders))


def _is_document(place: _Place) -> bool:
    pure = place.pure
    is_record = _is_among_decisions(place) or _family(place) is not None
    if is_record and why_none(pure, "adr", lambda: True) == IS_TEMPLATE:
        return False  # by its folder
    if is_readme(pure):
        return True
    if NOT_WRITTEN.fullmatch(bare(pure).name) or is_template(pure):
        return False
    suffix = form_of(pure)
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
