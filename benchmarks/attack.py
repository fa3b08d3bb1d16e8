"""Search for preferences on which an algorithm does badly beside a rival.

From random starts, one probability is changed at a time, and regret is simulated. A matrix is kept if it looks worse
than the one before it on the same runs. The result is measured again on other runs, since the worst of many looks worse
than it is.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
import typer

from winnerstays import algorithm
from winnerstays._types import Floats
from winnerstays.algorithms.base import Algorithm
from winnerstays.cli.app import main as run
from winnerstays.cli.app import out
from winnerstays.cli.counts import check_positive, count_option, whole_numbers
from winnerstays.cli.plugins import Plugins, load_plugins
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem
from winnerstays.randomness import check_seed
from winnerstays.simulation import simulate

study = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
MAX_ARMS = 1000

MARGIN = 0.005
"""The best arm beats every other at least by this."""


class Found(NamedTuple):
    """A matrix, the ratio of the two mean regrets there, and the standard error of its logarithm."""

    ratio: float
    error: float
    preferences: Floats


class Search(NamedTuple):
    """Who is attacked, beside whom, and how."""

    attacked: Algorithm
    rival: Algorithm
    horizon: int = 10_000
    runs: int = 64
    """For a look; what is found is measured with eight times as many."""
    steps: int = 30
    regret: str = "strong-average"
    seed: int = 0
    workers: int | None = None


def search(plan: Search, n_arms: int, say: Callable[[str], None] = lambda text: None) -> Found:
    """Climb from a random matrix to one where the ratio of the regrets is larger, and measure it anew."""
    rng = np.random.default_rng((plan.seed, n_arms))
    starts = [_random(rng, n_arms) for _ in range(4)]
    known = [(_ratio(plan, start, plan.runs, plan.seed)[0], start) for start in starts]
    ratio, matrix = max(known, key=lambda one: one[0])
    for step in range(plan.steps):
        changed = _changed(rng, matrix)
        found, _ = _ratio(plan, changed, plan.runs, plan.seed)
        if found > ratio:
            ratio, matrix = found, changed
            say(f"{n_arms} arms, step {step + 1}: {ratio:.2f}")
    return Found(*_ratio(plan, matrix, 8 * plan.runs, plan.seed + 10**6), matrix)


def _random(rng: np.random.Generator, n_arms: int) -> Floats:
    """A matrix with a Condorcet winner, arm 0; gaps of all sizes, small ones as likely as large ones."""
    edge = np.triu(0.5 * rng.random((n_arms, n_arms)) ** rng.uniform(1, 4), 1)
    edge *= rng.choice([-1, 1], edge.shape)
    edge[0, 1:] = np.clip(abs(edge[0, 1:]), MARGIN, 0.5)
    return np.round(0.5 + edge - edge.T, 3)


def _changed(rng: np.random.Generator, matrix: Floats) -> Floats:
    """The matrix with one or two of its probabilities moved, or drawn anew."""
    changed = matrix.copy()
    for _ in range(int(rng.integers(1, 3))):
        i, j = sorted(rng.choice(len(matrix), 2, replace=False))
        near = changed[i, j] + rng.normal(0, 0.08)
        p = float(np.clip(near if rng.random() < 0.7 else rng.random(), 0.0, 1.0))
        if i == 0:
            p = max(p if p > 0.5 else 1 - p, 0.5 + MARGIN)
        changed[i, j], changed[j, i] = round(p, 3), round(1 - round(p, 3), 3)
    return changed


def _ratio(plan: Search, matrix: Floats, runs: int, seed: int) -> tuple[float, float]:
    result = simulate(
        Problem(matrix),
        [plan.attacked, plan.rival],
        horizon=plan.horizon,
        runs=runs,
        seed=seed,
        times=[plan.horizon],
        regrets=plan.regret,
        workers=plan.workers,
    )
    ours, theirs = result.of_regret(plan.regret)
    error = float(np.hypot(ours.relative_error[0], theirs.relative_error[0]))
    return float(ours.mean[0] / theirs.mean[0]), error


@study.command()
def attack(
    attacked: Annotated[str, typer.Argument(help="An algorithm.")] = "ws-t",
    rival: Annotated[str, typer.Option(help="The algorithm beside which it should look bad.")] = "dts",
    arms: Annotated[str, typer.Option(help="Sizes of the matrices.")] = "3,4,5,6,8",
    horizon: Annotated[int, count_option("Duels per run.")] = 10_000,
    steps: Annotated[int, count_option("Changes that are tried.")] = 40,
    seed: Annotated[int, count_option("The same seed makes the same search.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    plugin: Plugins = None,
) -> None:
    """Search for preferences on which an algorithm does badly beside a rival."""
    load_plugins(plugin)
    one, other = algorithm(attacked), algorithm(rival)
    if one is other:
        raise WinnerstaysError(f"{attacked} is its own rival; name another algorithm.")
    sizes = whole_numbers("--arms", arms, "3,4,5")
    if not all(2 <= size <= MAX_ARMS for size in sizes):
        raise WinnerstaysError(f"--arms is {arms!r}, but it must be whole numbers from 2 to {MAX_ARMS}, as 3,4,5.")
    check_seed(seed)
    check_positive(steps=steps, horizon=horizon, workers=workers)
    plan = Search(one, other, horizon=horizon, steps=steps, seed=seed, workers=workers)
    for n_arms in sizes:
        found = search(plan, n_arms, lambda text: print(text, file=sys.stderr))
        out.print(f"{n_arms} arms: regret {found.ratio:.2f} times that of {rival} (± {found.error:.0%})")
        for row in found.preferences:
            out.print("  " + " ".join(f"{p:.3f}".removeprefix("0") for p in row))


def main(words: Sequence[str]) -> None:
    run(study, words, "python -m benchmarks attack")
