"""Tells by what a text says whether it is a decision or a post-mortem, wherever it stands."""

import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import MAX_BESIDE, Evidence, beginning, evidence_of
from knowwhy.ingest.files import may_hold_folder, why_none
from knowwhy.ingest.incidents.postmortem import says_incident
from knowwhy.text.formats.naming import NAMED_ALONE, family_of_folder, label_of_path
from knowwhy.text.pages.forms import WRITTEN, form_of

SHOWN = ("adr", "incident")  # kinds that a text may show
FEWEST_NUMBERED = 2  # files of a folder with a number and a status that make it one of records
FEWEST_PARTS = 2  # of a proposal without a status
_MAY_DECIDE = re.compile(  # cheap to look for before a text is taken apart
    r"^.{0,12}\b(?:status|state)\b|^[#=*]{1,6}.{0,20}\bdecision\b", re.IGNORECASE | re.MULTILINE
)
_LONG_NUMBER = re.compile(r"(?<!\d)\d{3,6}(?!\d)")  # pages of a guide are counted with one or two
MAX_TOLD = 12_000  # characters from which evidence is gathered; heads and first parts stand there
_MAY_TELL = re.compile(r"root cause|timeline|post-?mortem|incident r", re.IGNORECASE)


@dataclass(slots=True)
class Telling:
    """What the texts of a repository say that they are, each read once."""

    _said: dict[Path, Evidence | None] = field(default_factory=dict)
    _folders: dict[Path, bool] = field(default_factory=dict)

    def kind(self, file: Path, path: str, before: str | None = None) -> str | None:
        """Gives the kind that a text shows, if that is not known from before.

        The path is the one by which people know it.
        """
        if before is not None:
            return before if before in SHOWN else None
        pure = PurePosixPath(path)
        if form_of(pure) not in WRITTEN or why_none(pure, "adr", lambda: False) is not None:
            return None
        if may_hold_folder(pure):
            return None
        if self._decides(file, path):
            return "adr"
        text = _text_of(file)
        is_told = text is not None and _MAY_TELL.search(text) is not None
        return "incident" if text and is_told and says_incident(text, form_of(path)) else None

    def _decides(self, file: Path, path: str) -> bool:
        pure = PurePosixPath(path)
        family = family_of_folder(pure.parts[:-1])
        is_numbered = label_of_path(path) is not None
        is_sure = family in NAMED_ALONE or _LONG_NUMBER.search(pure.stem) is not None
        if family is not None and is_numbered and is_sure:
            return True
        said = self._evidence(file)
        if said is not None and said.is_list and not is_numbered:
            return False
        if said is not None and _is_decision(said, is_numbered=is_numbered):
            return True
        if family is not None and (is_numbered or family != "DESIGN"):
            return self._proposes(file, is_numbered=is_numbered)
        return is_numbered and self._holds_records(file.parent)

    def _proposes(self, file: Path, *, is_numbered: bool) -> bool:
        """Tells a proposal in a folder that is called after them."""
        said = self._evidence(file, whatever=True)
        if said is None or (said.is_list and not is_numbered):
            return False
        if said.is_settled or len(said.told) >= FEWEST_PARTS:
            return True
        return is_numbered and (bool(said.told) or said.is_headed)

    def _holds_records(self, folder: Path) -> bool:
        """Tells a folder in which most of what is numbered has a status and decides."""
        if folder not in self._folders:
            files = [f for f in _texts_in(folder) if label_of_path(f.name) is not None]
            found = filter(None, map(self._evidence, files))
            settled = [said for said in found if said.is_settled and said.decides]
            self._folders[folder] = len(settled) >= FEWEST_NUMBERED and len(settled) * 2 >= len(
                files
            )
        return self._folders[folder]

    def _evidence(self, file: Path, *, whatever: bool = False) -> Evidence | None:
        """Takes a text apart that may be a decision by a quick look, or whatever it is."""
        if self._said.get(file) is None and (whatever or file not in self._said):
            text = _text_of(file)
            is_worth = text is not None and (whatever or _MAY_DECIDE.search(text) is not None)
            self._said[file] = _taken_apart(text, file) if text is not None and is_worth else None
        return self._said[file]


def _is_decision(said: Evidence, *, is_numbered: bool) -> bool:
    """Tells a decision by its status and what decides in it, or else by its parts."""
    if said.is_settled and ((is_numbered and said.decides) or {"why", "what"} <= said.told):
        return True
    return said.is_classic


def _taken_apart(text: str, file: Path) -> Evidence | None:
    try:
        return evidence_of(text[:MAX_TOLD], path=file.name)
    except BadInput:
        return None


def _text_of(file: Path) -> str | None:
    try:
        return beginning(file)
    except OSError:
        return None


def _texts_in(folder: Path) -> list[Path]:
    try:
        return [f for f in islice(folder.iterdir(), MAX_BESIDE) if form_of(f) in WRITTEN]
    except OSError:
        return []
