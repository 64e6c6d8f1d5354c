"""A clock for limits: on a machine that is slower by half, its seconds last twice as long."""

import time
from functools import cache

ADDITIONS = 1_000_000
USUAL = 0.08  # seconds for so many, taken as usual and not measured: the limits have room for that
TRIES = 3  # the fastest counts: the others were disturbed


def clock() -> float:
    """Gives the processor's seconds of this thread, as that machine would have counted them."""
    slowness = _slowness()  # measured before the clock is read
    return time.thread_time() / slowness


@cache
def _slowness() -> float:
    return max(1.0, min(_plain_loop() for _ in range(TRIES)) / USUAL)


def _plain_loop() -> float:
    began, total = time.thread_time(), 0
    for number in range(ADDITIONS):
        total += number
    return time.thread_time() - began
