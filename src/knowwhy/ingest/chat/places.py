"""In which project a chat was held: named by its repository, as everything else is."""

import hashlib
import json
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from knowwhy.errors import BadInput, NotFound
from knowwhy.ingest.chat.messages import MAX_FOLDER, MAX_NAME, Message, first, folder_of
from knowwhy.session.git import open_repository
from knowwhy.session.identity import name_without_remote, normal_url

DIGEST_DIGITS = 6  # tell apart two names that begin alike
ABOVE = 4  # folders above a session file in which its program may note where it was held
MOST_NOTED = 1_000_000  # bytes of such a note; a longer one is something else
NOTED = "state.json"  # Kimi Code's note of a session
ROOT = ".project_root"  # Gemini's note of a folder of sessions
UNNAMED = (BadInput, NotFound, OSError, RuntimeError, ValueError)  # in none, or not one of ours
NOTED_KEYS = ("workDir", "work_dir", "cwd")


class Places:
    """Names the places of the chats of one run; what is beside a file, and git, is asked once."""

    def __init__(self, here: str | None, *, by_name: bool = True) -> None:
        self._here = here  # the project of what nothing tells the place of
        self._by_name = by_name  # whether a chat may name its project in words
        self._known: dict[Path, str | None] = {}
        self._beside: dict[Path, str | None] = {}
        self._named: dict[tuple[str | None, str | None], str | None] = {}

    def told(self, message: Message, file: Path) -> str | None:
        """Gives the project that a chat tells: the one that it names, else its repository."""
        if message.project and self._by_name:
            return message.project
        where = self._folder(message, file), message.remote
        if where not in self._named:
            self._named[where] = _bounded(self._of_folder(*where)) if any(where) else None
        return self._named[where]

    def is_told(self, message: Message, file: Path) -> bool:
        """Tells whether a chat names a project or a place."""
        named = message.project and self._by_name
        return bool(named or message.remote or self._folder(message, file))

    def otherwise(self, file: Path) -> str | None:
        """Gives the project of a chat that tells none: what is around its file, or worked in."""
        around = None if _is_hidden(file) else self._repository(file.parent)
        return _bounded(around or self._here)

    def _folder(self, message: Message, file: Path) -> str | None:
        if message.folder is None and file not in self._beside:
            self._beside[file] = next(filter(None, map(folder_of, _noted_beside(file))), None)
        return message.folder or self._beside[file]

    def _of_folder(self, told: str | None, remote: str | None) -> str | None:
        folder = _path(told or "/")
        is_ours = told is not None and folder.is_absolute()  # not one of another system
        name = self._repository(folder) if is_ours else None
        if name is None and remote and len(remote) <= MAX_FOLDER:
            return normal_url(remote, folder / ".git")
        return self._once_at(folder) if name is None and told and not _is_there(folder) else name

    def _once_at(self, gone: Path) -> str:
        """Names a folder that is gone: a part of a repository, else as one without a remote."""
        there = next(filter(_is_there, gone.parents), gone)
        is_wide = not gone.is_absolute() or there in (Path.home(), *Path.home().parents)
        return (None if is_wide else self._repository(there)) or name_without_remote(gone / ".git")

    def _repository(self, folder: Path) -> str | None:
        if folder not in self._known:
            try:
                self._known[folder] = open_repository(folder).identity()
            except UNNAMED:
                self._known[folder] = None
        return self._known[folder]


def here() -> str | None:
    """Names the repository that is worked in; None outside of any."""
    return Places(None)._repository(Path.cwd())


def _bounded(name: str | None) -> str | None:
    """Gives the name of a project as long as one may be, and still its own."""
    if name is None or len(name) <= MAX_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:DIGEST_DIGITS]
    return f"{name[: MAX_NAME - DIGEST_DIGITS - 1]}~{digest}"


def _path(told: str) -> Path:
    """Makes a path of what a program of any system has written."""
    path = Path(PurePosixPath(told.replace("\\", "/")))
    try:
        return path.expanduser()
    except RuntimeError:  # of a user who is not on this machine
        return path


def _is_there(folder: Path) -> bool:
    try:
        return folder.exists()
    except (OSError, ValueError):  # too long a name, or in a folder that may not be read
        return False


def _is_hidden(file: Path) -> bool:
    """Tells whether a program keeps a file where it does not belong to the repository around it."""
    for folder in file.parents:
        if _is_there(folder / ".git"):
            return False
        if folder.name.startswith("."):
            return True
    return False


def _noted_beside(file: Path) -> Iterator[object]:
    for folder in list(file.parents)[:ABOVE]:
        if unquote(folder.name) != folder.name:  # Grok's: %2Fhome%2Fann
            yield unquote(folder.name)
        yield (_text_of(folder / ROOT) or "").strip()
        try:
            noted = json.loads(_text_of(folder / NOTED) or "{}")
        except (ValueError, RecursionError):
            continue
        yield first(noted, NOTED_KEYS) if isinstance(noted, dict) else None


def _text_of(file: Path) -> str | None:
    """Reads a small regular file, if it is one."""
    try:
        told = file.lstat()
        if not stat.S_ISREG(told.st_mode) or told.st_size > MOST_NOTED:
            return None
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
