"""A clock for limits: where the machine is slower, its seconds last longer."""

import threading
import time

ADDITIONS = 200_000
USUAL = 0.016  # seconds for so many, taken as usual and not measured: the limits have room for that
TRIES = 3  # the fastest counts: the others were disturbed

_last = threading.local()  # when each thread has looked, what it was told, how slow it was then


def clock() -> float:
    """Gives the processor's seconds of this thread, as a usual machine would have counted them.

    A machine that others share is three times slower in one minute than in the next: between two
    looks it counts as slow as at the slower of both.
    """
    raw, slowness = time.thread_time(), _slowness()
    before = getattr(_last, "look", (raw, 0.0, slowness))
    told = before[1] + (raw - before[0]) / max(slowness, before[2])
    _last.look = (time.thread_time(), told, slowness)
    return told


def _slowness() -> float:
    return max(1.0, min(_plain_loop() for _ in range(TRIES)) / USUAL)


def _plain_loop() -> float:
    began, total = time.thread_time(), 0
    for number in range(ADDITIONS):
        total += number
    return time.thread_time() - began
