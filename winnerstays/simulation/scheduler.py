"""Which runs are computed, in which batches, and when there are enough of them."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, takewhile, zip_longest
from typing import Any

import numpy as np

from winnerstays._types import Floats
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import COMPILED
from winnerstays.progress import Forecast, Progress
from winnerstays.simulation.cache import Cache
from winnerstays.simulation.curve import relative_error, skewness
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.simulation.workers import Workers
from winnerstays.wording import counted

DUELS_PER_BATCH, DUELS_PER_PLAIN_BATCH, DUELS_PER_REMOTE_BATCH = 2_000_000, 2_000, 20_000_000
NAMED = 2
"""Algorithms that are named of many."""


@dataclass(frozen=True)
class StoppingRule:
    """When an algorithm has enough runs: after `max_runs`, or once its means are as precise as asked."""

    max_runs: int
    min_runs: int
    """The runs before the precision is first checked; then their number grows by half each time."""
    precision: float | None
    columns: tuple[int, ...]
    """The recorded regrets of which the precision is asked."""
    runs_by_skewness: float = 200.0
    """A standard error is trusted from this many runs times the squared skewness on.

    Where rare runs are very expensive, a few runs hold none of them: mean and standard error are both too small, and
    stopping then would pick such moments. The squared skewness of n values is about n / k if k of them outweigh the
    rest, so the rule asks for 200 of the expensive runs, too, or for none. Rare cheap runs (a negative skewness) do
    little, as regret is never below 0. It asks so of every recorded mean, also of one that is far more precise than
    wanted: whoever reads it off beside its error trusts both. With 100 instead of 200, mean ± 2 standard errors of
    WS-S on cyclic held the truth in 92 % of 1500 repetitions; with 200 in 95 % (`python -m benchmarks coverage`).
    """

    @property
    def first_goal(self) -> int:
        return self.max_runs if self.precision is None else min(self.max_runs, self.min_runs)

    def next_goal(self, records: Floats) -> tuple[int, int] | None:
        """Return how many runs to have before looking again, and how many will be enough; None if these are."""
        goal = len(records)
        if self.precision is None or goal >= self.max_runs:
            return None
        _, enough = self.error_and_enough(records)
        if goal >= enough:
            return None
        following = min(self.max_runs, goal + (goal + 1) // 2)
        return following, int(max(following, min(self.max_runs, enough)))

    def error_and_enough(self, records: Floats) -> tuple[float, float]:
        """Return the largest relative standard error, and how many runs would be enough: no more, or a forecast."""
        values, goal, wanted = records[:, :, list(self.columns)], len(records), self.precision or math.inf
        error = float(relative_error(values).max())
        if error > wanted:
            return error, max(goal + 1, goal * (error / wanted) ** 2)  # a standard error falls as 1 / sqrt(runs)
        return error, self.runs_by_skewness * float(skewness(values).max(initial=0.0)) ** 2

    def shortfall(self, label: str, records: Floats) -> str:
        """Say that the precision was not reached, if it was not."""
        if self.precision is None:
            return ""
        error, enough = self.error_and_enough(records)
        runs = counted(len(records), "run")
        if len(records) >= enough:
            return ""
        if math.isinf(error):
            reason = "from which its standard error is not known"
        elif error > self.precision:
            reason = (
                f"after which its standard error is up to {error:.3g} of the mean; about {_rounded(enough)} are needed"
            )
        else:
            reason = f"too few to trust its standard error, as some cost far more; about {_rounded(enough)} are needed"
        return f"{label}: the precision {self.precision:g} was not reached in {runs}, {reason}."


def _rounded(runs: float) -> str:
    """Return a forecast with two digits.

    >>> _rounded(1234.5), _rounded(87.2)
    ('1,300', '88')
    """
    unit = 10 ** max(0, len(str(math.ceil(runs))) - 2)
    return f"{math.ceil(runs / unit) * unit:,}"


def check_playable(algorithms: list[Algorithm], experiment: Experiment, show: Progress) -> None:
    """Show what is wrong with a problem or an algorithm before any work is done; this also compiles them."""
    for number, algorithm in enumerate(algorithms):
        show(f"preparing {algorithm.label}", number / len(algorithms))
        run_batch(algorithm, replace(experiment, times=experiment.times[:0]), [*range(len(experiment.problems))])


def collect_records(
    algorithms: list[Algorithm],
    experiment: Experiment,
    rule: StoppingRule,
    workers: Workers,
    cache: Cache | None,
    show: Progress,
) -> tuple[list[Floats], bool]:
    """Return each algorithm's records (runs x times x regrets), and whether Ctrl-C came before there were enough."""
    known = [
        experiment.no_records() if cache is None else cache.load(algorithm, experiment) for algorithm in algorithms
    ]
    records = [experiment.no_records() for _ in algorithms]
    goals = dict.fromkeys(range(len(algorithms)), rule.first_goal)
    forecast, enough, interrupted = Forecast(workers.count), dict(goals), False
    stage = _stage([algorithm.label for algorithm in algorithms])
    show(stage, forecast.fraction)
    while goals and not interrupted:
        missing = {index: range(len(known[index]), goal) for index, goal in goals.items() if goal > len(known[index])}
        for index in enough:
            more = enough[index] - len(known[index]) if index in missing else 0
            forecast.expect(index, more * len(experiment.problems))
        batches = _Batches(algorithms, experiment, missing, workers)
        try:
            batches.play(forecast, partial(show, stage))
        except KeyboardInterrupt:
            interrupted = True
        for index in missing:
            known[index] = np.concatenate([known[index], experiment.runs_of(batches.unbroken(index))])
            if cache is not None:
                cache.save(algorithms[index], experiment, known[index])
        following = {}
        for index, goal in goals.items():
            records[index] = known[index][:goal]
            next_goals = None if interrupted else rule.next_goal(records[index])
            if next_goals is not None:
                following[index], enough[index] = next_goals
        goals = following
    return records, interrupted


