"""Recall@10 of the vector leg's searches of one table: what they find, of what is nearest."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

from knowwhy.health.judge import FLOOR
from knowwhy.retrieval.legs import CANDIDATES
from knowwhy.tables.vectors.both_ways import Compared, Comparing
from knowwhy.tables.vectors.roads import EVERYTHING, Road, Vector

AT = 10  # places
TIE = 1e-6  # of a cosine; rows as near as the tenth are as good as it
FIRST_QUERIES = 30  # through each sort of filter at least: 300 places
EACH_QUERIES = 10  # through each filter at least
UNSURE = 0.96  # recall of these few, below which all queries are asked: so few may mislead
STEADY = 7  # filters of one sort that every run asks, so that baselines compare like with like
DRAWN = 3  # others, drawn anew each time: in the end each is asked
MOST_LOW = 50  # filters below the floor that the next run asks again, the lowest of them

RECALLS, TEXTS, GOLDEN = "recalls", "texts", "golden"  # where queries come from


@dataclass(frozen=True, slots=True)
class Query:
    """A question as a vector, and where it comes from."""

    origin: str
    vector: Vector


@dataclass(slots=True)
class Tally:
    """What the searches through one sort of filter have found so far."""

    recalls: list[list[float]] = field(default_factory=list)  # of each filter, first the steady
    steady: int = 0  # filters that every run asks
    there: int = 0  # filters of this sort
    marks: list[str] = field(default_factory=list)  # of the filters, in their order
    origins: Counter[str] = field(default_factory=Counter)
    kept: list[int] = field(default_factory=list)  # rows of each filter
    by_index: int = 0
    seen: Compared | None = None  # one of them

    @property
    def recall(self) -> float | None:
        """The mean over the filters that every run asks, however many queries each was asked."""
        every = [sum(of) / len(of) for of in self.recalls[: self.steady] if of]
        return sum(every) / len(every) if every else None

    @property
    def worst(self) -> float | None:
        """The mean of the filter that fares worst."""
        return min((sum(of) / len(of) for of in self.recalls if of), default=None)

    @property
    def low(self) -> tuple[str, ...]:
        """The marks of the filters that are below the floor, the lowest first."""
        found = zip(self.recalls, self.marks, strict=True)
        every = sorted((sum(of) / len(of), mark) for of, mark in found if of)
        return tuple(mark for recall, mark in every if recall < FLOOR)[:MOST_LOW]


def measure(
    roads: Sequence[Road],
    queries: Sequence[Query],
    comparing: Comparing,
    seed: float,
    keep: Callable[[], None],
    again: Collection[str] = frozenset(),
) -> dict[str, Tally]:
    """Asks everywhere both ways and gives what was found, by the sort of filter.

    Filters with marks that are to be asked `again` are asked every question. The same `seed` asks
    the same of a sort of filter, whichever others are measured.
    """
    found: dict[str, Tally] = {}
    for name, every in _by_sort(roads).items():
        dice = random.Random(f"{seed} {name}")
        steady, others = _in_turn(every, dice, again)
        some = [*steady, *others]
        found[name] = tally = Tally(steady=len(steady), there=len(every))
        first = max(EACH_QUERIES, FIRST_QUERIES // len(some))
        for road in some:
            drawn = dice.sample(queries, len(queries))
            is_whole = name == EVERYTHING or road.mark in again
            most = len(drawn) if is_whole else min(first, len(drawn))
            got = _asked(road, drawn[:most], comparing, tally, keep)
            if got and sum(got) / len(got) < UNSURE:
                got += _asked(road, drawn[most:], comparing, tally, keep)
            tally.recalls.append(got)
            tally.marks.append(road.mark)
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


def _by_sort(roads: Sequence[Road]) -> dict[str, list[Road]]:
    sorts: dict[str, list[Road]] = {}
    for road in roads:
        sorts.setdefault(road.filter, []).append(road)
    return sorts


def _in_turn(
    every: Sequence[Road], dice: random.Random, again: Collection[str]
) -> tuple[list[Road], list[Road]]:
    """Chooses filters of one sort: those that every run asks, and those that this one does too.

    The steady ones are those with the most rows, of such as have about as many always the same.
    """
    ranked = sorted(every, key=lambda road: (-road.rows.bit_length(), road.mark))
    steady, others = ranked[:STEADY], ranked[STEADY:]
    low = [road for road in others if road.mark in again]
    left = [road for road in others if road.mark not in again]
    return steady, [*low, *dice.sample(left, min(DRAWN, len(left)))]
