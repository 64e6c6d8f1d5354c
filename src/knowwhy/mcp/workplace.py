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
        self._is_plain = False  # the folder was in no repository when git was asked

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

    @property
    def top(self) -> Path | None:
        """Gives where the paths of the repository begin; the folder where there is none."""
        return next(iter(self._roots()), self.folder)

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

    def _roots(self) -> list[Path]:
        if self.folder is None:
            return []
        try:
            place = self.repository().place
        except (NotFound, BadInput):  # a folder without git, or one that is gone
            return [Path(os.path.realpath(self.folder))]
        tops = [place.top, place.common.parent if place.common.name == ".git" else None]
        return list(dict.fromkeys(top for top in tops if top is not None))

    @property
    def is_known(self) -> bool:
        """Tells whether the repository's name is known, so that nobody waits for git."""
        return self.folder is None or self._identity is not None

    def identity(self) -> str | None:
        """Names the repository by its remote URL or its git folder; None outside of any.

        A name that was found stays, so that a session has one project. That there is none does
        not: a repository can be made, and one that git refuses to open can be put right. Git that
        does not answer has not said that there is none.
        """
        if self._identity is None and self._may_be_in_one():
            try:
                repository = self.repository()
            except NotFound:
                self._is_plain = True
                return None
            except BadInput:  # a folder of somebody else, settings that cannot be read
                return None
            try:
                self._identity = repository.identity()
            except NotFound:
                self._is_plain = True
        return self._identity

    def service(self) -> str | None:
        """Gives the service that the repository's own settings say it is, where they say one."""
        if self.top is None:
            return None
        from knowwhy.ingest.syncing.layout import read_layout

        try:
            return read_layout(self.top).service
        except BadInput:  # settings that cannot be read name none; a sync says what is wrong
            return None

    def earlier_names(self) -> tuple[str, ...]:
        """Gives what the repository was called before it got a remote, where that is over."""
        name = self.identity()
        if name is None:
            return ()
        from knowwhy.session.identity import name_without_remote

        before = name_without_remote(self.repository().place.common)
        return () if before == name else (before,)

    def _may_be_in_one(self) -> bool:
        """Looks whether git must be asked: in a plain folder only when one was made around it."""
        if self.folder is None:
            return False
        above = (self.folder, *self.folder.parents)
        return not self._is_plain or any((folder / ".git").exists() for folder in above)
