"""Requests of threads and of an event loop that wait together are done together, and each gets its own result."""

import asyncio
import threading

import pytest

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.arena import Ask, BusyError, StoreError
from winnerstays.arena.engine.commit_queue import MAX_REQUESTS, CommitQueue, EventLoopQueue, _Job


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


def test_group_commit_executes_the_requests_of_all_that_wait():
    batches, gate = [], threading.Event()

    def execute(requests):
        batches.append(len(requests))
        gate.wait()
        return [request * 2 for request in requests]

    group_commit = CommitQueue(execute, 1)
    results = {}
    threads = [
        threading.Thread(target=lambda k=k: results.__setitem__(k, group_commit.run([k, k + 100]))) for k in range(10)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(group_commit._queue) == 9)
    gate.set()
    for thread in threads:
        thread.join()
    assert results == {k: [2 * k, 2 * k + 200] for k in range(10)}
    assert batches == [2, 18]


def test_several_leaders_do_everything_once():
    done, at_work, most, together = [], set(), [], threading.Event()

    def execute(requests):
        at_work.add(threading.get_ident())
        most.append(len(at_work))
        if len(at_work) > 1:
            together.set()
        together.wait(PATIENCE_SECONDS)  # the first one is not done before a second one is at work
        done.extend(requests)
        at_work.discard(threading.get_ident())
        return [-request for request in requests]

    group_commit = CommitQueue(execute, 4)

    def client(number):
        for k in range(40):
            request = number * 1000 + k
            assert group_commit.run([request]) == [-request]

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(done) == [number * 1000 + k for number in range(24) for k in range(40)]
    assert 1 < max(most) <= 4 and group_commit.leaders == 0


def test_an_interrupted_leader_to_be_hands_over():
    group_commit = CommitQueue(lambda requests: requests, 1)
    group_commit.leaders = 1  # somebody is at work
    done = []
    waiting = threading.Thread(target=lambda: done.append(group_commit.run(["second"])))
    job = _Job(["first"])
    group_commit._queue.append(job)
    waiting.start()
    wait_until(lambda: len(group_commit._queue) == 2)
    group_commit._hand_over()
    assert job.leads
    group_commit._abandon(job)
    waiting.join(PATIENCE_SECONDS)
    assert done == [["second"]] and group_commit.run(["third"]) == ["third"]


def test_one_bad_request_does_not_hurt_the_others():
    gate = threading.Event()

    def execute(requests):
        gate.wait()
        return [1 // request for request in requests]

    group_commit, results = CommitQueue(execute, 1), {}

    def client(number):
        try:
            results[number] = group_commit.run([number])
        except ZeroDivisionError:
            results[number] = "failed"

    threads = [threading.Thread(target=client, args=(number,)) for number in (1, 0, 1.5, 2)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert results == {1: [1], 0: "failed", 1.5: [0.0], 2: [0]}
