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
SECONDS_OF_STREAM = 15.0
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
        self._messages: dict[tuple[int, bool], bytes] = {}
        """What is sent to viewers who have seen the events up to a number: it is written once for all of them."""
        self._last = 0
        self._changed = asyncio.Event()
        self._viewers = 0
        self._reader: asyncio.Task[None] | None = None

    async def watch(self, after: int = 0, *, robots: bool = False) -> AsyncIterator[bytes]:
        """Yield server-sent events: each holds the rows (of people, or of robots) new to this viewer, the newest last.

        A browser that comes back sends the `id` of the last one it got, and misses none of those that are kept. It must
        come back now and then in any case: a service that is stopped waits for the requests under way.
        """
        end = asyncio.get_running_loop().time() + SECONDS_OF_STREAM
        self._viewers += 1
        if self._reader is None or self._reader.done():
            self._reader = asyncio.ensure_future(self._read())
        try:
            yield b"retry: %d\n\n" % MILLISECONDS_TO_COME_BACK
            while await self._later_than(after, end):
                message = self._message(after, robots)
                after = self._last
                if message:
                    yield message
        finally:
            self._viewers -= 1

    def _message(self, after: int, robots: bool) -> bytes:
        """Return the events after this one as they are sent; nothing if there are none."""
        key = after, robots
        if key not in self._messages:
            new = [event.as_dict() for event in self._newest[robots] if event.seq > after]
            self._messages[key] = f"id: {self._last}\ndata: {json.dumps(new)}\n\n".encode() if new else b""
        return self._messages[key]

    async def _later_than(self, after: int, end: float) -> bool:
        """Wait until there are events later than this one; False if there are none until the end."""
        try:
            async with asyncio.timeout_at(end):
                while self._last <= after:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return asyncio.get_running_loop().time() < end

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
                for event in rows:
                    if event.kind == "erased":
                        self._forget()
                    self._newest[is_robot(event)].append(event)
                self._last = rows[-1].seq
                self._messages.clear()
                self._changed.set()
                self._changed = asyncio.Event()
            if len(rows) < AT_ONCE:
                await asyncio.sleep(SECONDS)
        self._forget()
        self._last = 0

    def _forget(self) -> None:
        self._messages.clear()
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
