"""What a server tells Prometheus: its searches, and how the home stands. No names, no texts."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from knowwhy.errors import Error
from knowwhy.mcp.caller import Serving

FRESH = 10.0  # seconds that what was read of the tables is told again: scrapers come each 15 s
# Seconds: a search takes 30 to 300 ms, its steps 1 to 100 ms, more on a machine that is loaded.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
COUNTED = ("records", "passages", "turns", "memories", "recalls")


class Measures:
    """The measures of one server, from its start."""

    def __init__(self, serving: Serving) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._registry.register(Home(serving))
        self._searches = Counter(
            "knowwhy_searches",
            "Searches, by the class of the question and whether anything answered.",
            ("question_class", "answered", "from_cache"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "knowwhy_search_seconds",
            "Time of a whole search.",
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._steps = Histogram(
            "knowwhy_search_step_seconds",
            "Time of each step of a search that was not answered from the cache.",
            ("step",),
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._empty = Counter(
            "knowwhy_search_legs_empty",
            "Searches in which a leg found nothing, by leg.",
            ("leg",),
            registry=self._registry,
        )
        self._refused = Counter(
            "knowwhy_http_refused",
            "What was refused over HTTP before it was a call.",
            ("why",),
            registry=self._registry,
        )
        self._connections = Gauge(
            "knowwhy_http_connections", "Connections over HTTP.", registry=self._registry
        )
        self._watching = False

    def counts(self, connections: Callable[[], int]) -> None:
        """Learns how connections are counted."""
        self._connections.set_function(connections)

    def refused(self, why: str) -> None:
        """Counts what was refused."""
        self._refused.labels(why).inc()

    def page(self, accept: str) -> tuple[bytes, str]:
        """Gives all measures in the form that is asked for, and its name."""
        encode, kind = choose_encoder(accept)
        return encode(self._registry), kind

    def watch(self) -> None:
        """Begins to count the searches of this process."""
        from knowwhy.retrieval.search import watch

        if not self._watching:
            self._watching = True
            watch(self.note)

    def note(self, answer: Any, seconds: float, was_known: bool) -> None:
        """Counts one search."""
        answered = "yes" if answer.knows else "no"
        known = "yes" if was_known else "no"
        self._searches.labels(answer.question_class, answered, known).inc()
        self._seconds.observe(seconds)
        if was_known:
            return
        for step, milliseconds in answer.milliseconds.items():
            self._steps.labels(step).observe(milliseconds / 1000)
        for leg, candidates in answer.legs.items():
            self._empty.labels(leg).inc(0 if candidates else 1)


class Home(Collector):
    """How the home stands, read from its tables when it is asked for."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._lock = threading.Lock()
        self._read: tuple[float, list[Metric]] = (float("-inf"), [])

    def describe(self) -> Iterable[Metric]:
        """Names nothing before it is asked for: that would open the home."""
        return []

    def collect(self) -> Iterable[Metric]:
        """Gives the measures, read a moment ago at most."""
        with self._lock:
            at, found = self._read
            if time.monotonic() - at > FRESH:
                found = list(self._measured())
                self._read = time.monotonic(), found
            return found

    def _measured(self) -> Iterator[Metric]:
        readable = GaugeMetricFamily("knowwhy_home_readable", "1 when the tables can be read.")
        try:
            yield from list(self._of_tables())
            readable.add_metric([], 1)
        except Error:
            readable.add_metric([], 0)
        yield readable

    def _of_tables(self) -> Iterator[Metric]:
        from knowwhy.mcp.warm import opened

        embedder = opened(self._serving.warm)
        from knowwhy.grounding import worker
        from knowwhy.grounding.learn import Learner
        from knowwhy.health import alarms
        from knowwhy.tables import direct
        from knowwhy.tables.homes import storage
        from knowwhy.tables.vectors import health_checks

        settings, now = self._serving.settings, datetime.now(UTC)
        paid = (settings.extractor, settings.extractor_model, settings.daily_dollars)
        left = worker.standing(Learner(embedder, *paid))
        backlog = {"turns": left.turns, "facts": left.facts, "given_up": left.failed}
        raised = {alarm.code: 1 for alarm in alarms.standing(settings, embedder, now)}
        rows = {name: direct.count(name) for name in COUNTED}
        yield _recall(health_checks.last_looks())
        yield _gauge("knowwhy_rows", "Rows as they are now, by table.", "table", rows)
        yield _gauge("knowwhy_backlog", "What waits to be learned from.", "what", backlog)
        yield _gauge("knowwhy_alarm", "1 for each alarm; see runbooks.", "code", raised)
        yield GaugeMetricFamily("knowwhy_alarms", "How many alarms there are.", len(raised))
        yield GaugeMetricFamily("knowwhy_disk_bytes", "The database.", storage.size())
        yield GaugeMetricFamily(
            "knowwhy_spent_today_dollars", "What paid models have cost.", left.spent_today
        )


def _recall(checks: Iterable[Any]) -> Metric:
    """Tells what the last look has measured; of a filter its sort, never whom it keeps."""
    labels = ["searched", "filtered_by"]
    found = GaugeMetricFamily(
        "knowwhy_recall_at_10", "Share of the ten nearest that is found.", labels=labels
    )
    for check in checks:
        if check.recall_at_10 is not None:
            found.add_metric([check.searched, check.filtered_by], check.recall_at_10)
    return found


def _gauge(name: str, about: str, label: str, values: dict[str, int]) -> Metric:
    found = GaugeMetricFamily(name, about, labels=[label])
    for value, number in values.items():
        found.add_metric([value], number)
    return found
