"""Functions that know nothing of event loops, but may wait inside of one: as SQLAlchemy does it, by greenlets.

A function runs in a greenlet of its own. Where it must wait, `wait_for` hands what it waits for to the coroutine that
runs it, which awaits that, and the event loop goes on.
"""

import sys
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

from winnerstays.errors import WinnerstaysError, missing_extra

try:
    from greenlet import getcurrent, greenlet
except ImportError:
    raise missing_extra("An arena in an event loop", "arena") from None

P = ParamSpec("P")
T = TypeVar("T")


def wait_for(begin: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what the awaitable gives that `begin` returns, in a function that `run_waiting` runs."""
    parent = getcurrent().parent
    if parent is None:
        raise WinnerstaysError("This waits inside of an event loop: await the method of the AsyncArena instead.")
    result: T = parent.switch(begin(*args, **kwargs))
    return result


async def run_waiting(function: Callable[[], T]) -> T:
    """Return what a function returns that calls `wait_for` where it must wait.

    >>> import asyncio
    >>> asyncio.run(run_waiting(lambda: wait_for(asyncio.sleep, 0, 2) + 1))
    3
    """
    runner: Any = greenlet(function)
    runner.gr_context = getcurrent().gr_context
    outcome = runner.switch()
    while not runner.dead:
        try:
            value = await outcome
        except BaseException:
            outcome = runner.throw(*sys.exc_info())
        else:
            outcome = runner.switch(value)
    return outcome  # type: ignore[no-any-return]
