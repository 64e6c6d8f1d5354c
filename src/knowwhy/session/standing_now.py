"""Asks git how a repository stands: its branch, and what is changed in its work tree."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.session.command import ask, without_filters
from knowwhy.session.glimpse import GOING_ON, Place
from knowwhy.session.state import STATES, Branch, Changed, Status
from knowwhy.text.secrets.redact import redact

MOST_FILES = 2_000  # changed files that are listed: with more somebody forgot an ignore rule
_FIELDS = {"1": 8, "2": 9, "u": 10}  # words before the path, by the kind of the line


def status(place: Place, top: Path) -> Status:
    """Tells how a work tree stands."""
    filters = without_filters(top)
    if filters is None:
        raise BadInput("A filter of this repository cannot be switched off, so git is not asked.")
    said = ask(
        top,
        *filters,
        *("status", "--porcelain=v2", "--branch", "--show-stash", "-z", "--renames"),
        *("--untracked-files=normal", "--ignore-submodules=dirty"),
    )
    if said.code:
        raise BadInput(redact(f"git does not tell the status of {top}: {said.complaint}"))
    lines = said.out.decode("utf-8", "replace").split("\0")
    heads = dict(_heads(lines))
    files = tuple(islice(_files(iter(lines)), MOST_FILES + 1))
    return Status(
        branch=_branch(place, heads),
        files=files[:MOST_FILES],
        stashes=int(heads.get("stash", "0")),
        is_cut=said.is_cut or len(files) > MOST_FILES,
    )


def _heads(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if line.startswith("# "):
            name, _, value = line[2:].partition(" ")
            yield name, value


def _branch(place: Place, heads: dict[str, str]) -> Branch:
    name, commit = heads.get("branch.head"), heads.get("branch.oid")
    counts = heads.get("branch.ab", "").split()
    ahead, behind = (int(counts[0]), -int(counts[1])) if len(counts) == 2 else (None, None)
    return Branch(
        name=None if name in (None, "(detached)") else redact(str(name)),
        commit=None if commit in (None, "(initial)") else commit,
        upstream=heads.get("branch.upstream"),
        ahead=ahead,
        behind=behind,
        going_on=going_on(place),
    )


def going_on(place: Place) -> str | None:
    """Names what was begun with git and not finished."""
    return next((what for name, what in GOING_ON.items() if (place.git / name).exists()), None)


def _files(lines: Iterator[str]) -> Iterator[Changed]:
    for line in lines:
        kind = line[:1]
        if kind == "?":
            yield Changed(redact(line[2:]), None, "untracked")
        elif kind in _FIELDS:
            *told, path = line.split(" ", _FIELDS[kind])
            old = next(lines, "") if kind == "2" else None
            yield _changed(kind, told[1], path, old)


def _changed(kind: str, letters: str, path: str, old: str | None) -> Changed:
    if kind == "u":
        return Changed(redact(path), None, "in conflict")
    staged, unstaged = (None if x == "." else STATES.get(x, x) for x in letters[:2])
    return Changed(redact(path), staged, unstaged, old and redact(old))


def commit_of(folder: Path) -> str | None:
    """Gives the commit that HEAD stands on; None when there is none yet."""
    said = ask(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return said.text().strip() or None if said.code == 0 else None


def bare_branch(place: Place) -> Branch:
    """Tells the branch of a repository without a work tree."""
    named = ask(place.folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    name = redact(named.text()) if named.code == 0 else None
    return Branch(name, commit_of(place.folder), is_bare=True)
