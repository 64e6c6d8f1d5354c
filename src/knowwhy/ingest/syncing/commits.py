"""Tells the commit at which a file says what it says now."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.syncing.worktree import WorkTree, as_committed, open_tree

TRUSTED_SECONDS = 1.0  # git is asked again after this: somebody may commit while we read


@dataclass(slots=True)
class _Asked:
    """What git said of a work tree, and when."""

    tree: WorkTree | None
    same: frozenset[str] | None  # what is as the commit has it; None when git cannot tell
    began: float  # seconds since the epoch
    checked: float  # seconds of the monotonic clock


@dataclass(slots=True)
class Commits:
    """The work trees around the files that are read, each asked about when it is first needed."""

    _tops: dict[Path, Path | None] = field(default_factory=dict)
    _asked: dict[Path, _Asked] = field(default_factory=dict)

    def at(self, file: Path) -> str | None:
        """Gives the commit that has a file as it is; None when that has another or none."""
        top = self._top(file.parent)
        if top is None:
            return None
        asked = self._now(top)
        if asked.tree is None or asked.tree.commit is None or asked.same is None:
            return None
        name = file.relative_to(top).as_posix()
        is_same = name in asked.same and file.stat().st_mtime < asked.began
        return asked.tree.commit if is_same else None

    def _top(self, folder: Path) -> Path | None:
        if folder not in self._tops:
            above = None if folder == folder.parent else folder.parent
            is_top = (folder / ".git").exists()
            self._tops[folder] = folder if is_top else self._top(above) if above else None
        return self._tops[folder]

    def _now(self, top: Path) -> _Asked:
        """Asks git again when the commit may have moved; its answer about files when it has."""
        asked = self._asked.get(top)
        if asked is not None and time.monotonic() - asked.checked < TRUSTED_SECONDS:
            return asked
        began, tree = time.time(), _opened(top)
        if asked is None or tree != asked.tree:
            asked = _Asked(tree, as_committed(tree) if tree else None, began, time.monotonic())
        asked.checked = time.monotonic()
        self._asked[top] = asked
        return asked


def _opened(top: Path) -> WorkTree | None:
    try:
        return open_tree(top)
    except BadInput:  # it was said when the files were listed
        return None
