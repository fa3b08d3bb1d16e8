"""`AsyncArena`: the arena for programs with an event loop. Each method is that of `Arena`, awaited."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial, wraps
from itertools import islice
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from winnerstays.algorithms.parameters import Value
from winnerstays.arena.api import Arena, Arenas
from winnerstays.arena.bridge import run_waiting, wait_for
from winnerstays.arena.engine.request_queue import RequestQueue
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.operations import Backend, Operation
from winnerstays.arena.records import EVENTS_AT_ONCE, Event, Receipt, Request, Result
from winnerstays.arena.sessions import Session
from winnerstays.arena.settings import Item, Settings

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class AsyncLocalBackend:
    """The arenas of a database, for an event loop that does other things while threads execute its requests.

    What waits together shares a transaction. A request whose caller was cancelled is executed all the same.
    """

    def __init__(self, backend: LocalBackend) -> None:
        self.address = backend.address
        self._backend = backend
        self._queue = RequestQueue(backend.queue, in_loop=False)

    def names(self) -> list[str]:
        return self._wait(self._backend.names)

    def create(self, settings: Settings) -> Settings:
        return self._wait(self._backend.create, settings)

    def call(self, operation: Operation[T], arena: str, /, **arguments: Any) -> T:
        return self._wait(partial(self._backend.call, operation, arena, **arguments))

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        return wait_for(self._queue.execute, requests) if requests else []

    def events(
        self, arena: str | None, after: int, user: str | None = None, limit: int | None = None
    ) -> Iterator[Event]:
        events = self._backend.events(arena, after, user, limit)
        while some := self._wait(lambda: list(islice(events, EVENTS_AT_ONCE))):
            yield from some

    def close(self) -> None:
        self._wait(self._queue.close)
        self._wait(self._backend.close)

    def _wait(self, work: Callable[..., T], *arguments: Any) -> T:
        return wait_for(partial(asyncio.to_thread, work, *arguments))


async def _for_event_loop(backend: Backend) -> Backend:
    """Return a backend of the same arenas whose methods wait inside of the running event loop."""
    if isinstance(backend, LocalBackend):
        return AsyncLocalBackend(backend)
    from winnerstays.arena.remote import AsyncRemoteBackend, RemoteBackend

    assert isinstance(backend, RemoteBackend)
    await asyncio.to_thread(backend.close)
    return AsyncRemoteBackend(backend.address, backend.key)


class _Awaitable(Generic[S]):
    """Something whose methods wait, and whose coroutines run them."""

    def __init__(self, waiting: S) -> None:
        self._waiting = waiting

    async def _run(self, method: Callable[Concatenate[S, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await run_waiting(lambda: method(self._waiting, *args, **kwargs))


def _awaited(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[_Awaitable[S], P], Coroutine[Any, Any, T]]:
    """Return a coroutine function with the arguments, the result and the docstring of a method."""

    @wraps(method)
    async def call(self: _Awaitable[S], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(method, *args, **kwargs)

    return call


def _iterated(
    method: Callable[Concatenate[S, P], Iterator[T]],
) -> Callable[Concatenate[_Awaitable[S], P], AsyncIterator[T]]:
    """Return an asynchronous generator function with the arguments, the values and the docstring of a method."""

    @wraps(method)
    async def call(self: _Awaitable[S], /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        values = method(self._waiting, *args, **kwargs)
        while some := await run_waiting(lambda: list(islice(values, EVENTS_AT_ONCE))):
            for value in some:
                yield value

    return call


class AsyncArenas(_Awaitable[Arenas]):
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
        return cls(Arenas(await _for_event_loop(arenas.backend)))

    async def __aenter__(self) -> "AsyncArenas":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    names = _awaited(Arenas.names)
    delete = _awaited(Arenas.delete)
    execute = _awaited(Arenas.execute)
    tell = _awaited(Arenas.tell)
    events = _iterated(Arenas.events)
    close = _awaited(Arenas.close)

    async def create(self, name: str, items: Iterable[str | Item | Mapping[str, Any]], **settings: Any) -> "AsyncArena":
        """Make an arena, or open the one of this name; DifferentArenaError if that has other items or settings."""
        return AsyncArena(await self._run(Arenas.create, name, items, **settings))

    async def get(self, name: str) -> "AsyncArena":
        """Return the arena of this name."""
        return AsyncArena(await self._run(Arenas.get, name))


class AsyncArena(_Awaitable[Arena]):
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
        return cls(Arena(Arenas(await _for_event_loop(arena.arenas.backend)), arena.settings))

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
    close = _awaited(Arena.close)

    def resume(self, session: Mapping[str, Any]) -> Session:
        """Return a session that went elsewhere as JSON."""
        return self._waiting.resume(session)

    async def close_session(self, session: Session) -> Receipt:
        """Let the arena learn who won a session; closing again changes nothing."""
        return await run_waiting(session.close)
