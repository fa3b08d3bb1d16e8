"""The arm whose Beta sample is the largest, mostly without drawing the samples; exact in law.

A bar is put between the leader's posterior and the others'. An arm is marked with a chance that is at least that of its
sample being on the wrong side of the bar: the area under the tangent to the logarithm of its density there, which is
concave. A draw in which no arm is marked is quiet, and names the leader. Else each marked arm gets a point under the
tangent; if that is under the density, too, it is the sample, and if not, the sample is on the right side after all.
Where one on the right side must be known, it is drawn given that.
"""

import math

from winnerstays.algorithms._shared.posterior import stirling
from winnerstays.algorithms._shared.sampling import beta
from winnerstays.algorithms.self_sparring.state import State
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform

HALVINGS = 12
"""Steps of the search for the bar; wherever it is, the law is the same."""
RIGHT_SIDE = -1.0
"""In place of a sample: it is where it is expected."""


@kernel
def set_bar(state: State, leader: int) -> State:
    """Put the bar where the leader is marked about as often as all others together."""
    won, lost = state.won[leader], state.lost[leader]
    low, high = 0.0, won / max(won + lost, 1.0)
    for _ in range(HALVINGS):
        bar = 0.5 * (low + high)
        others = 0.0
        for arm in range(state.won.size):
            if arm != leader:
                others += chance_above(state.won[arm], state.lost[arm], bar)
        if others > chance_above(lost, won, 1.0 - bar):
            low = bar
        else:
            high = bar
    state = state._replace(leader=leader, bar=0.5 * (low + high))
    log_quiet = 0.0
    for arm in range(state.won.size):
        chance = marking_chance(state, arm)
        log_quiet += math.log1p(-chance) if chance < 1.0 else -math.inf
    return state._replace(log_quiet=log_quiet)


@kernel
def loud_sample(state: State, rng: Rng) -> int:
    """Return the arm of the largest sample, given that some arm is marked."""
    top, highest, fallen = state.leader, RIGHT_SIDE, RIGHT_SIDE
    none_yet, left, before = True, -uniform(rng) * math.expm1(state.log_quiet), 1.0
    for arm in range(state.won.size):
        chance = marking_chance(state, arm)
        if none_yet:  # the first that is marked, by its chance given that there is one
            marked = left < before * chance
            left -= before * chance
            before *= 1.0 - chance
        else:
            marked = uniform(rng) < chance
        if marked:
            none_yet = False
            if arm == state.leader:
                fallen = sample_above(rng, state.lost[arm], state.won[arm], 1.0 - state.bar)
            else:
                sample = sample_above(rng, state.won[arm], state.lost[arm], state.bar)
                if sample > highest:
                    top, highest = arm, sample
    if fallen == RIGHT_SIDE:
        return top if top != state.leader and highest > sample_leader(state, rng) else state.leader
    return top if top != state.leader else largest_below(state, 1.0 - fallen, rng)


@kernel
def sample_leader(state: State, rng: Rng) -> float:
    """Draw the leader's sample, given that it is above the bar."""
    while True:
        sample = beta(rng, state.won[state.leader] + 1.0, state.lost[state.leader] + 1.0)
        if sample > state.bar:
            return sample


@kernel
def largest_below(state: State, fallen: float, rng: Rng) -> int:
    """Return the arm of the largest sample, given that all are below the bar and what the leader's is."""
    top, highest = state.leader, fallen
    for arm in range(state.won.size):
        if arm != state.leader:
            sample = 1.0
            while sample > state.bar:
                sample = beta(rng, state.won[arm] + 1.0, state.lost[arm] + 1.0)
            if sample > highest:
                top, highest = arm, sample
    return top


@kernel
def marking_chance(state: State, arm: int) -> float:
    """Return the chance with which an arm is marked."""
    if arm == state.leader:
        return chance_above(state.lost[arm], state.won[arm], 1.0 - state.bar)
    return chance_above(state.won[arm], state.lost[arm], state.bar)


@kernel
def chance_above(won: int, lost: int, bar: float) -> float:
    """Return the area under the tangent beyond the bar, at least P(Beta(won + 1, lost + 1) > bar); 1 if that is more.

    >>> round(chance_above(0, 9, 0.5), 12), chance_above(5, 5, 0.4)  # the first is 10 / 2**9 / 18
    (0.001085069444, 1.0)
    """
    slope = descent(won, lost, bar) if 0.0 < bar < 1.0 else 0.0
    return min(math.exp(log_density(won, lost, bar)) / slope, 1.0) if slope > 0.0 else 1.0


@kernel
def sample_above(rng: Rng, won: int, lost: int, bar: float) -> float:
    """Draw from Beta(won + 1, lost + 1) for a marked arm; tell only a sample that is above the bar."""
    if chance_above(won, lost, bar) >= 1.0:
        sample = beta(rng, won + 1.0, lost + 1.0)
        return sample if sample > bar else RIGHT_SIDE
    slope = descent(won, lost, bar)
    sample = bar - math.log(1.0 - uniform(rng)) / slope
    if sample >= 1.0:
        return RIGHT_SIDE
    under = won * math.log(sample / bar) + lost * math.log((1.0 - sample) / (1.0 - bar)) + slope * (sample - bar)
    return sample if math.log(1.0 - uniform(rng)) < under else RIGHT_SIDE


@kernel
def descent(won: int, lost: int, x: float) -> float:
    """Return how fast the logarithm of the density of Beta(won + 1, lost + 1) falls at x."""
    return lost / (1.0 - x) - won / x


@kernel
def log_density(won: int, lost: int, x: float) -> float:
    """Return the logarithm of the density of Beta(won + 1, lost + 1), in Loader's form (2000).

    >>> round(math.exp(log_density(2, 1, 0.5)), 12)
    1.5
    """
    n = won + lost
    total = math.log(n + 1.0)
    if won > 0:
        total -= won * math.log(won / (n * x))
    if lost > 0:
        total -= lost * math.log(lost / (n * (1.0 - x)))
    if won > 0 and lost > 0:
        total += 0.5 * math.log(n / (math.tau * won * lost)) + stirling(n) - stirling(won) - stirling(lost)
    return total
