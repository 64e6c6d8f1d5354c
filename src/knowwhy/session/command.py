"""Asks git one question: without running what a repository configures, and within bounds."""

import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowwhy.errors import BadInput, NoAnswer, NotFound
from knowwhy.text.secrets.redact import redact

# A hook runs us with these set to its own repository.
NOT_PASSED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
QUIETLY = (
    *(word for name in NOT_PASSED for word in ("-u", name)),
    *("GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"),
)
UNCONFIGURED = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never", "-c", "core.quotePath=false"),
)
SECONDS = 10.0  # that git may take to answer; a `git log` of 2,000 commits takes about one
MOST_BYTES = 8_000_000  # of an answer; the log of 2,000 commits with their files is about 1 MB
MOST_COMPLAINT = 4_000  # bytes of what git says went wrong that are read
LONGEST_SHOWN = 80  # characters of what is no id
STOPPED = -1  # the code of a command that took too long
NOT_THERE = 127  # what `env` gives where there is no such program
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # as SHA-1 and SHA-256 write them whole
_FILTER = re.compile(r"filter\.(.*)\.[^.]*", re.DOTALL)  # programs that rewrite files


@dataclass(frozen=True, slots=True)
class Said:
    """What git said."""

    code: int
    out: bytes
    complaint: str
    is_cut: bool = False  # there was more than was read

    def text(self) -> str:
        """Gives the answer as text without the newline at its end."""
        return self.out.decode("utf-8", "replace").removesuffix("\n")


def ask(
    root: Path,
    *arguments: str,
    seconds: float = SECONDS,
    most: int = MOST_BYTES,
    most_complaint: int = MOST_COMPLAINT,
    with_hooks: bool = False,
) -> Said:
    """Runs git in a folder; what takes too long or says too much is stopped."""
    settings = UNCONFIGURED[:2] if with_hooks else UNCONFIGURED
    command = ["env", *QUIETLY, "git", *settings, *arguments]
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                command,
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,  # a Ctrl-C is for us, not for git
            )
        except OSError as error:
            return Said(STOPPED, b"", f"git cannot be run in {root}: {error.strerror}")
        out, is_late = _read(process, seconds, most)
        complaints.seek(0)
        complaint = complaints.read(most_complaint).decode("utf-8", "replace").strip()
    if is_late:
        return Said(STOPPED, out, f"git took more than {seconds:g} s", is_cut=True)
    if len(out) > most:
        return Said(0, out[:most], complaint, is_cut=True)
    return Said(process.returncode, out, complaint)


def is_commit(named: str) -> bool:
    """Tells whether a text is the whole id of a commit, and so neither an option nor a name."""
    return _COMMIT.fullmatch(named) is not None


def of_commits(*named: str) -> tuple[str, ...]:
    """Gives arguments that name commits, which git can take for nothing else.

    An id may come from a table or an archive that somebody else has written.
    """
    for ids in named:
        if ids != "HEAD" and not all(is_commit(one) for one in ids.split("..")):
            raise BadInput(f"{redact(ids[:LONGEST_SHOWN])!r} is no id of a commit.")
    return ("--end-of-options", *named)


def answered(root: Path, *arguments: str) -> Said:
    """Asks git something that must be known: refuses in a sentence when it gives no answer.

    That git says no is an answer; that it was stopped before it could say anything is none.
    """
    said = ask(root, *arguments)
    if said.code == NOT_THERE:
        raise NotFound("git is not installed here; install it to be told of a repository.")
    if said.code < 0:
        why = said.complaint or f"it was ended by signal {-said.code}"
        raise NoAnswer(redact(f"git has not answered in {root}: {why}. Try again."))
    return said


def _read(process: subprocess.Popen[bytes], seconds: float, most: int) -> tuple[bytes, bool]:
    """Reads up to a byte more than wanted, and tells whether the time was over before."""
    is_late = threading.Event()

    def stop() -> None:
        is_late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout as answer:
            out = answer.read(most + 1)
        if len(out) > most:
            process.kill()
        process.wait()
    finally:
        timer.cancel()
    return out, is_late.is_set()


def without_filters(root: Path) -> list[str] | None:
    """Gives the options that switch off programs that rewrite files; None when one stays on."""
    told = ask(root, "config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    found = (_FILTER.fullmatch(key) for key in names(told.out))
    drivers = {match[1] for match in found if match}
    if any("=" in driver or "\n" in driver for driver in drivers):
        return None
    return [word for driver in sorted(drivers) for word in _off(driver)]


def _off(driver: str) -> Iterator[str]:
    for setting in ("clean=", "process=", "smudge=", "required=false"):
        yield from ("-c", f"filter.{driver}.{setting}")


def names(told: bytes) -> list[str]:
    """Splits what git ends with zero bytes."""
    return [name.decode(errors="surrogateescape") for name in told.split(b"\0") if name]


def shown(words: Sequence[str]) -> list[str]:
    """Makes names printable: one may hold bytes that are no UTF-8."""
    return [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in words]
