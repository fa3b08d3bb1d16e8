"""Progress on stderr: how far the work is, and how long the rest will take."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, float], None]
"""A function that is told the stage of the work and the fraction of it that is done."""


@contextmanager
def progress_bar(wanted: bool | Progress) -> Iterator[Progress]:
    """Show a bar for one stage after another, each with the time it took and the time left; nothing unless wanted.

    Where stderr is no terminal there are words every few seconds; a function in place of the bar is told instead.
    """
    if callable(wanted):
        yield wanted
        return
    if not wanted:
        yield lambda stage, fraction: None
        return
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):
        yield _words()
        return
    from rich import progress as parts
    from rich.console import Console

    columns = (
        parts.TextColumn("{task.description}"), parts.BarColumn(), parts.TaskProgressColumn(),
        parts.TimeElapsedColumn(), parts.TextColumn("left: {task.fields[left]}"),
    )  # fmt: skip
    with parts.Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("", total=1.0, left=UNKNOWN)
        shown, start = "", time.monotonic()

        def show(stage: str, fraction: float) -> None:
            nonlocal shown, start
            if stage != shown:
                shown, start = stage, time.monotonic()
                bar.reset(task, description=stage, left=UNKNOWN)
            total = 1.0 if fraction > 0 else None  # moves to and fro until something is known
            bar.update(task, completed=fraction, total=total, left=time_left(time.monotonic() - start, fraction))

        yield show


def _words() -> Progress:
    """Return what says now and then how far a stage is, for output that goes to a file."""
    begun: dict[str, float] = {}
    said = time.monotonic()

    def show(stage: str, fraction: float) -> None:
        nonlocal said
        now = time.monotonic()
        start = begun.setdefault(stage, now)
        if now - said >= SECONDS_BETWEEN_WORDS:
            said = now
            left = f", left: {time_left(now - start, fraction)}" if fraction > 0 and now > start else ""
            print(f"{stage}: {fraction:.0%} done{left}", file=sys.stderr, flush=True)

    return show


SECONDS_BETWEEN_WORDS = 5.0
UNKNOWN = "-:--:--"


def time_left(elapsed: float, fraction: float) -> str:
    """Extrapolate the time that is left.

    >>> time_left(90, 0.5), time_left(4000, 0.25), time_left(1, 0)
    ('0:01:30', '3:20:00', '-:--:--')
    """
    if fraction <= 0:
        return UNKNOWN
    seconds = round(elapsed * (1 - fraction) / fraction)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


class Forecast:
    """The fraction of the work that is done, where tasks cost different amounts and more may be added on the way."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.start = time.monotonic()
        self.spent: dict[int, float] = {}
        self.done: dict[int, int] = {}
        self.open: dict[int, int] = {}

    def expect(self, task: int, steps: int) -> None:
        """Foresee this many more steps of a task."""
        self.open[task] = steps

    def add(self, task: int, steps: int, seconds: float) -> None:
        """Note steps that are done, and the seconds they took a worker together."""
        self.spent[task] = self.spent.get(task, 0.0) + seconds
        self.done[task] = self.done.get(task, 0) + steps
        self.open[task] -= steps

    @property
    def fraction(self) -> float:
        """The fraction of the time; steps of a task that has not begun are taken to cost what those of others do."""
        done = sum(self.done.values())
        if not done:
            return 0.0
        usual = sum(self.spent.values()) / done
        left = sum(
            steps * (self.spent[task] / self.done[task] if self.done.get(task) else usual)
            for task, steps in self.open.items()
        )
        elapsed = time.monotonic() - self.start
        return elapsed / (elapsed + left / self.workers) if elapsed + left > 0 else 1.0
