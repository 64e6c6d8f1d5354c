"""Opens the home and loads the models beside the first words with the client."""

import logging
import threading
from concurrent.futures import Future

from knowwhy.config import DEFAULT_EMBEDDER, Settings
from knowwhy.errors import Error

logger = logging.getLogger(__name__)


class Warm:
    """A home on its way to being ready; whoever needs it waits."""

    def __init__(self, settings: Settings, *, learns: bool = True) -> None:
        self.settings = settings
        self._learns = learns
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._running: object = None
        self._closed = False
        self.opened: Future[str] = Future()  # gives the embedder once tables can be used
        self.ready: Future[None] = Future()  # once models and indexes are loaded, or cannot be

    @property
    def embedder(self) -> str:
        """The embedder of the home's vectors, which may have been changed since it was opened."""
        self.opened.result()
        from knowwhy.tables.vectors import holders

        return holders.embedder()

    def start(self) -> None:
        """Begins to open the home in a thread, unless that is under way or done."""
        with self._lock:
            failed = self.opened.done() and self.opened.exception() is not None
            if self._closed or (self._thread is not None and not failed):
                return
            if failed:  # another try, for whoever asks now
                self.opened, self.ready = Future(), Future()
            self._thread = threading.Thread(target=self._open, name="opening", daemon=True)
            self._thread.start()

    def close(self, wait: float) -> None:
        """Lets the worker end what it is at."""
        with self._lock:
            self._closed = True
            running, self._running = self._running, None
        if running is not None:
            running.stop(wait)  # type: ignore[attr-defined]

    def _open(self) -> None:
        opened, ready = self.opened, self.ready
        from knowwhy import models as _  # noqa: F401 - imported by this thread, not by both

        early = threading.Thread(target=self._load_early, name="models", daemon=True)
        try:
            early.start()
            opened.set_result(self._connect())
        except Exception as error:
            if not isinstance(error, Error):
                logger.exception("the home cannot be opened")
                error = Error(f"The home cannot be opened: {type(error).__name__}.")
            opened.set_exception(error)
            ready.set_result(None)
            return
        try:
            early.join()
            self._load(opened.result())
        except Exception as error:  # a search says what is missing when it meets it
            logger.warning("the models are not ready: %s", error, exc_info=not _is_ours(error))
        ready.set_result(None)
        self._learn()

    def _load_early(self) -> None:
        """Loads the models that this home most likely has, while Pixeltable is imported."""
        from knowwhy import models

        models.set_cache_dir(self.settings.cache)
        models.set_threads(self.settings.threads)
        try:
            models.load_early(self.settings.embedder or DEFAULT_EMBEDDER, self.settings.reranker)
        except Exception as error:  # noqa: BLE001 - tried again once the home is open, told then
            logger.info("the models were not loaded early: %s", error)

    def _connect(self) -> str:
        # All that tools import is imported here, by one thread, before any of them runs.
        from knowwhy.graph import live  # noqa: F401
        from knowwhy.grounding import worker  # noqa: F401
        from knowwhy.retrieval import search  # noqa: F401
        from knowwhy.tables.connect import connect

        found = connect(self.settings)
        for note in found.notes:
            logger.warning("%s", note)
        from knowwhy.grounding.checkpoints import finish_begun

        finish_begun()
        return found.embedder

    def _load(self, embedder: str) -> None:
        from knowwhy import models
        from knowwhy.graph import live
        from knowwhy.retrieval.words import bm25

        bm25.current()
        live.current()
        reranker, _ = models.fallback_reranker(self.settings.reranker)
        models.load(embedder, reranker)

    def _learn(self) -> None:
        """Starts what learns from conversations; one process a home does it, the others wait."""
        from knowwhy.grounding import worker
        from knowwhy.grounding.learn import Learner

        with self._lock:
            if self._closed or not self._learns:
                return
            settings = self.settings
            how = Learner(
                self.opened.result(),
                settings.extractor,
                settings.extractor_model,
                settings.daily_dollars,
                settings.max_pending,
            )
            self._running = worker.start(how)


def _is_ours(error: Exception) -> bool:
    return isinstance(error, Error)


def opened(warm: Warm) -> str:
    """Waits, in a thread, until tables can be used; gives the embedder."""
    warm.start()
    return warm.opened.result()
