"""What the `.gitignore` files of a folder hide, where git itself cannot be asked."""

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from knowwhy.ingest.files import reason

NAME = ".gitignore"
MAX_BYTES = 100_000  # a longer one is something else
STARS_AT_MOST = 6  # of a pattern, and 3 of a part of it: the time to match is a power of them
PART_STARS_AT_MOST = 3
PATTERN_CHARS = 500  # characters; a longer pattern is no file's name

_STARS = re.compile(r"\*+")


@dataclass(slots=True)
class Ignores:
    """The rules of a folder and those below it, read as a walk comes by."""

    root: Path
    faults: dict[str, str] = field(default_factory=dict)  # rules that were not read, and why
    _rules: dict[str, GitIgnoreSpec | None] = field(default_factory=dict)

    def hides(self, name: str) -> bool:
        """Tells whether a file, or a folder with a slash at its end, is hidden by a rule."""
        for folder in PurePosixPath(name).parents:  # the nearest rules come first
            place = "" if folder == PurePosixPath(".") else f"{folder.as_posix()}/"
            rules = self._of(place)
            verdict = rules.check_file(name[len(place) :]).include if rules else None
            if verdict is not None:
                return verdict
        return False

    def _of(self, place: str) -> GitIgnoreSpec | None:
        if place not in self._rules:
            self._rules[place] = self._read(place)
        return self._rules[place]

    def _read(self, place: str) -> GitIgnoreSpec | None:
        file = self.root / place / NAME
        if file.is_symlink() or not file.is_file():
            return None
        try:
            with file.open("rb") as handle:
                lines = handle.read(MAX_BYTES).decode("utf-8", "replace").splitlines()
            if any(not is_simple(line) for line in lines):
                self.faults[place + NAME] = "has a pattern that is too long or has too many stars"
            return GitIgnoreSpec.from_lines(line for line in lines if is_simple(line))
        except OSError as error:
            self.faults[place + NAME] = reason(error)
        except ValueError:
            self.faults[place + NAME] = "has a pattern that cannot be read"
        return None


def is_simple(pattern: str) -> bool:
    """Tells whether a pattern can be matched in good time."""
    if len(pattern) > PATTERN_CHARS or len(_STARS.findall(pattern)) > STARS_AT_MOST:
        return False
    return all(len(_STARS.findall(part)) <= PART_STARS_AT_MOST for part in pattern.split("/"))
