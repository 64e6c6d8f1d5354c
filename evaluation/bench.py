"""Speed as ratios: `python -m evaluation.bench ingest|start|writers|kills`.

Each run prints its figures as a table and the load of the machine beside them; ratios hold from one
machine to another, absolutes do not.
"""

import argparse
import os
from collections.abc import Callable

from evaluation.benches import ingest, kills, start, writers

BENCHES: dict[str, Callable[..., dict[str, str]]] = {
    "ingest": ingest.measure,
    "start": start.measure,
    "writers": writers.measure,
    "kills": kills.measure,
}


def main() -> None:
    """Runs one bench and prints its figures."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench", description=__doc__)
    parser.add_argument("bench", choices=BENCHES)
    parser.add_argument("--docs", help="a docs.jsonl to ingest instead of the golden corpus")
    parser.add_argument("--times", type=int, help="how often, for the benches that repeat")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    figures = BENCHES[given.bench](**{k: v for k, v in vars(given).items() if v and k != "bench"})
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:<{width}}  {value}")
    print(f"{'load before / after':<{width}}  {before:.2f} / {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
