"""One night: what its steps share, from the moment that it counts as now to how far each came."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from knowwhy.types import Json, Memory

MOST_CHANGES = 100  # of one step that its report names; the table of changes has all


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Judge:
    """A paid model that is asked about what rules leave unclear."""

    model: str
    daily_dollars: float  # that all paid models together may cost in a day


@dataclass(slots=True)
class Night:
    """A run of the night shift."""

    run: str  # its key; what a step writes is signed with it
    now: datetime
    embedder: str
    judge: Judge | None = None  # None where rules alone decide
    deadline: float | None = None  # by time.monotonic; None for as long as it takes
    cursors: dict[str, Json] = field(default_factory=dict)  # where each step goes on, as JSON
    would_be: dict[str, Memory] = field(default_factory=dict)  # in a dry run: what is not written
    keep: Callable[[], None] = _nothing  # called between pages: keeps the cursors, checks the lock

    def is_over(self) -> bool:
        """Tells whether the time that the run was given has passed; asked between pages."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def signed(self, step: str) -> str:
        """Names who does what a step does."""
        return f"{step} {self.run}"
