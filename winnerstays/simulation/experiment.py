"""Many runs of many algorithms on one problem or several; on threads, processes or a cluster, with the same result."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.compiling import COMPILED
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems import Problem
from winnerstays.problems import problem as find_problem
from winnerstays.problems.problem import Floats
from winnerstays.progress import Forecast, Progress, progress_bar
from winnerstays.randomness import check_seed, shuffle, stream
from winnerstays.simulation.cache import Cache
from winnerstays.simulation.loop import NO_SUCH_ARM, loop_of
from winnerstays.simulation.regret import REGRETS, Stakes, no_duels, stakes
from winnerstays.simulation.result import Simulation, relative_error
from winnerstays.simulation.workers import Workers, workers

LONGEST, MOST_RUNS, MOST_THREADS = 10**15, 10**8, 512
DUELS_PER_BATCH, DUELS_PER_PLAIN_BATCH, DUELS_PER_REMOTE_BATCH = 2_000_000, 2_000, 20_000_000
FIRST_RUNS = 32
"""Runs before a wanted precision is looked at for the first time; then their number grows by half each time."""
Problems = Problem | str | Sequence[Problem | str]


@dataclass(frozen=True)
class Experiment:
    """What one run depends on besides the algorithm and the run's number.

    With several problems a run is one turn with each of them, and its record the mean of theirs.
    """

    problem: Problem
    horizon: int
    times: Ints
    seed: int
    relabel: bool = True
    regrets: tuple[str, ...] = REGRETS
    others: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.problem, *self.others

    def none(self) -> Floats:
        """The records of no runs."""
        return np.empty((0, self.times.size, len(self.regrets)))

    def runs(self, turns: Floats) -> Floats:
        """The records of the runs that these turns complete, the first being the first of a run."""
        each = len(self.problems)
        whole = turns[: len(turns) // each * each]
        return np.asarray(whole.reshape(-1, each, *turns.shape[1:]).mean(axis=1))


def run_batch(
    algorithm: Algorithm, experiment: Experiment, turns: Iterable[int], stop: npt.NDArray[np.uint8] | None = None
) -> Floats:
    """The records of some turns, each replayable alone: turns x times x regrets. Fewer if told to stop.

    Turn k is with problem k modulo their number; with one problem turns are runs.
    """
    play, problems, times = loop_of(algorithm), experiment.problems, experiment.times
    at_stakes: dict[int, Stakes] = {}
    kept = [REGRETS.index(name) for name in experiment.regrets]
    stop = np.zeros(1, np.uint8) if stop is None else stop
    records = []
    for turn in turns:
        number = turn % len(problems)
        problem = problems[number]
        if number not in at_stakes:
            at_stakes[number] = stakes(problem)
        rng, luck = stream(experiment.seed, turn, 0), stream(experiment.seed, turn, 1)
        label = np.arange(problem.n_arms, dtype=np.uint32)
        if experiment.relabel:
            shuffle(label, luck)
        features = None if problem.features is None else problem.features[label]
        state = algorithm.start(problem.n_arms, rng, horizon=experiment.horizon, features=features)
        record = np.zeros((times.size, len(REGRETS)))
        tally = no_duels(problem.n_arms)
        reached = play(state, problem.chances, at_stakes[number], tally, label, times, record, rng, luck, stop)
        if reached == NO_SUCH_ARM:
            known = f"the {problem.n_arms} arms are 0 to {problem.n_arms - 1}"
            raise WinnerstaysError(f"{algorithm.name} chose an arm that does not exist; {known}.")
        if reached < times.size:
            break
        records.append(record[:, kept])
    return np.array(records).reshape(len(records), times.size, len(kept))


def simulate(
    problem: Problems,
    algorithms: "Algorithm | str | Sequence[Algorithm | str]",
    *,
    horizon: int = 10_000,
    runs: int = 100,
    seed: int = 0,
    times: Sequence[int] | None = None,
    precision: float | None = None,
    precise: str | Sequence[str] | None = None,
    least: int | Mapping[str, int] = FIRST_RUNS,
    regrets: str | Sequence[str] = REGRETS,
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

    - `problem`: of several problems, such as one for each user, the mean: run k is then one run with each of them.
    - `times`: when to record; by default ten times per decade, and at the horizon. `regrets`: what to record.
    - `precision`: stop adding runs once the standard error of every curve is at most this fraction of its mean at all
      times; `runs` is then the most that will be done. `precise` names the regrets that this is asked of.
    - `least`: runs before the precision is looked at, for all or by the algorithm's name. Where rare runs are very
      expensive, few runs may hold none of them, and look precise.
    - `relabel`: number the arms at random in every run, so that no algorithm gains by preferring low numbers.
    - `threads`: how many workers; all cores by default. The result does not depend on it.
    - `cluster`: where they are: `tcp://host:port` (Dask), `ray://host:port` (Ray), `processes`; else threads here.
    - `cache`: a folder in which runs are kept, so that nothing is computed twice and an interrupted simulation goes on.

    Run k draws from streams named (seed, k) alone; with U problems, from those of k U, ..., k U + U - 1.
    Ctrl-C ends the simulation with the runs that are complete.
    """
    chosen, (problem, *others) = _algorithms(algorithms), _problems(problem)
    horizon, runs = _whole("horizon", horizon), _whole("runs", runs)
    if threads is not None and _whole("threads", threads) > MOST_THREADS and cluster in (None, "processes"):
        raise WinnerstaysError(f"threads is {threads}, but here it must be at most {MOST_THREADS}.")
    seed = check_seed(seed)
    if runs > MOST_RUNS:
        raise WinnerstaysError(f"runs is {runs}, but it must be at most {MOST_RUNS:g}.")
    if precision is not None and not (isinstance(precision, int | float) and 0 < precision < 1):
        raise WinnerstaysError(f"precision is {precision}, but it must be a fraction between 0 and 1, such as 0.03.")
    recorded = _regrets(regrets, REGRETS)
    asked = _regrets(recorded if precise is None else precise, recorded)
    columns = [recorded.index(name) for name in asked]
    by_name = least if isinstance(least, Mapping) else {one.name: least for one in chosen}
    first = [_whole("least", by_name.get(one.name, FIRST_RUNS)) for one in chosen]
    experiment = Experiment(problem, horizon, _times(times, horizon), seed, relabel, recorded, tuple(others))
    for one in chosen:  # whatever is wrong with a problem or an algorithm shows here, before any work is done
        run_batch(one, replace(experiment, times=experiment.times[:0]), [*range(len(experiment.problems))])

    store = None if cache is None else Cache(cache)
    kept = [experiment.none() if store is None else store.load(one, experiment) for one in chosen]
    records = [experiment.none() for _ in chosen]
    goals = {index: runs if precision is None else min(runs, first[index]) for index in range(len(chosen))}
    interrupted = False
    with workers(cluster, threads) as at, progress_bar(progress) as show:
        forecast, hoped = Forecast(at.count), dict(goals)
        show("runs", forecast.fraction)
        while goals and not interrupted:
            spans = {index: range(len(kept[index]), goal) for index, goal in goals.items() if goal > len(kept[index])}
            for index in hoped:
                more = hoped[index] - len(kept[index]) if index in spans else 0
                forecast.expect(index, more * len(experiment.problems))
            batches = _Batches(chosen, experiment, spans, at)
            try:
                batches.play(forecast, show)
            except KeyboardInterrupt:
                interrupted = True
            for index in spans:
                kept[index] = np.concatenate([kept[index], experiment.runs(batches.unbroken(index))])
                if store is not None:
                    store.save(chosen[index], experiment, kept[index])
            for index, goal in goals.items():
                records[index] = kept[index][:goal]
            if precision is None:
                break
            looseness = {
                index: max(float(relative_error(records[index][:, :, column]).max()) for column in columns)
                for index in goals
            }
            unfinished = [index for index, goal in goals.items() if goal < runs and looseness[index] > precision]
            goals = {index: min(runs, goals[index] + (goals[index] + 1) // 2) for index in unfinished}
            for index, goal in goals.items():  # a standard error falls as 1 / sqrt(runs)
                foreseen = len(records[index]) * (looseness[index] / precision) ** 2
                hoped[index] = int(max(goal, min(runs, foreseen)))
    if interrupted and not any(len(record) for record in records):
        raise KeyboardInterrupt
    return Simulation(
        problem, chosen, horizon, seed, experiment.times, records, interrupted, recorded, experiment.others
    )


def _problems(problem: Problems) -> list[Problem]:
    if isinstance(problem, str | Problem) or not isinstance(problem, Sequence):
        return [find_problem(problem)]
    if not len(problem):
        raise WinnerstaysError("No problem was given; name at least one, such as 'sushi'.")
    return [find_problem(one) for one in problem]


def _regrets(names: str | Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    names = [names] if isinstance(names, str) else names
    if not names:
        raise WinnerstaysError(f"No regret was given; name at least one of {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise unknown("regret", name, known)
    return tuple(names)


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
    for number, one in enumerate(chosen):
        for other in chosen[:number]:
            if one.name == other.name and one.settings == other.settings:
                same = f"{other.label!r} and {one.label!r} are the same"
                raise WinnerstaysError(f"{same}; the result would show one curve twice.")
    return chosen


def _whole(name: str, value: object) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= LONGEST:
        raise WinnerstaysError(f"{name} is {value!r}, but it must be a whole number from 1 to {LONGEST:g}.")
    return int(value)


def ten_a_decade(horizon: int) -> Ints:
    """The times that are recorded unless others are asked for; the last is the horizon.

    >>> ten_a_decade(13)
    array([ 1,  2,  3,  4,  5,  6,  8, 10, 13])
    """
    grid = np.unique(np.rint(10 ** (np.arange(10 * len(str(horizon))) / 10)).astype(np.int64))
    return np.append(grid[grid < horizon], horizon)


def _times(times: Sequence[int] | None, horizon: int) -> Ints:
    if times is None:
        return ten_a_decade(horizon)
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


Key = tuple[int, range]


def _batch(key: Key, *work: Any) -> tuple[Key, Floats, float]:
    """The records of a batch, and the seconds they took."""
    start = time.perf_counter()
    records = run_batch(*work)
    return key, records, time.perf_counter() - start


class _Batches:
    """Some runs of some algorithms, cut into batches of turns that workers take as they are free."""

    def __init__(
        self, chosen: list[Algorithm], experiment: Experiment, spans: Mapping[int, range], at: Workers
    ) -> None:
        self.chosen, self.experiment, self.spans, self.workers = chosen, experiment, spans, at
        self.stop = np.zeros(1, np.uint8)
        self.done: dict[Key, Floats] = {}

    def keys(self, index: int) -> Iterator[Key]:
        """The batches of one algorithm, in order."""
        each, at, span = len(self.experiment.problems), self.workers, self.spans[index]
        quick = COMPILED and self.chosen[index].compiled
        duels = DUELS_PER_PLAIN_BATCH if not quick else DUELS_PER_BATCH if at.threads else DUELS_PER_REMOTE_BATCH
        turns = range(span.start * each, span.stop * each)
        size = max(1, min(duels // self.experiment.horizon, len(turns) // (4 * at.count)))
        return ((index, turns[first : first + size]) for first in range(0, len(turns), size))

    def play(self, forecast: Forecast, show: Progress) -> None:
        in_turn = zip_longest(*(self.keys(index) for index in self.spans))  # so that all costs are known soon
        work = (
            (key, self.chosen[key[0]], self.experiment, key[1], self.stop) for keys in in_turn for key in keys if key
        )
        try:
            for key, records, seconds in self.workers.each(_batch, work):
                self.done[key] = records
                forecast.add(key[0], len(records), seconds)
                show("runs", forecast.fraction)
        finally:
            self.stop[0] = 1

    def unbroken(self, index: int) -> Floats:
        """The records of an algorithm's turns up to the first batch that is missing."""
        finished = takewhile(lambda key: key in self.done, self.keys(index))
        return np.concatenate([self.experiment.none(), *(self.done.pop(key) for key in finished)])
