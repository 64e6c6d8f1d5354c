"""How far a long command is: a line on a terminal that rewrites itself, else one now and then."""

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from knowwhy.cli.looks import cells, fitted
from knowwhy.cli.opening import draw, is_stopping, is_terminal, stop_if_asked
from knowwhy.text.secrets.redact import redact

TOLD_EVERY = 0.1  # seconds between two states of the line: more, nobody reads
LINE_EVERY = 10.0  # seconds between two lines in a pipe, where each stays
WIDE = 200  # characters of such a line
SURE_AFTER = 3.0  # seconds of work before anything is said about the rest of it
SURE_SHARE = 0.02  # of the work, likewise: from less the rest is a guess
BYTES = "bytes"  # a unit that nobody counts: of those the share is told
NARROWEST = 20  # characters of a name of a file; where there is less room it is left out

Sizes = Mapping[str, int]  # bytes of each source, by what it is called


class Course:
    """Counts what is done, and says how far that is and how long the rest will take.

    The rest is told from what was done so far, by its size: of a batch that is being embedded the
    characters count that have their vectors. Without sizes each source counts the same.
    """

    def __init__(
        self,
        what: str,
        unit: str,
        total: int,
        sizes: Sizes | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what, self._unit, self._total = what, unit, total
        self._sizes, self._weight = sizes, sum((sizes or {}).values())
        self._done = self._first = self._settled = self._ahead = 0
        self._at = ""
        self._began: float | None = None
        self._clock = clock
        self._told = clock()
        self._lock = threading.Lock()
        self._is_terminal = is_terminal()
        self._written = False

    def __call__(self, done: int, at: Sequence[str] = ()) -> None:
        """Takes note of what has been done, or of what is at hand."""
        stop_if_asked()
        is_written = threading.current_thread() is not threading.main_thread()  # else unchanged
        with self._lock:
            self._begin()
            self._done += done
            if done:
                self._settled += sum((self._sizes or {}).get(name, 0) for name in at)
                self._ahead = 0 if is_written else self._ahead
            elif at:
                self._at = at[-1]
            self._tell()

    def embedded(self, characters: int) -> None:
        """Takes note of what has its vectors and is not written yet."""
        with self._lock:
            self._begin()
            self._ahead += characters
            self._tell()

    def stand(self, what: str, done: int, total: int) -> None:
        """Takes note of how far a part of the work is, and tells it."""
        self.note(what, done, total)
        with self._lock:
            self._tell()

    def note(self, what: str, done: int, total: int) -> None:
        """Takes note of how far a part of the work is."""
        stop_if_asked()
        with self._lock:
            if (what, total) != (self._what, self._total):
                self._what, self._total, self._began = what, total, None
            if self._began is None:
                self._first = done  # by a process before this one
            self._begin()
            self._done = done

    def _begin(self) -> None:
        if self._began is None:
            self._began = self._clock()

    def left(self) -> float | None:
        """Gives the seconds that the rest will take, as far as that can be known."""
        if self._began is None:
            return None
        passed = self._clock() - self._began
        share = self._share()
        if passed < SURE_AFTER or not SURE_SHARE <= share <= 1:
            return None
        return passed * (1 - share) / share

    def _share(self) -> float:
        """Gives how much of the work of this process has been done; 0 where nobody can tell."""
        if self._sizes is not None:
            return min(self._settled + self._ahead, self._weight) / max(1, self._weight)
        return (self._done - self._first) / max(1, self._total - self._first)

    def line(self, width: int) -> str:
        """Says how far it is in so many characters."""
        parts, rest = [f"{redact(self._what)}: {self._count()}"], self.left()
        parts += [in_words(rest)] if rest is not None and self._done < self._total else []
        said = ", ".join(parts)
        room = width - cells(said) - 2
        if self._at and room >= NARROWEST:
            said = f"{said}  {fitted(redact(self._at), room, keep_end=True)}"
        return fitted(said, width)

    def _count(self) -> str:
        if self._unit == BYTES:
            return f"{100 * self._done // max(1, self._total)} %"
        of = f" of {self._total:,}" if self._total else ""
        return f"{self._done:,}{of} {self._unit}".rstrip()

    def _tell(self) -> None:
        now = self._clock()
        if now - self._told < (TOLD_EVERY if self._is_terminal else LINE_EVERY):
            return
        self._told = now
        if self._is_terminal:
            self._written = True
            width = shutil.get_terminal_size().columns - 1  # in the last column terminals wrap
            draw(self.line(width))
        elif not is_stopping():
            _write(f"{self.line(WIDE)}\n")

    def clear(self) -> None:
        """Takes the line off the terminal."""
        if self._written:
            draw("")


def in_words(seconds: float) -> str:
    """Says how long something will take, as roughly as that is known."""
    if seconds < 5:
        return "some seconds left"
    if seconds < 55:
        return f"about {max(1, round(seconds / 10)) * 10} s left"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} min left"
    hours, minutes = divmod(round(minutes / 10) * 10, 60)
    return f"about {hours} h {minutes} min left" if minutes else f"about {hours} h left"


def sizes_of(files: Iterable[tuple[str, Path]]) -> dict[str, int]:
    """Measures files by what they are called; one that is gone takes no time."""
    found: dict[str, int] = {}
    for name, file in files:
        with contextlib.suppress(OSError):
            found[name] = found.get(name, 0) + file.stat().st_size
    return found


@contextlib.contextmanager
def course(
    what: str, total: int, unit: str = "files", sizes: Sizes | None = None
) -> Iterator[Course]:
    """Shows how far a command is that embeds what it takes in."""
    from knowwhy import models

    made = Course(what, unit, total, sizes)
    try:
        with models.watched(made.embedded):
            yield made
    finally:
        made.clear()


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # who has gone needs not be told
        click.echo(text, nl=False, err=True)
        sys.stderr.flush()
