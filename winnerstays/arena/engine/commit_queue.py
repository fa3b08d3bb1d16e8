"""Group commit: requests of many threads that arrive at the same time are committed in one transaction.

A thread that finds a free writer leads: it executes the requests of all threads that wait, its own included; what
arrives meanwhile is left to the next leader. Threads that were just answered mostly come back at once: a leader waits
for them, for microseconds and only as long as they keep coming, because a commit costs far more.
"""

import threading
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from winnerstays.arena.errors import StoreError

Request = TypeVar("Request")
Result = TypeVar("Result")
MAX_REQUESTS = 2000
"""The most requests of several threads in one transaction."""
PAUSE_SECONDS = 20e-6


class _Job(Generic[Request, Result]):
    """The requests of one thread, and what became of them."""

    __slots__ = ("error", "leads", "requests", "results", "wake")

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = requests
        self.results: list[Result] = []
        self.error: BaseException | None = None
        self.leads = False
        self.wake = threading.Lock()
        self.wake.acquire()


class GroupCommit(Generic[Request, Result]):
    """Calls `execute` with the requests of all waiting threads together, in at most `writers` threads at once."""

    def __init__(self, execute: Callable[[list[Request]], list[Result]], writers: int) -> None:
        self._execute = execute
        self._writers = writers
        self._leaders = 0
        self._expected = 1
        """About how many threads come at the same time."""
        self._queue: list[_Job[Request, Result]] = []
        self._lock = threading.Lock()

    def run(self, requests: Sequence[Request]) -> list[Result]:
        """Return the results of these requests, in their order, after the transaction that holds them has ended."""
        job: _Job[Request, Result] = _Job(requests)
        with self._lock:
            self._queue.append(job)
            if self._leaders < self._writers:
                self._leaders += 1
                job.leads = True
        if not job.leads:
            try:
                job.wake.acquire()
            except BaseException:
                self._abandon(job)
                raise
        if job.leads:
            self._lead(job)
        if job.error is not None:
            raise job.error
        return job.results

    def _lead(self, own: _Job[Request, Result]) -> None:
        seen = 0
        while seen < len(self._queue) < self._expected:
            seen = len(self._queue)
            time.sleep(PAUSE_SECONDS)
        with self._lock:
            batch, size, rest = [own], len(own.requests), []
            for job in self._queue:
                if job.leads or size + len(job.requests) > MAX_REQUESTS:
                    rest.append(job)  # another leader executes its own requests
                else:
                    size += len(job.requests)
                    batch.append(job)
            self._queue = [job for job in rest if job is not own]
            self._expected = max(len(batch) + len(self._queue), self._expected * 7 // 8)
        try:
            self._run_batch(batch)
        finally:
            self._hand_over()
            for job in batch:
                if job is not own:
                    job.wake.release()

    def _hand_over(self) -> None:
        """Let the next job in the queue lead; if there is none, there is one leader less."""
        with self._lock:
            heir = next((job for job in self._queue if not job.leads), None)
            if heir is None:
                self._leaders -= 1
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

    def _run_batch(self, batch: list[_Job[Request, Result]]) -> None:
        try:
            outcomes = execute_groups(self._execute, [job.requests for job in batch])
        except BaseException as error:
            for job in batch[1:]:
                job.error = StoreError("The transaction was interrupted; ask again.")
            batch[0].error = error
            return
        for job, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                job.error = outcome
            else:
                job.results = outcome


def execute_groups(
    execute: Callable[[list[Request]], list[Result]], groups: Sequence[Sequence[Request]]
) -> list[list[Result] | Exception]:
    """Return the results of each group, all executed together; if that fails, each group is executed alone.

    >>> execute_groups(lambda requests: [10 // request for request in requests], [[1, 2], [0], [5]])
    [[10, 5], ZeroDivisionError('integer division or modulo by zero'), [2]]
    """
    try:
        results = execute([request for group in groups for request in group])
    except Exception as error:
        if len(groups) > 1 and not isinstance(error, StoreError):
            return [outcome for group in groups for outcome in execute_groups(execute, [group])]
        return [error for _ in groups]
    ends = list(accumulate(map(len, groups)))
    return [results[end - len(group) : end] for group, end in zip(groups, ends, strict=True)]
