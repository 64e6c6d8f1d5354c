"""What is told of a repository."""

from dataclasses import dataclass
from datetime import datetime

SHORT = 12  # digits of a commit, as git shows them in a large repository

STATES = {
    "A": "added",
    "C": "copied",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type changed",
    "U": "in conflict",
    "?": "untracked",
}


@dataclass(frozen=True, slots=True)
class Branch:
    """Where the work goes on."""

    name: str | None  # None when HEAD is detached
    commit: str | None  # None when there is none yet
    upstream: str | None = None
    ahead: int | None = None  # commits that the upstream branch does not have; None when unknown
    behind: int | None = None
    is_bare: bool = False
    going_on: str | None = None  # a merge, rebase, cherry-pick, revert or bisect that is not done

    def __str__(self) -> str:
        """Says it in a sentence."""
        commit = self.commit[:SHORT] if self.commit else None
        where = f"on branch {self.name}" if self.name else "on no branch: HEAD is detached"
        parts = [f"{where} at {commit}" if commit else f"{where}, which has no commit yet"]
        if self.upstream and self.ahead is not None:
            parts.append(f"{self.ahead} ahead of and {self.behind} behind {self.upstream}")
        if self.going_on:
            parts.append(f"in the middle of a {self.going_on}")
        if self.is_bare:
            parts.append("in a bare repository, which has no work tree")
        told = ", ".join(parts)
        return f"{told[0].upper()}{told[1:]}."


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that differs from the last commit."""

    path: str
    staged: str | None  # added, modified, deleted, …; None when nothing of it is staged
    unstaged: str | None
    old_path: str | None = None  # of what was renamed or copied


@dataclass(frozen=True, slots=True)
class Status:
    """A repository as it stands now."""

    branch: Branch
    files: tuple[Changed, ...]
    stashes: int
    is_cut: bool = False  # there are more files

    def __str__(self) -> str:
        """Says it in a sentence or two."""
        staged = sum(file.staged is not None for file in self.files)
        untracked = sum(file.unstaged == "untracked" for file in self.files)
        unstaged = sum(file.unstaged is not None for file in self.files) - untracked
        if not self.files:
            return f"{self.branch} Nothing is changed."
        more = " and more" if self.is_cut else ""
        return f"{self.branch} {staged} staged, {unstaged} unstaged, {untracked} untracked{more}."


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences as git shows them, without secrets."""

    text: str
    is_cut: bool = False  # there is more than is shown


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a commit changed."""

    path: str
    state: str  # added, modified, deleted, renamed, …
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, without secrets."""

    id: str
    parents: tuple[str, ...]
    author: str
    at: datetime
    subject: str
    body: str
    files: tuple[Touched, ...] = ()

    @property
    def short(self) -> str:
        """Gives the id as git shows it."""
        return self.id[:SHORT]


@dataclass(frozen=True, slots=True)
class Found:
    """A commit that a search found."""

    commit: Commit
    score: float
    matched: tuple[str, ...]  # where: id, message, author, path
