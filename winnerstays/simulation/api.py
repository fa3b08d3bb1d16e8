"""`simulate`: many runs of many algorithms on one problem or several, with the same result wherever they run."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.algorithms.registry import registered
from winnerstays.errors import WinnerstaysError, checks_arguments, unknown
from winnerstays.problems import FIXED, GENERATED, Problem, ProblemLike
from winnerstays.problems import problem as find_problem
from winnerstays.problems.frames import is_matrix
from winnerstays.progress import Progress, progress_bar
from winnerstays.randomness import check_seed
from winnerstays.regret_names import ALL_REGRETS, COPELAND_REGRETS, REGRETS, check_regret_name
from winnerstays.simulation.cache import Cache
from winnerstays.simulation.experiment import Experiment, ten_per_decade
from winnerstays.simulation.result import Simulation
from winnerstays.simulation.scheduler import StoppingRule, check_playable, collect_records
from winnerstays.simulation.workers import worker_pool

MAX_HORIZON, MAX_RUNS, MAX_WORKERS = 10**15, 10**8, 512
MIN_RUNS = 64
STEPS = ("init", "choose", "update", "best")
"""Algorithms with the same of these are the same."""
Problems = ProblemLike | Sequence[ProblemLike]
Algorithms = Algorithm | str | Sequence[Algorithm | str]


@checks_arguments
def simulate(
    problem: Problems,
    algorithms: Algorithms,
    *,
    horizon: int = 10_000,
    runs: int = 100,
    seed: int = 0,
    times: Sequence[int] | None = None,
    precision: float | None = None,
    precision_regrets: str | Sequence[str] | None = None,
    min_runs: int | Mapping[str, int] | None = None,
    regrets: str | Sequence[str] | None = None,
    relabel: bool = True,
    workers: int | None = None,
    cluster: str | None = None,
    cache: str | Path | None = None,
    progress: bool | Progress = False,
) -> Simulation:
    """Simulate algorithms on a problem and return their regret curves.

    >>> result = simulate("mslr", ["ws-w", "ws-s"], horizon=1000, runs=20, seed=1)
    >>> result.curve("ws-w", "weak-binary").mean[-1].round(2)
    np.float64(65.25)

    - `problem`: a Problem, a name, a file or a matrix (an array, a list of rows, a data frame); of several, such as
      one for each user, the mean: run k is then one run with each of them.
    - `algorithms`: Algorithms or names, with parameters as `ws-s:beta=1.2`.
    - `times`: when to record; by default ten times per decade, and at the horizon.
    - `regrets`: what to record; by default the five that need a Condorcet winner where there is one, else those of
      Copeland and Borda.
    - `precision`: stop adding runs once the standard error of every curve is at most this fraction of its mean at all
      times, and can be trusted: where some runs are far more expensive than others, only with 200 of these (the runs
      are at least 200 times the squared skewness). `runs` is then the most that will be done; where these are not
      enough, the result's `warnings` say so. `precision_regrets` names the regrets that this is asked of.
    - `min_runs`: runs before the precision is looked at, for all or by the algorithm's name; 64 by default.
    - `relabel`: number the arms at random in every run, so that no algorithm gains by preferring low numbers.
    - `workers`: how many compute; as many as there are cores by default. The result does not depend on it.
    - `cluster`: where they are: `tcp://host:port` (Dask), `ray://host:port` (Ray), `processes`; else threads here.
    - `progress`: show a bar on stderr, or call this function with the stage and the fraction that is done.
    - `cache`: a folder in which runs are kept, so that nothing is computed twice and an interrupted simulation goes on.

    Run k draws from streams named (seed, k) alone; with U problems, from those of k U, ..., k U + U - 1.
    Ctrl-C ends the simulation with the runs that are complete.
    """
    check_order(problem, algorithms)
    chosen, (first, *others) = _algorithms(algorithms), _problems(problem)
    horizon, runs = _whole("horizon", horizon), _whole("runs", runs)
    if workers is not None and _whole("workers", workers) > MAX_WORKERS and cluster in (None, "processes"):
        raise WinnerstaysError(f"workers is {workers}, but on one machine it must be at most {MAX_WORKERS}.")
    seed = check_seed(seed)
    if runs > MAX_RUNS:
        raise WinnerstaysError(f"runs is {runs}, but it must be at most {MAX_RUNS:g}.")
    if precision is not None and not (isinstance(precision, int | float) and 0 < precision < 1):
        raise WinnerstaysError(f"precision is {precision}, but it must be a fraction between 0 and 1, such as 0.03.")
    if not isinstance(relabel, bool | np.bool_):
        raise WinnerstaysError(f"relabel is {relabel!r}, but it must be True or False.")
    defined = REGRETS if all(one.best_arm is not None for one in (first, *others)) else COPELAND_REGRETS
    recorded = _regrets(defined if regrets is None else regrets, ALL_REGRETS)
    precise = _regrets(recorded if precision_regrets is None else precision_regrets, recorded)
    rule = StoppingRule(
        max_runs=runs,
        min_runs=_min_runs(min_runs, chosen, runs, precision),
        precision=precision,
        columns=tuple(recorded.index(name) for name in precise),
    )
    experiment = Experiment(first, horizon, _times(times, horizon), seed, relabel, recorded, tuple(others))
    store = None if cache is None else Cache(cache)
    with progress_bar(progress) as show:
        check_playable(chosen, experiment, show)
    with worker_pool(cluster, workers) as pool, progress_bar(progress) as show:
        records, interrupted = collect_records(chosen, experiment, rule, pool, store, show)
    if interrupted and not any(len(record) for record in records):
        raise KeyboardInterrupt
    said = [rule.shortfall(one.label, record) for one, record in zip(chosen, records, strict=True)]
    return Simulation(
        first, chosen, horizon, seed, experiment.times, records, interrupted, recorded, experiment.others,
        warnings=() if interrupted else tuple(filter(None, said)),
    )  # fmt: skip


def check_order(problem: object, algorithms: object) -> None:
    """Refuse an algorithm in the place of the problem, with what was meant if that is seen."""
    made = FIXED.keys() | GENERATED.keys()
    if not isinstance(problem, str | Algorithm):
        return
    name = problem if isinstance(problem, str) else problem.label
    first = name.partition(":")[0]
    if isinstance(problem, str) and (first in made or "." in first or first not in registered() or Path(name).exists()):
        return
    behind = [algorithms] if isinstance(algorithms, str | Algorithm) else algorithms
    names = [one for one in behind if isinstance(one, str)] if isinstance(behind, Iterable) else []
    meant = next((one for one in names if one.partition(":")[0] in made or Path(one).is_file()), None)
    order = f"{meant!r}, then {name!r}" if meant else f"as 'sushi', then {name!r}"
    raise WinnerstaysError(f"{name!r} is an algorithm, but the problem comes first: {order}.")


def _problems(problem: Problems) -> list[Problem]:
    if isinstance(problem, str) or is_matrix(problem) or not isinstance(problem, Sequence | np.ndarray):
        return [find_problem(problem)]  # type: ignore[arg-type]
    if not len(problem):
        raise WinnerstaysError("No problem was given; name at least one, such as 'sushi'.")
    return [find_problem(one) for one in problem]


def _min_runs(
    asked: int | Mapping[str, int] | None, chosen: list[Algorithm], runs: int, precision: float | None
) -> tuple[int, ...]:
    """Return how many runs each algorithm has before the precision is looked at."""
    if asked is None:
        return (MIN_RUNS,) * len(chosen)
    if precision is None:
        raise WinnerstaysError("min_runs says when the precision is looked at first; give a precision, such as 0.03.")
    names = [one.name for one in chosen]
    by_name = asked if isinstance(asked, Mapping) else dict.fromkeys(names, asked)
    for name in by_name:
        if name not in names:
            raise unknown("algorithm in this simulation", name, names)
        if _whole("min_runs", by_name[name]) > runs:
            raise WinnerstaysError(
                f"min_runs is {by_name[name]}, but there are {runs} runs at most; give a larger runs."
            )
    return tuple(int(by_name.get(name, MIN_RUNS)) for name in names)


def _regrets(names: str | Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        raise WinnerstaysError(f"The regrets are {names!r}, but they must be names, as 'weak-binary'.")
    if not names:
        raise WinnerstaysError(f"No regret was given; name at least one of {', '.join(known)}.")
    return tuple(check_regret_name(name, known) for name in names)


def _algorithms(algorithms: Algorithms) -> list[Algorithm]:
    if isinstance(algorithms, str | Algorithm):
        algorithms = [algorithms]
    if not isinstance(algorithms, Iterable):
        raise WinnerstaysError(f"The algorithms are {algorithms!r}, but they must be names or Algorithms.")
    chosen = [find_algorithm(one) for one in algorithms]
    if not chosen:
        raise WinnerstaysError("No algorithm was given; name at least one, such as 'ws-w'.")
    labels = [one.label for one in chosen]
    twice = [label for label in labels if labels.count(label) > 1]
    for number, one in enumerate(chosen):
        for other in chosen[:number]:
            if one.name == other.name and any(getattr(one, step) is not getattr(other, step) for step in STEPS):
                raise WinnerstaysError(
                    f"{one.name!r} is the name of two different algorithms; give one of them a name of its own."
                )
    if twice:
        raise WinnerstaysError(f"{twice[0]!r} was asked for twice; the result would show the same curve again.")
    for number, one in enumerate(chosen):
        for other in chosen[:number]:
            if one.name == other.name and one.settings == other.settings:
                same = f"{other.label!r} and {one.label!r} are the same"
                raise WinnerstaysError(f"{same}; the result would show one curve twice.")
    return chosen


def _whole(name: str, value: object) -> int:
    """Return a whole number, also one that is written as 1e5."""
    if isinstance(value, float | np.floating) and value.is_integer():
        value = int(value)
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= MAX_HORIZON:
        raise WinnerstaysError(f"{name} is {value!r}, but it must be a whole number from 1 to {MAX_HORIZON:g}.")
    return int(value)


def _times(times: Sequence[int] | None, horizon: int) -> Ints:
    if times is None:
        return ten_per_decade(horizon)
    at = np.asarray(times)
    if at.dtype.kind == "f" and np.isfinite(at).all() and (at == at.astype(np.int64)).all():
        at = at.astype(np.int64)
    if (
        at.ndim != 1
        or at.size == 0
        or at.dtype.kind not in "iu"
        or (np.diff(at) <= 0).any()
        or at[0] < 1
        or at[-1] > horizon
    ):
        raise WinnerstaysError(
            f"times must be growing whole numbers from 1 to the horizon {horizon}, not {at.tolist()}."
        )
    return at.astype(np.int64)
