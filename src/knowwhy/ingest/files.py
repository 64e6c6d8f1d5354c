"""Finds the files of a source and reads them, never leaving the folder that was given."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import Self

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import holds_decision, is_attachment
from knowwhy.text.characters import check_text, is_unicode
from knowwhy.text.pages.forms import WRITTEN as TEXT
from knowwhy.text.pages.forms import bare, form_of

SUFFIXES = {
    "adr": TEXT,
    "incident": (*TEXT, ".yaml", ".yml", ".json"),
    "meeting": (*TEXT, ".vtt", ".srt"),
    "document": (*TEXT, ".html", ".htm", ".pdf"),
    "conversation": (".json", ".jsonl", ".ndjson", ".md", ".markdown", ".txt"),
}
NOT_ENTERED = {"node_modules", "__pycache__"}  # besides hidden folders; never a source of know-why
ABOUT_OTHERS_FOR = ("adr", "incident", "conversation")  # kinds with files about the others
NOT_WRITTEN = re.compile(  # what tools and lawyers keep in text files
    r"(?:requirements|constraints|cmakelists|robots|humans|ads|security|sources|top_level"
    r"|entry_points|dependency_links|manifest|version)[\w.-]{0,40}\.txt|(?:un)?licen[cs]es?|copying|notice|patents"
    r"|(?:(?:un)?licen[cs]es?|copying|notice|patents)[.-][\w.-]{1,40}",
    re.IGNORECASE,
)
_RECORDS = (  # what a template is one for, where a number or more words stand around it
    r"(?:m?adr|rfc|rfd|kep|pep|tep|jep|eip|decision|record|proposal|enhancement|design(?:[-_ ]doc)?"
    r"|incident|post-?mortem|report|rca|pir|issue|request|meeting|minutes|retro(?:spective)?)"
)
_TEMPLATE = re.compile(  # adr-template-bare, 0000-email-template; not 0011-email-template
    rf"(?:[a-z]{{1,20}}[-_ ]){{0,2}}{_RECORDS}[-_ ]templates?(?:[-_. ][a-z]{{1,20}}){{0,3}}"
    r"|(?:0{1,6}|[nx]{3,6})[-_ ](?:[a-z]{1,20}[-_ ]){0,2}templates?(?:[-_. ][a-z]{1,20}){0,3}"
    r"|(?:[a-z]{1,20}[-_ ]){1,3}templates?|templates?(?:[-_. ][a-z]{1,20})?"
    rf"|\d{{1,6}}[-_ ](?:{_RECORDS}[-_ ])?template",
    re.IGNORECASE,
)
_TEMPLATES = re.compile(r"(?:[a-z]{1,20}[-_ ]){0,3}templates?", re.IGNORECASE)  # folders
_README = re.compile(r"readme(?:[-_.]\w{1,20})?", re.IGNORECASE)
_INDEX = re.compile(r"index", re.IGNORECASE)
_CAPITALS = re.compile(r"[A-Z]{4,20}(?:[-_ ][A-Z]{1,20}){0,4}")  # PROCESS, CODE_OF_CONDUCT
IS_TEMPLATE = "is a template"
IS_LEGAL = "is a licence or a tool's own list"
IS_ABOUT = "speaks about the others"
IS_ATTACHED = "belongs to the decision that the README beside it holds"
MEGABYTE = 1_000_000  # bytes
BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read: where it is, and what people call it."""

    file: Path
    name: str  # relative to the folder above the one that was given


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that was not taken, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Skip:
    """A file among records that is none of them, and why."""

    where: str
    why: str


def is_readme(pure: PurePath) -> bool:
    """Tells a README, in whatever language or case."""
    pure = bare(pure)
    return pure.suffix.lower() in ("", *TEXT) and _README.fullmatch(pure.stem) is not None


def may_hold_folder(pure: PurePath) -> bool:
    """Tells a file that may stand for its whole folder: `0007-use-kafka/README.md`."""
    return is_readme(pure) or _INDEX.fullmatch(bare(pure).stem) is not None


def is_template(pure: PurePath) -> bool:
    """Tells a form that is still to be filled in by its name."""
    return _TEMPLATE.fullmatch(bare(pure).stem) is not None


def why_none(pure: PurePath, kind: str, holds: Callable[[], bool]) -> str | None:
    """Says why a file among the records of a kind is none; asks when only its text can tell."""
    if kind not in ABOUT_OTHERS_FOR:
        return None
    if is_template(pure) or _TEMPLATES.fullmatch(pure.parent.name):
        return IS_TEMPLATE
    if kind != "conversation" and NOT_WRITTEN.fullmatch(bare(pure).name):
        return IS_LEGAL
    is_meta = kind == "adr" and _CAPITALS.fullmatch(bare(pure).stem) is not None
    if may_hold_folder(pure) or is_meta:
        return None if kind == "adr" and holds() else IS_ABOUT
    return None


