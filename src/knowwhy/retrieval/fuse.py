"""Weighted reciprocal rank fusion."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

RRF_K = 60  # Cormack et al. 2009; how little the very first ranks stand out


def fuse(
    rankings: Mapping[str, Sequence[Item]], weights: Mapping[str, float], k: int = RRF_K
) -> list[tuple[Item, float]]:
    """Merges rankings by the sum of weight / (k + rank), best first; equal sums keep leg order."""
    sums: dict[Item, float] = defaultdict(float)
    for leg, ranking in rankings.items():
        for rank, item in enumerate(ranking, start=1):
            sums[item] += weights.get(leg, 1.0) / (k + rank)
    return sorted(sums.items(), key=lambda pair: -pair[1])
