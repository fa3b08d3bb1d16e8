"""Expected regret of WS-W and WS-S, computed instead of simulated.

Iterations are gambler's ruins with known outcomes and lengths, so whole rounds can be summed over all that may happen.

`expected_regret` gives it by round and in total, over infinitely many rounds too, with a certified remainder. With
error bars, for many arms: winnerstays.theory.monte_carlo.

>>> from winnerstays.theory.expected import expected_regret
>>> round(expected_regret("cyclic").total.weak_binary, 4)
46.6499
"""

import math

from winnerstays.algorithms.ws_s import BETA, ws_s
from winnerstays.algorithms.ws_w import FIRST_CHALLENGER
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems import Problem, ProblemLike
from winnerstays.problems import problem as find_problem
from winnerstays.theory import ranks, subsets
from winnerstays.theory.monte_carlo import estimate
from winnerstays.theory.rounds import MAX_LOG_PHASE, Expectation, sum_rounds
from winnerstays.theory.tail import tail_of

ALGORITHMS = ("ws-w", "ws-s")
RULES = FIRST_CHALLENGER.options
METHODS = ("auto", "subsets", "ranks", "estimate")


def expected_regret(
    problem: ProblemLike,
    algorithm: str = "ws-w",
    *,
    beta: float = BETA,
    rule: str = "literal",
    rounds: int | None = None,
    tolerance: float = 1e-6,
    method: str = "auto",
    ties: bool = False,
    precision: float | None = None,
    runs: int | None = None,
    seed: int | None = None,
) -> Expectation:
    """Compute the expected regret of WS-W or WS-S by round and in total.

    - `rule`: the algorithms' `first_challenger`, who meets the incumbent first in a new round: the last loser
      (`literal`) or anyone (`random`).
    - `rounds`: how many; by default infinitely many, cut where a proved bound on the rest is below `tolerance`.
    - `method`: `subsets` (any problem up to 20 arms), `ranks` (a total order with one p, random rule) or `estimate`
      (any number of arms). `auto` takes the first exact one that fits.
    - `precision`, `runs`, `seed`: of an estimate, which ends when the standard error of weak binary regret is this
      fraction of it (0.01), or after so many runs (100,000); the seed (0) names the runs.
    - `ties`: compute the regret even if two arms beat each other equally often, where the paper's theory is silent.
    """
    problem = find_problem(problem)
    check(problem, algorithm, beta, rule, rounds, tolerance, method)
    if not ties:
        refuse_ties(problem)
    growth = beta if algorithm == "ws-s" else None
    if method == "auto":
        fits = rule == "random" and problem.n_arms > subsets.MAX_ARMS // 2 and ranks.is_symmetric(problem)
        method = "ranks" if fits else "subsets"
    own = {"precision": precision, "runs": runs, "seed": seed}
    estimate_options = {name: value for name, value in own.items() if value is not None}
    if method == "estimate":
        return estimate(problem, beta=growth, rule=rule, rounds=rounds, tolerance=tolerance, **estimate_options)  # type: ignore[arg-type]
    for name, value in estimate_options.items():
        raise WinnerstaysError(
            f"{name} is {value}, but it belongs to an estimate; use --estimate (method='estimate'), or leave it out."
        )
    if method == "ranks" and rule != "random":
        raise WinnerstaysError(
            "The relative-rank method knows only the random rule; use rule='random' (--rule random)."
        )
    source = ranks.rounds(problem) if method == "ranks" else subsets.rounds(problem, rule)
    steps = (ranks if method == "ranks" else subsets).steps(problem.n_arms)
    rounds_computed, total, remainder = sum_rounds(
        source, tail_of(problem), beta=growth, wanted=rounds, tolerance=tolerance, steps=steps
    )
    return Expectation(problem, algorithm, rule, growth, method, rounds_computed, total, remainder, rounds is None)


def check(
    problem: Problem, algorithm: str, beta: float, rule: str, rounds: int | None, tolerance: float, method: str
) -> None:
    """Refuse arguments that cannot be computed with, before any work is done."""
    if algorithm not in ALGORITHMS:
        raise unknown("algorithm with exact values", algorithm, ALGORITHMS)
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if algorithm == "ws-s":
        ws_s.parameters["beta"].check("ws-s", "beta", beta)
    elif beta != BETA:
        raise WinnerstaysError(f"beta is {beta}, but ws-w has none; it belongs to ws-s (--algorithm ws-s).")
    if rounds is not None and not (isinstance(rounds, int) and 1 <= rounds <= 1_000_000):
        raise WinnerstaysError(f"rounds is {rounds}, but it must be a whole number from 1 to 1000000.")
    if algorithm == "ws-s" and (rounds or 0) * math.log(beta) > MAX_LOG_PHASE:
        raise WinnerstaysError(
            f"With beta {beta}, the exploitation phase of round {rounds} is longer than any number that can be "
            f"computed with; ask for at most {int(MAX_LOG_PHASE / math.log(beta))} rounds."
        )
    if not (tolerance > 0 and math.isfinite(tolerance)):
        raise WinnerstaysError(f"tolerance is {tolerance}, but it must be a number above 0, such as 1e-6.")
    _ = problem.winner


def refuse_ties(problem: Problem) -> None:
    """Refuse a problem with a tie: its bounds are infinite, and neither of two tied arms is the worse incumbent."""
    pair = problem.tie
    if pair is not None:
        first, second = (problem.items[arm] for arm in pair)
        raise WinnerstaysError(
            f"{problem.name}: {first!r} and {second!r} are tied (p = 1/2), but the paper's bounds need p above 1/2 for "
            "every pair; to compute the regret all the same, without bounds, use --ties (ties=True)."
        )
