"""Whether reading costs as much more as the text is longer: ratios within one run, never seconds."""

import time
from collections.abc import Callable

SMALL, LARGE = 25_000, 200_000  # characters
BOUND = 24  # times the cost for eight times the text: what is quadratic takes up to 64 times
TRIES = 3  # a machine that others share is three times slower in one minute than in the next
BRIEF = 0.05  # seconds: what reads the long text in this is not worth a ratio


def assert_linear(
    read: Callable[[str], object],
    text: str | Callable[[int], str],
    small: int = SMALL,
    large: int = LARGE,
) -> None:
    """Fails where a longer text costs far more than its length, given a piece or text by length.

    No two texts are the same, as some readers keep what they have read.
    """
    make = text if callable(text) else lambda length: text * (length // len(text))
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


def _seconds(read: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began
