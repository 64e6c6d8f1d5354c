"""What a question calls by name or writes exactly: a finding of its own that no vote outweighs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowwhy.tables.touched import Place


@dataclass(frozen=True, slots=True)
class Called:
    """Records that a question names, those that hold what it writes exactly, and where they do."""

    records: tuple[str, ...] = ()  # named by id or path, in the question's order
    holding: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # the lowest come first
    within: tuple[str, ...] = ()  # of a package or folder that it names
    places: Mapping[str, Place] = field(default_factory=dict)  # the passage that holds it
    absent: str = ""  # what must be somewhere to be known, and is nowhere

    @property
    def keys(self) -> tuple[str, ...]:
        """Gives all of them, each once."""
        return tuple(dict.fromkeys((*self.records, *self.holding, *self.within)))

    def first(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Puts what is called before what is only like it; else all stays in its order."""
        there = set(keys)
        at = {key: number for number, key in enumerate(keys)}
        named = (key for key in self.records if key in there)
        held = sorted(self.holding.keys() & there, key=lambda key: (self.holding[key], at[key]))
        inside = sorted(there.intersection(self.within), key=at.__getitem__)
        return tuple(dict.fromkeys((*named, *held, *inside, *keys)))
