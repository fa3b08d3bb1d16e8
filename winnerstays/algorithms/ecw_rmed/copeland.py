"""The evidence that an arm is a Copeland winner: how much of the data must be wrong if another arm is one.

If a pair is the other way round than it looks, evidence of weight n kl(p, 1/2) is wrong. For i2 to lose to fewer arms
than i1, some of the arms that i1 beats must in truth beat it, and some of those that beat i2 must not; the sets of
least total weight count.
"""

import math

from winnerstays._types import Floats
from winnerstays.algorithms.ecw_rmed.state import State
from winnerstays.compiling import kernel


@kernel
def evidence_for(state: State, i1: int) -> tuple[float, int]:
    """Return the least evidence that must be wrong for another arm to lose to fewer arms than i1, and i1.

    Where an arm is found for which that is below ln t, the search ends: its evidence and that arm are returned.
    """
    n_arms, least, needed = state.wins.shape[0], math.inf, math.log(state.schedule.t)
    for k in range(n_arms):
        i2 = (state.doubtful + k) % n_arms
        if i2 != i1:
            least = min(least, evidence_against(state, i1, i2))
            if least < needed:
                return least, i2
    return least, i1


@kernel
def evidence_against(state: State, i1: int, i2: int) -> float:
    """Return the least evidence, over all l, that must be wrong for i2 to lose to l arms and i1 to more."""
    lost1, lost2 = state.superiors[i1], state.superiors[i2]
    lead = state.wins[i1, i2] - state.wins[i2, i1]
    inferiors = sort_and_sum(state, state.inferior_sums, i1, i2, True)
    superiors = sort_and_sum(state, state.superior_sums, i2, i1, False)
    least = math.inf
    for l in range(max(lost1 - 1, 0), lost2 + 1):
        falls, rises = l + 1 - lost1, lost2 - l
        if falls <= inferiors and rises <= superiors:
            least = min(least, state.inferior_sums[falls] + state.superior_sums[rises])
        if lead >= 0:  # i2 may beat i1 as well
            falls, rises = max(falls - 1, 0), max(rises - int(lead > 0), 0)
            if falls <= inferiors and rises <= superiors:
                least = min(least, state.weights[i1, i2] + state.inferior_sums[falls] + state.superior_sums[rises])
    for k in range(state.inferior_sums.size):  # space to work in, no part of what is known
        state.inferior_sums[k] = state.superior_sums[k] = 0.0
    return least


@kernel
def sort_and_sum(state: State, sums: Floats, i: int, left_out: int, inferior: bool) -> int:
    """Set sums[k] to the sum of the k least weights of i with its inferiors, or superiors; return their number."""
    size = 0
    for j in range(state.wins.shape[0]):
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
