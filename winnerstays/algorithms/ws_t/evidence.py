"""Evidence against arms in WS-T: S, and the case V against a challenger with the duels w on which it rests."""

import math

from winnerstays._types import Ints
from winnerstays.algorithms._shared.counts import kl_half, played
from winnerstays.algorithms.ws_t.state import ALL, CASE, UNIT, State
from winnerstays.compiling import kernel


@kernel
def evidence(wins: Ints, i: int, j: int, added: float) -> float:
    """Return n kl(p, 1/2), how far the record of two arms speaks against the one that is behind."""
    n = played(wins, i, j)
    return n * kl_half((wins[i, j] + added) / (n + 2.0 * added)) if n > 0 else 0.0


@kernel
def count(state: State, i: int, j: int, sign: int) -> None:
    """Add to S, and to the duels it rests on, what the pair says; or take it away."""
    lead = state.wins[i, j] - state.wins[j, i]
    if lead != 0:
        behind = j if lead > 0 else i
        n, said = played(state.wins, i, j), evidence(state.wins, i, j, state.rules.shrink)
        state.against[behind] += sign * int(said / UNIT + 0.5)
        state.rested[behind] += sign * (n if state.rules.counting == ALL else n * said)


@kernel
def make_case(state: State, j: int) -> None:
    """Write down V and ln w of a challenger."""
    z, rules = state.incumbent, state.rules
    n, case, with_z = played(state.wins, j, z), state.against[j] * UNIT, 0.0
    if state.wins[z, j] > state.wins[j, z]:
        with_z = evidence(state.wins, j, z, rules.case_shrink)
        case += with_z - evidence(state.wins, j, z, rules.shrink)
    rests_on = float(n)
    if rules.counting == ALL:
        rests_on = state.rested[j]
    elif rules.counting == CASE and state.against[j] > 0:
        rests_on = min(rests_on, state.rested[j] / (state.against[j] * UNIT))
    state.case[j] = case if rules.all_pairs else with_z
    state.log_weight[j] = math.log(max(rests_on, 1.0))
