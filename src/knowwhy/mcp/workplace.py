"""The repository that a server works in: opened once, named by what all its clones share."""

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from knowwhy.errors import BadInput, NotFound

if TYPE_CHECKING:
    from knowwhy.session.git import Repository


class Workplace:
    """A folder, and the repository that it belongs to, if any."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._opened: Repository | None = None
        self._identity: str | None = None
        self.known = folder is None  # whether it has been looked at

    def repository(self) -> "Repository":
        """Gives the repository, or says in a sentence why there is none."""
        if self.folder is None:
            raise BadInput("This server has no repository: start it with --repo FOLDER.")
        with self._lock:
            if self._opened is None:
                from knowwhy.session.git import open_repository

                self._opened = open_repository(self.folder)
                self._opened.keep_fresh()
            return self._opened

    def files_called(self, path: str) -> list[str]:
        """Gives the files that a path from the repository on may mean, as records name theirs.

        First that of this work tree, then that of the one that was cloned, whose records it shares.
        """
        from knowwhy.text.secrets.redact import redact

        found = []
        for root in self._roots():
            file = os.path.normpath(os.path.join(root, path))
            if file.startswith(f"{root}{os.sep}") and "\0" not in file:
                found.append(redact(file))
        return found

    def _roots(self) -> list[str]:
        if self.folder is None:
            return []
        try:
            place = self.repository().place
        except (NotFound, BadInput):  # a folder without git, or one that is gone
            return [os.path.realpath(self.folder)]
        tops = [place.top, place.common.parent if place.common.name == ".git" else None]
        return list(dict.fromkeys(str(top) for top in tops if top is not None))

    def identity(self) -> str | None:
        """Names the repository by its remote URL or its git folder; None outside of any."""
        if not self.known:
            try:
                self._identity = self.repository().identity()
            except (NotFound, BadInput):
                self._identity = None
            self.known = True
        return self._identity
