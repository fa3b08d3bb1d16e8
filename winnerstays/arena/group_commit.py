"""Group commit: what many threads want to write at the same time is written in one transaction.

Whoever finds a free writer does the work of all that wait, its own included; what arrives meanwhile is the next
writer's. Those who were just answered mostly come back at once: a writer waits for them, for microseconds and only as
long as they keep coming, because a commit costs far more.
"""

import threading
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from winnerstays.arena.settings import StoreError

Work = TypeVar("Work")
Result = TypeVar("Result")
MOST_AT_ONCE = 2000
PAUSE_SECONDS = 20e-6


class _Job(Generic[Work, Result]):
    __slots__ = ("error", "leads", "results", "wake", "works")

    def __init__(self, works: Sequence[Work]) -> None:
        self.works = works
        self.results: list[Result] = []
        self.error: BaseException | None = None
        self.leads = False
        self.wake = threading.Lock()
        self.wake.acquire()


class Combiner(Generic[Work, Result]):
    """Runs `process` on the works of all waiting threads together, in at most `writers` threads at once."""

    def __init__(self, process: Callable[[list[Work]], list[Result]], writers: int) -> None:
        self._process = process
        self._writers = writers
        self._leaders = 0
        self._expected = 1
        """About so many come at the same time."""
        self._queue: list[_Job[Work, Result]] = []
        self._lock = threading.Lock()

    def run(self, works: Sequence[Work]) -> list[Result]:
        """The results of these works, in their order, after the transaction that holds them has ended."""
        job: _Job[Work, Result] = _Job(works)
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

    def _lead(self, own: _Job[Work, Result]) -> None:
        seen = 0
        while seen < len(self._queue) < self._expected:
            seen = len(self._queue)
            time.sleep(PAUSE_SECONDS)
        with self._lock:
            batch, size, rest = [own], len(own.works), []
            for job in self._queue:
                if job.leads or size + len(job.works) > MOST_AT_ONCE:
                    rest.append(job)  # who is to lead, too, does its own work
                else:
                    size += len(job.works)
                    batch.append(job)
            self._queue = [job for job in rest if job is not own]
            self._expected = max(len(batch) + len(self._queue), self._expected * 7 // 8)
        try:
            self._do(batch)
        finally:
            self._hand_over()
            for job in batch:
                if job is not own:
                    job.wake.release()

    def _hand_over(self) -> None:
        """Let the next in the queue lead, or have one leader less."""
        with self._lock:
            heir = next((job for job in self._queue if not job.leads), None)
            if heir is None:
                self._leaders -= 1
            else:
                heir.leads = True
        if heir is not None:
            heir.wake.release()

    def _abandon(self, job: _Job[Work, Result]) -> None:
        """Its thread was interrupted while it waited, perhaps just when it was to lead."""
        with self._lock:
            waits = job in self._queue
            if waits:
                self._queue.remove(job)
        if waits and job.leads:
            self._hand_over()

    def _do(self, batch: list[_Job[Work, Result]]) -> None:
        try:
            outcomes = together(self._process, [job.works for job in batch])
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


def together(
    process: Callable[[list[Work]], list[Result]], groups: Sequence[Sequence[Work]]
) -> list[list[Result] | Exception]:
    """What comes of each group of works if all are done together; if one is at fault, each is done alone.

    >>> together(lambda works: [10 // work for work in works], [[1, 2], [0], [5]])
    [[10, 5], ZeroDivisionError('integer division or modulo by zero'), [2]]
    """
    try:
        results = process([work for group in groups for work in group])
    except Exception as error:
        if len(groups) > 1 and not isinstance(error, StoreError):
            return [outcome for group in groups for outcome in together(process, [group])]
        return [error for _ in groups]
    ends = list(accumulate(map(len, groups)))
    return [results[end - len(group) : end] for group, end in zip(groups, ends, strict=True)]
