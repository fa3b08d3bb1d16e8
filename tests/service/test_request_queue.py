"""Requests that wait together are done together, and each gets its own result."""

import asyncio
import threading

import pytest

from winnerstays.arena import Ask, BusyError, StoreError
from winnerstays.service import request_queue as line_module
from winnerstays.service.request_queue import MOST_AT_ONCE, Line


def busy(works):
    raise BusyError("busy")


def line_of(perform, threads):
    """A line whose event loop does the work (without threads), or always has to leave it to threads."""
    return Line(busy, perform, threads) if threads else Line(perform, busy, 1)


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_batches_and_results(threads):
    sizes = []

    def perform(works):
        sizes.append(len(works))
        return [work.user for work in works]

    async def main():
        line = line_of(perform, threads)
        results = await asyncio.gather(*[line.perform([Ask("a", f"{n}"), Ask("a", f"{n}+")]) for n in range(900)])
        line.close()
        return results

    assert asyncio.run(main()) == [[f"{n}", f"{n}+"] for n in range(900)]
    assert sum(sizes) == 1800 and max(sizes) <= MOST_AT_ONCE and len(sizes) == 2


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_one_at_fault_fails_alone(threads):
    def perform(works):
        if any(work.user == "bad" for work in works):
            raise KeyError("bad")
        return [work.user for work in works]

    async def main():
        line = line_of(perform, threads)
        users = ["ada", "bad", "bob"]
        found = await asyncio.gather(*[line.perform([Ask("a", user)]) for user in users], return_exceptions=True)
        line.close()
        return found

    ada, bad, bob = asyncio.run(main())
    assert (ada, bob) == (["ada"], ["bob"]) and isinstance(bad, KeyError)


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_store_that_is_away_fails_all_at_once(threads):
    calls = []

    def perform(works):
        calls.append(len(works))
        raise StoreError("away")

    async def main():
        line = line_of(perform, threads)
        found = await asyncio.gather(*[line.perform([Ask("a")]) for _ in range(50)], return_exceptions=True)
        line.close()
        return found

    assert all(isinstance(error, StoreError) for error in asyncio.run(main())) and calls == [50]


def test_whoever_left_is_not_missed():
    """A request that is cancelled while its work is under way does not disturb the others; its work is done."""
    begun, go = threading.Event(), threading.Event()
    done = []

    def perform(works):
        begun.set()
        go.wait(10)
        done.extend(works)
        return [work.user for work in works]

    async def main():
        line = line_of(perform, 2)
        leaver, stayer = (asyncio.ensure_future(line.perform([Ask("a", user)])) for user in ("leaver", "stayer"))
        await asyncio.to_thread(begun.wait, 10)
        leaver.cancel()
        go.set()
        found = await stayer
        line.close()
        return found

    assert asyncio.run(main()) == ["stayer"] and len(done) == 2


def test_threads_help_out_while_the_store_must_be_waited_for(monkeypatch):
    """Nothing is done twice or lost, and the event loop takes over again."""
    monkeypatch.setattr(line_module, "PATIENT_SECONDS", 0.05)
    done = {"now": [], "later": []}
    away = True

    def now(works):
        if away:
            raise BusyError("away")
        done["now"] += works
        return [work.user for work in works]

    def later(works):
        done["later"] += works
        return [work.user for work in works]

    async def main():
        nonlocal away
        line = Line(now, later, 2)
        first = await asyncio.gather(*[line.perform([Ask("a", f"{n}")]) for n in range(5)])
        away = False
        await asyncio.sleep(0.1)
        second = await asyncio.gather(*[line.perform([Ask("a", f"{n}")]) for n in range(5, 9)])
        line.close()
        return first + second

    assert asyncio.run(main()) == [[f"{n}"] for n in range(9)]
    assert [len(done["later"]), len(done["now"])] == [5, 4]
