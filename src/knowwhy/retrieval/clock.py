"""The time that each step of a search takes."""

import time


class Clock:
    """Measures the steps of a search."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """Adds the milliseconds since the last lap to those of a step, which may come again."""
        now = time.perf_counter()
        self.laps[name] = round(self.laps.get(name, 0.0) + (now - self._since) * 1000, 1)
        self._since = now
