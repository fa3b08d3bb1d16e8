"""The evidence that an arm is a Copeland winner: how much of the data must be wrong if another one is.

A pair that is the other way round than it looks has weight n kl(p, 1/2). For i2 to lose to fewer arms than i1, some of
those that i1 beats must beat it and some of those that beat i2 must not; those of least weight count.
"""

import math
from typing import TYPE_CHECKING

from winnerstays._types import Floats
from winnerstays.compiling import kernel

if TYPE_CHECKING:
    from winnerstays.algorithms.ecw_rmed import State


@kernel
def evidence_for(state: "State", i1: int) -> tuple[float, int]:
    """The least evidence that must be wrong for another arm to lose to fewer arms than i1.

    Or some evidence below ln t, and the arm that it does not rule out.
    """
    least, needed = math.inf, math.log(state.t)
    for k in range(state.arm.size):
        i2 = (state.doubtful + k) % state.arm.size
        if i2 != i1:
            least = min(least, evidence_against(state, i1, i2))
            if least < needed:
                return least, i2
    return least, i1


@kernel
def evidence_against(state: "State", i1: int, i2: int) -> float:
    """The least evidence that must be wrong for i2 to lose to l arms and i1 to more, over all l."""
    lost1, lost2 = state.superiors[i1], state.superiors[i2]
    lead = state.wins[i1, i2] - state.wins[i2, i1]
    inferiors = sort_and_sum(state, state.falls, i1, i2, True)
    superiors = sort_and_sum(state, state.rises, i2, i1, False)
    least = math.inf
    for l in range(max(lost1 - 1, 0), lost2 + 1):
        falls, rises = l + 1 - lost1, lost2 - l
        if falls <= inferiors and rises <= superiors:
            least = min(least, state.falls[falls] + state.rises[rises])
        if lead >= 0:  # i2 may beat i1 as well
            falls, rises = max(falls - 1, 0), max(rises - int(lead > 0), 0)
            if falls <= inferiors and rises <= superiors:
                least = min(least, state.weights[i1, i2] + state.falls[falls] + state.rises[rises])
    for k in range(state.falls.size):  # space to work in, no part of what is known
        state.falls[k] = state.rises[k] = 0.0
    return least


@kernel
def sort_and_sum(state: "State", sums: Floats, i: int, left_out: int, inferior: bool) -> int:
    """sums[k]: the sum of the k least weights of i with its inferiors, or superiors. Returns how many there are."""
    size = 0
    for j in range(state.arm.size):
        if j != i and j != left_out and (state.wins[i, j] >= state.wins[j, i]) == inferior:
            k, weight = size, state.weights[i, j]
            while k > 0 and sums[k] > weight:
                sums[k + 1] = sums[k]
                k -= 1
            sums[k + 1] = weight
            size += 1
    sums[0] = 0.0
    for k in range(size):
        sums[k + 1] += sums[k]
    return size
