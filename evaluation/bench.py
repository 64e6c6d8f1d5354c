"""Speed as ratios: `python -m evaluation.bench ingest|search|start|writers|turns|kills|mcp|…`.

Each run prints its figures as a table and the load of the machine beside them; ratios hold from one
machine to another, absolutes do not.
"""

import argparse
import json
import os
from collections.abc import Callable

from evaluation.benches import (
    clients,
    door,
    extraction_kills,
    ingest,
    kills,
    search,
    start,
    turns,
    writers,
)

BENCHES: dict[str, Callable[..., dict[str, str]]] = {
    "ingest": ingest.measure,
    "search": search.measure,
    "start": start.measure,
    "writers": writers.measure,
    "turns": turns.measure,
    "kills": kills.measure,
    "extraction-kills": extraction_kills.measure,
    "mcp": door.measure,
    "clients": clients.measure,
}


def main() -> None:
    """Runs one bench and prints its figures."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench", description=__doc__)
    parser.add_argument("bench", choices=BENCHES)
    parser.add_argument("--docs", nargs="+", help="docs.jsonl files instead of the golden corpus")
    parser.add_argument("--sizes", type=sizes, help="for search: passages, as in 1000,10000")
    parser.add_argument("--home", help="for search: keep the home there, and use it again")
    parser.add_argument("--times", type=int, help="how often, for the benches that repeat")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    figures = BENCHES[given.bench](**{k: v for k, v in vars(given).items() if v and k != "bench"})
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:<{width}}  {value}")
    print(f"{'load before / after':<{width}}  {before:.2f} / {os.getloadavg()[0]:.2f}")


def sizes(text: str) -> tuple[int, ...]:
    """Reads numbers of passages, smallest first."""
    return tuple(sorted(int(size) for size in text.split(",")))


if __name__ == "__main__":
    main()
