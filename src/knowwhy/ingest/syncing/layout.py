"""Reads `knowwhy.toml`: where a repository keeps what, when that is not where most keep it."""

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from knowwhy.errors import BadInput
from knowwhy.ingest.files import ABOUT_OTHERS_FOR, reason
from knowwhy.ingest.syncing.conventions import fits, is_about_others, kind_of
from knowwhy.ingest.syncing.globs import Globs, read_globs
from knowwhy.text.characters import one_line
from knowwhy.text.formats.toml_tables import load_toml
from knowwhy.types import SYNC

NAME = "knowwhy.toml"
ADR_DIR = ".adr-dir"  # where adr-tools keeps the name of the folder of decisions
KINDS = ("adr", "incident", "meeting", "document", "code")
KEYS = ("service", "project", "exclude", "sources")
MAX_BYTES = 100_000  # of either file; a longer one is something else


@dataclass(frozen=True, slots=True)
class Choice:
    """The kind of a file, and whether somebody wrote it down."""

    kind: str
    firm: bool
    by: str = SYNC  # or NAMED, where `knowwhy ingest` said what it is


@dataclass(frozen=True, slots=True)
class Line:
    """One folder or glob that somebody wrote down."""

    section: str  # `exclude`, or a kind
    written: str
    globs: Globs
    file: str = NAME

    def said(self, text: str) -> str:
        """Says what the line is and where it stands."""
        if self.file != NAME:
            return f"names the folder {self.written}"
        quoted = [f"{mark}{self.written}{mark}" for mark in "\"'"]
        lines = (line.partition("#")[0] for line in text.splitlines())
        at = next((n for n, line in enumerate(lines, 1) if any(q in line for q in quoted)), None)
        place = f" in line {at}" if at else ""
        return f'says {self.section} = "{self.written}"{place}'


@dataclass(frozen=True, slots=True)
class Layout:
    """What a repository says about itself."""

    service: str | None = None
    project: str | None = None
    exclude: Globs = field(default_factory=Globs)
    sources: Mapping[str, Globs] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()  # of both, one by one
    text: str = ""  # all that was read, to see that it has changed


def read_layout(root: Path) -> Layout:
    """Reads what a folder says about itself in `knowwhy.toml` and `.adr-dir`."""
    text = _text_of(root / NAME) or ""
    layout = parse_layout(text)
    told = adr_folder(_text_of(root / ADR_DIR) or "")
    if told is None or "adr" in layout.sources:
        return layout
    globs = _patterns([f"/{told}/"], ADR_DIR)
    return replace(
        layout,
        sources={**layout.sources, "adr": globs},
        lines=(*layout.lines, Line("adr", told, globs, ADR_DIR)),
        text=f"{text}\0{told}",
    )


def parse_layout(text: str) -> Layout:
    """Understands the text of a `knowwhy.toml`, naming what it does not know."""
    try:
        given = load_toml(text)
    except ValueError as error:
        raise BadInput(f"{NAME} is not TOML: {error}.") from None
    except RecursionError:
        raise BadInput(f"{NAME} has lists inside lists, deeper than can be read.") from None
    _check_keys(given, KEYS, "")
    sources = given.get("sources", {})
    if not isinstance(sources, dict):
        raise BadInput(f"{NAME}: sources must be a section, [sources].")
    _check_keys(sources, KINDS, " in [sources]")
    written = {"exclude": _list(given, "exclude")}
    written |= {kind: _list(sources, kind) for kind in KINDS if kind in sources}
    return Layout(
        service=_word(given, "service"),
        project=_word(given, "project"),
        exclude=_patterns(written["exclude"]),
        sources={kind: _patterns(written[kind]) for kind in KINDS if kind in sources},
        lines=tuple(
            Line(section, one, _patterns([one]))
            for section, each in written.items()
            for one in each
        ),
        text=text,
    )


def adr_folder(text: str) -> str | None:
    """Gives the folder that `.adr-dir` names; None when it names none inside the repository."""
    line = text.strip().replace("\\", "/")
    parts = [part for part in PurePosixPath(line).parts if part != "."]
    if not parts or "\n" in line or line.startswith("/") or ".." in parts:
        return None
    return "/".join("".join(f"\\{c}" if c in "*?[]!#" else c for c in part) for part in parts)


def choose(
    path: str,
    prefix: str,
    layout: Layout,
    is_code: Callable[[str], bool],
    *,
    tracked: bool = False,
    top: str = "",
    holds: Callable[[], bool] = lambda: False,
    says: Callable[[], str | None] = lambda: None,
) -> Choice | None:
    """Decides the one kind of a file: by what is written down, else by where most keep it."""
    if path == NAME or layout.exclude.match(path):
        return None
    for kind, patterns in layout.sources.items():
        is_meant = patterns.match(path) and fits(path, kind, is_code)
        if is_meant and not _speaks(path, kind, holds):
            return Choice(kind, firm=True)
    usual = kind_of(
        prefix + path, lambda _: is_code(path), tracked=tracked, top=top, holds=holds, says=says
    )
    return None if usual is None else Choice(usual, firm=False)


def _speaks(path: str, kind: str, holds: Callable[[], bool]) -> bool:
    """Tells whether a file in a folder of records speaks about the records."""
    return kind in ABOUT_OTHERS_FOR and is_about_others(PurePosixPath(path), kind, holds)


def _text_of(file: Path) -> str | None:
    """Reads a small file; None when there is none, refusing one that is a link or too large."""
    try:
        about = file.lstat()
        if not stat.S_ISREG(about.st_mode):
            raise BadInput(f"{file.name} is not a regular file; it was not read.")
        if about.st_size > MAX_BYTES:
            raise BadInput(f"{file.name} is larger than {MAX_BYTES} bytes; it was not read.")
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"{file.name} {reason(error)}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file.name} is not in UTF-8.") from None


def _check_keys(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            names = f"{', '.join(known[:-1])} and {known[-1]}"
            raise BadInput(f"{NAME}: the key {one_line(key)!r}{where} is not known; {names} are.")


def _word(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise BadInput(f'{NAME}: {key} must be a text: {key} = "orders".')
    return value


def _list(given: Mapping[str, Any], key: str) -> list[str]:
    value = given.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadInput(f'{NAME}: {key} must be a list of folders or globs: {key} = ["notes"].')
    return value


def _patterns(lines: list[str], file: str = NAME) -> Globs:
    """Understands folders and globs as `.gitignore` does; a slash before the end starts at root."""
    try:
        globs = read_globs(lines)
    except ValueError as error:
        raise BadInput(f"{file}: {one_line(str(error))}") from None
    if globs.left_out:
        raise BadInput(
            f"{file} {globs.left_out}, which would take too long to match; name folders instead."
        )
    return globs
