"""The newest events of an arena, those of people or those of robots, and live: as server-sent events.

There is one reader for all who look.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from itertools import islice

from starlette.concurrency import run_in_threadpool

from winnerstays.arena import Arena, Event
from winnerstays.arena.records import ROBOT_PREFIX
from winnerstays.errors import WinnerstaysError

SECONDS = 1.0
"""Between two looks at the log."""
SECONDS_OF_STREAM = 10.0
MILLISECONDS_TO_COME_BACK = 200
KEPT = 50
"""The newest events for whoever comes back, of people and of robots each."""
AT_ONCE = 2000
LOOKS = (100, 5000)
"""This many events are looked at for those of people (or robots); robots may have played since."""


def is_robot(event: Event) -> bool:
    """Whether it is about a robot; what is about nobody, such as a change of items, is people's."""
    return (event.user or "").startswith(ROBOT_PREFIX)


def newest_events(arena: Arena, count: int, *, robots: bool) -> list[Event]:
    """Return the newest events of people, or of robots, the oldest of them first."""
    newest: list[Event] = []
    for limit in LOOKS:
        rows = arena.newest_events(limit)
        newest = [event for event in rows if is_robot(event) is robots]
        if len(newest) >= count or len(rows) < limit:
            break
    return newest[-count:]


class Feed:
    """Reads the log of one arena as long as somebody looks."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._newest: dict[bool, deque[Event]] = {robots: deque(maxlen=KEPT) for robots in (False, True)}
        self._last = 0
        self._changed = asyncio.Condition()
        self._viewers = 0
        self._reader: asyncio.Task[None] | None = None

    async def watch(self, after: int = 0, *, robots: bool = False) -> AsyncIterator[str]:
        """Yield server-sent events: each holds the rows (of people, or of robots) new to this viewer, the newest last.

        A browser that comes back sends the `id` of the last one it got, and misses none of those that are kept. It must
        come back now and then in any case: a service that is stopped waits for the requests under way.
        """
        end = asyncio.get_running_loop().time() + SECONDS_OF_STREAM
        self._viewers += 1
        if self._reader is None or self._reader.done():
            self._reader = asyncio.ensure_future(self._read())
        try:
            yield f"retry: {MILLISECONDS_TO_COME_BACK}\n\n"
            while await self._later_than(after, end):
                new = [event for event in self._newest[robots] if event.seq > after]
                after = self._last
                if new:
                    yield f"id: {after}\ndata: {json.dumps([event.as_dict() for event in new])}\n\n"
        finally:
            self._viewers -= 1

    async def _later_than(self, after: int, end: float) -> bool:
        """Wait until there are events later than this one; False if there are none until the end."""
        seconds = end - asyncio.get_running_loop().time()
        try:
            async with self._changed:
                await asyncio.wait_for(self._changed.wait_for(lambda: self._last > after), max(0.0, seconds))
        except TimeoutError:
            return False
        return seconds > 0

    async def _read(self) -> None:
        """Read until nobody looks, or it cannot be read: renamed, or no database. Whoever comes back starts it anew.

        Nothing is kept when nobody looks, nor what came before a user was erased: it may hold the name.
        """
        while self._viewers:
            try:
                rows = await run_in_threadpool(self._next)
            except WinnerstaysError:
                break
            if rows:
                async with self._changed:
                    for event in rows:
                        if event.kind == "erased":
                            self._forget()
                        self._newest[is_robot(event)].append(event)
                    self._last = rows[-1].seq
                    self._changed.notify_all()
            if len(rows) < AT_ONCE:
                await asyncio.sleep(SECONDS)
        self._forget()
        self._last = 0

    def _forget(self) -> None:
        for kept in self._newest.values():
            kept.clear()

    def _next(self) -> list[Event]:
        if not self._last:
            return self._arena.newest_events(AT_ONCE)
        rows: Iterator[Event] = self._arena.events(after=self._last)
        try:
            return list(islice(rows, AT_ONCE))
        finally:
            rows.close()  # type: ignore[attr-defined]
