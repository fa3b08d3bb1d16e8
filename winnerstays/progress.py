"""How far the work is and how long the rest will take: a bar on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, float], None]
"""Told the stage of the work and the fraction of it that is done."""


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Progress]:
    """A bar for one stage after another, each with the time it took and the time left; or nothing."""
    if not wanted:
        yield lambda stage, fraction: None
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
            bar.update(task, completed=fraction, left=time_left(time.monotonic() - start, fraction))

        yield show


UNKNOWN = "-:--:--"


def time_left(elapsed: float, fraction: float) -> str:
    """
    >>> time_left(90, 0.5), time_left(4000, 0.25), time_left(1, 0)
    ('0:01:30', '3:20:00', '-:--:--')
    """
    if fraction <= 0:
        return UNKNOWN
    seconds = round(elapsed * (1 - fraction) / fraction)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


class Forecast:
    """What lines of work cost so far, and so how much of all of it is done, where they may grow on the way."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.start = time.monotonic()
        self.spent: dict[int, float] = {}
        self.done: dict[int, int] = {}
        self.open: dict[int, int] = {}

    def expect(self, line: int, turns: int) -> None:
        """So many more turns of this line are foreseen."""
        self.open[line] = turns

    def add(self, line: int, turns: int, seconds: float) -> None:
        """These turns are done; together they took a worker so long."""
        self.spent[line] = self.spent.get(line, 0.0) + seconds
        self.done[line] = self.done.get(line, 0) + turns
        self.open[line] -= turns

    @property
    def fraction(self) -> float:
        """Of the time; a line that has not begun is taken to cost what the others do."""
        turns = sum(self.done.values())
        if not turns:
            return 0.0
        usual = sum(self.spent.values()) / turns
        left = sum(
            turns * (self.spent[line] / self.done[line] if self.done.get(line) else usual)
            for line, turns in self.open.items()
        )
        elapsed = time.monotonic() - self.start
        return elapsed / (elapsed + left / self.workers) if elapsed + left > 0 else 1.0
