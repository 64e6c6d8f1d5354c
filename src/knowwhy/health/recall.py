"""Recall@10 of the vector leg's searches of one table: what they find, of what is nearest."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from knowwhy.retrieval.legs import CANDIDATES
from knowwhy.tables.vectors.both_ways import Compared, Comparing
from knowwhy.tables.vectors.roads import EVERYTHING, Road, Vector

AT = 10  # places
TIE = 1e-6  # of a cosine; rows as near as the tenth are as good as it
FIRST_QUERIES = 30  # through each sort of filter at least: 300 places
EACH_QUERIES = 10  # through each filter at least
UNSURE = 0.96  # recall of these few, below which all queries are asked: so few may mislead
MOST_EACH = 10  # filters of one sort in one run; which ones is drawn anew each time

RECALLS, TEXTS, GOLDEN = "recalls", "texts", "golden"  # where queries come from


@dataclass(frozen=True, slots=True)
class Query:
    """A question as a vector, and where it comes from."""

    origin: str
    vector: Vector


@dataclass(slots=True)
class Tally:
    """What the searches through one sort of filter have found so far."""

    recalls: list[list[float]] = field(default_factory=list)  # of each filter
    origins: Counter[str] = field(default_factory=Counter)
    kept: list[int] = field(default_factory=list)  # rows of each filter
    by_index: int = 0
    seen: Compared | None = None  # one of them

    @property
    def recall(self) -> float | None:
        """The mean over the filters, however many queries each was asked."""
        every = [sum(of) / len(of) for of in self.recalls if of]
        return sum(every) / len(every) if every else None

    @property
    def worst(self) -> float | None:
        """The mean of the filter that fares worst."""
        return min((sum(of) / len(of) for of in self.recalls if of), default=None)


def measure(
    roads: Sequence[Road],
    queries: Sequence[Query],
    comparing: Comparing,
    dice: random.Random,
    keep: Callable[[], None],
) -> dict[str, Tally]:
    """Asks everywhere both ways and gives what was found, by the sort of filter."""
    found: dict[str, Tally] = {}
    for name, some in _in_turn(roads, dice).items():
        found[name] = tally = Tally()
        first = max(EACH_QUERIES, FIRST_QUERIES // len(some))
        for road in some:
            drawn = dice.sample(queries, len(queries))
            most = len(drawn) if name == EVERYTHING else min(first, len(drawn))
            got = _asked(road, drawn[:most], comparing, tally, keep)
            if got and sum(got) / len(got) < UNSURE:
                got += _asked(road, drawn[most:], comparing, tally, keep)
            tally.recalls.append(got)
            tally.kept.append(road.rows)
    return found


def _asked(
    road: Road,
    queries: Sequence[Query],
    comparing: Comparing,
    tally: Tally,
    keep: Callable[[], None],
) -> list[float]:
    """Asks through one filter and gives the recall of each query that has an answer."""
    got = []
    for query in queries:
        compared = comparing.compare(partial(road.ask, query.vector, CANDIDATES))
        recall = recall_of(compared)
        tally.seen = compared
        if recall is not None:
            got.append(recall)
            tally.origins[query.origin] += 1
            tally.by_index += compared.by_index
        keep()
    return got


def recall_of(compared: Compared) -> float | None:
    """Gives the share of the nearest ten that a search found; None where there is none to find.

    A row that is as near as the tenth counts as found, whichever of the two it is.
    """
    nearest = compared.exact[:AT]
    if not nearest:
        return None
    found = sum(score >= nearest[-1] - TIE for score in compared.near[:AT])
    return min(found, len(nearest)) / len(nearest)


def _in_turn(roads: Sequence[Road], dice: random.Random) -> dict[str, list[Road]]:
    """Chooses the filters of this run: of each sort so many, drawn anew each time."""
    sorts: dict[str, list[Road]] = {}
    for road in roads:
        sorts.setdefault(road.filter, []).append(road)
    return {name: dice.sample(some, min(MOST_EACH, len(some))) for name, some in sorts.items()}
