"""Query Selection Algorithm, QSA (Jamieson & Nowak, NIPS 2011): rank by asking only what does not follow already.

Arms have known feature vectors x_i and people rank them by x_i.theta for an unknown theta (for vectors of length 1 this
is ranking by distance to an ideal point). Arms are inserted into the ranking one by one, in random order, by binary
search. A question is asked only if both answers agree with all earlier ones, that is if linear inequalities in theta
have a solution either way; otherwise its answer is imputed. That there is no solution is shown by a linear program
(HiGHS); that there is one, by any theta. Without noise the ranking is true after O(d log N) questions: about 185 for
N = 50 and d = 20, where d log2 N = 113.

Against noise every question is asked `repeats` times and the majority counts. Imputed answers never contradict, so
the inequalities stay solvable even after a wrong majority.

As a baseline for weak regret this is a reconstruction: Chen & Frazier (2017) show QSA in their figures but do not say
what it does about noise or after ranking. Here the two arms ranked highest are shown for ever once all are ranked.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts
from winnerstays.algorithms.parameters import Whole
from winnerstays.algorithms.registry import register
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng, shuffle

Solver = Callable[[Floats], Floats | None]


class State(NamedTuple):
    """`order` holds `ranked` arms, best first, then those to be inserted; the place of the next is in [low, high]."""

    features: Floats  # x_i
    order: Ints
    ranked: int
    low: int
    high: int
    answers: Ints  # (winner, loser) of every question asked; all of them follow from the ranking
    asked: int
    theta: Floats  # agrees with all answers: (x_winner - x_loser).theta > 0
    other: Floats  # agrees with them too, but not with theta on the open question
    repeats: int  # R
    votes: int  # on the open question so far
    won: int  # those for the arm to be inserted


def init(n_arms: int, rng: Rng, *, features: Floats, repeats: int) -> State:
    if repeats % 2 == 0:
        raise WinnerstaysError(f"qsa: repeats is {repeats}, but it must be odd, so that there is always a majority.")
    order = np.arange(n_arms)
    shuffle(order, rng)
    state = State(
        features=features,
        order=order,
        ranked=1,
        low=0,
        high=1,
        answers=np.zeros((most_questions(n_arms), 2), np.int64),
        asked=0,
        theta=np.zeros(features.shape[1]),
        other=np.zeros(features.shape[1]),
        repeats=repeats,
        votes=0,
        won=0,
    )
    return next_question(state)


def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.ranked == state.order.size:
        return int(state.order[0]), int(state.order[1])
    return question(state)


def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.ranked == state.order.size:
        return state
    state = state._replace(votes=state.votes + 1, won=state.won + int(first_won))
    if state.votes < state.repeats:
        return state
    won = 2 * state.won > state.repeats
    if (direction(state, first, second) @ state.theta > 0.0) != won:
        state.theta[:] = state.other
    state.answers[state.asked] = (first, second) if won else (second, first)
    state = state._replace(asked=state.asked + 1, votes=0, won=0)
    return next_question(place(state, won))


def best(state: State) -> int:
    return int(state.order[0])


def certain(state: State) -> int:
    return FOREVER if state.ranked == state.order.size else 0


def most_questions(n_arms: int) -> int:
    """Return how many questions there can be: binary search among k arms takes at most ceil(log2(k + 1)).

    >>> most_questions(50)
    237
    """
    return sum(k.bit_length() for k in range(1, n_arms))


def middle(state: State) -> int:
    """Return the place that the open question is about."""
    return (state.low + state.high) // 2


def question(state: State) -> tuple[int, int]:
    """Return the arm to be inserted, and the ranked arm in the middle of where it may belong."""
    return int(state.order[state.ranked]), int(state.order[middle(state)])


def direction(state: State, winner: int, loser: int) -> Floats:
    """Return x_winner - x_loser, scaled to length 1 unless the two have the same features."""
    difference = state.features[winner] - state.features[loser]
    return np.asarray(difference / (math.sqrt(difference @ difference) or 1.0))


def place(state: State, won: bool) -> State:
    """Go on with the binary search for the arm to be inserted; put it in where the search ends."""
    low, high = (state.low, middle(state)) if won else (middle(state) + 1, state.high)
    if low < high:
        return state._replace(low=low, high=high)
    arm = state.order[state.ranked]
    state.order[low + 1 : state.ranked + 1] = state.order[low : state.ranked].copy()
    state.order[low] = arm
    return state._replace(ranked=state.ranked + 1, low=0, high=state.ranked + 1)


def next_question(state: State) -> State:
    """Impute answers up to the first question that must be asked."""
    while state.ranked < state.order.size:
        asked = direction(state, *question(state))
        if not asked.any():  # the same features: no theta tells them apart
            state = place(state, False)
        elif state.asked == 0:
            state.theta[:], state.other[:] = asked, -asked
            break
        else:
            theta_says = bool(asked @ state.theta > 0.0)
            if find_other(state, -asked if theta_says else asked):
                break
            state = place(state, theta_says)
    return state


def shortest(rows: Floats) -> Floats | None:
    """Return the shortest theta with rows.theta >= 1, by non-negative least squares (Lawson & Hanson 1974, chapter 23).

    Ten times as quick as a linear program, and far from the borders. None proves nothing: there may still be a theta.
    """
    from scipy.optimize import nnls  # only whoever runs QSA waits for this import

    columns = np.vstack([rows.T, np.ones(len(rows))])
    target = np.zeros(len(columns))
    target[-1] = 1.0
    residual = target - columns @ nnls(columns, target, maxiter=100 * len(rows))[0]
    if residual[-1] <= 0.0:
        return None
    theta = residual[:-1] / -residual[-1]
    return theta if (rows @ theta).min() > 0.5 else None


def feasible(rows: Floats) -> Floats | None:
    """Return any theta with rows.theta >= 1, or None where the linear program has no solution."""
    from scipy.optimize import linprog

    size = rows.shape[1]
    program = linprog(np.zeros(size), A_ub=-rows, b_ub=np.full(len(rows), -1.0), bounds=(None, None), method="highs")
    return np.asarray(program.x) if program.success else None


def find_other(state: State, wanted: Floats, quick: Solver = shortest) -> bool:
    """Look for a theta that agrees with all answers and with `wanted`.theta > 0; keep it as `other`.

    Both sides of a question are thus tested, since `state.theta` is on the opposite side. The linear program is asked
    where the `quick` solver finds nothing.
    """
    rows = np.vstack([known(state), wanted])
    solution = quick(rows)
    if solution is None:
        solution = feasible(rows)
    if solution is None:
        return False
    state.other[:] = solution
    return True


def known(state: State) -> Floats:
    """Return rows whose products with theta are all positive exactly if theta agrees with all answers.

    Neighbours in the ranking are enough, and the two between which the arm to be inserted is known to belong.
    """
    better, worse = state.order[: state.ranked - 1], state.order[1 : state.ranked]
    arm = state.order[state.ranked]
    above = state.order[state.low - 1 : state.low] if state.low > 0 else better[:0]
    below = state.order[state.high : min(state.high + 1, state.ranked)]
    winners = np.concatenate([better, above, np.full(below.size, arm)])
    losers = np.concatenate([worse, np.full(above.size, arm), below])
    differences = state.features[winners] - state.features[losers]
    lengths = np.linalg.norm(differences, axis=1, keepdims=True)
    different = lengths[:, 0] > 0.0
    return np.asarray(differences[different] / lengths[different])


qsa = register(
    Algorithm(
        name="qsa",
        title="Query Selection Algorithm",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        parameters={"repeats": Whole(11, "times each question is asked; odd, the majority counts")},
        needs=frozenset({"features"}),
        compiled=False,
        facts=Facts(
            regret="weak",
            assumes="a ranking that is linear in known features",
            guarantee="without noise the true ranking from O(d log N) questions",
            cost="O(1), 1 ms a question",
            paper="Jamieson & Nowak, NIPS 2011",
        ),
    )
)
