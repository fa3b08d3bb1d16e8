"""Who meets the challenger in WS-T: the incumbent, or a third arm whose proof costs less regret."""

import math

from winnerstays.algorithms._shared.counts import kl_half, played
from winnerstays.algorithms.ws_t.state import TIE, State, evidence
from winnerstays.compiling import kernel

CHEAP, DOUBT = 0.5, 0.5
"""The share of the cost of z at which a third arm takes over; what the root of its evidence must exceed."""
FEW, HOPE = 4, 5.0
"""A third arm is tried in fewer duels than this, if its proof could be so many times as cheap as that of z."""
TRIALS, RETURN = 0.01, 0.5
"""The most trials: a share of m, and of the meetings in which third arms served."""


@kernel
def find_opponent(state: State) -> State:
    """Let a third arm meet the challenger if it proves as much at less regret, or is to be tried."""
    z, j, wins = state.incumbent, state.challenger, state.wins
    if not state.rules.third or wins[z, j] <= wins[j, z]:
        return state
    gap = gap_above(state, j)
    cost = gap / kl_half(0.5 + gap)
    least, known = CHEAP * cost, z
    hoped, tried, most = cost * math.log(2.0) / HOPE, z, -math.inf
    trials = gap < hoped and state.rules.trials and state.tried < TRIALS * state.met + RETURN * state.served
    for k in range(state.against.size):
        n, lead = played(wins, k, j), wins[k, j] - wins[j, k]
        if k in (z, j) or lead < 0 or (n == 0 and not trials) or played(wins, z, k) == 0:
            continue
        gaps = gap + gap_above(state, k)
        root = math.sqrt(evidence(state, k, j)) - DOUBT
        if root > 0.0 and gaps * n / root**2 < least * (1.0 - TIE):
            least, known = gaps * n / root**2, k
        if trials and n < FEW and gaps < hoped and lead - gaps > most + TIE:
            tried, most = k, lead - gaps
    if known != z:
        return state._replace(opponent=known, served=state.served + 1)
    if tried != z:
        return state._replace(opponent=tried, tried=state.tried + 1)
    return state


@kernel
def gap_above(state: State, i: int) -> float:
    """Return g_i, what the incumbent may win of its duels with i beyond a half, at most."""
    z, wins = state.incumbent, state.wins
    n = played(wins, z, i)
    return min(max((wins[z, i] + 1.0) / (n + 2.0) - 0.5 + math.sqrt(0.5 / n), 0.0), 0.5)  # type: ignore[no-any-return]
