"""The repository that a server works in: opened once, named by what all its clones share."""

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
            return self._opened

    def identity(self) -> str | None:
        """Names the repository by its remote URL or its git folder; None outside of any."""
        if not self.known:
            try:
                self._identity = self.repository().identity()
            except (NotFound, BadInput):
                self._identity = None
            self.known = True
        return self._identity
