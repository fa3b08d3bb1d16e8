"""Optimized interleaving: the lottery over lists that treats both rankers alike and tells most (a linear program).

Radlinski & Craswell 2013. A list is allowed if it can be made by taking, again and again, the next result of one of the
rankings. A click gives each ranker 1 / rank of the result. A lottery is unbiased if a click at random among the top k
gives both the same on average, for every k. Of these it is the most sensitive one: whom a click credits is least clear
before it is made. That is measured by entropy, for clicks whose chance falls as 1 / position.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.interleaving.interleaved import SAME, inverse_rank

Ranks = tuple[int | None, int | None]
"""A result, known by its ranks in both rankings."""
LONGEST = 12
"""Twice as many lists for each place more; 4,096 are solved in half a second."""
COST_OF_BIAS = 1e3
"""Against at most ln 2 for what a list tells: bias remains only where no lottery is free of it."""


class Plan(NamedTuple):
    """Lists that are drawn, and the sum of their chances up to each."""

    lists: tuple[tuple[Ranks, ...], ...]
    cumulative: Floats
    bias: float
    """What remains of the bias: 0 but for rankings of different lengths."""


@lru_cache(maxsize=4096)
def best_plan(one: tuple[Ranks, ...], other: tuple[Ranks, ...], longest: int, length: int) -> Plan:
    """Return the lottery over the lists that two rankings allow; the longer one has `longest` results."""
    from scipy.optimize import linprog

    lists = list(dict.fromkeys(_allowed(one, other, (), length)))
    n, depth = len(lists), len(lists[0])
    if not depth:
        return Plan(((),), np.ones(1), 0.0)
    ahead = np.array(
        [[inverse_rank(ranks[0], longest) - inverse_rank(ranks[1], longest) for ranks in each] for each in lists]
    )
    bias = ahead.cumsum(axis=1).T  # bias[k-1] @ chances + over - under = 0
    costs = np.concatenate([-_openness(ahead), np.full(2 * depth, COST_OF_BIAS)])
    equal = np.vstack(
        [np.hstack([bias, np.eye(depth), -np.eye(depth)]), np.concatenate([np.ones(n), np.zeros(2 * depth)])]
    )
    solved = linprog(costs, A_eq=equal, b_eq=np.append(np.zeros(depth), 1.0), method="highs-ds")
    chances = np.maximum(solved.x[:n], 0.0)
    drawn = np.flatnonzero(chances > SAME)
    chances = chances[drawn] / chances[drawn].sum()
    left = float(np.abs(bias[:, drawn] @ chances).max())
    return Plan(tuple(lists[k] for k in drawn), chances.cumsum(), left)


def _allowed(
    one: tuple[Ranks, ...], other: tuple[Ranks, ...], begun: tuple[Ranks, ...], length: int
) -> Iterator[tuple[Ranks, ...]]:
    following = {next((result for result in ranking if result not in begun), None) for ranking in (one, other)}
    following.discard(None)
    if len(begun) == length or not following:
        yield begun
        return
    for result in sorted(following, key=str):
        yield from _allowed(one, other, (*begun, result), length)  # type: ignore[arg-type]


def _openness(ahead: Floats) -> Floats:
    """Return the entropy of whom a click credits, times the chance that it credits one of them."""
    seen = 1.0 / np.arange(1, ahead.shape[1] + 1)
    seen /= seen.sum()
    first, second = (ahead > SAME) @ seen, (ahead < -SAME) @ seen
    either = np.maximum(first + second, SAME)
    return sum(-part * np.log(np.maximum(part / either, SAME)) for part in (first, second))  # type: ignore[return-value]
