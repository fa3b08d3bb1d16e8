"""One experiment: what a run depends on besides the algorithm, and the records of some of its runs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.checks import failure, wrong_pair
from winnerstays.problems import Problem
from winnerstays.randomness import shuffle, stream
from winnerstays.regret_names import ALL_REGRETS, REGRETS
from winnerstays.simulation.loop import NO_SUCH_ARM, loop_of
from winnerstays.simulation.regret import ArmLosses, arm_losses, check_defined, no_duels


@dataclass(frozen=True)
class Experiment:
    """What one run depends on besides the algorithm and the run's number.

    A trial is one run of an algorithm with one problem. With several problems a run is one trial with each of them,
    and its record the mean of theirs: trial k is with problem k modulo their number.
    """

    problem: Problem
    horizon: int
    times: Ints
    seed: int
    relabel: bool = True
    regrets: tuple[str, ...] = REGRETS
    others: tuple[Problem, ...] = ()
    paired: bool = False
    """Whether the n-th duel of two arms has the same outcome in run k of every algorithm."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.problem, *self.others

    def no_records(self) -> Floats:
        """An array of no runs x times x regrets."""
        return np.empty((0, self.times.size, len(self.regrets)))

    def runs_of(self, trials: Floats) -> Floats:
        """Average the trials of each complete run; the first trial must be the first of a run."""
        each = len(self.problems)
        complete = trials[: len(trials) // each * each]
        return np.asarray(complete.reshape(-1, each, *trials.shape[1:]).mean(axis=1))


def run_batch(
    algorithm: Algorithm, experiment: Experiment, trials: Iterable[int], stop: npt.NDArray[np.uint8] | None = None
) -> Floats:
    """Return the records of some trials, each replayable alone: trials x times x regrets.

    There are fewer if `stop` becomes 1 on the way. With one problem trials are runs.
    """
    play, problems, times = loop_of(algorithm, paired=experiment.paired), experiment.problems, experiment.times
    losses: dict[int, ArmLosses] = {}
    columns = [ALL_REGRETS.index(name) for name in experiment.regrets]
    stop = np.zeros(1, np.uint8) if stop is None else stop
    records = []
    for trial in trials:
        number = trial % len(problems)
        problem = problems[number]
        if number not in losses:
            check_defined(problem, experiment.regrets)
            losses[number] = arm_losses(problem, experiment.regrets)
        rng, outcome_rng = stream(experiment.seed, trial, 0), stream(experiment.seed, trial, 1)
        label = np.arange(problem.n_arms, dtype=np.uint32)
        if experiment.relabel:
            shuffle(label, outcome_rng)
        features = None if problem.features is None else problem.features[label]
        state = algorithm.start(problem.n_arms, rng, horizon=experiment.horizon, features=features)
        state = algorithm.reserve(state, experiment.horizon)
        record = np.zeros((times.size, len(ALL_REGRETS)))
        tally = no_duels(problem.n_arms)
        met = np.zeros((problem.n_arms,) * 2 if experiment.paired else (0, 0), np.int64)
        try:
            reached = play(
                state, problem.chances, losses[number], tally, label, times, record, rng, outcome_rng, stop, met
            )
        except Exception as error:
            if not algorithm.own:
                raise
            raise failure(algorithm, "a run", error) from error
        if reached == NO_SUCH_ARM:
            raise wrong_pair(algorithm, record[0, :2].astype(int), problem.n_arms)
        if reached < times.size:
            break
        records.append(record[:, columns])
    return np.array(records).reshape(len(records), times.size, len(columns))


def ten_per_decade(horizon: int) -> Ints:
    """Return the times that are recorded unless others are asked for; the last is the horizon.

    >>> ten_per_decade(13)
    array([ 1,  2,  3,  4,  5,  6,  8, 10, 13])
    """
    grid = np.unique(np.rint(10 ** (np.arange(10 * len(str(horizon))) / 10)).astype(np.int64))
    return np.append(grid[grid < horizon], horizon)
