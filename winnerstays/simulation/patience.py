"""A word on stderr where a run of an algorithm of one's own does not come back: maybe a loop in it never ends."""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread

from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.diagnosis import is_own
from winnerstays.algorithms.rehearsal import running

SECONDS, LOOK_EVERY = 20.0, 1.0
"""How long nothing is completed before that is said; later it is said after twice as long each time."""


class Waiting:
    """What was handed out and is not back yet, by what it is part of."""

    def __init__(self) -> None:
        self.open: dict[object, str] = {}
        self.since = time.monotonic()

    def hand_out(self, task: object, name: str) -> None:
        self.open[task] = name

    def take_back(self, task: object) -> None:
        self.open.pop(task, None)
        self.since = time.monotonic()


@contextmanager
def patience(waiting: Waiting, algorithms: Iterable[Algorithm]) -> Iterator[None]:
    """Say when nothing came back for long and an algorithm of one's own was handed out first."""
    own = {one.label: one for one in algorithms if is_own(one)}
    over = Event()
    watcher = Thread(target=_watch, args=(waiting, own, over), daemon=True)
    if own:
        watcher.start()
    try:
        yield
    finally:
        over.set()


def _watch(waiting: Waiting, own: Mapping[str, Algorithm], over: Event) -> None:
    limit, since = SECONDS, waiting.since
    while not over.wait(min(LOOK_EVERY, limit)):
        if waiting.since != since:
            limit, since = SECONDS, waiting.since
        oldest = next(iter(list(waiting.open.values())), "")
        if oldest in own and time.monotonic() - since >= limit:
            print(_sentence(own[oldest], limit), file=sys.stderr, flush=True)
            limit *= 2


def _sentence(algorithm: Algorithm, seconds: float) -> str:
    place = running(algorithm)
    where = f"it is in {place}" if place else "with WINNERSTAYS_COMPILE=0 it is said where"
    return (
        f"winnerstays: {algorithm.label}: no run was completed for {seconds:g} seconds; if they are not that long, a "
        f"loop in it may not end; {where}. Ctrl-C stops it."
    )
