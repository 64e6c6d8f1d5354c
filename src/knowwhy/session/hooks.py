"""Git hooks that keep the memory fresh: installed in a repository, and what they do there."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.session.command import ask
from knowwhy.session.following import FOLDER, LOG, Last, last_run
from knowwhy.session.git import Repository
from knowwhy.session.hook_files import HOOKS, has_lines, put_in, take_out
from knowwhy.session.shared_files import make_folder
from knowwhy.text.secrets.redact import redact

GIVEN = ' --repo "$PWD" --because "$1"'  # what a hook adds to the command
RUNNER = "hook"  # in our folder in git's own: each work tree has its own
HUSKY = (".husky", "_")  # where husky points git to; people's own hooks stand above


@dataclass(frozen=True, slots=True)
class Installed:
    """What installing or removing did."""

    folder: Path  # in which git finds the hooks
    files: tuple[tuple[str, str], ...]  # what was done to each
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether the hooks of a work tree are installed, and what they did last."""

    folder: Path
    missing: tuple[str, ...]  # hooks that do not call us
    is_installed: bool
    command: str | None  # that they start; None when they are not installed
    is_runnable: bool  # the command is still there
    log: Path
    last: Last | None


def install(
    repository: Repository,
    command: Sequence[str],
    environment: Mapping[str, str],
    needed: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Installed:
    """Makes git hand each new state of a work tree to `sync`; what hooks are there go on to run.

    The variables that are needed and not written down must be set where git runs.
    """
    _work_tree(repository)
    folder, own = hooks_folder(repository), repository.place.git / FOLDER
    try:
        own.mkdir(exist_ok=True)
        make_folder(folder)
        runner = _runner(command, environment, needed, options)
        (own / RUNNER).write_text(runner, encoding="utf-8")
        (own / RUNNER).chmod(0o700)
        is_sourced = _is_sourced(folder)
        files = tuple((hook, put_in(folder, hook, is_sourced=is_sourced)) for hook in HOOKS)
    except OSError as error:
        raise BadInput(f"The hooks in {folder} cannot be written: {error.strerror}.") from None
    return Installed(folder, files, tuple(_notes(repository, folder, needed)))


def remove(repository: Repository) -> Installed:
    """Takes the hooks of a work tree out; what was there before stays or comes back."""
    folder = hooks_folder(repository)
    shutil.rmtree(repository.place.git / FOLDER, ignore_errors=True)
    if not _is_own(repository, folder):
        note = f"The lines in {folder} stay for other repositories; here they do nothing now."
        return Installed(folder, (), (note,))
    if others := _other_trees(repository):
        note = f"The lines in {folder} stay for {others} other work tree(s) of the repository."
        return Installed(folder, (), (note,))
    done = [hook for hook in HOOKS if take_out(folder, hook)]
    return Installed(folder, tuple((hook, "removed") for hook in done))


def standing(repository: Repository) -> Standing:
    """Tells how the hooks of a work tree stand."""
    _work_tree(repository)
    folder, own = hooks_folder(repository), repository.place.git / FOLDER
    command = _command_of(own / RUNNER)
    return Standing(
        folder=folder,
        missing=tuple(hook for hook in HOOKS if not has_lines(folder, hook)),
        is_installed=command is not None,
        command=command,
        is_runnable=command is not None and os.access(shlex.split(command)[0], os.X_OK),
        log=own / LOG,
        last=last_run(own),
    )


def hooks_folder(repository: Repository) -> Path:
    """Finds where the hooks of a repository are written: as it is configured."""
    base = repository.place.folder
    told = ask(base, "rev-parse", "--git-path", "hooks", with_hooks=True).text()
    folder = base / told
    if not told or (folder.exists() and not folder.is_dir()):
        raise BadInput(f"Hooks are switched off here: core.hooksPath is {redact(told)}.")
    folder = Path(os.path.normpath(folder))
    return folder.parent if _is_husky(folder) else folder


def _is_husky(folder: Path) -> bool:
    has_starter = (folder / "h").exists() or (folder / "husky.sh").exists()
    return folder.name == HUSKY[1] and (folder.parent.name == HUSKY[0] or has_starter)


def _is_sourced(folder: Path) -> bool:
    """Tells whether a program of a folder inside runs these hooks, with a shell."""
    return (folder / HUSKY[1] / "h").exists()


def _work_tree(repository: Repository) -> Path:
    if repository.place.top is None:
        raise BadInput("A bare repository has no work tree that could be followed.")
    return repository.place.top


def _is_own(repository: Repository, folder: Path) -> bool:
    place = repository.place
    inside = (place.top, place.git, place.common, place.common.parent)
    return any(top is not None and folder.is_relative_to(top) for top in inside)


def _other_trees(repository: Repository) -> int:
    """Counts the work trees beside this one that have hooks installed."""
    common, own = repository.place.common, repository.place.git
    trees = (common, *common.glob("worktrees/*"))
    return sum((tree / FOLDER / RUNNER).exists() for tree in trees if tree != own)


def _notes(repository: Repository, folder: Path, needed: Sequence[str]) -> list[str]:
    notes = []
    place = repository.place
    if not _is_own(repository, folder):
        notes.append(
            f"core.hooksPath leads to {folder}, which other repositories share; there the lines do "
            "nothing unless `knowwhy hook install` is run in them too."
        )
    elif place.top and folder.is_relative_to(place.top) and not folder.is_relative_to(place.common):
        notes.append(
            f"{folder.relative_to(place.top)} is in the work tree: commit the hooks or ignore them;"
            " for others they do nothing until they run `knowwhy hook install`."
        )
    if needed:
        names = " and ".join(needed)
        notes.append(f"{names} may hold a password and is not written down; set it where git runs.")
    return notes


def _runner(
    command: Sequence[str],
    environment: Mapping[str, str],
    needed: Sequence[str],
    options: Sequence[str],
) -> str:
    """Writes the script that hooks call: it starts a process of its own and is done.

    Git calls it at the top of the work tree, which may have been moved since.
    """
    settings = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    checks = [f'[ -n "${name}" ] || exit 0' for name in needed]
    words = [*command, "hook", "run", *options]
    return "\n".join((
        "#!/bin/sh",
        "# Made by `knowwhy hook install`; it must not hold git up, nor make it fail.",
        f'log="$(dirname "$0")/{LOG}"',
        '{ : >>"$log"; } 2>/dev/null || exit 0',
        "unset $(git rev-parse --local-env-vars 2>/dev/null)",
        *checks,
        *settings,
        f'set -- {shlex.join(words)}{GIVEN}',
        "if command -v setsid >/dev/null 2>&1; then",
        '  setsid "$@" </dev/null >>"$log" 2>&1 &',
        "else",
        '  nohup "$@" </dev/null >>"$log" 2>&1 &',
        "fi",
        "exit 0",
        "",
    ))  # fmt: skip


def _command_of(runner: Path) -> str | None:
    """Reads the command out of an installed script."""
    try:
        lines = runner.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    started = next((line for line in lines if line.startswith("set -- ")), "")
    return started.removeprefix("set -- ").removesuffix(GIVEN) or None
