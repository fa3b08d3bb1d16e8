"""Workers that compute batches of runs: threads, processes, a Dask or a Ray cluster, all through joblib."""

import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from joblib import Parallel, cpu_count, delayed, parallel_config

from winnerstays.compiling import COMPILED
from winnerstays.errors import WinnerstaysError, extra

CONNECT_TIMEOUT = 8.0
"""Seconds to wait for a cluster to answer."""

RAY_ATTEMPTS = 3
"""Ray starts a server for each client, and on a busy machine that can take longer than its time limit."""


@dataclass(frozen=True)
class Workers:
    """How many workers there are, and whether they share this process's memory."""

    count: int
    threads: bool
    yields: bool = True
    """Whether results come one by one; otherwise they come in groups."""

    def each(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results of `function(*task)`, in the order in which they are ready."""
        try:
            yield from self._each(function, tasks)
        except (BrokenProcessPool, ImportError) as error:
            if self.threads:
                raise
            raise WinnerstaysError(
                f"A worker failed ({error}); the simulated code must be importable on every worker."
            ) from error

    def _each(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        if self.threads and self.count == 1 and COMPILED:  # in the main thread Ctrl-C waits for compiled code to return
            yield from (_in_a_thread(function, task) for task in tasks)
        elif self.yields:
            yield from Parallel(n_jobs=self.count, return_as="generator_unordered", batch_size=1)(
                delayed(function)(*task) for task in tasks
            )
        else:
            remaining = iter(tasks)
            while group := list(islice(remaining, 4 * self.count)):
                yield from Parallel(n_jobs=self.count)(delayed(function)(*task) for task in group)


def _in_a_thread(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    """Call a function in a thread, so that Ctrl-C need not wait for it."""
    ended: Future[Any] = Future()

    def call() -> None:
        try:
            ended.set_result(function(*task))
        except BaseException as error:
            ended.set_exception(error)

    Thread(target=call, daemon=True).start()
    return ended.result()


@contextmanager
def worker_pool(where: str | None = None, count: int | None = None) -> Iterator[Workers]:
    """Provide threads of this process (None), `processes`, a Dask scheduler (tcp://host:port), or Ray (ray://host:port)."""
    if where is None or where == "processes":
        with parallel_config(backend="threading" if where is None else "loky"):
            yield Workers(count or cpu_count(), threads=where is None)
    elif isinstance(where, str) and where.startswith(("tcp://", "tls://")):
        with _dask(where, count) as workers:
            yield workers
    elif isinstance(where, str) and where.startswith("ray://"):
        with _ray(where, count) as workers:
            yield workers
    else:
        raise WinnerstaysError(
            f"The cluster is {where!r}, but it must be tcp://host:port (Dask), ray://host:port (Ray) or processes."
        )


@contextmanager
def _dask(address: str, count: int | None) -> Iterator[Workers]:
    with extra("A Dask cluster", "cluster"):
        from distributed import Client
    _answers(address)
    try:
        client = Client(address, timeout=CONNECT_TIMEOUT, set_as_default=True)
    except (OSError, TimeoutError, ValueError) as error:
        raise _unreachable(address, error) from None
    with client:
        cores = sum(client.nthreads().values())
        if not cores:
            raise WinnerstaysError(
                f"The Dask cluster at {address} has no workers; start some with `dask worker {address}`."
            )
        with parallel_config(backend="dask"):
            yield Workers(count or cores, threads=False)


@contextmanager
def _ray(address: str, count: int | None) -> Iterator[Workers]:
    with extra("A Ray cluster", "cluster"):
        import ray
        from ray.util.joblib import register_ray
    _answers(address)
    for attempt in range(RAY_ATTEMPTS):
        try:
            session = ray.init(address, log_to_driver=False)
            break
        except (ConnectionError, OSError, TimeoutError, RuntimeError, ValueError) as error:
            ray.shutdown()
            if attempt == RAY_ATTEMPTS - 1:
                raise _unreachable(address, error) from None
    try:
        register_ray()
        with parallel_config(backend="ray"):
            yield Workers(count or max(1, int(ray.cluster_resources().get("CPU", 1))), threads=False, yields=False)
    finally:
        session.disconnect()


def _answers(address: str) -> None:
    """Fail within seconds if nobody listens there; the client libraries wait much longer."""
    try:
        place = urlsplit(address)
        socket.create_connection((place.hostname or "", place.port or 0), timeout=CONNECT_TIMEOUT).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, error: Exception) -> WinnerstaysError:
    return WinnerstaysError(
        f"The cluster at {address} cannot be reached ({error}); is it running, and is the address right?"
    )
