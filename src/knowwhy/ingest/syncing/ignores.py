"""What the `.gitignore` files of a folder hide, where git itself cannot be asked."""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from knowwhy.ingest.files import reason
from knowwhy.ingest.syncing.globs import Globs, read_globs

NAME = ".gitignore"
MAX_BYTES = 100_000  # a longer one is something else


@dataclass(slots=True)
class Ignores:
    """The rules of a folder and those below it, read as a walk comes by."""

    root: Path
    faults: dict[str, str] = field(default_factory=dict)  # rules that were not read, and why
    _rules: dict[str, Globs | None] = field(default_factory=dict)

    def hides(self, name: str) -> bool:
        """Tells whether a file, or a folder with a slash at its end, is hidden by a rule."""
        for folder in PurePosixPath(name).parents:  # the nearest rules come first
            place = "" if folder == PurePosixPath(".") else f"{folder.as_posix()}/"
            rules = self._of(place)
            verdict = rules.check(name[len(place) :]) if rules else None
            if verdict is not None:
                return verdict
        return False

    def _of(self, place: str) -> Globs | None:
        if place not in self._rules:
            self._rules[place] = self._read(place)
        return self._rules[place]

    def _read(self, place: str) -> Globs | None:
        file = self.root / place / NAME
        if file.is_symlink() or not file.is_file():
            return None
        try:
            with file.open("rb") as handle:
                lines = handle.read(MAX_BYTES).decode("utf-8", "replace").splitlines()
            globs = read_globs(lines)
            if globs.left_out:
                self.faults[place + NAME] = globs.left_out
            return globs
        except OSError as error:
            self.faults[place + NAME] = reason(error)
        except ValueError:
            self.faults[place + NAME] = "has a pattern that cannot be read"
        return None