def _stage(labels: list[str]) -> str:
    """Say whose runs are played.

    >>> _stage(["ws-w"]), _stage(["ws-w", "ws-s", "rucb", "btm"])
    ('runs of ws-w', 'runs of ws-w, ws-s and 2 more')
    """
    shown = labels if len(labels) <= NAMED + 1 else labels[:NAMED]
    more = f" and {len(labels) - len(shown)} more" if len(shown) < len(labels) else ""
    return f"runs of {', '.join(shown)}{more}"


BatchId = tuple[int, range]
"""The index of an algorithm, and trials of it."""


def _timed_batch(batch: BatchId, *work: Any) -> tuple[BatchId, Floats, float]:
    """Return the records of a batch, and the seconds they took."""
    start = time.perf_counter()
    records = run_batch(*work)
    return batch, records, time.perf_counter() - start


class _Batches:
    """Some runs of some algorithms, cut into batches of trials that workers take as they are free."""

    def __init__(
        self, algorithms: list[Algorithm], experiment: Experiment, runs: Mapping[int, range], workers: Workers
    ) -> None:
        self.algorithms, self.experiment, self.runs, self.workers = algorithms, experiment, runs, workers
        self.stop = np.zeros(1, np.uint8)
        self.done: dict[BatchId, Floats] = {}

    def of(self, index: int) -> Iterator[BatchId]:
        """The batches of one algorithm, in order."""
        each, runs = len(self.experiment.problems), self.runs[index]
        compiled = COMPILED and self.algorithms[index].compiled
        duels = DUELS_PER_BATCH if self.workers.threads else DUELS_PER_REMOTE_BATCH
        duels = duels if compiled else DUELS_PER_PLAIN_BATCH
        trials = range(runs.start * each, runs.stop * each)
        size = max(1, min(duels // self.experiment.horizon, len(trials) // (4 * self.workers.count)))
        soon = trials[:1]  # so that its cost is known
        remaining = ((index, trials[first : first + size]) for first in range(1, len(trials), size))
        return chain([(index, soon)] if soon else [], remaining)

    def play(self, forecast: Forecast, show: Callable[[float], None]) -> None:
        alternating = zip_longest(*(self.of(index) for index in self.runs))  # so that all costs are known soon
        work = (self.handed_out(batch) for batches in alternating for batch in batches if batch)
        try:
            for batch, records, seconds in self.workers.each(_timed_batch, work):
                self.done[batch] = records
                forecast.add(batch[0], len(records), seconds)
                show(forecast.fraction)
        finally:
            self.stop[0] = 1

    def handed_out(self, batch: BatchId) -> tuple[Any, ...]:
        """Return what a worker is given for a batch."""
        return batch, self.algorithms[batch[0]], self.experiment, batch[1], self.stop

    def unbroken(self, index: int) -> Floats:
        """The records of an algorithm's trials up to the first batch that is missing."""
        finished = takewhile(lambda batch: batch in self.done, self.of(index))
        return np.concatenate([self.experiment.no_records(), *(self.done.pop(batch) for batch in finished)])
