"""The place of a proof: a folder with a home, a repository and texts, of which nothing stays."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from knowwhy.errors import BadInput, Error
from knowwhy.mcp.proof.proof_texts import FILES, HEAP, LATER, LINES, UNCOMMITTED

END_SECONDS = 10.0  # that a process may take to end before it is killed
SWEEPS = 20  # looks for what is left; a killed process may just have started another
BETWEEN = 0.1  # seconds from one look to the next
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=no")
OWN_OF_STORE = ("PIXELTABLE_", "GIT_")  # variables that would lead out of the place
PAID = "ANTHROPIC_API_KEY"
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a proof runs: what its processes are started with."""

    folder: Path
    command: Sequence[str]  # that starts knowwhy
    environment: Mapping[str, str]

    @property
    def home(self) -> Path:
        """The home, made by the first process that needs it."""
        return home_in(self.folder)

    @property
    def repository(self) -> Path:
        """The repository that the server works in."""
        return self.folder / "ledger"

    @property
    def log(self) -> Path:
        """What the processes write to stderr."""
        return self.folder / "stderr.log"


@contextmanager
def a_place(
    command: Sequence[str], environ: Mapping[str, str], embedder: str | None
) -> Iterator[Place]:
    """Gives a place with a repository; whatever happens, no process and no folder stays."""
    folder = Path(tempfile.mkdtemp(prefix="knowwhy-proof-")).resolve()
    try:
        place = Place(folder, command, _environment(environ, home_in(folder), embedder))
        _make_repository(place.repository, place.environment)
        yield place
    finally:
        with _undisturbed():
            remove(folder)


def home_in(folder: Path) -> Path:
    """Names the home of a place."""
    return folder / "home"


def processes_of(folder: Path) -> list[psutil.Process]:
    """Finds the processes that were started for a place; those of its database begin with it."""
    others = (p for p in psutil.process_iter(["cmdline", "environ"]) if p.pid != os.getpid())
    return [p for p in others if _belongs(p.info, folder)]


def _belongs(about: Mapping[str, Any], folder: Path) -> bool:
    """Tells a process by its words, or by the home that it works on; others' are not readable."""
    home = (about["environ"] or {}).get("PIXELTABLE_HOME")
    return home == str(home_in(folder)) or any(str(folder) in w for w in about["cmdline"] or ())


def remove(folder: Path) -> None:
    """Ends every process of a place, then removes it."""
    from knowwhy.tables.homes import home

    with suppress(Error, psutil.Error, OSError):  # what does not end is killed below
        home.stop(home_in(folder))
    for _ in range(SWEEPS):
        if not (left := processes_of(folder)):
            break
        for process in left:
            _end(process)
        time.sleep(BETWEEN)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        raise Error(f"The folder {folder} of the proof could not be removed; remove it by hand.")


def _end(process: psutil.Process) -> None:
    try:
        process.terminate()
        process.wait(END_SECONDS)
    except psutil.TimeoutExpired:
        process.kill()
    except psutil.NoSuchProcess:
        return


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Lets no second Ctrl-C cut the removal short."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _environment(environ: Mapping[str, str], home: Path, embedder: str | None) -> dict[str, str]:
    """Gives the user's own settings, but for those that lead to their home or cost money."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(OWN_OF_STORE) and name != PAID
    }
    model = {"KNOWWHY_EMBEDDER": embedder} if embedder else {}
    own = {"PIXELTABLE_HOME": str(home), "TMPDIR": str(home.parent), "KNOWWHY_EXTRACTOR": "rules"}
    return {**kept, **model, **own}


def _make_repository(root: Path, environment: Mapping[str, str]) -> None:
    """Makes a repository of two commits, and a change that is not committed."""
    root.mkdir()
    _git(root, environment, "init", "-q", "-b", "main")
    for message, files in (("Keep the ledger in PostgreSQL", FILES), ("Retry bookings", LATER)):
        _write(root, files)
        _git(root, environment, "add", "-A")
        _git(root, environment, "commit", "-q", "-m", message)
    _write(root, {**UNCOMMITTED, ".git/info/exclude": f"/{HEAP}\n", HEAP: "[]\n" * LINES})


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def _git(root: Path, environment: Mapping[str, str], *arguments: str) -> None:
    """Runs git as it is configured nowhere."""
    try:
        done = subprocess.run(
            [*GIT, *arguments],
            cwd=root,
            env={**environment, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise BadInput(f"The proof needs git, which cannot be started: {error.strerror}.") from None
    if done.returncode:
        raise Error(f"git {arguments[0]} failed in {root}: {done.stderr.strip()}")
