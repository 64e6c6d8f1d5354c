"""How long a person waits for the first word of a fresh process."""

import statistics
import time
from typing import Any

from evaluation.homes import GOLDEN, run, throwaway_home
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

TIMES = 5  # the middle of five; the first of each warms the file cache and is not counted
QUESTION = "Why did we move from RabbitMQ to Kafka?"


def measure(times: int = TIMES) -> dict[str, str]:
    """Times --help, status and a first answer, each in processes of its own."""
    with throwaway_home() as home:
        cache = home.parent / "cache"
        where: dict[str, Any] = {
            "home": home,
            "KNOWWHY_CACHE": str(cache),
            "KNOWWHY_EMBEDDER": EMBEDDER,
        }
        run("ingest", "adr", GOLDEN / "adr", **where)
        without = []
        for _ in range(2):
            for file in sorted(cache.rglob("*"), reverse=True):
                file.unlink() if file.is_file() else file.rmdir()
            without.append(timed("search", QUESTION, **where))
        return {
            "knowwhy --help": middle(["--help"], times, where),
            "knowwhy status": middle(["status"], times, where),
            "first answer": middle(["search", QUESTION], times, where),
            "first answer, cache empty": f"{statistics.median(without):.2f} s",
        }


def middle(arguments: list[str], times: int, where: dict[str, Any]) -> str:
    """Gives the median of several runs, after one that is not counted."""
    seconds = [timed(*arguments, **where) for _ in range(times + 1)][1:]
    return f"{statistics.median(seconds):.2f} s (worst {max(seconds):.2f} s)"


def timed(*arguments: str, **where: Any) -> float:
    """Gives the seconds that a command takes."""
    began = time.perf_counter()
    run(*arguments, **where)
    return time.perf_counter() - began
