"""Speed as ratios: `python -m evaluation.bench ingest|search|start|writers|turns|kills|mcp|…`.

Each run prints its figures as a table and the load and pace of the machine beside them; ratios hold
from one machine to another, absolutes do not.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping

from evaluation.benches import (
    audit,
    backups,
    clients,
    door,
    extraction_kills,
    handoffs,
    health,
    http_crowd,
    ingest,
    kills,
    night,
    night_crowd,
    night_kills,
    reembedding,
    registries,
    search,
    session_memory,
    start,
    turns,
    writers,
)

BENCHES: dict[str, Callable[..., dict[str, str]]] = {
    "ingest": ingest.measure,
    "search": search.measure,
    "session": session_memory.measure,
    "start": start.measure,
    "writers": writers.measure,
    "turns": turns.measure,
    "kills": kills.measure,
    "extraction-kills": extraction_kills.measure,
    "mcp": door.measure,
    "clients": clients.measure,
    "http-crowd": http_crowd.measure,
    "health": health.measure,
    "night": night.measure,
    "night-crowd": night_crowd.measure,
    "night-kills": night_kills.measure,
    "reembed": reembedding.measure,
    "backups": backups.measure,
    "handoffs": handoffs.measure,
    "audit": audit.measure,
    "registries": registries.measure,
}

FAULTS = "faults"  # ends the names of counts that must be 0


def main() -> None:
    """Runs one bench and prints its figures; a fault in them is the exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench", description=__doc__)
    parser.add_argument("bench", choices=BENCHES)
    parser.add_argument("--docs", nargs="+", help="docs.jsonl files instead of the golden corpus")
    parser.add_argument("--sizes", type=sizes, help="passages, as in 1000,10000, where it matters")
    parser.add_argument("--home", help="keep the home there, and use it again")
    parser.add_argument("--passages", type=int, help="for reembed: how many the home has")
    parser.add_argument("--times", type=int, help="how often, for the benches that repeat")
    parser.add_argument(
        "--seconds", type=int, help="for clients and http-crowd: how long they work"
    )
    parser.add_argument("--clients", type=int, help="for clients and handoffs: how many")
    parser.add_argument("--over", choices=clients.CLIENTS, help="for clients: only this way")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = vars(parser.parse_args())
    bench, as_json = given.pop("bench"), given.pop("json")
    before, paces = os.getloadavg()[0], [pace()]
    figures = BENCHES[bench](**{name: value for name, value in given.items() if value})
    figures["load before / after"] = f"{before:.2f} / {os.getloadavg()[0]:.2f}"
    paces.append(pace())
    figures["a million additions before / after"] = " / ".join(f"{took:.0f} ms" for took in paces)
    show(figures, as_json=as_json)
    if any(name.endswith(FAULTS) and value != "0" for name, value in figures.items()):
        raise SystemExit(1)


def pace() -> float:
    """Times a plain loop, by which figures of two machines, or of two hours, can be compared."""
    began, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number
    return (time.process_time() - began) * 1000


def show(figures: Mapping[str, str], *, as_json: bool) -> None:
    """Prints figures as a table, or as one JSON object."""
    if as_json:
        print(json.dumps(figures, indent=1, ensure_ascii=False))
        return
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:<{width}}  {value}")


def sizes(text: str) -> tuple[int, ...]:
    """Reads numbers of passages, smallest first."""
    return tuple(sorted(int(size) for size in text.split(",")))


if __name__ == "__main__":
    main()
