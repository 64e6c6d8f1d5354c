"""Tells cheaply whether a repository has moved since it was last asked about."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MOST_AT_ONCE = 2_500  # files and folders; a look at each takes 2 µs, at all of them 5 ms
MOST_LOOKED_AT = 40_000  # of those that are looked at beforehand: 80 ms, twice a second
TRUSTED_SECONDS = 1.0  # of the last look at a work tree that is too large to be looked at each time
RENEWED_SECONDS = 8.0  # after which who keeps answers fresh asks git again, before anyone waits
LONGEST_SECONDS = 10.0  # of any answer about one: ignore rules of the user are not looked at
RACY_SECONDS = 0.05  # a file touched so shortly before git was asked may have changed again since

# What git leaves in its folder while something is not finished.
GOING_ON = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
Sign = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository stands."""

    top: Path | None  # of its work tree; None when it is bare
    git: Path  # the folder of this work tree
    common: Path  # the folder that all its work trees share

    @property
    def folder(self) -> Path:
        """Gives where git is asked."""
        return self.top or self.git


def head_sign(place: Place, upstream: str | None) -> Sign:
    """Changes whenever the branch, its commit or that of its upstream does."""
    try:
        head = (place.git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        head = ""
    branch = head.removeprefix("ref: ") if head.startswith("ref: ") else None
    of_branch = _stat(place.common / branch) if branch else None
    shared = ("packed-refs", "reftable/tables.list", "config", "shallow")
    own = ("logs/HEAD", "reftable/tables.list", "config.worktree", "FETCH_HEAD")
    return (
        head,
        of_branch,
        _stat(place.common / "refs" / "remotes" / upstream) if upstream else None,
        *(_stat(place.common / name) for name in shared),
        *(_stat(place.git / name) for name in own),
    )


def index_sign(place: Place) -> Sign:
    """Changes whenever something is staged, merged or given up."""
    own = ("index", *GOING_ON)
    shared = ("info/exclude", "refs/stash", "logs/refs/stash")
    places = (*(place.git / name for name in own), *(place.common / name for name in shared))
    return tuple(_stat(place) for place in places)


@dataclass(slots=True)
class Watch:
    """The files of a work tree as they stood when git was asked."""

    checked: float  # seconds of the monotonic clock
    names: tuple[str, ...] | None  # None when there are too many
    sign: tuple[object, ...]
    is_racy: bool = False  # a file was touched so late that it may have changed again unseen
    looked: float = 0.0  # when the files were last seen to stand so

    def holds(self) -> bool:
        """Tells whether what git said then still is so."""
        age = time.monotonic() - self.checked
        if self.names is None:
            return age < TRUSTED_SECONDS
        if self.is_racy or age > LONGEST_SECONDS:
            return False
        is_large = len(self.names) > MOST_AT_ONCE
        return (is_large and time.monotonic() - self.looked < TRUSTED_SECONDS) or self.look()

    def holds_on(self) -> bool:
        """Looks beforehand: tells whether nobody will have to ask git before the next look."""
        age = time.monotonic() - self.checked
        if self.names is None or self.is_racy or age > RENEWED_SECONDS:
            return False
        return len(self.names) <= MOST_AT_ONCE or self.look()

    def look(self) -> bool:
        """Looks at every file: tells whether all stand as when git was asked."""
        began = time.monotonic()
        is_same = self.names is not None and _look(self.names)[0] == self.sign
        self.looked = began if is_same else 0.0
        return is_same


def watch(top: Path, names: Iterable[str], began: float) -> Watch:
    """Looks at the files of a work tree and the folders in which new ones would appear.

    Git was asked from a moment on: what was touched since may stand otherwise in its answer.
    """
    checked = time.monotonic()
    places = {str(top)}
    for name in names:
        place = os.path.join(top, name)
        while place not in places:
            places.add(place)
            if len(places) > MOST_LOOKED_AT:
                return Watch(checked, None, ())
            place = os.path.dirname(place)
    listed = tuple(sorted(places))
    sign, latest = _look(listed)
    return Watch(checked, listed, sign, latest > began - RACY_SECONDS, checked)


def _look(places: Iterable[str]) -> tuple[tuple[object, ...], float]:
    """Gives how each place stands, and when the last one was touched."""
    signs: list[object] = []
    latest = 0
    for place in places:
        try:
            found = os.lstat(place)
        except OSError:
            signs.append(None)
            continue
        signs.append((found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode))
        latest = max(latest, found.st_ctime_ns)  # which nobody can set
    return tuple(signs), latest / 1e9


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
