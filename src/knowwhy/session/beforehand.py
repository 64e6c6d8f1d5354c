"""Looks at something again and again while it is asked about, so that who asks need not."""

import logging
import threading
import time
import weakref
from collections.abc import Callable
from typing import TypeVar

from knowwhy.errors import Error

EVERY_SECONDS = 0.5  # a look may take as long again before what was seen is a second old
AWAKE_SECONDS = 60.0  # after the last question; then there is no thread until the next one

logger = logging.getLogger(__name__)
Seen = TypeVar("Seen")


class Beforehand:
    """A thread that looks while questions come; it ends with what it looks at."""

    def __init__(self, seen: Seen, look: Callable[[Seen], None]) -> None:
        self._seen, self._look = weakref.ref(seen), look
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked = 0.0  # seconds of the monotonic clock

    @property
    def is_awake(self) -> bool:
        """Tells whether the thread runs."""
        return self._thread is not None

    def asked(self) -> None:
        """Notes a question; the first one after a while wakes the thread."""
        with self._lock:
            self._asked = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="looking", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            time.sleep(EVERY_SECONDS)
            with self._lock:
                if time.monotonic() - self._asked > AWAKE_SECONDS or self._seen() is None:
                    self._thread = None
                    return
            try:
                self._look_once()
            except (Error, OSError) as error:  # who asks next is told so
                logger.debug("not looked at: %s", error)

    def _look_once(self) -> None:
        seen = self._seen()
        if seen is not None:
            self._look(seen)
