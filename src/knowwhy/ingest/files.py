"""Finds the files of a source and reads them, never leaving the folder that was given."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from knowwhy.errors import BadInput

TEXT = (".md", ".markdown", ".rst", ".txt")
SUFFIXES = {
    "adr": TEXT,
    "incident": (*TEXT, ".yaml", ".yml", ".json"),
    "document": TEXT,
}
NOT_ENTERED = {"node_modules", "__pycache__"}  # besides hidden folders; never a source of know-why
# In a folder of decisions or post-mortems these speak about the others.
ABOUT_OTHERS = {"readme", "index", "template", "adr-template", "incident-template"}
ABOUT_OTHERS_FOR = ("adr", "incident")
MEGABYTE = 1_000_000  # bytes
SURROGATE = re.compile("[\ud800-\udfff]")
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


def find(given: Path, kind: str) -> Iterator[Found | Refusal]:
    """Lists the files of a kind under a path, in a fixed order, naming what cannot be taken."""
    root = Path(os.path.abspath(given))
    try:
        mode = root.stat().st_mode
    except OSError as error:
        yield Refusal(str(given), _reason(error))
        return
    if stat.S_ISDIR(mode):
        yield from _walk(root, root, kind)
    elif root.suffix.lower() not in SUFFIXES[kind]:
        yield Refusal(str(given), f"is not one of {', '.join(SUFFIXES[kind])}")
    else:
        yield _entry(root, root.parent)


def _walk(folder: Path, root: Path, kind: str) -> Iterator[Found | Refusal]:
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        yield Refusal(_name(folder, root), _reason(error))
        return
    for child in children:
        if child.name.startswith("."):
            continue
        wanted = child.suffix.lower() in SUFFIXES[kind] and not _speaks_of_others(child, kind)
        if child.is_symlink():
            if wanted or child.is_dir():
                yield from _link(child, root)
        elif child.is_dir():
            if child.name not in NOT_ENTERED:
                yield from _walk(child, root, kind)
        elif wanted:
            yield _entry(child, root)


def _speaks_of_others(file: Path, kind: str) -> bool:
    return kind in ABOUT_OTHERS_FOR and file.stem.lower() in ABOUT_OTHERS


def _link(link: Path, root: Path) -> Iterator[Refusal]:
    """Refuses links that lead out of the folder or nowhere; those inside show what is read."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        yield Refusal(_name(link, root), "is a link that leads nowhere or to itself")
        return
    if not target.is_relative_to(root.resolve()):
        yield Refusal(_name(link, root), "is a link out of the given folder; it was not followed")


def _entry(file: Path, root: Path) -> Found | Refusal:
    try:
        mode = file.stat().st_mode
    except OSError as error:
        return Refusal(_name(file, root), _reason(error))
    if not stat.S_ISREG(mode):
        return Refusal(_name(file, root), "is not a regular file")
    return Found(file, _name(file, root))


def _name(file: Path, root: Path) -> str:
    return file.relative_to(root.parent).as_posix()


def read(file: Path, max_mb: int) -> str:
    """Reads a text file, refusing what is too large, binary, empty or not in Unicode."""
    try:
        with file.open("rb") as handle:
            raw = handle.read(max_mb * MEGABYTE + 1)
    except OSError as error:
        raise BadInput(_reason(error)) from None
    if len(raw) > max_mb * MEGABYTE:
        raise BadInput(f"is larger than {max_mb} MB (KNOWWHY_MAX_FILE_MB)")
    return decode(raw)


def decode(raw: bytes) -> str:
    """Turns bytes into text, or says why they are none."""
    encoding = BOMS.get(raw[:2], "utf-8-sig")
    if encoding == "utf-8-sig" and b"\0" in raw:
        raise BadInput("is binary, not text")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        shown = "at its end" if error.start >= len(raw) else f"byte {error.start}"
        raise BadInput(f"is not in UTF-8 ({shown}); convert it first") from None
    return check_text(text.replace("\r\n", "\n"))


def check_text(text: str) -> str:
    """Refuses an empty text, and one with characters that no database column can hold."""
    if not text.strip():
        raise BadInput("is empty")
    return check_characters(text)


def check_characters(text: str) -> str:
    """Refuses characters that no database column can hold."""
    if "\0" in text:
        raise BadInput("holds a NUL character, so it is not text")
    if not text.isascii() and SURROGATE.search(text):
        raise BadInput("holds half of a surrogate pair, so it is not Unicode text")
    return text


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    return "may not be read" if isinstance(error, PermissionError) else str(error.strerror).lower()
