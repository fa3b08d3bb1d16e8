"""Where requests wait for the desk: what arrives together is done together, in one transaction.

Nothing waits for a timer: a transaction begins as soon as a turn of the event loop brings no further request. The event
loop does the work itself: handing it to a thread costs more than the work, because the two would fight for the
interpreter after every statement. Only when the store must be waited for, threads do it, for a while.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from winnerstays.arena import BusyError
from winnerstays.arena.group_commit import execute_groups as together
from winnerstays.arena.records import Request as Work
from winnerstays.arena.records import Result

Waiting = tuple[Sequence[Work], "asyncio.Future[list[Result]]"]
Perform = Callable[[list[Work]], list[Result]]
MOST_AT_ONCE = 1000
PATIENT_SECONDS = 1.0
"""So long threads do the work, after the store had to be waited for."""


class Line:
    """Requests in order of arrival: done now, by the event loop, or later, by so many threads, if that is BusyError."""

    def __init__(self, now: Perform, later: Perform, threads: int) -> None:
        self._now, self._later = now, later
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Waiting] = []
        self._called = False
        self._seen = 0
        self._free = threads
        self._threads = ThreadPoolExecutor(threads, "desk")
        self._patient_until = 0.0

    def perform(self, works: Sequence[Work]) -> "asyncio.Future[list[Result]]":
        """The results of these works, as soon as they are durable."""
        future: asyncio.Future[list[Result]] = self._loop.create_future()
        self._waiting.append((works, future))
        self._call()
        return future

    def _call(self) -> None:
        if not self._called:
            self._called = True
            self._loop.call_soon(self._serve)

    def _serve(self) -> None:
        if self._seen < len(self._waiting) < MOST_AT_ONCE:
            self._seen = len(self._waiting)
            self._loop.call_soon(self._serve)
            return
        self._called = False
        self._seen = 0
        while self._waiting and self._loop.time() >= self._patient_until:
            batch = self._take()
            outcomes = together(self._now, [works for works, _ in batch])
            busy = []
            for waiting, outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, BusyError):
                    busy.append(waiting)
                else:
                    _answer(waiting, outcome)
            if busy:
                self._waiting[:0] = busy
                self._patient_until = self._loop.time() + PATIENT_SECONDS
        while self._waiting and self._free:
            self._free -= 1
            self._threads.submit(self._work, self._take())

    def _work(self, batch: list[Waiting]) -> None:
        outcomes = together(self._later, [works for works, _ in batch])
        self._loop.call_soon_threadsafe(self._served, batch, outcomes)

    def _served(self, batch: list[Waiting], outcomes: list[list[Result] | Exception]) -> None:
        self._free += 1
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _answer(waiting, outcome)
        self._call()  # with those who ask again at once

    def _take(self) -> list[Waiting]:
        size = count = 0
        for works, _ in self._waiting:
            if count and size + len(works) > MOST_AT_ONCE:
                break
            size += len(works)
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    def close(self) -> None:
        """Wait for what is under way."""
        self._threads.shutdown()


def _answer(waiting: Waiting, outcome: list[Result] | Exception) -> None:
    _, future = waiting
    if future.done():
        return  # whoever asked is gone
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
