"""How good a ranking is: shares of what should be found, and how early."""

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

NAMES = ("P@5", "R@5", "R@10", "hit@5", "MRR@10", "nDCG@10")
DEEPEST = 10  # ranks that any figure looks at


def of_question(ranked: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Gives the figures of one ranking; recall is the share of all that is relevant."""
    found = [name in relevant for name in ranked[:DEEPEST]]
    gain = sum(hit / math.log2(rank + 2) for rank, hit in enumerate(found))
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEEPEST, len(relevant))))
    first = next((rank for rank, hit in enumerate(found, start=1) if hit), None)
    return {
        "P@5": sum(found[:5]) / 5,
        "R@5": sum(found[:5]) / len(relevant),
        "R@10": sum(found) / len(relevant),
        "hit@5": float(any(found[:5])),
        "MRR@10": 1 / first if first else 0.0,
        "nDCG@10": gain / ideal,
    }


def mean(rows: Iterable[dict[str, float]]) -> dict[str, float]:
    """Averages figures over questions; every question counts the same."""
    rows = list(rows)
    return {name: sum(row[name] for row in rows) / len(rows) for name in NAMES} if rows else {}


def percentile(milliseconds: Sequence[float], share: float) -> float:
    """Gives the time within which a share of the questions were answered."""
    return float(np.percentile(milliseconds, share * 100)) if milliseconds else 0.0


def without(ranked: Iterable[str], excluded: Collection[str]) -> list[str]:
    """Drops what may not count, and all but the first of what comes twice."""
    return [name for name in dict.fromkeys(ranked) if name not in excluded]