@dataclass(frozen=True, slots=True)
class Tracked:
    """The files that git tracks under a folder: all that whoever asks from elsewhere may have."""

    names: frozenset[str]  # of files and links; those of repositories inside are not among them
    folders: frozenset[str]  # in which any of them is

    @classmethod
    def of(cls, root: Path, names: Iterable[str]) -> Self:
        """Takes names from a folder on; the folder is where no link leads."""
        files = frozenset(os.path.join(root, name) for name in names)
        folders: set[str] = set()
        for file in files:
            above = os.path.dirname(file)
            while above not in folders and Path(above).is_relative_to(root):
                folders.add(above)
                above = os.path.dirname(above)
        return cls(files, frozenset(folders))

    def holds(self, file: Path) -> bool:
        """Tells whether a file is tracked, and stands where it is said to stand."""
        return os.path.realpath(file) in self.names

    def reaches(self, place: Path) -> bool:
        """Tells whether a path is a tracked file, or a folder with any."""
        real = os.path.realpath(place)
        return real in self.names or real in self.folders

    def under(self, root: Path) -> Iterator[str]:
        """Names the tracked files under a folder, from that on."""
        start = os.path.join(root, "")
        return (name[len(start) :] for name in self.names if name.startswith(start))


def find(given: Path, kind: str, only: Tracked | None = None) -> Iterator[Found | Refusal | Skip]:
    """Lists the files of a kind under a path, in a fixed order, naming what cannot be taken."""
    root = Path(os.path.realpath(given))
    try:
        mode = root.stat().st_mode
    except OSError as error:
        yield Refusal(str(given), reason(error))
        return
    if stat.S_ISDIR(mode):
        yield from _walk(root, kind, only)
    elif only is not None and not only.holds(root):
        return
    elif form_of(root) not in SUFFIXES[kind]:
        yield Refusal(str(given), f"is not one of {', '.join(SUFFIXES[kind])}")
    else:
        yield _entry(root, root.parent)


def _walk(root: Path, kind: str, only: Tracked | None) -> Iterator[Found | Refusal | Skip]:
    """Goes through a folder of any depth; what may not be read is named and passed over."""
    left = [root]
    while left:
        place = left.pop()
        try:
            if only is not None and not (str(place) in only.names or only.reaches(place)):
                continue
            if place == root or (place.is_dir() and not place.is_symlink()):
                left += sorted((p for p in place.iterdir() if _is_entered(p)), reverse=True)
            elif place.is_symlink():
                yield from _link(place, root, kind)
            elif _has_form(place, kind) and (only is None or only.holds(place)):
                why = why_none(place, kind, partial(holds_decision, place, frozenset(TEXT)))
                if why is None and kind == "adr" and is_attachment(place, frozenset(TEXT)):
                    why = IS_ATTACHED
                yield Skip(_name(place, root), why) if why else _entry(place, root)
        except OSError as error:
            yield Refusal(_name(place, root), reason(error))


def _is_entered(path: Path) -> bool:
    return not path.name.startswith(".") and path.name not in NOT_ENTERED


def _has_form(file: Path, kind: str) -> bool:
    return form_of(file) in SUFFIXES[kind]


def _link(link: Path, root: Path, kind: str) -> Iterator[Refusal]:
    """Refuses links out of the folder or to nowhere; those inside show what is read anyway."""
    is_wanted = _has_form(link, kind) and not why_none(link, kind, lambda: False)
    if not (is_wanted or link.is_dir()):
        return
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        yield Refusal(_name(link, root), "is a link that leads nowhere or to itself")
        return
    if not target.is_relative_to(root):
        yield Refusal(_name(link, root), "is a link out of the given folder; it was not followed")
    elif not all(_is_entered(Path(part)) for part in target.relative_to(root).parts):
        yield Refusal(_name(link, root), "is a link to something hidden; it was not followed")


def _entry(file: Path, root: Path) -> Found | Refusal:
    name = _name(file, root)
    try:
        mode = file.stat().st_mode
    except OSError as error:
        return Refusal(name, reason(error))
    if not stat.S_ISREG(mode):
        return Refusal(name, "is not a regular file")
    return Found(file, name) if is_unicode(str(file)) else Refusal(name, "has a name not in UTF-8")


def _name(file: Path, root: Path) -> str:
    return file.relative_to(root.parent).as_posix()


def read(file: Path, max_mb: int) -> bytes:
    """Reads a file, refusing what may not be read or is too large."""
    try:
        with file.open("rb") as handle:
            raw = handle.read(max_mb * MEGABYTE + 1)
    except OSError as error:
        raise BadInput(reason(error)) from None
    if len(raw) > max_mb * MEGABYTE:
        raise BadInput(f"is larger than {max_mb} MB (KNOWWHY_MAX_FILE_MB)")
    return raw


def decode(raw: bytes) -> str:
    """Turns bytes into text, refusing what is binary, empty or not in Unicode."""
    encoding = BOMS.get(raw[:2], "utf-8-sig")
    if encoding == "utf-8-sig" and b"\0" in raw:
        raise BadInput("is binary, not text")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        shown = "at its end" if error.start >= len(raw) else f"byte {error.start}"
        raise BadInput(f"is not in UTF-8 ({shown}); convert it first") from None
    return check_text(text.replace("\r\n", "\n"))


def is_gone(file: str) -> bool:
    """Tells whether nothing is at a path any more; one that may not be looked at is not gone."""
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def reason(error: OSError) -> str:
    """Says in words why the system refused a path."""
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    return "may not be read" if isinstance(error, PermissionError) else str(error.strerror).lower()
