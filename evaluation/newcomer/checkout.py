"""Gets a repository at its commit, from its address or from a mirror, and only some paths of it."""

import os
import subprocess
from pathlib import Path

from evaluation.newcomer.rows import Repository

# What git itself reads of a repository, wherever it looks; else it would fetch it from the address.
RULES = (".gitattributes", ".gitignore", ".gitmodules")
# A copy on this machine may not offer every commit by its id, nor to leave out files.
OPEN = "git -c uploadpack.allowAnySHA1InWant=true -c uploadpack.allowFilter=true upload-pack"


def check_out(repository: Repository, folder: Path, mirror: Path | None) -> Path:
    """Gives the checkout of a repository; one that stands at the commit is taken as it is."""
    root = folder / repository.name
    paths = (*repository.paths, *RULES)
    if (root / ".git").exists() and _at(root) == (repository.commit, paths):
        return root
    root.mkdir(parents=True, exist_ok=True)
    _git(root, "init", "-q", "-b", "main")
    source = repository.url if mirror is None else str(mirrored(mirror, repository))
    _git(root, "config", "remote.origin.url", source)
    if mirror is not None:
        _git(root, "config", "remote.origin.uploadpack", OPEN)
    _git(root, "fetch", "-q", "--depth", "1", "--filter=blob:none", "origin", repository.commit)
    _git(root, "sparse-checkout", "set", "--no-cone", *paths)
    _git(root, "checkout", "-q", "-B", "main", repository.commit)  # fetches the files that it needs
    _git(root, "config", "remote.origin.url", repository.url)
    _git(root, "config", "--unset-all", "remote.origin.uploadpack", may_fail=True)
    return root


def mirrored(mirror: Path, repository: Repository) -> Path:
    """Finds the git directory of a repository in a folder of copies, each named owner+name."""
    place = mirror.absolute() / repository.owner_and_name
    for git in (place, place / ".git", place / "repo", place / "repo" / ".git"):
        if (git / "HEAD").is_file() and (git / "objects").is_dir():
            return git
    raise SystemExit(f"There is no git directory of {repository.url} in {place}; fetch it first.")


def _at(root: Path) -> tuple[str, tuple[str, ...]]:
    """Gives the commit of a checkout and its paths."""
    commit = _git(root, "rev-parse", "-q", "--verify", "HEAD^{commit}", may_fail=True)
    paths = _git(root, "sparse-checkout", "list", may_fail=True)
    return commit.strip(), tuple(paths.splitlines())


def _git(root: Path, *arguments: str, may_fail: bool = False) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        capture_output=True,
        text=True,
    )
    if done.returncode and not may_fail:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise SystemExit(f"git {arguments[0]} failed in {root}: {last}")
    return done.stdout
