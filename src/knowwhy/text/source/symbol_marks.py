"""Where one stretch of a source file begins, and which symbol it is."""

from dataclasses import dataclass

WHOLE_CHARS = 600  # a type that is shorter stays whole: it fits in a passage however dense it is


@dataclass(frozen=True, slots=True)
class Mark:
    """The line at which a symbol, or a stretch that belongs to none, begins."""

    row: int  # counted from 0
    home: tuple[str, ...]  # the symbols around it, outermost first
    name: str | None = None  # its own; None for imports, constants, attributes, a class header

    @property
    def path(self) -> tuple[str, ...]:
        """Returns the symbol path, its own name last."""
        return (*self.home, self.name) if self.name else self.home
