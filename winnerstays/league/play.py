"""Play the league: a few runs of every algorithm, then many runs of those that may be the best.

Times that an algorithm cannot reach within its computing time are left out, and its cell says so. Run k is always the
same run, wherever it is computed; how many runs there are depends on the speed of the machine.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from winnerstays.algorithms.base import Algorithm
from winnerstays.errors import WinnerstaysError
from winnerstays.league.cells import Cell, CellStore, Stat, stat
from winnerstays.problems import Problem
from winnerstays.progress import UNKNOWN, time_left
from winnerstays.regret_names import REGRETS
from winnerstays.simulation import Simulation, simulate
from winnerstays.simulation.cache import digest_of
from winnerstays.simulation.experiment import Experiment
from winnerstays.wording import counted

PILOT_RUNS, FEW_RUNS = 2, 8
"""Runs that are timed, and runs that every algorithm gets."""
CONTENDER = 1.5
"""An algorithm is a contender if it may be within this factor of the best mean, at any time in any regret."""


@dataclass(frozen=True)
class Plan:
    """How long and how carefully the league is played."""

    times: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6)
    runs: int = 1000
    """The most runs that a contender gets."""
    precision: float | None = None
    """Stop earlier once all standard errors are at most this fraction of the mean."""
    seconds: float = 60.0
    """Computing time that a contender may take on a problem; the others get a tenth of it."""
    seed: int = 18
    regrets: tuple[str, ...] = REGRETS
    few: int = FEW_RUNS
    """The runs that every algorithm gets, at most `runs`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "few", min(self.few, self.runs))


@dataclass(frozen=True)
class Where:
    """Where runs are computed and kept."""

    workers: int | None = None
    cluster: str | None = None
    cache: str | None = None
    say: Callable[[str], None] = field(default=lambda text: None)


class InterruptedLeagueError(Exception):
    """The user pressed Ctrl-C; complete cells are kept."""


def play_league(
    problems: Mapping[str, Problem], algorithms: Sequence[Algorithm], plan: Plan, store: CellStore, where: Where
) -> Iterator[Cell]:
    """Play every algorithm on every problem and yield the cells; stored cells are not played again."""
    if not plan.times or list(plan.times) != sorted(set(plan.times)) or plan.times[0] < 1:
        raise WinnerstaysError(f"The times are {list(plan.times)}, but they must be increasing whole numbers from 1.")
    progress = _Progress(len(problems), where.say)
    where = replace(where, say=progress.say)
    for name, problem in problems.items():
        playing = [
            algorithm for algorithm in algorithms if problem.features is not None or "features" not in algorithm.needs
        ]
        few: dict[str, Cell] = {}
        for algorithm in playing:
            few[algorithm.label] = _cell(name, problem, algorithm, plan, plan.few, plan.seconds / 10, store, where)
        hopeful = contenders(list(few.values()), plan)
        for algorithm in playing:
            if algorithm.label in hopeful and plan.runs > plan.few:
                yield _cell(name, problem, algorithm, plan, plan.runs, plan.seconds, store, where)
            else:
                yield few[algorithm.label]
        progress.done += 1


class _Progress:
    """Reports what is played, and how much time is left; stored cells take no time."""

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self.total, self.done, self.tell = total, 0, say
        self.kept: int | None = None  # problems that were complete before anything was played
        self.start = 0.0

    def say(self, text: str) -> None:
        if self.kept is None:
            self.kept, self.start = self.done, time.monotonic()
        played = self.done - self.kept
        left = time_left(time.monotonic() - self.start, played / (self.total - self.kept)) if played else UNKNOWN
        self.tell(f"{text} (problem {self.done + 1} of {self.total}, left: {left})")


def contenders(cells: Sequence[Cell], plan: Plan) -> set[str]:
    """Return the labels of the algorithms that may be within CONTENDER of the best, somewhere."""
    labels = set()
    for regret in plan.regrets:
        for t in plan.times:
            here = [(cell.algorithm, cell.at(regret, t)) for cell in cells]
            known: list[tuple[str, Stat]] = [(label, stat_) for label, stat_ in here if stat_ is not None]
            best = min((stat_.mean for _, stat_ in known), default=0.0)
            labels |= {label for label, stat_ in known if stat_.mean - 2 * stat_.sem <= CONTENDER * best}
    return labels


def _cell(
    name: str,
    problem: Problem,
    algorithm: Algorithm,
    plan: Plan,
    runs: int,
    seconds: float,
    store: CellStore,
    where: Where,
) -> Cell:
    """Return a cell from the store, or play it."""
    experiment = Experiment(problem, plan.times[-1], np.array(plan.times), plan.seed, regrets=plan.regrets)
    key = (plan.precision, runs, seconds, digest_of(algorithm, experiment))
    known = store.load(name, algorithm.label, key)
    if known is not None:
        return known
    play = _Player(problem, algorithm, plan, where)
    reached, cost = play.pilot(seconds)
    affordable = min(runs, max(PILOT_RUNS, int(seconds / max(cost, 1e-9))))
    where.say(f"{name}: {algorithm.label}, {counted(affordable, 'run')} to {reached[-1]:,}")
    horizons = reached if "horizon" in algorithm.needs else reached[-1:]
    stats: dict[str, dict[int, Stat]] = {regret: {} for regret in plan.regrets}
    for horizon in horizons:
        result = play.simulate(horizon, affordable)
        for regret in plan.regrets:
            (curve,) = result.of_regret(regret)
            for place, t in enumerate(result.times):
                if "horizon" not in algorithm.needs or t == horizon:
                    stats[regret][int(t)] = stat(curve, place)
    note = "" if reached == plan.times else f"a run to {plan.times[len(reached)]:,} takes too long"
    cell = Cell(name, algorithm.label, stats, round(cost, 4), note)
    store.save(cell, key)
    return cell


class _Player:
    """Simulations of one algorithm on one problem, timed."""

    def __init__(self, problem: Problem, algorithm: Algorithm, plan: Plan, where: Where) -> None:
        self.problem, self.algorithm, self.plan, self.where = problem, algorithm, plan, where

    def pilot(self, seconds: float) -> tuple[tuple[int, ...], float]:
        """Return the times that can be reached, and the computing time of a run to the last of them."""
        clock = time.perf_counter if self.where.cluster else time.process_time
        self.simulate(self.plan.times[0], 1, kept=False)  # compiles
        reached, cost, growth = 0, 0.0, 0.0
        for horizon in self.plan.times:
            if 2 * PILOT_RUNS * cost * growth > seconds:
                break
            start, before = clock(), cost
            self.simulate(horizon, PILOT_RUNS, kept=False)
            reached, cost = reached + 1, (clock() - start) / PILOT_RUNS
            growth = min(10.0, 1.5 * cost / before) if before > 0 else 10.0  # leaps make late duels cheap
        return self.plan.times[:reached], cost

    def simulate(self, horizon: int, runs: int, kept: bool = True) -> Simulation:
        plan, where = self.plan, self.where
        result = simulate(
            self.problem,
            self.algorithm,
            horizon=horizon,
            runs=runs,
            seed=plan.seed,
            times=[t for t in plan.times if t <= horizon],
            precision=plan.precision if kept else None,
            regrets=plan.regrets,
            workers=where.workers,
            cluster=where.cluster,
            cache=where.cache if kept else None,
        )
        if result.interrupted:
            raise InterruptedLeagueError
        return result
