"""Asks git about a work tree, without ever running what the repository configures."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.files import NOT_ENTERED, Tracked, reason
from knowwhy.ingest.syncing.ignores import Ignores
from knowwhy.session.command import (
    NOT_THERE,
    Said,
    ask,
    is_commit,
    names,
    of_commits,
    without_filters,
)
from knowwhy.text.secrets.redact import redact

SECONDS = 120.0  # that git may take over a work tree; `git status` of 400,000 files takes some 20
MOST_BYTES = 500_000_000  # of a list of files; that of a work tree of 400,000 has some 40 MB
MOST_COMPLAINT = 10_000_000  # bytes; a line for each folder that may not be opened
_CLOSED = re.compile(r"^warning: could not open directory '(.*)': (.*)$", re.MULTILINE)

IGNORED, HIDDEN = "ignored by git", "in a hidden folder"

Refuse = Callable[[str, str], None]  # takes a place and why it was not taken


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of a folder, and whether git tracks it."""

    name: str
    tracked: bool


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A folder that git keeps, or a part of it."""

    root: Path
    prefix: str  # of the folder in its work tree: empty, or `services/orders/`
    commit: str | None


def open_tree(root: Path) -> WorkTree | None:
    """Tells how git keeps a folder; None when it does not."""
    told = _ask(root, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    if told.code:
        _refuse_unopened(root, told)
        return None
    inside, _, prefix = told.out.decode(errors="surrogateescape").partition("\n")
    prefix = prefix.removesuffix("\n")
    if inside != "true" or (prefix and _told(root, "check-ignore", "-q", ".") is not None):
        return None
    commit = _told(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return WorkTree(root, prefix, commit.decode().strip() if commit else None)


def _refuse_unopened(root: Path, told: Said) -> None:
    """Refuses a repository that git does not open, because its rules would be lost."""
    kept = any((folder / ".git").exists() for folder in (root, *root.parents))
    if kept and "not a git repository" not in told.complaint:
        said = told.complaint.partition("\n")[0]
        if told.code == NOT_THERE:
            said = "git is not installed here"
        raise BadInput(redact(f"git does not open {root}: {said}"))


def changed_since(tree: WorkTree, commit: str) -> set[str] | None:
    """Names what differs between a commit and now; None when git cannot tell."""
    if not is_commit(commit):  # nothing that a sync has written
        return None
    differing = _told(
        tree.root,
        *("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--relative"),
        *("--no-ext-diff", "--no-textconv", *of_commits(commit, "HEAD"), "--"),
    )
    touched = changed_by_hand(tree)
    return None if differing is None or touched is None else touched | set(names(differing))


def changed_by_hand(tree: WorkTree) -> set[str] | None:
    """Names what is modified, in conflict or untracked, or what git was told not to look at.

    None when git cannot tell.
    """
    filters = without_filters(tree.root)
    if filters is None:
        return None
    told = _told(
        tree.root,
        *("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"),
        *("--ignore-submodules=all", "--", "."),
        options=filters,
    )
    tags = _told(tree.root, "ls-files", "-v", "-z")
    if told is None or tags is None:
        return None
    touched = {name[3:].removeprefix(tree.prefix) for name in names(told)}
    unseen = (entry[2:] for entry in names(tags) if entry[0].islower() or entry[0] == "S")
    return touched | set(unseen)  # assume-unchanged and skip-worktree: status is silent on them


def as_committed(tree: WorkTree) -> frozenset[str] | None:
    """Names what stands in the work tree as its commit has it; None when git cannot tell."""
    kept, touched = _told(tree.root, "ls-files", "-z"), changed_by_hand(tree)
    return None if kept is None or touched is None else frozenset(names(kept)) - touched


def tracked_in(place: Path, within: Path) -> Tracked | None:
    """Gives the files that git tracks where a path is; None when no repository keeps it.

    The outermost one inside of a folder counts, so that one inside of it is none of its files.
    """
    inner = place.relative_to(within).parts
    for number in range(len(inner) + 1):
        root = within.joinpath(*inner[:number])
        if not root.is_dir():
            break
        if open_tree(root) is not None:
            staged = (entry.partition("\t") for entry in names(_list(root, "-s").out))
            return Tracked.of(root, (name for mode, _, name in staged if not is_inner(mode)))
    return None


def is_inner(mode: str) -> bool:
    """Tells whether an entry of git's index is a repository of its own."""
    return mode.startswith("160000 ")


