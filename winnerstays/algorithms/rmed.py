"""What the three RMED algorithms share (Komiyama, Honda, Kashima & Nakagawa, COLT 2015).

exp(-I_i) is the likelihood that arm i beats all others, with I_i = sum over j of n_ij kl(p_ij, 1/2) where p_ij <= 1/2.
Passes go through a list of arms; an arm whose I_i is within ln t + f(N) of the least is in the list of the next pass,
and the arm of the pass meets an opponent that can show that it is not the best.

A duel touches one pair, so it costs O(1) where the rules say "for all arms":
- I_i is kept in whole multiples of 2**-32, so that replacing the term of a pair leaves no rounding behind;
- `nearest` is below the I_j of all arms that wait outside both lists: none is looked at before it could join;
- pairs are swept for missing duels only when the number that is due goes up, which is once in a while (ln ln t);
- when the favourite is alone in the list and unbeaten it meets itself, and that goes on until ln t lets another arm in.

Arms are numbered inside in a random order, fixed at the start, and the first of equals is taken everywhere.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared.counts import kl_half, mean, no_wins, played, record, time_before
from winnerstays.algorithms.base import FOREVER
from winnerstays.algorithms.parameters import Number
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle

UNIT = 2.0**-32
TIE = 2**8
"""I_i that differ by no more units than this are equal sums of logarithms, rounded in different pieces."""
SMALLEST_LOG_LOG = 0.01
"""ln ln t is negative before t = e."""
RMED1, RMED2, RMED2FH = range(3)
REMAINING, WAITING, LISTED = range(3)


class State(NamedTuple):
    arm: Ints  # what each inside number stands for
    place: Ints  # the inside number of each arm
    wins: Ints  # W, like all that follows by inside numbers
    divergence: Ints  # I_i in units of 2**-32
    superiors: Ints  # |O_i|, arms that i did not beat in more than half of their duels
    best_opponent: Ints  # RMED2FH: b*(i), or -1; empty otherwise
    current: Ints  # L_C
    following: Ints  # L_N
    status: Ints  # REMAINING in L_R, LISTED in L_N, or WAITING
    n_current: int
    n_following: int
    at: int  # where l is in L_C
    nearest: int  # no waiting arm has a smaller I_j
    favourite: int  # the arm of least I
    first: int  # l, or the first of a pair that lacks duels
    second: int  # m
    listed: bool  # the pair is from L_C
    t: int  # duels so far
    due: int  # duels that every pair must have had by now
    due_until: int  # nothing more is due before this duel
    row: int  # from this pair on, duels may be lacking
    column: int
    variant: int
    alpha: float
    slack: float  # f(N)
    log_log_horizon: float  # RMED2FH: ln ln T


def start(n_arms: int, rng: Rng, variant: int, *, f: float, alpha: float = 0.0, horizon: int = 1) -> State:
    """The State of any variant before its first duel."""
    arm = np.arange(n_arms)
    shuffle(arm, rng)
    log_log_horizon = log_log(horizon)
    return State(
        arm,
        np.argsort(arm),
        no_wins(n_arms),
        np.zeros(n_arms, np.int64),
        np.full(n_arms, n_arms - 1),
        np.full(n_arms if variant == RMED2FH else 0, -1),
        np.arange(n_arms),
        np.arange(n_arms),
        np.full(n_arms, REMAINING),
        n_current=n_arms,
        n_following=0,
        at=0,
        nearest=FOREVER,
        favourite=0,
        first=0,
        second=1,
        listed=False,
        t=0,
        due=math.ceil(alpha * log_log_horizon) if variant == RMED2FH else 1,
        due_until=n_arms * (n_arms - 1) // 2 + 1 if variant == RMED2 else FOREVER,
        row=0,
        column=1,
        variant=variant,
        alpha=alpha,
        slack=f * math.pow(n_arms, 1.01),
        log_log_horizon=log_log_horizon,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.arm[state.first], state.arm[state.second]


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    state = learn(state._replace(t=state.t + 1), state.place[first], state.place[second], first_won)
    if state.listed:
        state = next_in_pass(state)
    return decide(fall_due(state))


@kernel
def best(state: State) -> int:
    return state.arm[state.favourite]  # type: ignore[no-any-return]


@kernel
def certain(state: State) -> int:
    if state.first != state.second or state.n_current > 1:
        return 0
    needed = (state.nearest - state.divergence[state.favourite]) * UNIT - state.slack
    return max(min(time_before(needed) - 1, state.due_until - 2) - state.t, 0)


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels)


@kernel
def log_log(t: int) -> float:
    return max(math.log(math.log(t)), SMALLEST_LOG_LOG) if t > 1 else SMALLEST_LOG_LOG


@kernel
def evidence(wins: Ints, i: int, j: int) -> int:
    """n kl(p, 1/2) of a pair, in units of 2**-32."""
    n = played(wins, i, j)
    return int(n * kl_half(wins[i, j] / n) / UNIT + 0.5) if n > 0 else 0


@kernel
def learn(state: State, i: int, j: int, i_won: bool) -> State:
    """Count the duel; keep I, |O|, the favourite and `nearest` in step with the counts."""
    if i == j:
        return state
    wins, divergence, superiors = state.wins, state.divergence, state.superiors
    favourite, nearest = state.favourite, state.nearest
    before = divergence[favourite]
    for sign in (-1, 1):
        if sign > 0:
            record(wins, i, j, i_won)
        lead = wins[i, j] - wins[j, i]
        superiors[i] += sign * (lead <= 0)
        superiors[j] += sign * (lead >= 0)
        divergence[i if lead < 0 else j] += sign * evidence(wins, i, j)
    if divergence[favourite] > before:
        favourite = 0
        for k in range(1, divergence.size):
            favourite = likelier(divergence, k, favourite)
    for k in (i, j):
        favourite = likelier(divergence, k, favourite)
        if state.status[k] == WAITING:
            nearest = min(nearest, divergence[k])
    return state._replace(favourite=favourite, nearest=nearest)


@kernel
def likelier(divergence: Ints, i: int, j: int) -> int:
    """The one of smaller I; the first in order if they tie."""
    ahead = divergence[j] - divergence[i]
    return i if ahead > TIE or (ahead >= -TIE and i < j) else j


@kernel
def joins(state: State, divergence: int) -> bool:
    """I_j - min I <= ln t + f(N)."""
    ahead = divergence - state.divergence[state.favourite]
    return ahead * UNIT <= math.log(state.t) + state.slack  # type: ignore[no-any-return]


@kernel
def next_in_pass(state: State) -> State:
    """Take l out of L_R, list who may be in the next pass, and go on to the next arm or the next pass."""
    current, following, status, divergence = state.current, state.following, state.status, state.divergence
    l, nearest, listed = current[state.at], state.nearest, state.n_following
    if joins(state, divergence[l]):
        status[l] = LISTED
        following[listed] = l
        listed += 1
    else:
        status[l] = WAITING
        nearest = min(nearest, divergence[l])
    if nearest < FOREVER and joins(state, nearest):
        nearest = FOREVER
        for j in range(status.size):
            if status[j] == WAITING:
                if joins(state, divergence[j]):
                    status[j] = LISTED
                    following[listed] = j
                    listed += 1
                else:
                    nearest = min(nearest, divergence[j])
    if state.at + 1 < state.n_current:
        return state._replace(nearest=nearest, n_following=listed, at=state.at + 1)
    for k in range(listed):  # never none: L_R is empty now, so the favourite is among them
        current[k] = following[k]
        status[following[k]] = REMAINING
    return state._replace(nearest=nearest, n_current=listed, n_following=0, at=0)


@kernel
def fall_due(state: State) -> State:
    """RMED2: see whether n >= alpha ln ln t now asks for more duels of every pair."""
    if state.t + 1 < state.due_until:
        return state
    due = max(math.ceil(state.alpha * log_log(state.t + 1)), state.due)
    due_until = time_before(math.exp(due / state.alpha))
    if due == state.due:
        return state._replace(due_until=due_until)
    return state._replace(due=due, due_until=due_until, row=0, column=1)


@kernel
def decide(state: State) -> State:
    """The next pair: one that lacks duels if there is any, else the arm of the pass and its opponent."""
    n_arms, i, j = state.arm.size, state.row, state.column
    while i < n_arms - 1:
        if played(state.wins, i, j) < state.due:
            return state._replace(first=i, second=j, listed=False, row=i, column=j)
        j += 1
        if j == n_arms:
            i, j = i + 1, i + 2
    if state.variant == RMED2FH and state.row < n_arms - 1:
        for arm in range(n_arms):
            state.best_opponent[arm] = cheapest(state.wins, arm, state.favourite)
    l = state.current[state.at]
    return state._replace(first=l, second=opponent(state, l), listed=True, row=i, column=j)


@kernel
def opponent(state: State, l: int) -> int:
    """m(l): the one against whom a duel of l is worth most."""
    wins, favourite = state.wins, state.favourite
    if state.variant != RMED1 and l != favourite:
        frozen = state.variant == RMED2FH
        b = state.best_opponent[l] if frozen else cheapest(wins, l, favourite)
        if b >= 0 and wins[l, b] <= wins[b, l]:
            patience = state.log_log_horizon if frozen else log_log(state.t + 1)
            if played(wins, l, favourite) >= played(wins, l, b) / patience:
                return b
    if (l != favourite and wins[l, favourite] <= wins[favourite, l]) or state.superiors[l] == 0:
        return favourite
    return hardest(wins, l)


@kernel
def hardest(wins: Ints, l: int) -> int:
    """The arm against which l won the smallest share of duels."""
    chosen, least = l, math.inf
    for j in range(wins.shape[0]):
        if j != l and mean(wins, l, j) < least:
            chosen, least = j, mean(wins, l, j)
    return chosen


@kernel
def cheapest(wins: Ints, l: int, favourite: int) -> int:
    """b*(l): the arm that beats l and costs the least regret for what it shows about l; -1 if no arm beats l."""
    chosen, least = -1, math.inf
    gap = mean(wins, favourite, l) - 0.5
    for j in range(wins.shape[0]):
        if wins[l, j] < wins[j, l]:
            cost = (gap + mean(wins, favourite, j) - 0.5) / kl_half(mean(wins, l, j))
            if cost < least:
                chosen, least = j, cost
    return chosen


F = Number(0.3, "f(N) = f N^1.01 is added to ln t when arms are listed", above=0.0)
ALPHA = Number(3.0, "every pair meets at least alpha ln ln t times", above=0.0)
PAPER = "Komiyama, Honda, Kashima & Nakagawa, COLT 2015"
