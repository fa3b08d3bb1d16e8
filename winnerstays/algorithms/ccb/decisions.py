"""Decisions of CCB: which pairs are decided, and the scores that follow. They change rarely and are kept, not computed.

A duel can decide its own pair or open it again. Any other decided pair opens when alpha ln t overtakes the evidence on
it, which is known in advance: `expiry` holds the least such evidence for each arm, and `first_expiry` the least of all.
"""

import math

from winnerstays._types import Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms._shared.counts import record_tally
from winnerstays.algorithms.ccb.state import State
from winnerstays.compiling import kernel


@kernel
def decision(tally: Ints, first: int, second: int, budget: float) -> int:
    """Return 1 if `first` decidedly beats `second`, -1 the other way round, 0 if the pair is open."""
    won, lost = tally[first, second, 0], tally[first, second, 1]
    if confidence.beats(won, lost, budget):
        return 1
    return -1 if confidence.beats(lost, won, budget) else 0


@kernel
def learn(state: State, winner: int, loser: int, budget: float) -> State:
    """Count the duel; update the scores if it decides the pair or opens it."""
    stood = decision(state.tally, winner, loser, budget)
    record_tally(state.tally, winner, loser, True)
    stands = decision(state.tally, winner, loser, budget)
    if stands != stood:
        shift(state, winner, loser, stood, -1)
        shift(state, winner, loser, stands, 1)
    first_expiry = state.first_expiry
    if stands != 0:
        ahead, behind = (winner, loser) if stands > 0 else (loser, winner)
        amount = confidence.evidence(state.tally, ahead, behind)
        state.expiry[behind] = min(state.expiry[behind], amount)
        first_expiry = min(first_expiry, amount)
    return state._replace(first_expiry=first_expiry, outdated=state.outdated or stands != stood)


@kernel
def shift(state: State, first: int, second: int, decided: int, step: int) -> None:
    """Add `step` to the scores in which a pair with that decision counts."""
    if decided == 0:
        state.n_open[first] += step * state.superiors[first, second]
        state.n_open[second] += step * state.superiors[second, first]
    else:
        ahead, behind = (first, second) if decided > 0 else (second, first)
        state.won[ahead] += step
        state.lost[behind] += step


@kernel
def expire(state: State, before: float, budget: float) -> State:
    """Open the pairs whose evidence has become too little for the time that has passed."""
    tally, expiry = state.tally, state.expiry
    outdated, first_expiry = state.outdated, math.inf
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
                        outdated = True
        first_expiry = min(first_expiry, expiry[arm])
    return state._replace(outdated=outdated, first_expiry=first_expiry)
