"""Many runs of many algorithms on one problem, on as many threads as wanted, with the same result."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.algorithms.contract import Algorithm, Ints
from winnerstays.algorithms.contract import algorithm as find_algorithm
from winnerstays.compiling import COMPILED
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems import Problem
from winnerstays.problems import problem as find_problem
from winnerstays.problems.problem import Floats
from winnerstays.randomness import check_seed, shuffle, stream
from winnerstays.regret import REGRETS, no_duels, stakes
from winnerstays.simulation.cache import Cache
from winnerstays.simulation.loop import NO_SUCH_ARM, loop_of
from winnerstays.simulation.result import Simulation
from winnerstays.simulation.workers import Workers, workers

LONGEST, MOST_RUNS = 10**15, 10**8
DUELS_PER_BATCH, DUELS_PER_PLAIN_BATCH, DUELS_PER_REMOTE_BATCH = 2_000_000, 2_000, 20_000_000
FIRST_RUNS = 32
"""Runs before a wanted precision is looked at for the first time; then their number grows by half each time."""


@dataclass(frozen=True)
class Experiment:
    """What one run depends on besides the algorithm and the run's number."""

    problem: Problem
    horizon: int
    times: Ints
    seed: int
    relabel: bool = True


def run_batch(
    algorithm: Algorithm, experiment: Experiment, runs: Iterable[int], stop: npt.NDArray[np.uint8] | None = None
) -> Floats:
    """The records of some runs, each replayable alone: runs x times x REGRETS. Fewer if told to stop."""
    play, at_stake = loop_of(algorithm), stakes(experiment.problem)
    problem, times = experiment.problem, experiment.times
    stop = np.zeros(1, np.uint8) if stop is None else stop
    records = []
    for run in runs:
        rng, luck = stream(experiment.seed, run, 0), stream(experiment.seed, run, 1)
        label = np.arange(problem.n_arms, dtype=np.uint32)
        if experiment.relabel:
            shuffle(label, luck)
        features = None if problem.features is None else problem.features[label]
        state = algorithm.start(problem.n_arms, rng, horizon=experiment.horizon, features=features)
        record = np.zeros((times.size, len(REGRETS)))
        tally = no_duels(problem.n_arms)
        reached = play(state, problem.chances, at_stake, tally, label, times, record, rng, luck, stop)
        if reached == NO_SUCH_ARM:
            known = f"the {problem.n_arms} arms are 0 to {problem.n_arms - 1}"
            raise WinnerstaysError(f"{algorithm.name} chose an arm that does not exist; {known}.")
        if reached < times.size:
            break
        records.append(record)
    return np.array(records).reshape(len(records), times.size, len(REGRETS))


