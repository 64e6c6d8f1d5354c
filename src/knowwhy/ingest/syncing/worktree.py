"""Asks git about a work tree, without ever running what the repository configures."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.files import NOT_ENTERED, reason
from knowwhy.ingest.syncing.ignores import Ignores
from knowwhy.session.command import (
    QUIETLY,
    UNCONFIGURED,
    is_commit,
    names,
    of_commits,
    without_filters,
)
from knowwhy.text.secrets.redact import redact

_CLOSED = re.compile(r"^warning: could not open directory '(.*)': (.*)$", re.MULTILINE)

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
    told = _run(root, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    if told.returncode:
        _refuse_unopened(root, told.stderr.decode(errors="replace"))
        return None
    inside, _, prefix = told.stdout.decode(errors="surrogateescape").partition("\n")
    prefix = prefix.removesuffix("\n")
    if inside != "true" or (prefix and ask(root, "check-ignore", "-q", ".") is not None):
        return None
    commit = ask(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return WorkTree(root, prefix, commit.decode().strip() if commit else None)


def _refuse_unopened(root: Path, why: str) -> None:
    """Refuses a repository that git does not open, because its rules would be lost."""
    kept = any((folder / ".git").exists() for folder in (root, *root.parents))
    if kept and "not a git repository" not in why:
        said = why.strip().partition("\n")[0]
        raise BadInput(redact(f"git does not open {root}: {said}"))


def changed_since(tree: WorkTree, commit: str) -> set[str] | None:
    """Names what differs between a commit and now; None when git cannot tell."""
    if not is_commit(commit):  # nothing that a sync has written
        return None
    differing = ask(
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
    told = ask(
        tree.root,
        *("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"),
        *("--ignore-submodules=all", "--", "."),
        options=filters,
    )
    tags = ask(tree.root, "ls-files", "-v", "-z")
    if told is None or tags is None:
        return None
    touched = {name[3:].removeprefix(tree.prefix) for name in names(told)}
    unseen = (entry[2:] for entry in names(tags) if entry[0].islower() or entry[0] == "S")
    return touched | set(unseen)  # assume-unchanged and skip-worktree: status is silent on them


def as_committed(tree: WorkTree) -> frozenset[str] | None:
    """Names what stands in the work tree as its commit has it; None when git cannot tell."""
    kept, touched = ask(tree.root, "ls-files", "-z"), changed_by_hand(tree)
    return None if kept is None or touched is None else frozenset(names(kept)) - touched


def list_names(root: Path, tree: WorkTree | None, refuse: Refuse) -> Iterator[Listed]:
    """Names every file that is kept or could be: not what is ignored, with submodules' files."""
    if tree is None:
        yield from _walk(root, refuse)
        return
    listed = _list(root, "-t", "--cached", "--others", "--exclude-standard")
    for place, why in _CLOSED.findall(listed.stderr.decode(errors="surrogateescape")):
        refuse(place.rstrip("/"), why.lower())
    inner = set(submodules(tree))
    for entry in names(listed.stdout):
        tag, _, name = entry.partition(" ")
        if name not in inner and not name.endswith("/"):
            yield Listed(name, tag != "?")
    for name in sorted(inner):
        yield from _inside(root, name, refuse)


def submodules(tree: WorkTree) -> list[str]:
    """Names the folders that are repositories of their own, which no commit here describes."""
    entries = names(_list(tree.root, "-s").stdout)
    return [entry.partition("\t")[2] for entry in entries if entry.startswith("160000 ")]


def _list(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Lists what git knows; refuses when it cannot, because nothing listed looks like all gone."""
    listed = _run(root, "ls-files", "-z", *arguments)
    if listed.returncode:
        said = listed.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise BadInput(redact(f"git does not list {root}: {said.removeprefix('fatal: ')}"))
    return listed


def _walk(root: Path, refuse: Refuse) -> Iterator[Listed]:
    def closed(error: OSError) -> None:
        refuse(Path(error.filename).relative_to(root).as_posix(), reason(error))

    ignores = Ignores(root)
    for place, folders, files in os.walk(root, onerror=closed):
        here = Path(place)
        within = "" if here == root else f"{here.relative_to(root).as_posix()}/"
        kept = sorted(f for f in folders if f not in NOT_ENTERED and not f.startswith("."))
        kept = [f for f in kept if not ignores.hides(f"{within}{f}/")]
        own = [f for f in kept if (here / f / ".git").exists()]
        folders[:] = [f for f in kept if f not in own]
        names = (n for f in sorted(files) if not ignores.hides(n := within + f))
        yield from (Listed(name, tracked=False) for name in names)
        for folder in own:
            yield from _inside(root, within + folder, refuse)
    for rules, why in ignores.faults.items():
        refuse(rules, why)


def _inside(root: Path, name: str, refuse: Refuse) -> Iterator[Listed]:
    """Names the files of a repository inside; none when it is not checked out."""
    folder = root / name
    if folder.is_symlink() or not (folder / ".git").exists():
        return
    try:
        tree = open_tree(folder)
        inner = [*list_names(folder, tree, lambda place, why: refuse(f"{name}/{place}", why))]
    except BadInput as error:
        refuse(name, str(error))
        return
    yield from (Listed(f"{name}/{file.name}", file.tracked) for file in inner)


def ask(root: Path, *arguments: str, options: list[str] | None = None) -> bytes | None:
    """Gives what git says; None when it refuses or is not there."""
    done = _run(root, *(options or []), *arguments)
    return done.stdout if done.returncode == 0 else None


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = ["env", *QUIETLY, "git", *UNCONFIGURED, *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, check=False)
