"""The time that each step of a search takes."""

import time


class Clock:
    """Measures the steps of a search."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """Notes the milliseconds since the last lap."""
        now = time.perf_counter()
        self.laps[name] = round((now - self._since) * 1000, 1)
        self._since = now
