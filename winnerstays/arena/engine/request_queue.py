"""The event loop's side of the queue of requests: what arrives together shares a transaction.

Nothing waits for a timer: a transaction begins as soon as a turn of the event loop brings no further request. The event
loop executes it itself: handing it to a thread costs more than the transaction, because the two would fight for the
interpreter after every statement. Only when the store must be waited for, threads execute, for a while.

Requests that take long in themselves (a large arena, one that was not read yet) have a thread of their own.

An application that has other things to do in its event loop has threads execute everything (`in_loop=False`).
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf

from winnerstays.arena.engine.commit_queue import MAX_REQUESTS, CommitQueue
from winnerstays.arena.records import Request, Result

BUSY_SECONDS = 1.0
"""Threads execute for this long after the store had to be waited for."""


class RequestQueue:
    """Executes requests in order of arrival: in the event loop, or in threads while the store must be waited for."""

    def __init__(
        self,
        queue: CommitQueue[Request, Result],
        busy_seconds: float = BUSY_SECONDS,
        takes_long: Callable[[Sequence[Request]], bool] = lambda _: False,
        *,
        in_loop: bool = True,
    ) -> None:
        """`in_loop` if the event loop may execute requests itself, which takes some milliseconds at most."""
        self._queue, self._takes_long = queue, takes_long
        self._busy_seconds = busy_seconds
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._scheduled = False
        self._seen = 0
        """This many were waiting in the turn before; if more are now, still others may be about to come."""
        self._free_threads = queue.writers
        self._threads = ThreadPoolExecutor(queue.writers, "requests")
        self._busy_until = 0.0 if in_loop else inf
        self._slow_thread = ThreadPoolExecutor(1, "slow-requests")
        self._slow_requests = 0
        """How many wait for that thread, or are executed by it; it may hold the store, which others then wait for."""

    def execute(self, requests: Sequence[Request]) -> "asyncio.Future[list[Result]]":
        """Return the results of these requests, once they are durable."""
        future: asyncio.Future[list[Result]] = self._loop.create_future()
        if self._takes_long(requests):
            self._slow_requests += 1
            slow = self._loop.run_in_executor(self._slow_thread, self._queue.run, requests)
            slow.add_done_callback(partial(self._slow_done, future))
        else:
            self._queue.add(requests, partial(self._answer, future))
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
        if self._seen < self._queue.waiting < MAX_REQUESTS:
            self._seen = self._queue.waiting
            self._loop.call_soon(self._run)
            return
        self._scheduled = False
        self._seen = 0
        while self._queue.waiting and not self._slow_requests and self._loop.time() >= self._busy_until:
            if not self._queue.lead_now():
                self._busy_until = self._loop.time() + self._busy_seconds
        while self._queue.waiting and self._free_threads:
            self._free_threads -= 1
            led = self._loop.run_in_executor(self._threads, self._queue.lead, self._queue.take())
            led.add_done_callback(self._thread_done)

    def _answer(self, future: "asyncio.Future[list[Result]]", outcome: list[Result] | BaseException) -> None:
        if threading.get_ident() == self._thread:
            _resolve(future, outcome)
        else:
            self._loop.call_soon_threadsafe(_resolve, future, outcome)

    def _slow_done(self, future: "asyncio.Future[list[Result]]", slow: "asyncio.Future[list[Result]]") -> None:
        self._slow_requests -= 1
        _resolve(future, slow.exception() or slow.result())
        self._schedule()

    def _thread_done(self, _: "asyncio.Future[None]") -> None:
        self._free_threads += 1
        self._schedule()  # together with whoever asks again at once


def _resolve(future: "asyncio.Future[list[Result]]", outcome: list[Result] | BaseException) -> None:
    if future.done():
        return  # whoever asked is gone
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