def simulate(
    problem: "Problem | str",
    algorithms: "Algorithm | str | Sequence[Algorithm | str]",
    *,
    horizon: int = 10_000,
    runs: int = 100,
    seed: int = 0,
    times: Sequence[int] | None = None,
    precision: float | None = None,
    precise: Sequence[str] = REGRETS,
    relabel: bool = True,
    threads: int | None = None,
    cluster: str | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Simulation:
    """Regret curves of algorithms on a problem.

    >>> result = simulate("mslr", ["ws-w", "ws-s"], horizon=1000, runs=20, seed=1)
    >>> result.curve("ws-w", "weak-binary").mean[-1].round(2)
    np.float64(65.25)

    - `times`: when to record; by default ten times per decade, and at the horizon.
    - `precision`: stop adding runs once the standard error of every curve is at most this fraction of its mean at all
      times; `runs` is then the most that will be done. `precise` names the regrets that this is asked of.
    - `relabel`: number the arms at random in every run, so that no algorithm gains by preferring low numbers.
    - `threads`: how many workers; all cores by default. The result does not depend on it.
    - `cluster`: where they are: `tcp://host:port` (Dask), `ray://host:port` (Ray), `processes`; else threads here.
    - `cache`: a folder in which runs are kept, so that nothing is computed twice and an interrupted simulation goes on.

    Run k draws from streams named (seed, k) alone. Ctrl-C ends the simulation with the runs that are complete.
    """
    chosen, problem = _algorithms(algorithms), find_problem(problem)
    horizon, runs = _whole("horizon", horizon), _whole("runs", runs)
    if threads is not None:
        _whole("threads", threads)
    seed = check_seed(seed)
    if runs > MOST_RUNS:
        raise WinnerstaysError(f"runs is {runs}, but it must be at most {MOST_RUNS:g}.")
    if precision is not None and not (isinstance(precision, int | float) and 0 < precision < 1):
        raise WinnerstaysError(f"precision is {precision}, but it must be a fraction between 0 and 1, such as 0.03.")
    for name in precise:
        if name not in REGRETS:
            raise unknown("regret", name, REGRETS)
    experiment = Experiment(problem, horizon, _times(times, horizon), seed, relabel)
    for one in chosen:  # whatever is wrong with a problem or an algorithm shows here, before any work is done
        run_batch(one, replace(experiment, times=experiment.times[:0]), [0])

    store = None if cache is None else Cache(cache)
    none = np.empty((0, experiment.times.size, len(REGRETS)))
    kept = [none if store is None else store.load(one, experiment) for one in chosen]
    records = [none for _ in chosen]
    interrupted = False
    unfinished = list(range(len(chosen)))
    with workers(cluster, threads) as at, _progress(progress, runs * len(chosen)) as advance:
        for stage in _stages(runs, precision):
            wanted = {index: range(max(stage.start, len(kept[index])), stage.stop) for index in unfinished}
            for span in {span for span in wanted.values() if len(span)}:
                batches = _Batches(chosen, [index for index in wanted if wanted[index] == span], experiment, span, at)
                try:
                    batches.play(advance)
                except KeyboardInterrupt:
                    interrupted = True
                for index in batches.which:
                    kept[index] = np.concatenate([kept[index], *batches.unbroken(index)])
                    if store is not None:
                        store.save(chosen[index], experiment, kept[index])
                if interrupted:
                    break
            for index in unfinished:
                records[index] = kept[index][: stage.stop]
            if precision is not None:
                unfinished = [index for index in unfinished if not _precise(records[index], precision, precise)]
            if interrupted or not unfinished:
                break
    if interrupted and not any(len(record) for record in records):
        raise KeyboardInterrupt
    return Simulation(problem, chosen, horizon, seed, experiment.times, records, interrupted=interrupted)


def _algorithms(algorithms: "Algorithm | str | Sequence[Algorithm | str]") -> list[Algorithm]:
    if isinstance(algorithms, str | Algorithm):
        algorithms = [algorithms]
    if not isinstance(algorithms, Iterable):
        raise WinnerstaysError(f"The algorithms are {algorithms!r}, but they must be names or Algorithms.")
    chosen = [find_algorithm(one) for one in algorithms]
    if not chosen:
        raise WinnerstaysError("No algorithm was given; name at least one, such as 'ws-w'.")
    labels = [one.label for one in chosen]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise WinnerstaysError(f"{twice[0]!r} was asked for twice; the result would show the same curve again.")
    return chosen


def _whole(name: str, value: object) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= LONGEST:
        raise WinnerstaysError(f"{name} is {value!r}, but it must be a whole number from 1 to {LONGEST:g}.")
    return int(value)


def _times(times: Sequence[int] | None, horizon: int) -> Ints:
    if times is None:
        grid = np.unique(np.rint(10 ** (np.arange(10 * len(str(horizon))) / 10)).astype(np.int64))
        return np.append(grid[grid < horizon], horizon)
    at = np.asarray(times)
    if (
        at.ndim != 1
        or at.size == 0
        or at.dtype.kind not in "iu"
        or (np.diff(at) <= 0).any()
        or at[0] < 1
        or at[-1] > horizon
    ):
        raise WinnerstaysError(
            f"times must be growing whole numbers from 1 to the horizon {horizon}, not {list(times)}."
        )
    return at.astype(np.int64)


def _stages(runs: int, precision: float | None) -> Iterator[range]:
    """Ranges of runs after which the precision is looked at; the same whatever the number of threads."""
    first, last = 0, runs if precision is None else min(FIRST_RUNS, runs)
    while first < runs:
        yield range(first, last)
        first, last = last, min(runs, last + (last + 1) // 2)


def _precise(records: Floats, precision: float, precise: Sequence[str]) -> bool:
    if len(records) < 2:
        return False
    asked = records[:, :, [REGRETS.index(name) for name in precise]]
    return bool((asked.std(axis=0, ddof=1) / math.sqrt(len(records)) <= precision * asked.mean(axis=0)).all())


Key = tuple[int, range]


def _batch(key: Key, *work: Any) -> tuple[Key, Floats]:
    return key, run_batch(*work)


class _Batches:
    """Some runs of some algorithms, cut into batches that workers take as they are free."""

    def __init__(
        self, chosen: list[Algorithm], which: list[int], experiment: Experiment, stage: range, at: Workers
    ) -> None:
        quick = COMPILED and all(chosen[index].compiled for index in which)
        duels = DUELS_PER_PLAIN_BATCH if not quick else DUELS_PER_BATCH if at.threads else DUELS_PER_REMOTE_BATCH
        size = max(1, min(duels // experiment.horizon, len(stage) // (4 * at.count)))
        self.workers, self.which = at, which
        self.stop = np.zeros(1, np.uint8)
        self.keys = [(index, stage[first : first + size]) for index in which for first in range(0, len(stage), size)]
        self.work = [((index, runs), chosen[index], experiment, runs, self.stop) for index, runs in self.keys]
        self.done: dict[Key, Floats] = {}

    def play(self, advance: Callable[[int], None]) -> None:
        try:
            for key, records in self.workers.each(_batch, self.work):
                self.done[key] = records
                advance(len(records))
        finally:
            self.stop[0] = 1

    def unbroken(self, index: int) -> list[Floats]:
        """The records of an algorithm's runs up to the first batch that is missing."""
        own = [key for key in self.keys if key[0] == index]
        finished = next((place for place, key in enumerate(own) if key not in self.done), len(own))
        return [self.done[key] for key in own[:finished]]


@contextmanager
def _progress(wanted: bool, runs: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr with the time left, or nothing."""
    if not wanted:
        yield lambda amount: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
        TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("runs", total=runs)
        yield lambda amount: bar.advance(task, amount)
