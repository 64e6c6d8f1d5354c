"""Whether reading costs in proportion to the length: ratios within one run, never seconds."""

import time
from collections.abc import Callable
from typing import Any

SMALL, LARGE = 25_000, 200_000  # characters
BOUND = 24  # times the cost for eight times the text: what is quadratic takes up to 64 times
TRIES = 3  # a machine that others share is three times slower in one minute than in the next
BRIEF = 0.05  # seconds: what reads the long text in this is not worth a ratio


def run_of(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Gives texts by their length: a piece again and again, between a beginning and an end."""
    return lambda length: before + piece * (length // len(piece)) + after


def assert_linear(
    read: Callable[[Any], object],
    text: str | Callable[[int], Any],
    small: int = SMALL,
    large: int = LARGE,
) -> None:
    """Fails where a longer text costs far more than its length, given a piece or text by length.

    No two texts are the same, as some readers keep what they have read. Instead of a text it may be
    anything of some size, such as many records.
    """
    make = run_of(text) if isinstance(text, str) else text
    bound = BOUND * (large / small) / (LARGE / SMALL)
    read(make(small // 10))
    ratios = []
    for scale in (1 - tried / 20 for tried in range(TRIES)):
        short = _seconds(read, make(int(small * scale)))
        long = _seconds(read, make(int(large * scale)))
        short = max(short, _seconds(read, make(int(small * (scale - 0.02)))))
        if long < BRIEF or long < bound * short:
            return
        ratios.append(long / short)
    raise AssertionError(f"{large / small:g} times the text cost {min(ratios):.0f} times as much")


def _seconds(read: Callable[[Any], object], text: object) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began
