"""In which project a chat was held: named by its repository, as everything else is."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from knowwhy.errors import BadInput, NotFound
from knowwhy.ingest.chat.messages import Message, first, folder_of
from knowwhy.session.git import open_repository
from knowwhy.session.identity import name_without_remote, normal_url

ABOVE = 4  # folders above a session file in which its program may note where it was held
MOST_NOTED = 1_000_000  # bytes of such a note; a longer one is something else
NOTED = "state.json"  # Kimi Code's note of a session
ROOT = ".project_root"  # Gemini's note of a folder of sessions
NOTED_KEYS = ("workDir", "work_dir", "cwd")


class Places:
    """Names the places of the chats of one run; git is asked once for each folder."""

    def __init__(self, here: str | None) -> None:
        self._here = here  # the project of what nothing tells the place of
        self._known: dict[Path, str | None] = {}

    def told(self, message: Message, file: Path) -> str | None:
        """Gives the project that a chat tells: the one that it names, else its repository."""
        folder = message.folder or _folder_beside(file)
        if message.project or not (folder or message.remote):
            return message.project
        return self._of_folder(folder, message.remote)

    def otherwise(self, message: Message, file: Path) -> str | None:
        """Gives the project of a message that tells none and no place.

        It is the repository around its file, else the one that is worked in.
        """
        if message.folder or message.remote or _folder_beside(file):
            return None
        around = self._repository(file.parent)
        return around if around and not _is_hidden(file) else self._here

    def _of_folder(self, told: str | None, remote: str | None) -> str | None:
        folder = Path(PurePosixPath((told or "/").replace("\\", "/")))
        whole = folder.expanduser() if told and told.startswith("~") else folder
        name = self._repository(whole) if told else None
        if name is None and remote:
            return normal_url(remote, whole / ".git")
        if name is None and told and not whole.exists():
            return self._once_at(whole)
        return name

    def _once_at(self, gone: Path) -> str:
        """Names a folder that is gone: a part of a repository, else as one without a remote."""
        there = next((above for above in gone.parents if above.exists()), gone)
        is_wide = there in (Path.home(), *Path.home().parents)
        return (None if is_wide else self._repository(there)) or name_without_remote(gone / ".git")

    def _repository(self, folder: Path) -> str | None:
        if folder not in self._known:
            try:
                self._known[folder] = open_repository(folder).identity()
            except (BadInput, NotFound, OSError, ValueError):  # in none, or in one that is not ours
                self._known[folder] = None
        return self._known[folder]


def here() -> str | None:
    """Names the repository that is worked in; None outside of any."""
    return Places(None)._repository(Path.cwd())


def _is_hidden(file: Path) -> bool:
    """Tells whether a file lies where a program keeps it, and not where it is about."""
    return any(part.startswith(".") for part in file.parts[:-1])


def _folder_beside(file: Path) -> str | None:
    """Gives the folder that a session was held in, as it is noted beside its file."""
    return next(filter(None, map(folder_of, _noted_beside(file))), None)


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
