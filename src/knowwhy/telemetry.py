"""What is asked and what it gave: one row a search, written off the answer's path.

Rows wait in memory and are written by a thread of their own, some at a time; what waits at the end
of the process is written then, after its output. A write that fails costs rows, never an answer.
"""

import atexit
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from knowwhy.tables import write
from knowwhy.tables.talk.turns import safe_name
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Recall

BATCH = 50  # rows written at once, however young: an insert costs 20 ms, not 20 ms each
AGE_SECONDS = 2.0  # of the oldest row that waits; what a kill loses
WAITING_AT_MOST = 5_000  # rows while the store is busy: a few MB; then the oldest are given up
CLOSING_SECONDS = 5.0  # that the end of a process waits for a write that is under way

logger = logging.getLogger(__name__)


class Notebook:
    """Rows on their way to a table."""

    def __init__(self, put: Callable[[Sequence[Recall]], None]) -> None:
        self._put = put
        self._waiting: deque[tuple[float, Recall]] = deque(maxlen=WAITING_AT_MOST)
        self._moved = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._complained = False

    def add(self, recall: Recall) -> None:
        """Queues a row and returns at once."""
        with self._moved:
            self._waiting.append((time.monotonic(), recall))
            self._moved.notify()
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="recalls", daemon=True)
                self._thread.start()

    def flush(self, wait: float = -1) -> None:
        """Writes what waits, here and now; -1 waits as long as another write takes."""
        if not self._writing.acquire(timeout=wait):
            return
        try:
            while batch := self._take():
                self._try(batch)
        finally:
            self._writing.release()

    def close(self) -> None:
        """Writes what waits, at the end of the process."""
        with self._moved:
            self._closed = True
            self._moved.notify()
        self.flush(CLOSING_SECONDS)

    def _run(self) -> None:
        while self._is_due():
            self.flush()

    def _is_due(self) -> bool:
        """Waits for enough rows or an old one; tells False at the end of the process."""
        with self._moved:
            while not self._closed:
                if len(self._waiting) >= BATCH:
                    return True
                left = None
                if self._waiting:
                    left = self._waiting[0][0] + AGE_SECONDS - time.monotonic()
                    if left <= 0:
                        return True
                self._moved.wait(left)
        return False

    def _take(self) -> list[Recall]:
        with self._moved:
            most = min(BATCH, len(self._waiting))
            return [self._waiting.popleft()[1] for _ in range(most)]

    def _try(self, batch: Sequence[Recall]) -> None:
        try:
            self._put(batch)
        except Exception as error:  # a search has been answered; nothing here may undo that
            if not self._complained:
                self._complained = True
                logger.warning("what is asked is not being noted: %s", error)
            logger.debug("%d recalls are lost", len(batch), exc_info=True)


def note(recall: Recall) -> str:
    """Queues the row of a search and gives its key, by which its hits can be judged later."""
    if not _registered.is_set():
        _registered.set()
        atexit.register(notebook.close)
    notebook.add(recall)
    return recall.key


def flush() -> None:
    """Writes what waits before it returns."""
    notebook.flush()


def store(recalls: Sequence[Recall]) -> None:
    """Appends rows to the table of recalls, without the secrets that a question may hold."""
    write.append("recalls", [row_of(recall) for recall in recalls])


def row_of(recall: Recall) -> dict[str, Any]:
    """Gives a row as it is stored."""
    row = asdict(recall) | {
        "question": redact(recall.question),
        "result_keys": list(recall.result_keys),
        "result_count": len(recall.result_keys),
    }
    row |= {name: safe_name(row[name]) for name in ("user_id", "project", "agent_id", "session_id")}
    return row | {name: _plain(row[name]) for name in ("weights", "ranks", "packed")}


def _plain(value: Any) -> Any:
    """Gives a value as JSON has it, whatever kind of mapping it came as."""
    return None if value is None else json.loads(json.dumps(value, default=str))


notebook = Notebook(store)
_registered = threading.Event()
