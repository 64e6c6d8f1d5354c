"""Lists the files of a repository that are sources, each with its one kind."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from knowwhy.ingest.adr import holds_decision, is_attachment
from knowwhy.ingest.files import TEXT, Found, Tracked, reason
from knowwhy.ingest.syncing.conventions import why_skipped
from knowwhy.ingest.syncing.layout import Choice, Layout, choose
from knowwhy.ingest.syncing.worktree import WorkTree, list_names
from knowwhy.text.characters import is_unicode
from knowwhy.text.source.languages import is_generated, is_source


@dataclass(slots=True)
class Sources:
    """What a repository holds, by names relative to its folder."""

    around: str  # what stands before each name where people read it
    files: dict[str, tuple[Choice, Found]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)  # files and folders, and why
    skipped: dict[str, str] = field(default_factory=dict)  # files among records, and why
    left_out: int = 0  # files that their names tell to be generated or vendored

    def refuses(self, name: str) -> bool:
        """Tells whether a file was refused, or a folder that it is in."""
        parts = name.split("/")
        return any("/".join(parts[: n + 1]) in self.refused for n in range(len(parts)))


def find_sources(
    root: Path, tree: WorkTree | None, layout: Layout, only: Tracked | None = None
) -> Sources:
    """Goes through a repository once, deciding about every file."""
    prefix = tree.prefix if tree else ""
    found = Sources(around(root, prefix))
    top = found.around.partition("/")[0]

    def refuse(place: str, why: str) -> None:
        found.refused[place] = why

    stands_here = is_own(root)
    for listed in dict.fromkeys(
        list_names(root, tree, refuse, only)
    ):  # a conflict is listed thrice
        name, tracked = listed.name, listed.tracked
        is_code = partial(_is_code, root, tracked)
        holds = partial(holds_decision, root / name, frozenset(TEXT))
        choice = choose(name, prefix, layout, is_code, tracked=tracked, top=top, holds=holds)
        is_guess = choice is not None and choice.kind == "adr" and not choice.firm
        if is_guess and is_attachment(root / name, frozenset(TEXT)):
            choice = Choice("document", firm=False)
        if choice is None and not layout.exclude.match(name):
            if is_generated(name, "", tracked=tracked):
                found.left_out += 1
            elif why := why_skipped(prefix + name, top):
                found.skipped[name] = why
        if choice is None or not stands_here(os.path.dirname(name)):
            continue  # what is behind a linked folder stands elsewhere, or is none of ours
        why = fault(root, name)
        if why is None:
            found.files[name] = choice, Found(root / name, found.around + name)
        elif why:
            found.refused[name] = why
    return found


def _is_code(root: Path, tracked: bool, name: str) -> bool:
    is_made = is_generated(name, "", tracked=tracked) is not None
    return is_source(name, tracked=tracked) or (is_script(root / name) and not is_made)


def around(folder: Path, prefix: str) -> str:
    """Names a folder from its repository, or from itself outside any: with a slash at the end."""
    top = folder.parents[prefix.count("/") - 1] if prefix else folder
    return f"{top.name}/{prefix}"


def is_own(root: Path) -> Callable[[str], bool]:
    """Gives a test of folders under a root: whether no link leads to what is in them."""
    return cache(lambda folder: os.path.realpath(root / folder) == os.path.normpath(root / folder))


def is_script(file: Path) -> bool:
    """Tells whether a file may be a program that only its first line tells about."""
    try:
        mode = 0 if "." in file.name else file.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IXUSR)


def fault(root: Path, name: str) -> str | None:
    """Says why a file is not taken; nothing ("") when there is nothing to take."""
    file = root / name
    if not is_unicode(name):
        return "has a name not in UTF-8"
    try:
        about = file.lstat()
    except FileNotFoundError:
        return ""  # git still knows it
    except OSError as error:
        return reason(error)
    if stat.S_ISLNK(about.st_mode):
        return _link_fault(root, file)
    if not stat.S_ISREG(about.st_mode):
        return "is not a regular file"
    return None if about.st_size else ""


def _link_fault(root: Path, link: Path) -> str:
    """Refuses links out of the folder or to nowhere; those inside show what is read anyway."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "is a link that leads nowhere or to itself"
    inside = target.is_relative_to(root)
    return "" if inside else "is a link out of the given folder; it was not followed"
