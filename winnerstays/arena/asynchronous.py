"""`AsyncArena`: the arena for programs with an event loop. Each method is that of `Arena`, awaited.

Threads do the work; those that wait for a database share its transactions (engine/commit_queue.py).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from itertools import islice
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from winnerstays.algorithms.parameters import Value
from winnerstays.arena.api import Arena, Arenas
from winnerstays.arena.records import EVENTS_AT_ONCE, Receipt
from winnerstays.arena.sessions import Session
from winnerstays.arena.settings import Item, Settings

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")
MAX_THREADS = 64
"""The most requests that are under way at once; further ones wait."""


class _InThreads(Generic[S]):
    """Something whose methods wait, each in a thread."""

    def __init__(self, waiting: S, threads: ThreadPoolExecutor) -> None:
        self._waiting, self._threads = waiting, threads

    async def _run(self, method: Callable[Concatenate[S, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._in_thread(partial(method, self._waiting, *args, **kwargs))

    def _in_thread(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._threads, work)


def _awaited(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[_InThreads[S], P], Coroutine[Any, Any, T]]:
    """Return a coroutine function with the arguments, the result and the docstring of a method."""

    @wraps(method)
    async def call(self: _InThreads[S], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(method, *args, **kwargs)

    return call


def _iterated(
    method: Callable[Concatenate[S, P], Iterator[T]],
) -> Callable[Concatenate[_InThreads[S], P], AsyncIterator[T]]:
    """Return an asynchronous generator function with the arguments, the values and the docstring of a method."""

    @wraps(method)
    async def call(self: _InThreads[S], /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        values = method(self._waiting, *args, **kwargs)
        while some := await self._in_thread(lambda: list(islice(values, EVENTS_AT_ONCE))):
            for value in some:
                yield value

    return call


class AsyncArenas(_InThreads[Arenas]):
    """All arenas of one database, or of one service, for programs with an event loop: `Arenas`, awaited.

    >>> async def main() -> list[str]:
    ...     async with await AsyncArenas.open("memory:") as arenas:
    ...         lunch = await arenas.create("lunch", ["ramen", "tacos", "pho"])
    ...         return await arenas.names()
    >>> asyncio.run(main())
    ['lunch']
    """

    @classmethod
    async def open(cls, address: str, *, key: str | None = None) -> "AsyncArenas":
        """Open all arenas at an address: a file (made if missing), `memory:`, `postgresql://...`, or a service."""
        arenas = await asyncio.to_thread(Arenas.open, address, key=key)
        return cls(arenas, ThreadPoolExecutor(MAX_THREADS, "arenas"))

    async def __aenter__(self) -> "AsyncArenas":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    names = _awaited(Arenas.names)
    delete = _awaited(Arenas.delete)
    execute = _awaited(Arenas.execute)
    tell = _awaited(Arenas.tell)
    events = _iterated(Arenas.events)

    async def close(self) -> None:
        """Close the database, or the connections to the service."""
        await self._run(Arenas.close)
        self._threads.shutdown(wait=False)

    async def create(self, name: str, items: Iterable[str | Item | Mapping[str, Any]], **settings: Any) -> "AsyncArena":
        """Make an arena, or open the one of this name; DifferentArenaError if that has other items or settings."""
        return AsyncArena(await self._run(Arenas.create, name, items, **settings), self._threads)

    async def get(self, name: str) -> "AsyncArena":
        """Return the arena of this name."""
        return AsyncArena(await self._run(Arenas.get, name), self._threads)


class AsyncArena(_InThreads[Arena]):
    """An arena for programs with an event loop: the methods of `Arena`, awaited.

    >>> async def main() -> str:
    ...     async with await AsyncArena.open("memory:", items=["ramen", "tacos", "pho"], seed=1) as arena:
    ...         duel = await arena.ask(user="ada")
    ...         return (await arena.tell(duel, winner=duel.left)).status
    >>> asyncio.run(main())
    'learned'
    """

    @classmethod
    async def open(
        cls,
        address: str,
        name: str = "default",
        items: Iterable[str | Item | Mapping[str, Any]] | None = None,
        *,
        key: str | None = None,
        algorithm: str | None = None,
        params: Mapping[str, Value] | None = None,
        regret: str | None = None,
        **settings: Any,
    ) -> "AsyncArena":
        """Open the arena of this name, as `Arena.open` does; if `items` are given and it does not exist, it is made."""
        arena = await asyncio.to_thread(
            Arena.open, address, name, items, key=key, algorithm=algorithm, params=params, regret=regret, **settings
        )
        return cls(arena, ThreadPoolExecutor(MAX_THREADS, "arena"))

    async def __aenter__(self) -> "AsyncArena":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def name(self) -> str:
        """The name of the arena."""
        return self._waiting.name

    @property
    def settings(self) -> Settings:
        """The settings, as they were when the arena was opened or last changed here."""
        return self._waiting.settings

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, retired ones included, as they were when the arena was opened or last changed here."""
        return self._waiting.items

    ask = _awaited(Arena.ask)
    ask_many = _awaited(Arena.ask_many)
    tell = _awaited(Arena.tell)
    tell_many = _awaited(Arena.tell_many)
    undo = _awaited(Arena.undo)
    reward = _awaited(Arena.reward)
    session = _awaited(Arena.session)
    best = _awaited(Arena.best)
    top = _awaited(Arena.top)
    standing = _awaited(Arena.standing)
    bias = _awaited(Arena.bias)
    totals = _awaited(Arena.totals)
    popular = _awaited(Arena.popular)
    uplift = _awaited(Arena.uplift)
    summary = _awaited(Arena.summary)
    events = _iterated(Arena.events)
    newest_events = _awaited(Arena.newest_events)
    add = _awaited(Arena.add)
    retire = _awaited(Arena.retire)
    restore = _awaited(Arena.restore)
    edit = _awaited(Arena.edit)
    differences = _awaited(Arena.differences)
    sync = _awaited(Arena.sync)
    change = _awaited(Arena.change)
    erase = _awaited(Arena.erase)

    async def close(self) -> None:
        """Close the database, for all its arenas."""
        await self._run(Arena.close)
        self._threads.shutdown(wait=False)

    def resume(self, session: Mapping[str, Any]) -> Session:
        """Return a session that went elsewhere as JSON."""
        return self._waiting.resume(session)

    async def close_session(self, session: Session) -> Receipt:
        """Let the arena learn who won a session; closing again changes nothing."""
        return await self._in_thread(session.close)
