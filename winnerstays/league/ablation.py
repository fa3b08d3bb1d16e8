"""WS-T with one ingredient changed at a time: what each is good for, and how long a wrong incumbent reigns then."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from winnerstays.algorithms._shared.counts import kl_half
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.ws_t.state import INGREDIENTS
from winnerstays.algorithms.ws_t.ws_t import init_variant, ws_t
from winnerstays.errors import unknown
from winnerstays.league.cells import Stat, stat
from winnerstays.league.standing import AVERAGE
from winnerstays.problems import Problem
from winnerstays.simulation import simulate

variant = replace(ws_t, init=init_variant, parameters=INGREDIENTS)
"""WS-T with its ingredients as parameters; not registered, since nothing about it is to be set."""
VARIANTS: Mapping[str, Mapping[str, float | str]] = {
    "as it is": {},
    "first version: w all duels, 2 t, records with z as they are": {
        "duels": "all",
        "caution": 2.0,
        "case_shrink": 0.0,
        "third": "never",
    },
    "w: all duels with arms that lead j": {"duels": "all"},
    "w: the duels with z": {"duels": "incumbent"},
    "no weight w": {"weight": 0.0},
    "no root of N": {"root": 0.0},
    "records with z as they are": {"case_shrink": 0.0},
    "records with z shrunk like all": {"case_shrink": 1.0},
    "no record shrunk": {"shrink": 0.0, "case_shrink": 0.0},
    "evidence from pairs with z alone": {"pairs": "incumbent"},
    "any challenger that is due, in turn": {"challenger": "next"},
    "no third arms": {"third": "never"},
    "third arms that are known, none tried": {"third": "known"},
    "third arms without doubt": {"doubt": 0.0},
    "third arms with twice the doubt": {"doubt": 2.0},
    "third arms that are just cheaper than z": {"cheap": 1.0},
    "no succession by a lead of E": {"lead": "never"},
    "no threshold of succession": {"succession": 0.0},
    "twice the threshold of succession": {"succession": 2.0},
    "t / 2": {"caution": 0.5},
    "t": {"caution": 1.0},
    "1.5 t": {"caution": 1.5},
    "2 t": {"caution": 2.0},
    "5 t": {"caution": 5.0},
    "10 t": {"caution": 10.0},
}
"""The last six are the trade-off between the mean and the tail."""
LOCKED = 0.9
"""A run is locked if the best arm is in fewer than one of ten duels of the second half of its time."""


class Row(NamedTuple):
    """One variant on one problem."""

    name: str
    stats: dict[int, Stat]
    locked: dict[int, float]
    """By time T, the share of runs that are locked from T/2 to T."""


def ablate(
    problem: Problem,
    times: tuple[int, ...],
    runs: int,
    seed: int,
    cache: str | None,
    workers: int | None = None,
    names: Sequence[str] = (),
) -> Iterator[Row]:
    """Play the named variants, or all of them; yield what each did."""
    for name in names:
        if name not in VARIANTS:
            raise unknown("variant", name, VARIANTS)
    for name in names or VARIANTS:
        yield measure(variant(**VARIANTS[name]), name, problem, times, runs, seed, cache, workers)


def measure(
    one: Algorithm,
    name: str,
    problem: Problem,
    times: tuple[int, ...],
    runs: int,
    seed: int,
    cache: str | None,
    workers: int | None = None,
) -> Row:
    """Return the regrets of an algorithm, and how often it is locked."""
    halves = sorted({t // 2 for t in times} | set(times))
    result = simulate(
        problem,
        one,
        horizon=times[-1],
        runs=runs,
        seed=seed,
        times=halves,
        regrets=(AVERAGE, "weak-binary"),
        cache=cache,
        workers=workers,
    )
    (average,), (missing,) = result.of_regret(AVERAGE), result.of_regret("weak-binary")
    locked = {}
    for t in times:
        without = missing.values[:, halves.index(t)] - missing.values[:, halves.index(t // 2)]
        locked[t] = float(np.mean(without > LOCKED * (t - t // 2)))
    return Row(name, {t: stat(average, halves.index(t)) for t in times}, locked)


def smallest_slope(problem: Problem) -> float:
    """Return the smallest growth of average strong regret with ln T that a consistent algorithm can have.

    Every arm i but the best must be shown to lose: sum over i of the least, over arms j that beat it, of
    (g_i + g_j) / (2 kl(p_ij, 1/2)) (Komiyama et al., COLT 2015).

    >>> from winnerstays.problems import total_order
    >>> round(smallest_slope(total_order(4, 0.52)), 2)
    37.49
    """
    p, gaps = problem.preferences, problem.gaps
    total = 0.0
    for i in range(problem.n_arms):
        costs = [(gaps[i] + gaps[j]) / (2 * kl_half(p[i, j])) for j in range(problem.n_arms) if p[i, j] < 0.5]
        total += min(costs) if i != problem.best_arm else 0.0
    return float(total)
