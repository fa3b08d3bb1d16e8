"""Where requests wait for the desk: what arrives together is done together, in one transaction.

Nothing waits for a timer: a transaction begins as soon as a turn of the event loop brings no further request. On a
store in this process the event loop does the work itself: handing it to a thread costs more than the work, because the
two would fight for the interpreter after every statement. Where another process must be waited for, threads do it.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from winnerstays.arena import Ask, Duel, Receipt, StoreError, Tell
from winnerstays.errors import WinnerstaysError

Work = Ask | Tell
Result = Duel | Receipt | WinnerstaysError
Waiting = tuple[Sequence[Work], "asyncio.Future[list[Result]]"]
Done = tuple["asyncio.Future[list[Result]]", list[Result] | BaseException]
MOST_AT_ONCE = 1000


class Line:
    """Requests in order of arrival, for the event loop itself or for so many threads."""

    def __init__(self, perform: Callable[[Sequence[Work]], list[Result]], threads: int) -> None:
        self._perform = perform
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Waiting] = []
        self._called = False
        self._seen = 0
        self._free = threads
        self._threads = ThreadPoolExecutor(threads, "desk") if threads else None

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
        if self._threads is None:
            while self._waiting:
                _hand_out(self._do(self._take()))
        else:
            self._start(self._threads)

    def _start(self, threads: ThreadPoolExecutor) -> None:
        if self._waiting and self._free:
            self._free -= 1
            threads.submit(self._work, threads, self._take())

    def _work(self, threads: ThreadPoolExecutor, batch: list[Waiting]) -> None:
        self._loop.call_soon_threadsafe(self._served, threads, self._do(batch))

    def _served(self, threads: ThreadPoolExecutor, done: list[Done]) -> None:
        self._free += 1
        _hand_out(done)
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

    def _do(self, batch: list[Waiting]) -> list[Done]:
        try:
            results = self._perform([work for works, _ in batch for work in works])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, StoreError):  # one is at fault; the others must not suffer
                return [done for one in batch for done in self._do([one])]
            return [(future, error) for _, future in batch]
        done: list[Done] = []
        start = 0
        for works, future in batch:
            done.append((future, results[start : start + len(works)]))
            start += len(works)
        return done

    def close(self) -> None:
        """Wait for what is under way."""
        if self._threads is not None:
            self._threads.shutdown()


def _hand_out(done: list[Done]) -> None:
    for future, result in done:
        if future.done():
            continue  # whoever asked is gone
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)
