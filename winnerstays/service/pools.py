"""Threads for what may take long: a bounded number, a bounded queue, a time limit."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from winnerstays.service.errors import RequestError

T = TypeVar("T")


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
