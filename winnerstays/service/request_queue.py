"""The queue of requests for the arenas: requests that arrive together share a transaction.

Nothing waits for a timer: a transaction begins as soon as a turn of the event loop brings no further request. The event
loop executes it itself: handing it to a thread costs more than the transaction, because the two would fight for the
interpreter after every statement. Only when the store must be waited for, threads execute, for a while.

Requests that take long in themselves (a large arena, one that was not read yet) have a thread of their own.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from winnerstays.arena import BusyError
from winnerstays.arena.engine.commit_queue import execute_groups
from winnerstays.arena.records import Request, Result

Execute = Callable[[list[Request]], list[Result]]
Waiting = tuple[Sequence[Request], "asyncio.Future[list[Result]]"]
MAX_TRANSACTION = 1000
"""A transaction has this many requests at most, unless they were sent together."""
BUSY_SECONDS = 1.0
"""Threads execute for this long after the store had to be waited for."""


class RequestQueue:
    """Executes requests in order of arrival.

    The event loop calls `execute_now`; where that raises BusyError, one of `threads` threads calls `execute`.
    """

    def __init__(
        self,
        execute_now: Execute,
        execute: Execute,
        threads: int,
        busy_seconds: float = BUSY_SECONDS,
        takes_long: Callable[[Sequence[Request]], bool] = lambda _: False,
    ) -> None:
        self._execute_now, self._execute, self._takes_long = execute_now, execute, takes_long
        self._busy_seconds = busy_seconds
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Waiting] = []
        self._scheduled = False
        self._seen = 0
        """This many were waiting in the turn before; if more are now, still others may be about to come."""
        self._free_threads = threads
        self._threads = ThreadPoolExecutor(threads, "requests")
        self._busy_until = 0.0
        self._slow_thread = ThreadPoolExecutor(1, "slow-requests")
        self._slow_requests = 0
        """How many wait for that thread, or are executed by it; it may hold the store, which others then wait for."""

    def execute(self, requests: Sequence[Request]) -> "asyncio.Future[list[Result]]":
        """Return the results of these requests, once they are durable."""
        future: asyncio.Future[list[Result]] = self._loop.create_future()
        if self._takes_long(requests):
            self._slow_requests += 1
            self._slow_thread.submit(self._run_slowly, (requests, future))
        else:
            self._waiting.append((requests, future))
            self._schedule()
        return future

    def close(self) -> None:
        """Wait for what is under way."""
        self._threads.shutdown()
        self._slow_thread.shutdown()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        if self._seen < len(self._waiting) < MAX_TRANSACTION:
            self._seen = len(self._waiting)
            self._loop.call_soon(self._run)
            return
        self._scheduled = False
        self._seen = 0
        while self._waiting and not self._slow_requests and self._loop.time() >= self._busy_until:
            self._run_in_loop(self._take())
        while self._waiting and self._free_threads:
            self._free_threads -= 1
            self._threads.submit(self._run_in_thread, self._take())

    def _run_in_loop(self, batch: list[Waiting]) -> None:
        busy = []
        outcomes = execute_groups(self._execute_now, [requests for requests, _ in batch])
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, BusyError):
                busy.append(waiting)
            else:
                _resolve(waiting, outcome)
        if busy:
            self._waiting[:0] = busy
            self._busy_until = self._loop.time() + self._busy_seconds

    def _run_in_thread(self, batch: list[Waiting]) -> None:
        outcomes = execute_groups(self._execute, [requests for requests, _ in batch])
        self._loop.call_soon_threadsafe(self._thread_done, batch, outcomes)

    def _run_slowly(self, waiting: Waiting) -> None:
        (outcome,) = execute_groups(self._execute, [waiting[0]])
        self._loop.call_soon_threadsafe(self._slow_done, waiting, outcome)

    def _slow_done(self, waiting: Waiting, outcome: list[Result] | Exception) -> None:
        self._slow_requests -= 1
        _resolve(waiting, outcome)
        self._schedule()

    def _thread_done(self, batch: list[Waiting], outcomes: list[list[Result] | Exception]) -> None:
        self._free_threads += 1
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _resolve(waiting, outcome)
        self._schedule()  # together with whoever asks again at once

    def _take(self) -> list[Waiting]:
        """Take as many from the front of the queue as fit into one transaction, but at least one."""
        size = count = 0
        for requests, _ in self._waiting:
            if count and size + len(requests) > MAX_TRANSACTION:
                break
            size += len(requests)
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch


def _resolve(waiting: Waiting, outcome: list[Result] | Exception) -> None:
    _, future = waiting
    if future.done():
        return  # whoever asked is gone
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
