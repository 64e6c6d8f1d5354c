"""Recall@10 of the vector leg's searches of one table: what they find, of what is nearest."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from knowwhy.retrieval.legs import CANDIDATES
from knowwhy.tables.both_ways import Compared, Comparing
from knowwhy.tables.roads import EVERYTHING, SHARES, Road, Vector

AT = 10  # places
TIE = 1e-6  # of a cosine; rows as near as the tenth are as good as it
SHARE_QUERIES = 30  # of each share of the rows: 300 places
EACH_QUERIES = 10  # of each project, user and kind: 100 places
MOST_EACH = 10  # filters of one sort in one run; all of them come in turn

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
        """The mean over all searches."""
        every = [recall for of in self.recalls for recall in of]
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
    for road in _in_turn(roads, dice):
        tally = found.setdefault(road.filter, Tally())
        tally.recalls.append([])
        tally.kept.append(road.rows)
        for query in _some(queries, road, dice):
            compared = comparing.compare(partial(road.ask, query.vector, CANDIDATES))
            tally.seen = compared
            recall = recall_of(compared)
            if recall is not None:
                tally.recalls[-1].append(recall)
                tally.origins[query.origin] += 1
                tally.by_index += compared.by_index
        keep()
    return found


def recall_of(compared: Compared) -> float | None:
    """Gives the share of the nearest ten that a search found; None where there is none to find.

    A row that is as near as the tenth counts as found, whichever of the two it is.
    """
    nearest = compared.exact[:AT]
    if not nearest:
        return None
    found = sum(score >= nearest[-1] - TIE for score in compared.near[:AT])
    return min(found, len(nearest)) / len(nearest)


def _in_turn(roads: Sequence[Road], dice: random.Random) -> list[Road]:
    """Chooses the filters of this run: of each sort so many, drawn anew each time."""
    sorts: dict[str, list[Road]] = {}
    for road in roads:
        sorts.setdefault(road.filter, []).append(road)
    return [
        road for some in sorts.values() for road in dice.sample(some, min(MOST_EACH, len(some)))
    ]


def _some(queries: Sequence[Query], road: Road, dice: random.Random) -> list[Query]:
    if road.filter == EVERYTHING:
        return list(queries)
    is_share = road.filter in {f"keeps {share:.0%}" for share in SHARES}
    most = SHARE_QUERIES if is_share else EACH_QUERIES
    return dice.sample(queries, min(most, len(queries)))
