"""`simulate`: run algorithms on problems and record their regret."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.algorithms.registry import registered
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem, ProblemLike
from winnerstays.problems import problem as find_problem
from winnerstays.problems.lookup import is_matrix
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
"""Two algorithms that share these functions are the same algorithm."""
Problems = ProblemLike | Sequence[ProblemLike]
Algorithms = Algorithm | str | Sequence[Algorithm | str]


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
    min_runs: int | None = None,
    regrets: str | Sequence[str] | None = None,
    relabel: bool = True,
    paired: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    cache: str | Path | None = None,
    progress: bool | Progress = False,
) -> Simulation:
    """Simulate algorithms on a problem and return their regret curves.

    >>> result = simulate("mslr", ["ws-w", "ws-s"], horizon=1000, runs=20, seed=1)
    >>> result.curve("ws-w", "weak-binary").mean[-1].round(2)
    np.float64(65.25)

    - `problem`: a Problem, a name, a file or a matrix (an array or a list of rows) or a data frame. A list of problems,
      such as one per user, gives the mean over them: each run then plays every problem once.
    - `algorithms`: Algorithms or names; parameters follow the name, as in `ws-s:beta=1.2`.
    - `times`: when to record. The default is ten times per decade, and the horizon.
    - `regrets`: what to record. The default is the five regrets that need a Condorcet winner if every problem has one,
      otherwise the Copeland and Borda regrets.
    - `precision`: add runs until every standard error is at most this fraction of its mean, at all recorded times.
      `runs` is then the limit; the result's `warnings` say so if the limit came first. Where a few runs cost far more
      than the others, the rule also waits for enough of those (at least 200 times the squared skewness).
      `precision_regrets` names the regrets that must be precise; the default is all.
    - `min_runs`: runs before the precision is first checked; 64 by default.
    - `relabel`: number the arms at random in every run, so that no algorithm gains by preferring low numbers.
    - `paired`: use common random numbers: in run k, the n-th duel of two arms has the same outcome for every algorithm.
      `Simulation.compare` then usually needs fewer runs.
    - `workers`: how many threads or processes compute; one per core by default. The result does not depend on it.
    - `cluster`: `tcp://host:port` (Dask), `ray://host:port` (Ray) or `processes`; threads of this process by default.
    - `progress`: True shows a bar on stderr; a function is called with the stage and the fraction done.
    - `cache`: a folder that keeps finished runs. Calling again continues an interrupted simulation.

    Run k draws its random numbers from the stream (seed, k), whatever the number of workers; with U problems, from the
    streams k U to k U + U - 1. Ctrl-C ends the simulation; the result then holds the complete runs.
    """
    check_order(problem)
    chosen, (first, *others) = _algorithms(algorithms), _problems(problem)
    horizon, runs = _whole("horizon", horizon), _whole("runs", runs)
    if workers is not None and _whole("workers", workers) > MAX_WORKERS and cluster in (None, "processes"):
        raise WinnerstaysError(f"workers is {workers}, but on one machine it must be at most {MAX_WORKERS}.")
    seed = check_seed(seed)
    if runs > MAX_RUNS:
        raise WinnerstaysError(f"runs is {runs}, but it must be at most {MAX_RUNS:g}.")
    if precision is not None and not (isinstance(precision, int | float) and 0 < precision < 1):
        raise WinnerstaysError(f"precision is {precision}, but it must be a fraction between 0 and 1, such as 0.03.")
    for name, value in (("relabel", relabel), ("paired", paired)):
        if not isinstance(value, bool | np.bool_):
            raise WinnerstaysError(f"{name} is {value!r}, but it must be True or False.")
    defined = REGRETS if all(each.best_arm is not None for each in (first, *others)) else COPELAND_REGRETS
    recorded = _regrets(defined if regrets is None else regrets, ALL_REGRETS)
    precise = _regrets(recorded if precision_regrets is None else precision_regrets, recorded)
    rule = StoppingRule(
        max_runs=runs,
        min_runs=_min_runs(min_runs, runs, precision),
        precision=precision,
        columns=tuple(recorded.index(name) for name in precise),
    )
    experiment = Experiment(first, horizon, _times(times, horizon), seed, relabel, recorded, tuple(others), paired)
    store = None if cache is None else Cache(cache)
    with progress_bar(progress) as show:
        check_playable(chosen, experiment, show)
    with worker_pool(cluster, workers) as pool, progress_bar(progress) as show:
        records, interrupted = collect_records(chosen, experiment, rule, pool, store, show)
    if interrupted and not any(len(record) for record in records):
        raise KeyboardInterrupt
    shortfalls = [rule.shortfall(chosen[k].label, record) for k, record in enumerate(records)]
    return Simulation(
        first, chosen, horizon, seed, experiment.times, records, interrupted, recorded, experiment.others,
        warnings=() if interrupted else tuple(filter(None, shortfalls)), paired=bool(paired),
    )  # fmt: skip


def check_order(problem: object) -> None:
    """Refuse an algorithm where the problem should stand."""
    name = problem.name if isinstance(problem, Algorithm) else problem
    if isinstance(name, str) and name.partition(":")[0] in registered() and not Path(name).exists():
        raise WinnerstaysError(f"{name!r} is an algorithm, but the problem comes first: 'sushi', then {name!r}.")


def _problems(problem: Problems) -> list[Problem]:
    if isinstance(problem, str) or is_matrix(problem) or not isinstance(problem, Sequence | np.ndarray):
        return [find_problem(problem)]  # type: ignore[arg-type]
    if not len(problem):
        raise WinnerstaysError("No problem was given; name at least one, such as 'sushi'.")
    return [find_problem(each) for each in problem]


def _min_runs(min_runs: int | None, runs: int, precision: float | None) -> int:
    """Return how many runs an algorithm does before its precision is first checked."""
    if min_runs is None:
        return MIN_RUNS
    if precision is None:
        raise WinnerstaysError("min_runs says when a precision is first checked; give one, such as 0.03.")
    if _whole("min_runs", min_runs) > runs:
        raise WinnerstaysError(f"min_runs is {min_runs}, but runs is only {runs}; raise runs.")
    return int(min_runs)


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
    chosen = [find_algorithm(each) for each in algorithms]
    if not chosen:
        raise WinnerstaysError("No algorithm was given; name at least one, such as 'ws-w'.")
    for first, second in combinations(chosen, 2):
        if first.name != second.name:
            continue
        if any(getattr(first, step) is not getattr(second, step) for step in STEPS):
            raise WinnerstaysError(f"Two different algorithms are called {first.name!r}; rename one of them.")
        if first.settings == second.settings:
            labels = f"{first.label!r} and {second.label!r} are the same algorithm"
            raise WinnerstaysError(f"{labels}; name each algorithm once.")
    return chosen


def _whole(name: str, value: object) -> int:
    """Return a whole number; 1e5 is accepted as 100000."""
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
            f"times is {at.tolist()}, but it must be increasing whole numbers from 1 to the horizon {horizon}."
        )
    return at.astype(np.int64)
