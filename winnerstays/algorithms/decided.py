"""Which pairs are decided, and what that counts for: the part of CCB that changes rarely and is kept, not computed.

A duel can decide its own pair or open it again. Any other decided pair opens when alpha ln t overtakes the evidence on
it, which is known in advance: `expiry` holds the soonest such amount for each arm, and `soonest` the least of all.
"""

import math
from typing import TYPE_CHECKING

from winnerstays._types import Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.compiling import kernel

if TYPE_CHECKING:
    from winnerstays.algorithms.ccb import State


@kernel
def decision(tally: Ints, first: int, second: int, budget: float) -> int:
    """1 if `first` decidedly beats `second`, -1 the other way round, 0 if that is open."""
    won, lost = tally[first, second, 0], tally[first, second, 1]
    if confidence.beats(won, lost, budget):
        return 1
    return -1 if confidence.beats(lost, won, budget) else 0


@kernel
def learn(state: "State", winner: int, loser: int, budget: float) -> "State":
    """Count the duel; scores change if it decides the pair or opens it."""
    stood = decision(state.tally, winner, loser, budget)
    confidence.enter(state.tally, winner, loser, True)
    stands = decision(state.tally, winner, loser, budget)
    if stands != stood:
        shift(state, winner, loser, stood, -1)
        shift(state, winner, loser, stands, 1)
    soonest = state.soonest
    if stands != 0:
        ahead, behind = (winner, loser) if stands > 0 else (loser, winner)
        amount = confidence.evidence(state.tally, ahead, behind)
        state.expiry[behind] = min(state.expiry[behind], amount)
        soonest = min(soonest, amount)
    return state._replace(soonest=soonest, stale=state.stale or stands != stood)


@kernel
def shift(state: "State", first: int, second: int, decided: int, step: int) -> None:
    """Add `step` to what a pair with that decision counts for."""
    if decided == 0:
        state.unsure[first] += step * state.feared[first, second]
        state.unsure[second] += step * state.feared[second, first]
    else:
        ahead, behind = (first, second) if decided > 0 else (second, first)
        state.won[ahead] += step
        state.lost[behind] += step


@kernel
def expire(state: "State", before: float, budget: float) -> "State":
    """Open the pairs whose evidence has become too little for the time that has passed."""
    tally, expiry = state.tally, state.expiry
    stale, soonest = state.stale, math.inf
    for arm in range(expiry.size):
        if expiry[arm] <= budget:
            expiry[arm] = math.inf
            for j in range(expiry.size):
                if confidence.beats(tally[arm, j, 1], tally[arm, j, 0], before):
                    amount = confidence.evidence(tally, j, arm)
                    if amount > budget:
                        expiry[arm] = min(expiry[arm], amount)
                    else:
                        shift(state, j, arm, 1, -1)
                        shift(state, j, arm, 0, 1)
                        stale = True
        soonest = min(soonest, expiry[arm])
    return state._replace(stale=stale, soonest=soonest)