def list_names(
    root: Path,
    tree: WorkTree | None,
    refuse: Refuse,
    only: Tracked | None = None,
    leave: Refuse = lambda place, why: None,
) -> Iterator[Listed]:
    """Names every file that is kept or could be: not what is ignored, with submodules' files.

    What is not entered, or ignored, is handed to `leave` with the reason.
    """
    if only is not None:
        yield from (Listed(name, tracked=True) for name in sorted(only.under(root)))
        return
    if tree is None:
        yield from _walk(root, refuse, leave)
        return
    for name in ignored(root, tree):
        leave(name, IGNORED)
    listed = _list(root, "-t", "--cached", "--others", "--exclude-standard")
    for place, why in _CLOSED.findall(listed.complaint):
        refuse(place.rstrip("/"), why.lower())
    inner = set(submodules(tree))
    for entry in names(listed.out):
        tag, _, name = entry.partition(" ")
        if name not in inner and not name.endswith("/"):
            yield Listed(name, tag != "?")
    for name in sorted(inner):
        yield from _inside(root, name, refuse, leave)


def submodules(tree: WorkTree) -> list[str]:
    """Names the folders that are repositories of their own, which no commit here describes."""
    entries = names(_list(tree.root, "-s").out)
    return [entry.partition("\t")[2] for entry in entries if is_inner(entry)]


def _list(root: Path, *arguments: str) -> Said:
    """Lists what git knows; refuses when it cannot, because nothing listed looks like all gone."""
    listed = _ask(root, "ls-files", "-z", *arguments)
    if listed.code or listed.is_cut:
        said = listed.complaint.rpartition("\n")[2] or "it says more than can be read"
        raise BadInput(redact(f"git does not list {root}: {said.removeprefix('fatal: ')}"))
    return listed


def ignored(root: Path, tree: WorkTree | None) -> Iterator[str]:
    """Names what git ignores here, a folder of nothing else as one with a slash at its end."""
    if tree is not None:
        arguments = (
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
            "--no-empty-directory",
        )
        yield from names(_told(root, "ls-files", "-z", *arguments) or b"")


def _walk(root: Path, refuse: Refuse, leave: Refuse) -> Iterator[Listed]:
    def closed(error: OSError) -> None:
        refuse(Path(error.filename).relative_to(root).as_posix(), reason(error))

    ignores = Ignores(root)
    for place, folders, files in os.walk(root, onerror=closed):
        here = Path(place)
        within = "" if here == root else f"{here.relative_to(root).as_posix()}/"
        links = {f for f in folders if (here / f).is_symlink()}  # to git, they are files
        entered = set(folders) - links
        kept = sorted(f for f in entered if f not in NOT_ENTERED and not f.startswith("."))
        for folder in sorted(entered - {*kept, ".git"}):
            leave(f"{within}{folder}/", HIDDEN if folder.startswith(".") else "vendored")
        hidden = [f for f in kept if ignores.hides(f"{within}{f}/")]
        for folder in hidden:
            leave(f"{within}{folder}/", IGNORED)
        kept = [f for f in kept if f not in hidden]
        own = [f for f in kept if (here / f / ".git").exists()]
        folders[:] = [f for f in kept if f not in own]
        for name in (within + f for f in sorted({*files, *(links - {".git"})})):
            if ignores.hides(name):
                leave(name, IGNORED)
            else:
                yield Listed(name, tracked=False)
        for folder in own:
            yield from _inside(root, within + folder, refuse, leave)
    for rules, why in ignores.faults.items():
        refuse(rules, why)


def _inside(root: Path, name: str, refuse: Refuse, leave: Refuse) -> Iterator[Listed]:
    """Names the files of a repository inside; none when it is not checked out."""
    folder = root / name
    if folder.is_symlink() or not (folder / ".git").exists():
        return
    try:
        tree = open_tree(folder)
        inner = [
            *list_names(
                folder,
                tree,
                lambda place, why: refuse(f"{name}/{place}", why),
                leave=lambda place, why: leave(f"{name}/{place}", why),
            )
        ]
    except BadInput as error:
        refuse(name, str(error))
        return
    yield from (Listed(f"{name}/{file.name}", file.tracked) for file in inner)


def _told(root: Path, *arguments: str, options: list[str] | None = None) -> bytes | None:
    """Gives what git says; None when it refuses, takes too long or is not there."""
    done = _ask(root, *(options or []), *arguments)
    return done.out if done.code == 0 and not done.is_cut else None


def _ask(root: Path, *arguments: str) -> Said:
    return ask(root, *arguments, seconds=SECONDS, most=MOST_BYTES, most_complaint=MOST_COMPLAINT)
