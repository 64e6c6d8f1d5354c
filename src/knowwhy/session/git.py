"""The repository in front of us: what git says of it, kept in memory until it moves."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from knowwhy.errors import BadInput, NotFound
from knowwhy.session import glimpse, logbook, standing_now
from knowwhy.session.beforehand import Beforehand
from knowwhy.session.command import answered, ask, names, without_filters
from knowwhy.session.glimpse import Place, Sign, Watch
from knowwhy.session.identity import identity_of, name_without_remote
from knowwhy.session.patches import redact_patch
from knowwhy.session.state import Branch, Changed, Commit, Diff, Found, Status
from knowwhy.text.secrets.redact import redact

RECENT = 200  # commits that are listed at most
MOST_DIFF = 200_000  # bytes of a diff: 50,000 tokens, more than any model should be handed
KEPT_HISTORIES = 200  # files whose history git was asked for and that are kept
Value = TypeVar("Value")


def open_repository(path: Path | str) -> "Repository":
    """Opens the repository that a folder belongs to; refuses in a sentence when there is none."""
    given = Path(os.path.realpath(Path(path).expanduser()))
    folder = given.parent if given.is_file() else given
    if not folder.is_dir():
        raise NotFound(f"{redact(str(path))} is not a folder.")
    told = answered(folder, "rev-parse", "--is-bare-repository", "--absolute-git-dir")
    common = answered(folder, "rev-parse", "--git-common-dir")
    if told.code or common.code:
        raise _refusal(folder, told.complaint or common.complaint)
    bare, _, git = told.text().partition("\n")
    top = answered(folder, "rev-parse", "--show-toplevel")
    if top.code and bare != "true":
        raise NotFound(f"{redact(str(folder))} is inside a .git folder; give the work tree.")
    return Repository(
        Place(
            top=None if top.code else Path(top.text()),
            git=Path(git),
            common=Path(os.path.realpath(folder / common.text())),
        )
    )


def _refusal(folder: Path, complaint: str) -> Exception:
    said = complaint.partition("\n")[0].removeprefix("fatal: ")
    if "not a git repository" in said:
        return NotFound(f"There is no git repository at {redact(str(folder))}, nor above it.")
    return BadInput(redact(f"git does not open {folder}: {said}"))


@dataclass(slots=True)
class _Kept:
    """What was told while a sign held."""

    sign: Sign = ()
    watch: Watch | None = None
    told: dict[object, object] = field(default_factory=dict)

    def tell(self, name: object, find: Callable[[], Value]) -> Value:
        """Gives what is known by a name, finding it the first time."""
        if name not in self.told:
            self.told[name] = find()
        return self.told[name]  # type: ignore[return-value]


class Repository:
    """A repository that is asked about again and again; safe to share between threads.

    Each question costs a look at a few files; git is asked when one of them has moved.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._tree = _Kept()
        self._head = _Kept()
        self._tracked = _Kept()
        self._upstream: str | None = None
        self._book: tuple[str, logbook.Logbook] | None = None
        self._ahead: Beforehand | None = None
        self._tree_lock = threading.RLock()
        self._head_lock = threading.RLock()

    def identity(self) -> str:
        """Names the repository: its remote URL, else the folder that its work trees share."""
        with self._head_lock:
            kept = self._at_head()
            return kept.tell("identity", lambda: identity_of(self.place.folder, self.place.common))

    def earlier_names(self) -> tuple[str, ...]:
        """Gives what the repository was called before it got a remote, where it has one now."""
        before = name_without_remote(self.place.common)
        return (before,) if before != self.identity() else ()

    def branch(self) -> Branch:
        """Tells the branch, its commit and how it stands to its upstream."""
        if self.place.top is not None:
            return self.status().branch
        with self._head_lock:
            return self._at_head().tell("branch", lambda: standing_now.bare_branch(self.place))

    def status(self) -> Status:
        """Tells the branch and what is changed, staged and not."""
        top = self._work_tree()
        with self._tree_lock:
            return self._now(top).tell("status", lambda: standing_now.status(self.place, top))

    def changed_files(self) -> tuple[Changed, ...]:
        """Lists the files that differ from the last commit, and those that git does not know."""
        return self.status().files

    def diff(self, staged: bool = False, path: str | None = None) -> Diff:
        """Shows what is changed and not staged, or what is staged; of one file or folder or all."""
        top = self._work_tree()
        name = None if path is None else self._relative(path)
        with self._tree_lock:
            return self._now(top).tell(("diff", staged, name), lambda: _diff(top, staged, name))

    def recent_commits(self, n: int = 20) -> list[Commit]:
        """Lists the last commits of the branch, newest first."""
        if not 1 <= n <= RECENT:
            raise BadInput(f"{n} commits were asked for; it must be from 1 to {RECENT}.")
        with self._head_lock:
            commit = self._commit()
            if commit is None:
                return []
            if self._book is not None and self._book[0] == commit:
                return list(self._book[1].commits[:n])
            kept = self._at_head()
            log = kept.tell("recent", lambda: logbook.read_log(self.place.folder, RECENT, commit))
            return log.commits[:n]

    def search_commits(
        self, query: str, n: int = 10, *, author: str | None = None, path: str | None = None
    ) -> list[Found]:
        """Finds commits by words of the message, author and paths, or by the start of an id."""
        book = self._logbook()
        return book.search(query, n, author=author, path=path) if book else []

    def file_history(self, path: str, n: int = 20) -> list[Commit]:
        """Lists the commits that changed a file, newest first, followed through its renames."""
        if not 1 <= n <= RECENT:
            raise BadInput(f"{n} commits were asked for; it must be from 1 to {RECENT}.")
        name = self._relative(path)
        book = self._logbook()
        if book is None:
            return []
        if book.is_whole and (known := book.history(name)):
            return known[:n]
        return self._asked_history(name)[:n]

    def _asked_history(self, name: str) -> list[Commit]:
        with self._head_lock:
            kept, commit = self._at_head(), self._commit() or "HEAD"
            if len(kept.told) > KEPT_HISTORIES:
                kept.told.clear()
            folder = self.place.folder
            find = partial(logbook.read_log, folder, RECENT, commit, path=name)
            return kept.tell(("history", name), find).commits

    def keep_fresh(self) -> None:
        """Has the work tree looked at in a thread while it is asked about, so that no one waits."""
        if self.place.top is not None:
            self._ahead = Beforehand(self, Repository.look_ahead)

    @property
    def is_looked_at(self) -> bool:
        """Tells whether a thread looks at the work tree."""
        return self._ahead is not None and self._ahead.is_awake

    def look_ahead(self) -> None:
        """Asks git again when something has moved, and for the differences that were asked for."""
        top, before = self._work_tree(), self._tree
        watch = before.watch
        if watch is None or (before.sign == self._sign() and watch.holds_on()):
            return
        fresh = self._asked_now(top)
        for name in [("diff", staged, None) for staged in (False, True)]:
            if name in before.told:
                fresh.told[name] = _diff(top, name[1], None)
        with self._tree_lock:
            if self._tree is before:  # else somebody has asked meanwhile
                self._tree = fresh

    def warm(self) -> None:
        """Asks git for everything that is asked often, so that the first answer is fast."""
        self.identity()
        if self.place.top is not None:
            self.status()
            self.diff(staged=False)
            self.diff(staged=True)
        self._logbook()

    def _logbook(self) -> logbook.Logbook | None:
        """Gives the commits that are searched; of a branch that went on only its new ones."""
        with self._head_lock:
            commit, folder = self._commit(), self.place.folder
            if commit is None:
                return None
            if self._book is not None and self._book[0] == commit:
                return self._book[1]
            if self._book is not None and logbook.is_after(folder, self._book[0], commit):
                between = f"{self._book[0]}..{commit}"
                newer = logbook.read_log(folder, logbook.REMEMBERED, between)
                book = logbook.extended(self._book[1], newer)
            else:
                book = logbook.logbook(logbook.read_log(folder, logbook.REMEMBERED, commit))
            self._book = (commit, book)
            return book

    def _commit(self) -> str | None:
        """Gives the commit that HEAD stands on; None when there is none yet."""
        return self._at_head().tell("commit", lambda: standing_now.commit_of(self.place.folder))

    def _at_head(self) -> _Kept:
        sign = glimpse.head_sign(self.place, self._upstream)
        if self._head.sign != sign:
            self._head = _Kept(sign)
        return self._head

    def _now(self, top: Path) -> _Kept:
        """Gives what is known of the work tree as it stands now."""
        if self._ahead is not None:
            self._ahead.asked()
        watch = self._tree.watch
        if watch is None or self._tree.sign != self._sign() or not watch.holds():
            self._tree = self._asked_now(top)
        return self._tree

    def _sign(self) -> Sign:
        return (*glimpse.head_sign(self.place, self._upstream), *glimpse.index_sign(self.place))

    def _asked_now(self, top: Path) -> _Kept:
        sign, began = self._sign(), time.time()
        status = standing_now.status(self.place, top)
        watch = glimpse.watch(top, self._names(top, status), began)
        self._upstream = status.branch.upstream
        return _Kept(sign, watch, {"status": status})

    def _names(self, top: Path, status: Status) -> Iterator[str]:
        """Names the files that git tracks and the folders that it does not."""
        sign, tracked = glimpse.index_sign(self.place), self._tracked
        if tracked.sign != sign:
            tracked = self._tracked = _Kept(sign)
        yield from tracked.tell("names", lambda: names(ask(top, "ls-files", "-z").out))
        yield from (file.path for file in status.files if file.path.endswith("/"))

    def _work_tree(self) -> Path:
        if self.place.top is None:
            raise BadInput(
                f"{redact(str(self.place.git))} is a bare repository: it has no work tree, so "
                "nothing in it is changed or staged. Its commits can be searched."
            )
        return self.place.top

    def _relative(self, path: str) -> str:
        """Gives a path as git writes it; refuses one that leads outside."""
        base = self.place.top or self.place.git
        place = os.path.normpath(os.path.join(base, path))
        name = os.path.relpath(place, base)
        if "\0" in path or name == ".." or name.startswith("../"):
            raise BadInput(f"{redact(path[:200])!r} is not a path inside the repository.")
        return name.replace(os.sep, "/")


def _diff(top: Path, staged: bool, name: str | None) -> Diff:
    filters = without_filters(top)
    if filters is None:
        raise BadInput("A filter of this repository cannot be switched off, so nothing is shown.")
    said = ask(
        top,
        *filters,
        *("--literal-pathspecs", "diff", "--no-color", "--no-ext-diff", "--no-textconv"),
        *("--find-renames", "--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/"),
        *(("--cached",) if staged else ()),
        *(("--", name) if name else ("--",)),
        most=MOST_DIFF,
    )
    if said.code:
        raise BadInput(redact(f"git does not show what is changed in {top}: {said.complaint}"))
    text = said.out.decode("utf-8", "replace")
    whole = text.rpartition("\n")[0] if said.is_cut else text.removesuffix("\n")
    return Diff(redact_patch(whole), said.is_cut)
