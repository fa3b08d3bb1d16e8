"""Group commit: requests that wait at the same time, of threads and of an event loop, share one transaction.

A thread that finds a free writer leads: it executes the requests of all that wait, its own included; what arrives
meanwhile is left to the next leader. Threads that were just answered mostly come back at once: a leader waits for them,
for microseconds and only as long as they keep coming, because a commit costs far more.

An event loop leads itself while nobody else does: handing a transaction to a thread costs more than the transaction,
because the two would fight for the interpreter after every statement. While the store must be waited for, threads lead.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from typing import Generic, TypeVar

from winnerstays.arena.errors import BusyError, StoreError

Request = TypeVar("Request")
Result = TypeVar("Result")
MAX_REQUESTS = 1000
"""A transaction has this many requests at most, unless they were sent together."""
PAUSE_SECONDS = 20e-6
BUSY_SECONDS = 1.0
"""For this long after the store had to be waited for, an event loop does not lead."""


class _Job(Generic[Request, Result]):
    """Requests that were sent together, and what became of them."""

    __slots__ = ("done", "leads", "outcome", "requests", "wake")

    def __init__(
        self, requests: Sequence[Request], done: Callable[[list[Result] | BaseException], None] | None = None
    ) -> None:
        """`done` is called with the outcome; without it, a thread waits."""
        self.requests = requests
        self.outcome: list[Result] | BaseException = []
        self.done = done
        self.leads = False
        self.wake = threading.Lock()
        self.wake.acquire()

    def finish(self) -> None:
        """Tell whoever waits."""
        if self.done is not None:
            self.done(self.outcome)
        else:
            self.wake.release()


class CommitQueue(Generic[Request, Result]):
    """Calls `execute` with all requests that wait together, for threads that wait in at most `writers` at once."""

    def __init__(
        self,
        execute: Callable[[list[Request]], list[Result]],
        writers: int,
        execute_now: Callable[[list[Request]], list[Result]] | None = None,
    ) -> None:
        """`execute_now` is for a thread that has no time to wait: BusyError if it would have to."""
        self.writers = writers
        self._execute = execute
        self._execute_now = execute_now or execute
        self.leaders = 0
        """The threads that lead."""
        self._expected = 1
        """About how many threads come at the same time."""
        self._queue: list[_Job[Request, Result]] = []
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many wait for somebody to lead."""
        with self._lock:
            return sum(not job.leads for job in self._queue)

    def run(self, requests: Sequence[Request]) -> list[Result]:
        """Return the results of these requests, in their order, after the transaction that holds them has ended.

        Without requests, the thread may still lead, and so execute those of others.
        """
        job: _Job[Request, Result] = _Job(requests)
        with self._lock:
            self._queue.append(job)
            if self.leaders < self.writers:
                self.leaders += 1
                job.leads = True
        if not job.leads:
            try:
                job.wake.acquire()
            except BaseException:
                self._abandon(job)
                raise
        if job.leads:
            self._lead(job)
        if isinstance(job.outcome, BaseException):
            raise job.outcome
        return job.outcome

    def add(self, requests: Sequence[Request], done: Callable[[list[Result] | BaseException], None]) -> None:
        """Let requests wait for a leader; `done` is then called with their results or their error."""
        with self._lock:
            self._queue.append(_Job(requests, done))

    def lead_now(self) -> bool:
        """Execute what waits without waiting for the store; False if it must be waited for, and nothing was done."""
        batch = self._take()
        self._execute_batch(batch, self._execute_now)
        busy = [job for job in batch if isinstance(job.outcome, BusyError)]
        with self._lock:
            self._queue[:0] = busy
        for job in batch:
            if job not in busy:
                job.finish()
        return not busy

    def _lead(self, own: _Job[Request, Result]) -> None:
        seen = 0
        while seen < len(self._queue) < self._expected:
            seen = len(self._queue)
            time.sleep(PAUSE_SECONDS)
        batch = self._take(own)
        self._expected = max(len(batch) + len(self._queue), self._expected * 7 // 8)
        try:
            self._execute_batch(batch, self._execute)
        finally:
            self._hand_over()
            for job in batch:
                if job is not own:
                    job.finish()

    def _take(self, own: _Job[Request, Result] | None = None) -> list[_Job[Request, Result]]:
        """Take as many from the front of the queue as fit into one transaction, at least one if any wait."""
        with self._lock:
            batch, rest = ([], []) if own is None else ([own], [])
            size = sum(len(job.requests) for job in batch)
            for job in self._queue:
                if job is own:
                    continue
                if job.leads or (batch and size + len(job.requests) > MAX_REQUESTS):
                    rest.append(job)  # another leader executes its own requests
                else:
                    size += len(job.requests)
                    batch.append(job)
            self._queue = rest
        return batch

    def _hand_over(self) -> None:
        """Let the next thread that waits lead; if there is none, there is one leader less."""
        with self._lock:
            heir = next((job for job in self._queue if not job.leads and job.done is None), None)
            if heir is None:
                self.leaders -= 1
            else:
                heir.leads = True
        if heir is not None:
            heir.wake.release()

    def _abandon(self, job: _Job[Request, Result]) -> None:
        """Remove a job whose thread was interrupted while it waited, perhaps just when it was to lead."""
        with self._lock:
            waits = job in self._queue
            if waits:
                self._queue.remove(job)
        if waits and job.leads:
            self._hand_over()

    def _execute_batch(
        self, batch: list[_Job[Request, Result]], execute: Callable[[list[Request]], list[Result]]
    ) -> None:
        """Give each job its outcome; where the thread itself is interrupted, all the others get an error."""
        try:
            outcomes = execute_groups(execute, [job.requests for job in batch])
        except BaseException as error:
            for job in batch:
                job.outcome = error if job is batch[0] else StoreError("The transaction was interrupted; ask again.")
            return
        for job, outcome in zip(batch, outcomes, strict=True):
            job.outcome = outcome


class EventLoopQueue(Generic[Request, Result]):
    """The commit queue for an event loop. A transaction begins as soon as a turn of the loop brings no more requests.

    What takes long in itself (a large arena, or one that was not read yet) has a thread of its own.
    """

    def __init__(
        self,
        queue: CommitQueue[Request, Result],
        takes_long: Callable[[Sequence[Request]], bool] = lambda _: False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self._queue, self._takes_long, self._busy_seconds = queue, takes_long, busy_seconds
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._scheduled = False
        self._seen = 0
        """This many were waiting in the turn before; if more are now, still others may be about to come."""
        self._busy_until = 0.0
        self._helpers = 0
        self._helping = ThreadPoolExecutor(queue.writers, "requests")
        self._slow = ThreadPoolExecutor(1, "slow-requests")

    def execute(self, requests: Sequence[Request]) -> "asyncio.Future[list[Result]]":
        """Return the results of these requests, once they are durable."""
        if self._takes_long(requests):
            return self._loop.run_in_executor(self._slow, self._queue.run, requests)
        future: asyncio.Future[list[Result]] = self._loop.create_future()
        self._queue.add(requests, partial(self._answer, future))
        self._schedule()
        return future

    def close(self) -> None:
        """Wait for what is under way."""
        self._helping.shutdown()
        self._slow.shutdown()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        if self._seen < self._queue.waiting < MAX_REQUESTS:
            self._seen = self._queue.waiting
            self._loop.call_soon(self._turn)
            return
        self._scheduled, self._seen = False, 0
        while self._queue.waiting and not self._queue.leaders and self._loop.time() >= self._busy_until:
            if not self._queue.lead_now():
                self._busy_until = self._loop.time() + self._busy_seconds
        if self._queue.waiting and self._helpers < self._queue.writers:
            self._helpers += 1
            self._loop.run_in_executor(self._helping, self._queue.run, ()).add_done_callback(self._helped)

    def _helped(self, help_: "asyncio.Future[list[Result]]") -> None:
        self._helpers -= 1
        help_.exception()  # those who asked have it, too
        self._schedule()  # together with whoever asks again at once

    def _answer(self, future: "asyncio.Future[list[Result]]", outcome: list[Result] | BaseException) -> None:
        if threading.get_ident() == self._thread:
            _resolve(future, outcome)
        else:
            self._loop.call_soon_threadsafe(_resolve, future, outcome)


def _resolve(future: "asyncio.Future[list[Result]]", outcome: list[Result] | BaseException) -> None:
    if future.done():
        return  # whoever asked is gone
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


def execute_groups(
    execute: Callable[[list[Request]], list[Result]], groups: Sequence[Sequence[Request]]
) -> list[list[Result] | Exception]:
    """Return the results of each group, all executed together; if that fails, each group is executed alone.

    >>> execute_groups(lambda requests: [10 // request for request in requests], [[1, 2], [0], [5]])
    [[10, 5], ZeroDivisionError('integer division or modulo by zero'), [2]]
    """
    if not any(groups):
        return [[] for _ in groups]
    try:
        results = execute([request for group in groups for request in group])
    except Exception as error:
        if len(groups) > 1 and not isinstance(error, StoreError):
            return [outcome for group in groups for outcome in execute_groups(execute, [group])]
        return [error for _ in groups]
    ends = list(accumulate(map(len, groups)))
    return [results[end - len(group) : end] for group, end in zip(groups, ends, strict=True)]
