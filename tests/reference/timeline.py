"""Exact expected regret after each duel up to a short horizon, for small problems.

The scores of Algorithm 1 are determined by (round, incumbent, challenger, unplayed set, margin of this iteration), see
winnerstays.algorithms.ws_w. Each duel moves the probability of such a state to at most a few others; all states of
time t are held at once. With fractions the result is a rational number without any rounding.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from winnerstays.algorithms.ws_s import phase
from winnerstays.algorithms.ws_w import FIRST_CHALLENGER
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import ProblemLike
from winnerstays.problems import problem as find_problem
from winnerstays.simulation.regret import arm_losses

MAX_HORIZON = 10_000
MAX_STATES = 1_000_000
DENOMINATOR = 10**9
"""Preferences are read as fractions with a denominator up to this: 0.8 as 4/5."""


class State(NamedTuple):
    """All that decides what WS-W does next."""

    round: int
    incumbent: int
    challenger: int
    unplayed: int  # bitmask, without the challenger
    margin: int  # duels the incumbent won - lost in this iteration
    exploit: int  # WS-S: duels left in which the incumbent meets itself


@dataclass(frozen=True)
class Timeline:
    """Expected cumulative regret after each duel: `weak_binary[t - 1]` is that of the first t duels."""

    weak_binary: list[Any]
    weak_utility: list[Any]
    strong_binary: list[Any]
    strong_utility: list[Any]
    states: int
    """Number of states that are possible at the horizon."""


def timeline(
    problem: ProblemLike, horizon: int, *, beta: float | None = None, rule: str = "literal", fractions: bool = False
) -> Timeline:
    """Compute the expected regret of WS-W, or of WS-S if beta is given, after each duel up to a horizon.

    >>> from winnerstays.problems import total_order
    >>> [str(value) for value in timeline(total_order(3, 0.8), 4, fractions=True).weak_binary]
    ['1/3', '7/15', '3/5', '263/375']
    """
    problem = find_problem(problem)
    if not (isinstance(horizon, int) and 1 <= horizon <= MAX_HORIZON):
        raise WinnerstaysError(f"The horizon is {horizon}, but it must be a whole number from 1 to {MAX_HORIZON}.")
    FIRST_CHALLENGER.check("timeline", "rule", rule)
    n_arms = problem.n_arms
    number: Any = (lambda value: Fraction(float(value)).limit_denominator(DENOMINATOR)) if fractions else float
    unit = number(1)
    preferences = [[number(value) for value in row] for row in problem.preferences]
    loss = [number(value) for value in arm_losses(problem).loss]
    best_arm = problem.winner

    everyone = (1 << n_arms) - 1
    states: dict[State, Any] = defaultdict(lambda: 0 * unit)
    for first in range(n_arms):
        for second in range(n_arms):
            if first != second:
                unplayed = everyone ^ (1 << first) ^ (1 << second)
                states[State(1, first, second, unplayed, 0, 0)] += unit / (n_arms * (n_arms - 1))
    totals = [0 * unit] * 4
    curves: list[list[Any]] = [[], [], [], []]
    for t in range(1, horizon + 1):
        later: dict[State, Any] = defaultdict(lambda: 0 * unit)
        for state, chance in states.items():
            first = state.incumbent
            second = first if state.exploit else state.challenger
            strangers = best_arm not in (first, second)
            totals[0] += chance * strangers
            totals[1] += chance * min(loss[first], loss[second])
            totals[2] += chance * (strangers or first != second)
            totals[3] += chance * (loss[first] + loss[second]) / 2
            if state.exploit:
                later[state._replace(exploit=state.exploit - 1)] += chance
                continue
            for won, probability in ((True, preferences[first][second]), (False, preferences[second][first])):
                if probability:
                    for after, share in _after(state, won, n_arms, beta, rule):
                        later[after] += chance * probability / share
        if len(later) > MAX_STATES:
            raise WinnerstaysError(
                f"{problem.name}: after {t} duels there are {len(later)} states, more than {MAX_STATES}; "
                f"ask for a horizon of at most {t - 1}, or simulate."
            )
        states = later
        for curve, total in zip(curves, totals, strict=True):
            curve.append(total)
    weak_binary, weak_utility, strong_binary, strong_utility = curves
    return Timeline(weak_binary, weak_utility, strong_binary, strong_utility, len(states))


def _after(state: State, won: bool, n_arms: int, beta: float | None, rule: str) -> Iterator[tuple[State, int]]:
    """Yield the states that can follow, each with one over its probability."""
    l, incumbent, challenger, unplayed, margin, _ = state
    margin += 1 if won else -1
    k = n_arms - 1 - unplayed.bit_count()
    if -(n_arms * (l - 1) + k) < margin < 1:
        yield state._replace(margin=margin), 1
        return
    winner, loser = (incumbent, challenger) if won else (challenger, incumbent)
    exploit = 0
    if not unplayed:
        unplayed = ((1 << n_arms) - 1) ^ (1 << winner)
        exploit = 0 if beta is None else phase(beta, l)
        l += 1
        if rule == "literal":
            yield State(l, winner, loser, unplayed ^ (1 << loser), 0, exploit), 1
            return
    for arm in range(n_arms):
        if unplayed >> arm & 1:
            yield State(l, winner, arm, unplayed ^ (1 << arm), 0, exploit), unplayed.bit_count()
