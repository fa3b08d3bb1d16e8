"""Requests that wait together are done together, and each gets its own result."""

import asyncio
import threading

import pytest

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.arena import Ask, BusyError, StoreError
from winnerstays.arena.engine.commit_queue import MAX_REQUESTS, CommitQueue, EventLoopQueue


def busy(requests):
    raise BusyError("busy")


def queue_of(execute, threads):
    """A queue whose event loop executes (without threads), or always has to leave it to threads."""
    return EventLoopQueue(CommitQueue(execute, threads, busy) if threads else CommitQueue(busy, 1, execute))


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_batches_and_results(threads):
    sizes = []

    def execute(requests):
        sizes.append(len(requests))
        return [request.user for request in requests]

    async def main():
        queue = queue_of(execute, threads)
        results = await asyncio.gather(*[queue.execute([Ask("a", f"{n}"), Ask("a", f"{n}+")]) for n in range(900)])
        queue.close()
        return results

    assert asyncio.run(main()) == [[f"{n}", f"{n}+"] for n in range(900)]
    assert sum(sizes) == 1800 and max(sizes) <= MAX_REQUESTS and len(sizes) == 2


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_one_at_fault_fails_alone(threads):
    def execute(requests):
        if any(request.user == "bad" for request in requests):
            raise KeyError("bad")
        return [request.user for request in requests]

    async def main():
        queue = queue_of(execute, threads)
        users = ["ada", "bad", "bob"]
        found = await asyncio.gather(*[queue.execute([Ask("a", user)]) for user in users], return_exceptions=True)
        queue.close()
        return found

    ada, bad, bob = asyncio.run(main())
    assert (ada, bob) == (["ada"], ["bob"]) and isinstance(bad, KeyError)


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_store_that_is_away_fails_all_at_once(threads):
    calls = []

    def execute(requests):
        calls.append(len(requests))
        raise StoreError("away")

    async def main():
        queue = queue_of(execute, threads)
        found = await asyncio.gather(*[queue.execute([Ask("a")]) for _ in range(50)], return_exceptions=True)
        queue.close()
        return found

    assert all(isinstance(error, StoreError) for error in asyncio.run(main())) and calls == [50]


def test_whoever_left_is_not_missed():
    """A request that is cancelled while it is executed does not disturb the others; it is executed all the same."""
    begun, go = threading.Event(), threading.Event()
    done = []

    def execute(requests):
        begun.set()
        go.wait(PATIENCE_SECONDS)
        done.extend(requests)
        return [request.user for request in requests]

    async def main():
        queue = queue_of(execute, 2)
        leaver, stayer = (asyncio.ensure_future(queue.execute([Ask("a", user)])) for user in ("leaver", "stayer"))
        await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        leaver.cancel()
        go.set()
        found = await stayer
        queue.close()
        return found

    assert asyncio.run(main()) == ["stayer"] and len(done) == 2


def test_threads_and_the_event_loop_share_one_queue():
    """While a thread is at work, the event loop leaves what comes to it, or to the thread that leads next."""
    begun, go, batches = threading.Event(), threading.Event(), []

    def execute(requests):
        batches.append(sorted(request.user for request in requests))
        begun.set()
        go.wait(PATIENCE_SECONDS)
        return [request.user for request in requests]

    async def main():
        both = CommitQueue(execute, 1, busy)
        queue = EventLoopQueue(both)
        slow = asyncio.create_task(asyncio.to_thread(both.run, [Ask("a", "slow")]))
        await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        others = [queue.execute([Ask("a", user)]) for user in ("ada", "bob")]
        thread = asyncio.create_task(asyncio.to_thread(both.run, [Ask("a", "kim")]))
        await asyncio.to_thread(wait_until, lambda: both.waiting >= 4)
        go.set()
        found = await asyncio.gather(slow, *others, thread)
        queue.close()
        return found

    assert asyncio.run(main()) == [["slow"], ["ada"], ["bob"], ["kim"]]
    assert batches == [["slow"], ["ada", "bob", "kim"]]


def test_threads_help_out_while_the_store_must_be_waited_for():
    """Nothing is executed twice or lost, and the event loop takes over again once the store is not busy."""
    done = {"now": [], "later": []}
    away = True

    def now(requests):
        if away:
            raise BusyError("away")
        done["now"] += requests
        return [request.user for request in requests]

    def later(requests):
        done["later"] += requests
        return [request.user for request in requests]

    async def main():
        nonlocal away
        queue = EventLoopQueue(CommitQueue(later, 2, now), busy_seconds=0.05)
        first = await asyncio.gather(*[queue.execute([Ask("a", f"{n}")]) for n in range(5)])
        away = False
        await asyncio.sleep(0.1)
        second = await asyncio.gather(*[queue.execute([Ask("a", f"{n}")]) for n in range(5, 9)])
        queue.close()
        return first + second

    assert asyncio.run(main()) == [[f"{n}"] for n in range(9)]
    assert [len(done["later"]), len(done["now"])] == [5, 4]
