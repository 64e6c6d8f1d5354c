"""Looks at something again and again while it is asked about, so that who asks need not."""

import logging
import threading
import time
import weakref
from collections.abc import Callable
from typing import TypeVar

from knowwhy.errors import Error

EVERY_SECONDS = 0.5  # a look may take as long again before what was seen is a second old;
# twice as long after each look that nobody has asked before, so that an idle minute costs nothing
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
        self._again = threading.Event()  # somebody has asked since the last look

    @property
    def is_awake(self) -> bool:
        """Tells whether the thread runs."""
        return self._thread is not None

    def asked(self) -> None:
        """Notes a question; the first one after a while wakes the thread."""
        with self._lock:
            self._asked = time.monotonic()
            self._again.set()
            if self._thread is None:
                self._again.clear()  # the thread begins with this question
                self._thread = threading.Thread(target=self._run, name="looking", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        pause = EVERY_SECONDS
        while True:
            looked = time.monotonic()
            if self._again.wait(pause):
                time.sleep(max(0.0, looked + EVERY_SECONDS - time.monotonic()))
                pause = EVERY_SECONDS
            else:
                pause *= 2
            self._again.clear()
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
