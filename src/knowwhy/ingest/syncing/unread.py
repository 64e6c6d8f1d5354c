"""Says why a file of a repository is not read, in words by which such files can be counted."""

import stat
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from knowwhy.ingest.adr import BESIDE
from knowwhy.ingest.files import IS_LEGAL, IS_TEMPLATE, NOT_WRITTEN, is_template
from knowwhy.ingest.syncing.conventions import INVENTED, RENDERED, is_template_folder
from knowwhy.ingest.syncing.worktree import HIDDEN
from knowwhy.text.pages.forms import bare, form_of
from knowwhy.text.source.languages import is_generated

EXCLUDED = "excluded by knowwhy.toml"
HIDDEN_FILE, EMPTY = "hidden file", "empty"
LINK, TO_UNREAD = "link to what is read anyway", "link to what is not read either"
LEADS_OUT, TO_NOTHING = "link that leads out of the repository", "link to nothing"
LINKED = "behind a linked folder"
ABSENT = "not in the work tree"  # deleted by hand, or not checked out
INVENTED_FOR = "invented for a test"
SETTINGS, WITH_README = "settings of sync", "read with the README beside it"
NO_README = "facts of a record whose README is not there"
ELSEWHERE = "page outside of folders of documents"
CAPTIONS = "captions outside of folders of meetings"
NO_READER, BINARY = "no reader", "binary"
SNIFFED = 4_000  # bytes of a file of an unknown form in which a zero byte is looked for
MOST_SHOWN = 12  # groups on a line; the rest is counted together

_CLASSES = {
    "picture": "png jpg jpeg gif svg ico webp bmp tif tiff psd ai eps heic avif icns xcf",
    "sound or film": "mp3 wav ogg flac m4a mp4 mov avi mkv webm m4v",
    "font": "woff woff2 ttf otf eot",
    "archive": "zip gz tgz bz2 xz zst 7z rar tar jar war whl deb rpm",
    "office file": "doc docx ppt pptx xls xlsx odt ods odp pages numbers key",
    "key or certificate": "pem crt cer key p12 pfx jks asc sig gpg pub",
}
_BY_SUFFIX = {f".{s}": name for name, suffixes in _CLASSES.items() for s in suffixes.split()}


@dataclass(frozen=True, slots=True)
class Group:
    """Files that are not read for one reason, of one form."""

    suffix: str  # empty where the reason tells enough
    why: str
    count: int

    def as_json(self) -> dict[str, Any]:
        """Gives what `--json` prints."""
        return {"suffix": self.suffix or None, "why": self.why, "count": self.count}

    def __str__(self) -> str:
        """Says it in some words."""
        return (
            f"{self.count} {self.suffix} ({self.why})"
            if self.suffix
            else f"{self.count} {self.why}"
        )


def why_unread(file: Path, name: str, *, tracked: bool) -> str:
    """Says why a file that has no kind has none; nothing ("") when there is nothing to read."""
    pure = PurePosixPath(name)
    if pure.name in BESIDE:
        return WITH_README
    if made := is_generated(name, "", tracked=tracked):
        return made
    suffix = form_of(pure)
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if any(part.startswith(".") for part in pure.parts[:-1]):
        return HIDDEN
    if pure.name.startswith("."):
        return HIDDEN_FILE
    if NOT_WRITTEN.fullmatch(bare(pure).name):
        return IS_LEGAL.removeprefix("is a ")
    if is_template(pure) or is_template_folder(pure):
        return IS_TEMPLATE.removeprefix("is a ")
    if INVENTED & {part.lower() for part in pure.parts[:-1]}:
        return INVENTED_FOR
    if suffix in RENDERED:
        return ELSEWHERE
    if suffix in (".vtt", ".srt"):
        return CAPTIONS
    return by_content(file)


def by_content(file: Path) -> str:
    """Says of a file of a form that is not read whether it is empty, a link or binary."""
    try:
        about = file.lstat()
        if stat.S_ISLNK(about.st_mode):
            return LINK
        if not stat.S_ISREG(about.st_mode):
            return ""
        if not about.st_size:
            return EMPTY
        with file.open("rb") as handle:
            return BINARY if b"\0" in handle.read(SNIFFED) else NO_READER
    except FileNotFoundError:
        return ""  # git still knows it
    except OSError:
        return NO_READER


def why_link(root: Path, link: Path, is_read: Callable[[str], bool]) -> str:
    """Says where a link leads, whose target nobody reads through it."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # a loop, too, leads nowhere
        return TO_NOTHING
    if not target.is_relative_to(root):
        return LEADS_OUT
    return LINK if is_read(target.relative_to(root).as_posix()) else TO_UNREAD


def grouped(unread: Iterable[tuple[str, str]]) -> list[Group]:
    """Counts files by their reasons, and by their forms where a reader could be missing."""
    found = Counter((_shown_suffix(name, why), why) for name, why in unread)
    groups = [Group(suffix, why, count) for (suffix, why), count in found.items()]
    return sorted(groups, key=lambda group: (-group.count, group.why, group.suffix))


def in_words(groups: Sequence[Group]) -> str:
    """Says on one line what was not read; nothing ("") when all was."""
    if not groups:
        return ""
    more = groups[MOST_SHOWN:]
    told = [str(group) for group in groups[:MOST_SHOWN]]
    told += [f"{sum(group.count for group in more)} of other forms"] if more else []
    return f"not read: {', '.join(told)}; `--dry-run` names each"


def _shown_suffix(name: str, why: str) -> str:
    is_of_form = why in (NO_READER, BINARY, ELSEWHERE, CAPTIONS) or why in _CLASSES
    suffix = form_of(name) if is_of_form else ""
    return suffix if suffix or not is_of_form else "without a suffix"
