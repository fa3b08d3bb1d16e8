"""The metrics for Prometheus. Each of several workers writes to files of its own, and any of them adds all up."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from winnerstays.arena import StoreError, UnknownArenaError
from winnerstays.arena.local import LocalBackend

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the folder of these files; it must be set before this module is imported."""
MEDIA_TYPE = CONTENT_TYPE_LATEST
MAX_ARENAS = 100
"""So many arenas have metrics of their own."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_requests = Counter("winnerstays_requests", "Requests answered.", ["method", "route", "status"])
_seconds = Histogram("winnerstays_request_seconds", "Time to answer.", ["method", "route"], buckets=BUCKETS)
_served = Counter("winnerstays_duels_served", "Duels handed out, open ones asked for again included.")
_answers = Counter("winnerstays_answers", "Answers by what became of them.", ["status"])
_waiting = Gauge(
    "winnerstays_requests_waiting", "Requests being answered now, this one included.", multiprocess_mode="livesum"
)
_refused = Counter("winnerstays_refused", "Connections and requests refused before they were read.", ["reason"])


@cache
def _request(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return _requests.labels(method, route, str(status)), _seconds.labels(method, route)


@cache
def _answer(status: str) -> Counter:
    return _answers.labels(status)


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    requests, times = _request(method, route, status)
    requests.inc()
    times.observe(seconds)


def waiting() -> AbstractContextManager[object]:
    """Count a request as waiting as long as the context lasts."""
    return _waiting.track_inprogress()


def count_duels(number: int) -> None:
    _served.inc(number)


def count_answer(status: str) -> None:
    _answer(status).inc()


def count_refusal(reason: str) -> None:
    _refused.labels(reason).inc()


def collected() -> list[Metric]:
    """Return the metrics of this service, with their names and types."""
    return [metric for own in (_requests, _seconds, _waiting, _served, _answers, _refused) for metric in own.collect()]


class ArenaCollector:
    """Reads the metrics of each arena in the database when they are asked for."""

    def __init__(self, database: Callable[[], LocalBackend]) -> None:
        self._database = database

    def collect(self) -> Iterator[Metric]:
        events = CounterMetricFamily("winnerstays_arena_events", "Rows of the log of people.", labels=["arena", "kind"])
        silent = GaugeMetricFamily(
            "winnerstays_arena_silent_share", "Of the newest 100 visitors, those who chose nothing.", labels=["arena"]
        )
        age = GaugeMetricFamily("winnerstays_arena_model_age_seconds", "Age of the model.", labels=["arena"])
        with suppress(StoreError):  # without a database there are the metrics of the processes
            database = self._database()
            for settings in database.arenas()[:MAX_ARENAS]:
                with suppress(UnknownArenaError):  # deleted meanwhile
                    found = database.health(settings.name)
                    for kind, count in sorted(found.events.items()):
                        events.add_metric([settings.name, kind], count)
                    if found.visitors:
                        silent.add_metric([settings.name], found.silent / found.visitors)
                    if found.model_at is not None:
                        age.add_metric([settings.name], time.time() - found.model_at)
        yield from (events, silent, age)


def render(database: Callable[[], LocalBackend]) -> bytes:
    """Return the metrics of all workers, and of the arenas, in the text format of Prometheus."""
    registry: CollectorRegistry = REGISTRY
    if FOLDER in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    arenas = CollectorRegistry()
    arenas.register(ArenaCollector(database))
    return generate_latest(registry) + generate_latest(arenas)
