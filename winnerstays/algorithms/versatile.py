"""Versatile-DB (Saha & Gaillard, ICML 2022): one rule for people who stay the same and for people who do not.

Two players, one for each place in the duel, run Tsallis-INF (Zimmert & Seldin): each draws its arm from weights
w_i = 4 / (eta_t (L_i - x))^2 with eta_t = 2 / sqrt(t), L_i its importance-weighted losses, and x such that the weights
sum to 1. (2 / sqrt(t) belongs to plain importance weighting; 4 / sqrt(t) to losses of reduced variance, not used here.)
A duel of an arm with itself is the toss of a fair coin, which both players learn from.
Strong regret is O(sum log T / gap) if preferences are fixed and O(sqrt(N T)) whatever they do; no horizon is needed.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.algorithms._shared.sampling import pick_proportional
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng

TOLERANCE = 1e-13
"""How far the sum of the weights may be from 1 before they are divided by it."""
STEPS = 200
"""More than halving an interval takes to leave nothing of it; Newton's method needs two or three."""


class Player(NamedTuple):
    losses: Floats  # L_i
    weights: Floats  # w_i
    x: float
    square: float  # sum of (L_i - x)^-2
    cube: float  # sum of (L_i - x)^-3


class State(NamedTuple):
    plus: Player
    minus: Player
    t: int  # of the coming duel


def init(n_arms: int, rng: Rng) -> State:
    return State(plus=new_player(n_arms), minus=new_player(n_arms), t=1)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return pick_proportional(state.plus.weights, 1.0, rng), pick_proportional(state.minus.weights, 1.0, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    won = 1.0 if first_won else 0.0
    t = state.t + 1
    return state._replace(plus=learn(state.plus, first, 1.0 - won, t), minus=learn(state.minus, second, won, t), t=t)


@kernel
def best(state: State) -> int:
    """Return the arm that is shown most often."""
    leader, leading = 0, 0.0
    for arm in range(state.plus.weights.size):
        shown = state.plus.weights[arm] + state.minus.weights[arm]
        if shown > leading:
            leader, leading = arm, shown
    return leader


def new_player(n_arms: int) -> Player:
    """Return a player before the first duel."""
    x = -math.sqrt(n_arms)
    return Player(
        losses=np.zeros(n_arms),
        weights=np.full(n_arms, 1.0 / n_arms),
        x=x,
        square=n_arms / x**2,
        cube=-n_arms / x**3,
    )


@kernel
def learn(player: Player, arm: int, loss: float, t: int) -> Player:
    """Add the loss of the arm that was shown, divided by its weight, and set the weights for duel t."""
    losses, x = player.losses, player.x
    before = 1.0 / (losses[arm] - x)
    losses[arm] += loss / player.weights[arm]
    after = 1.0 / (losses[arm] - x)
    square = player.square + after * after - before * before
    cube = player.cube + after * after * after - before * before * before
    return solve(player._replace(square=square, cube=cube), t)


@kernel
def solve(player: Player, t: int) -> Player:
    """Set x and the weights for duel t, given the sums for the x so far.

    With y = min L - x, the norm s(y) = (sum (L_i - min L + y)^-2)^(-1/2) must be sqrt(t) = 2 / eta_t. It is concave, so
    Newton's method reaches the root from below after its first step, wherever that starts; where rounding breaks this,
    an interval that holds the root is halved instead.
    """
    losses, weights = player.losses, player.weights
    least = losses[0]
    for loss in losses:
        least = min(least, loss)
    wanted = math.sqrt(t)
    low, high = 0.5 * wanted, 2.0 * wanted * math.sqrt(losses.size)
    y, square, cube = least - player.x, player.square, player.cube
    for _ in range(STEPS):
        norm = 1.0 / math.sqrt(square)
        y += (wanted - norm) / (cube * norm * norm * norm)
        if not low < y < high:
            y = 0.5 * (low + high)
        square, cube = 0.0, 0.0
        for arm in range(losses.size):
            inverse = 1.0 / (losses[arm] - least + y)
            weights[arm] = inverse * inverse
            square += weights[arm]
            cube += weights[arm] * inverse
        away = square * wanted * wanted - 1.0
        if abs(away) <= TOLERANCE or high - low <= TOLERANCE * y:
            break
        if away > 0.0:
            low = y
        else:
            high = y
    for arm in range(losses.size):
        weights[arm] /= square
    return player._replace(x=least - y, square=square, cube=cube)


versatile = register(
    Algorithm(
        name="versatile",
        title="Versatile-DB",
        init=init,
        choose=choose,
        update=update,
        best=best,
        version=2,
        facts=Facts(
            winner="none",
            assumes="Condorcet winner, or nothing",
            guarantee="O(sum log T / gap), or O(sqrt(N T)) strong regret",
            cost="O(N)",
            paper="Saha & Gaillard, ICML 2022",
        ),
    )
)
