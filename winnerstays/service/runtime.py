"""A running service: its database, as soon as it can be reached, and the threads that wait for it."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from winnerstays.arena import Arenas, Settings, StoreError
from winnerstays.arena.engine.commit_queue import EventLoopQueue
from winnerstays.arena.errors import UnusableArenaError
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.records import Request, Result
from winnerstays.errors import WinnerstaysError
from winnerstays.service.auth import Authenticator
from winnerstays.service.config import Config
from winnerstays.service.errors import RequestError
from winnerstays.service.keys import ApiKeys, Credentials

T = TypeVar("T")
log = logging.getLogger("winnerstays.service")
MAX_WAIT_SECONDS = 5.0
"""The longest pause between two attempts to open the database."""
READY_SECONDS = 1.0
"""Whether the database can be written to is tried this often at most, however many ask."""
READERS, WAITING_READERS = 4, 64
CHANGERS, WAITING_CHANGERS, CHANGE_SECONDS = 2, 16, 120.0
EXPORTERS, WAITING_EXPORTERS, EXPORT_SECONDS = 1, 4, 600.0
"""Whoever downloads a log waits for other downloads only, and nobody waits for them."""


class BoundedPool:
    """Runs functions in a few threads of its own, so that nothing else waits for them.

    Where too many wait already, or a function takes too long, whoever asked is told to come again.
    """

    def __init__(self, name: str, threads: int, waiting: int, seconds: float) -> None:
        self._name, self._seconds = name, seconds
        self._room = threads + waiting
        self._threads = ThreadPoolExecutor(threads, name)

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what the function returns."""
        if self._room <= 0:
            raise RequestError("busy", f"Too many {self._name} wait already; try again.", {"Retry-After": "1"})
        self._room -= 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)
        future.add_done_callback(self._leave)
        done, _ = await asyncio.wait({future}, timeout=self._seconds)
        if not done:
            said = f"This did not end within the {self._seconds:g} seconds that {self._name} may take; try again."
            raise RequestError("busy", said, {"Retry-After": "5"})
        return future.result()

    def _leave(self, future: "asyncio.Future[Any]") -> None:
        self._room += 1
        if not future.cancelled():
            future.exception()  # whoever asked may be gone

    def close(self) -> None:
        """Wait for what is under way."""
        self._threads.shutdown()


class Service:
    """What handlers work with. Until the database can be reached, whatever needs it is a StoreError."""

    def __init__(self, config: Config, arenas: Arenas | None = None) -> None:
        """Use the arenas that are open already, or else those of the database that the configuration names."""
        self.config = config
        self.reads = BoundedPool("reads", READERS, WAITING_READERS, config.read_seconds)
        self.changes = BoundedPool("changes", CHANGERS, WAITING_CHANGERS, CHANGE_SECONDS)
        self.exports = BoundedPool("exports", EXPORTERS, WAITING_EXPORTERS, EXPORT_SECONDS)
        self._own_thread = ThreadPoolExecutor(2, "service")
        """For the keys and for readiness: neither may wait behind anything else."""
        self.auth = Authenticator(self._credentials, config, self._own_thread)
        self._given = arenas
        self._arenas: Arenas | None = None
        self._requests: EventLoopQueue[Request, Result] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._ping: asyncio.Future[None] | None = None
        self._pinged_at = float("-inf")

    @property
    def database(self) -> LocalBackend:
        if self._arenas is None:
            raise StoreError("The database could not be opened yet.")
        return self._arenas.database

    @property
    def requests(self) -> EventLoopQueue[Request, Result]:
        """The queue of asks and answers."""
        if self._requests is None:
            raise StoreError("The database could not be opened yet.")
        return self._requests

    def _credentials(self) -> Credentials:
        return ApiKeys(self.database.store).credentials()

    async def start(self) -> None:
        """Open the database, or begin to try it again and again; everything is compiled before anybody is served."""
        tried = asyncio.Event()
        self._opening = asyncio.ensure_future(self._open(tried))
        await tried.wait()

    async def _open(self, tried: asyncio.Event) -> None:
        wait = 0.25
        while self._arenas is None:
            try:
                arenas = self._given
                if arenas is None:
                    arenas = await asyncio.to_thread(_open, self.config.database, self.config.upgrade)
                database = arenas.database
                self._requests = EventLoopQueue(database.queue, database.takes_long)
                self._arenas = arenas
            except WinnerstaysError as error:
                log.warning("the database cannot be used yet, tried again in %g seconds: %s", wait, error)
                tried.set()
                await asyncio.sleep(wait)
                wait = min(2 * wait, MAX_WAIT_SECONDS)
        tried.set()

    async def stop(self) -> None:
        """Wait for what is under way, and close the database if it was opened here."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait({self._opening})
        if self._requests is not None:
            await asyncio.to_thread(self._requests.close)
        for pool in (self.reads, self.changes, self.exports):
            await asyncio.to_thread(pool.close)
        self._own_thread.shutdown()
        self.auth.close()
        if self._arenas is not None and self._given is None:
            self._arenas.close()

    async def check_ready(self) -> None:
        """Try to write to the database; StoreError if that fails, or takes too long."""
        _ = self.database  # as long as it could not be opened, that is known without trying
        loop = asyncio.get_running_loop()
        if self._ping is None or (self._ping.done() and loop.time() - self._pinged_at > READY_SECONDS):
            self._ping = loop.run_in_executor(self._own_thread, self._try_to_write)
            self._pinged_at = loop.time()
        done, _ = await asyncio.wait({self._ping}, timeout=self.config.ready_seconds)
        if not done:
            seconds = self.config.ready_seconds
            raise RequestError("store", f"The database has not answered within {seconds:g} seconds.")
        self._ping.result()

    def _try_to_write(self) -> None:
        self.database.ping(time.time())


def _open(database: str, upgrade: bool) -> Arenas:
    """Open the arenas and prepare each before the first visitor comes: algorithms are compiled at their first use."""
    arenas = Arenas.open(database, upgrade=upgrade)
    try:
        Settings.model_validate({"name": "any", "items": ["this", "that"]})
        for name in arenas.names():
            try:
                arenas.database.prepare(name)
            except WinnerstaysError as error:
                if isinstance(error, StoreError) and not isinstance(error, UnusableArenaError):
                    raise
                log.warning("the arena %r cannot be served: %s", name, error)
    except BaseException:
        arenas.close()
        raise
    return arenas
