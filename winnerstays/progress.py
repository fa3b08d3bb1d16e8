"""Progress on stderr: how much of the work is done, and how much time is left."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, float], None]
"""A function that is called with the stage of the work and the fraction of it that is done."""


@contextmanager
def progress_bar(wanted: bool | Progress) -> Iterator[Progress]:
    """Show a progress bar for each stage, with the elapsed time and the time left, if `wanted`.

    If stderr is not a terminal, a line is printed every few seconds. If `wanted` is a function, it is called instead.
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
    """Return a function that prints the progress every few seconds, for output that goes to a file."""
    begun: dict[str, float] = {}
    last_report = time.monotonic()

    def show(stage: str, fraction: float) -> None:
        nonlocal last_report
        now = time.monotonic()
        start = begun.setdefault(stage, now)
        if now - last_report >= SECONDS_BETWEEN_WORDS:
            last_report = now
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
    """Estimates how much of the work is done. Tasks may cost different amounts, and more may be added later."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.start = time.monotonic()
        self.spent: dict[int, float] = {}
        self.done: dict[int, int] = {}
        self.open: dict[int, int] = {}

    def expect(self, task: int, steps: int) -> None:
        """Set how many steps of a task are left."""
        self.open[task] = steps

    def add(self, task: int, steps: int, seconds: float) -> None:
        """Record finished steps, and the seconds that they took in all."""
        self.spent[task] = self.spent.get(task, 0.0) + seconds
        self.done[task] = self.done.get(task, 0) + steps
        self.open[task] -= steps

    @property
    def fraction(self) -> float:
        """The share of the time that has passed. A task that has not begun is assumed to cost as much as the others."""
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
