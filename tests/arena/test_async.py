"""`AsyncArena` is `Arena`, awaited: in this process and over HTTP, while the event loop does other things."""

import asyncio
import inspect
import sqlite3
import threading
from contextlib import closing, contextmanager

import pytest

from tests.service.serving import service
from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays import Arena, Arenas, AsyncArena, AsyncArenas
from winnerstays.arena import UnknownArenaError, WrongUserError

ITEMS = ["ramen", "tacos", "pho"]
OF_A_DATABASE = {"database", "heads", "prune", "replay"}
"""What only a database offers, for people who look after it."""


@pytest.fixture(params=["sqlite", "http", "postgresql"])
def address(request, tmp_path):
    """Where the arenas are."""
    if request.param == "postgresql":
        yield request.getfixturevalue("postgres").arenas()
        return
    path = str(tmp_path / "lunch.db")
    if request.param == "sqlite":
        yield path
        return
    with service(path) as client:
        yield str(client.base_url)


@contextmanager
def writing(path):
    """Another process writes to a SQLite file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@pytest.mark.parametrize(("awaited", "waiting"), [(AsyncArena, Arena), (AsyncArenas, Arenas)])
def test_each_method_is_there_with_the_same_arguments(awaited, waiting):
    def methods(owner):
        return {name: value for name, value in vars(owner).items() if name[0] != "_" and inspect.isfunction(value)}

    missing = set(methods(waiting)) - set(methods(awaited))
    assert missing <= OF_A_DATABASE
    for name, method in methods(waiting).items():
        if name not in missing:
            ours = methods(awaited)[name]
            assert list(inspect.signature(ours).parameters) == list(inspect.signature(method).parameters), name
            assert ours.__doc__ == method.__doc__ or name in ("create", "get"), name


def test_a_visit(address):
    async def visit():
        async with await AsyncArena.open(address, items=ITEMS) as arena:
            duel = await arena.ask(user="ada")
            assert await arena.ask("ada") == duel
            assert (await arena.tell(duel, winner=duel.left)).status == "learned"
            assert (await arena.undo(duel)).status == "undone"
            duels = await arena.ask_many("bob", 2)
            receipts = await arena.tell_many([(each, "left") for each in duels])
            assert [receipt.status for receipt in receipts] == ["learned", "learned"]
            assert await arena.best(user="bob") == (await arena.standing(user="bob")).favourite
            await arena.add(["sushi"])
            assert [item.id for item in arena.items] == [*ITEMS, "sushi"]
            assert (await arena.reward("ada", 2.0)).user == "ada"
            kinds = [event.kind async for event in arena.events()]
            assert [event.kind async for event in arena.events(after=2, limit=3)] == kinds[2:5]
            with pytest.raises(WrongUserError):
                await arena.tell((await arena.ask("ada")).id, winner="left", user="bob")
            return kinds

    kinds = asyncio.run(visit())
    assert kinds.count("served") == 3 and kinds[:4] == ["created", "served", "learned", "undone"]


def test_all_arenas(address):
    async def main():
        async with await AsyncArenas.open(address) as arenas:
            await arenas.create("lunch", ITEMS)
            lunch = await arenas.get("lunch")
            await lunch.ask("ada")
            assert await arenas.names() == ["lunch"]
            assert [event.kind async for event in arenas.events()] == ["created", "served"]
            with pytest.raises(UnknownArenaError):
                await arenas.get("dinner")
            await arenas.delete("lunch")
            assert await arenas.names() == []

    asyncio.run(main())


def test_more_events_than_are_read_at_once(address):
    async def main():
        async with await AsyncArena.open(address, items=ITEMS) as arena:
            for start in range(0, 1500, 500):
                await arena.ask_many([f"user {n}" for n in range(start, start + 500)])
            numbers = [event.seq async for event in arena.events()]
            assert len(numbers) == 1501 and numbers == sorted(set(numbers))
            assert [event.seq async for event in arena.events(after=numbers[10], limit=1200)] == numbers[11:1211]

    asyncio.run(main())


def test_a_session_of_two_rankers(address):
    rankings = {"bm25": ["a", "b", "c"], "neural": ["b", "d", "a"]}

    async def main():
        async with await AsyncArena.open(address, items=list(rankings), audience="everyone") as arena:
            session = await arena.session(None, rankings, length=3)
            session.clicked(1)
            again = arena.resume(session.to_json())
            assert (await arena.close_session(session)).status == "learned"
            assert (await arena.close_session(again)).status == "duplicate"

    asyncio.run(main())


def test_what_is_asked_together_shares_a_transaction():
    transactions, go = [], threading.Event()

    async def main():
        async with await AsyncArena.open("memory:", items=ITEMS) as arena:
            backend = arena._waiting.arenas.backend
            run = backend.store.run

            def counted(work):
                transactions.append(1)
                go.wait(PATIENCE_SECONDS)
                return run(work)

            backend.store.run = counted
            asked = asyncio.gather(*[arena.ask(f"user {n}") for n in range(40)])
            await asyncio.to_thread(wait_until, lambda: backend.queue.waiting == 39)
            go.set()
            return await asked

    assert len(set(asyncio.run(main()))) == 40 and len(transactions) == 2


@pytest.fixture(params=[False, True], ids=["sqlite", "http"])
def file_and_address(request, tmp_path):
    path = str(tmp_path / "lunch.db")
    if not request.param:
        yield path, path
        return
    with service(path) as client:
        yield path, str(client.base_url)


def test_the_event_loop_goes_on_while_the_database_is_waited_for(file_and_address):
    path, address = file_and_address

    async def main():
        async with await AsyncArena.open(address, items=ITEMS) as arena:
            with writing(path):
                waiting = asyncio.create_task(arena.ask("ada"))
                for _ in range(20):
                    await asyncio.sleep(0.01)
                assert not waiting.done()
            assert (await waiting).user == "ada"

    asyncio.run(main())


def test_a_cancelled_await_loses_nothing(file_and_address):
    path, address = file_and_address

    async def cancelled(work):
        task = asyncio.create_task(work)
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def main():
        async with await AsyncArena.open(address, items=ITEMS) as arena:
            with writing(path):
                await cancelled(arena.ask("ada"))
            duel = await arena.ask("ada")
            with writing(path):
                await cancelled(arena.tell(duel, winner="left"))
            receipt = await arena.tell(duel, winner="left")
            assert receipt.status in ("learned", "duplicate")
            kinds = [event.kind async for event in arena.events()]
            assert kinds == ["created", "served", "learned"]

    asyncio.run(main())
    with Arenas.open(path) as arenas:
        assert arenas.replay().equal
