"""Words by which a text doubts what it says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hedge:
    """A word of doubt, and where it stands."""

    text: str
    start: int
    end: int
    strong: bool  # it makes the claim a speculation, however firmly the rest is put


def hedges(text: str) -> list[Hedge]:
    """Finds the words of doubt in a text."""
    return []
