"""Efficient Copeland-winners RMED, ECW-RMED (Komiyama, Honda & Nakagawa, ICML 2016).

Passes go through a list of pairs. After each duel the data say which pairs must meet more: if they rule out that an arm
other than i1 is a Copeland winner, only i1 with itself; else also the pairs that have met less often than q* ln t, with
q* an allocation of little regret that would rule it out. Every pair meets at least alpha sqrt(ln t) times, and as long
as its share of wins is near 1/2.
Strong regret near the lower bound for Copeland winners.

The paper's algorithm is known here from a description and one public program, and is less sure than RMED1. Taken from
these: ln ln t is at least 1, i1 is the winner of least total regret, and q* gives every arm that i1 beats 1 / kl, and
each other arm i2 the cheapest of the arms that beat it. Chosen here: "ruled out" is taken literally, as the least
evidence n kl(p, 1/2) that must be wrong for i2 to lose to fewer arms than i1 (copeland.py); pairs are listed in the
order of need.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.counts import kl_half, mean, no_wins, played, record, time_before
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.copeland import evidence_for
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle

REMAINING, LISTED, NEITHER = range(3)


class State(NamedTuple):
    arm: Ints  # what each inside number stands for
    place: Ints  # the inside number of each arm
    wins: Ints  # W, like all that follows by inside numbers
    weights: Floats  # n kl(p, 1/2), the evidence that must be wrong if a pair is the other way round
    superiors: Ints  # L_i, arms that beat i in more than half of their duels
    current: Ints  # L_C, pairs i <= j as i N + j
    following: Ints  # L_N
    status: Ints  # of each pair: REMAINING in L_R, LISTED in L_N, or NEITHER
    n_current: int
    n_following: int
    at: int  # where the pair is in L_C
    first: int
    second: int
    listed: bool  # the pair is from L_C
    sure_until: int  # the winner is beyond doubt up to this duel
    doubtful: int  # the arm last found that could be the winner as well
    t: int  # duels so far
    due: int  # duels that every pair must have had by now
    due_until: int  # nothing more is due before this duel
    row: int  # from this pair on, duels may be lacking
    column: int
    alpha: float
    beta: float
    order: Ints  # room for arms in order of cost
    costs: Floats  # room for their costs
    falls: Floats  # room for sums of the least weights of one arm
    rises: Floats  # and of another


def init(n_arms: int, rng: Rng, *, alpha: float, beta: float) -> State:
    arm = np.arange(n_arms)
    shuffle(arm, rng)
    pairs = np.array([i * n_arms + j for i in range(n_arms) for j in range(i + 1, n_arms)])
    room = np.zeros(n_arms, np.int64)
    return State(
        arm,
        np.argsort(arm),
        no_wins(n_arms),
        np.zeros((n_arms, n_arms)),
        np.zeros(n_arms, np.int64),
        np.append(pairs, room),
        np.append(pairs, room),
        np.where(np.isin(np.arange(n_arms * n_arms), pairs), REMAINING, NEITHER),
        n_current=pairs.size,
        n_following=0,
        at=0,
        first=0,
        second=1,
        listed=False,
        sure_until=0,
        doubtful=0,
        t=0,
        due=1,
        due_until=1,
        row=0,
        column=1,
        alpha=alpha,
        beta=beta,
        order=room,
        costs=np.zeros(n_arms),
        falls=np.zeros(n_arms + 1),
        rises=np.zeros(n_arms + 1),
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.arm[state.first], state.arm[state.second]


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    i, j = state.place[first], state.place[second]
    wins, superiors = state.wins, state.superiors
    for sign in (-1, 1):
        if sign > 0:
            record(wins, i, j, first_won)
        superiors[i] += sign * (wins[i, j] < wins[j, i])
        superiors[j] += sign * (wins[j, i] < wins[i, j])
    state.weights[i, j] = state.weights[j, i] = played(wins, i, j) * kl_half(mean(wins, i, j))
    state = state._replace(t=state.t + 1, sure_until=0)
    if state.listed:
        state = next_in_pass(state)
    return decide(state, i, j)


@kernel
def best(state: State) -> int:
    chosen = 0
    for i in range(1, state.arm.size):
        if state.superiors[i] < state.superiors[chosen]:
            chosen = i
    return state.arm[chosen]  # type: ignore[no-any-return]


@kernel
def certain(state: State) -> int:
    if state.first != state.second or state.n_current > 1:
        return 0
    return max(min(state.sure_until, state.due_until - 2) - state.t, 0)


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels)


@kernel
def lacks(state: State, i: int, j: int) -> bool:
    """Whether the pair must meet now: too few duels, or too near to 1/2."""
    log_log = math.log(max(math.log(state.t + 1), math.e))
    return played(state.wins, i, j) < state.due or abs(mean(state.wins, i, j) - 0.5) < state.beta / log_log


@kernel
def decide(state: State, i: int, j: int) -> State:
    """The next pair: one that lacks duels if there is any, else the next of the list."""
    due, n_arms = state.due, state.arm.size
    if state.t + 1 >= state.due_until:
        due = max(math.ceil(state.alpha * math.sqrt(math.log(state.t + 1))), due)
        until = (due / state.alpha) * (due / state.alpha)
        state = state._replace(due_until=time_before(until))
    if due > state.due:
        state = state._replace(due=due, row=0, column=1)
    elif i != j and lacks(state, i, j):
        return state._replace(first=i, second=j, listed=False)
    i, j = state.row, state.column
    while i < n_arms - 1:
        if lacks(state, i, j):
            return state._replace(first=i, second=j, listed=False, row=i, column=j)
        j += 1
        if j == n_arms:
            i, j = i + 1, i + 2
    pair = state.current[state.at]
    return state._replace(first=pair // n_arms, second=pair % n_arms, listed=True, row=i, column=j)


@kernel
def next_in_pass(state: State) -> State:
    """Take the pair out of L_R, list what must be in the next pass, and go on to the next pair or the next pass."""
    state.status[state.current[state.at]] = NEITHER
    state = require(state)
    if state.at + 1 < state.n_current:
        return state._replace(at=state.at + 1)
    for k in range(state.n_following):  # never none: i1 with itself was required and is not in L_R any more
        state.current[k] = state.following[k]
        state.status[state.following[k]] = REMAINING
    return state._replace(n_current=state.n_following, n_following=0, at=0)


@kernel
def add(state: State, i: int, j: int) -> State:
    pair = min(i, j) * state.arm.size + max(i, j)
    if state.status[pair] != NEITHER:
        return state
    state.status[pair] = LISTED
    state.following[state.n_following] = pair
    return state._replace(n_following=state.n_following + 1)


@kernel
def require(state: State) -> State:
    """List the pairs that the data ask for."""
    n_arms, superiors = state.arm.size, state.superiors
    fewest, winners, winner, least = n_arms, 0, -1, math.inf
    for i in range(n_arms):
        fewest = min(fewest, superiors[i])
    for i1 in range(n_arms):
        if superiors[i1] == fewest:
            winners, winner = winners + 1, i1
            evidence, doubtful = evidence_for(state, i1)
            if evidence >= math.log(state.t):
                return add(state._replace(sure_until=time_before(evidence) - 1), i1, i1)
            state = state._replace(doubtful=doubtful)
    for i1 in range(n_arms if winners > 1 else 0):
        if superiors[i1] == fewest:
            regret, state = allocate(state, i1, False)
            if regret < least:
                winner, least = i1, regret
    regret, state = allocate(state, winner, True)
    return add(state, winner, winner)


@kernel
def insert(order: Ints, costs: Floats, size: int, arm: int) -> None:
    """Put an arm into its place among `size` arms in order of cost."""
    while size > 0 and costs[order[size - 1]] > costs[arm]:
        order[size] = order[size - 1]
        size -= 1
    order[size] = arm


@kernel
def allocate(state: State, i1: int, listing: bool) -> tuple[float, State]:
    """The regret of q* if i1 is the winner, in ln t; list the pairs that met less than q* ln t."""
    wins, superiors, order, costs = state.wins, state.superiors, state.order, state.costs
    n_arms, log_t, total = state.arm.size, math.log(state.t), 0.0
    for j in range(n_arms):
        if j != i1 and wins[i1, j] >= wins[j, i1]:
            q = 1.0 / max(kl_half(mean(wins, i1, j)), 1e-12)
            total += q * gap(superiors, i1, i1, j)
            if listing and q * log_t > played(wins, i1, j):
                state = add(state, i1, j)
    for i2 in range(n_arms):
        spare = superiors[i1] - 1 - int(wins[i1, i2] > wins[i2, i1])  # superiors that need not be among those below
        if i2 != i1 and spare >= 0:
            size = 0
            for j in range(n_arms):
                if j != i1 and wins[i2, j] < wins[j, i2]:
                    costs[j] = gap(superiors, i1, i2, j) / kl_half(mean(wins, i2, j))
                    insert(order, costs, size, j)
                    size += 1
            used, least, running = size, math.inf, 0.0
            for h in range(1, size + 1):
                running += costs[order[h - 1]]
                if h > spare and running / (h - spare) < least:
                    used, least = h, running / (h - spare)
            total += least
            for k in range(used if listing else 0):
                j = order[k]
                q = 1.0 / ((used - spare) * kl_half(mean(wins, i2, j)))
                if q * log_t > played(wins, i2, j):
                    state = add(state, i2, j)
    return total, state


@kernel
def gap(superiors: Ints, winner: int, i: int, j: int) -> float:
    """The Copeland regret of a pair, up to a common factor."""
    return superiors[i] + superiors[j] - 2.0 * superiors[winner]  # type: ignore[no-any-return]


ecw_rmed = register(
    Algorithm(
        name="ecw-rmed",
        title="Efficient Copeland-winners RMED",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={
            "alpha": Number(3.0, "every pair meets at least alpha sqrt(ln t) times", above=0.0),
            "beta": Number(0.01, "and as long as its share of wins is within beta / ln ln t of 1/2", above=0.0),
        },
        regret="strong",
        assumes="Copeland winner",
        guarantee="near the asymptotic lower bound for Copeland winners (quoted, not derived here)",
        cost="O(1) once the winner is beyond doubt, O(N^2) to O(N^3) before",
        paper="Komiyama, Honda & Nakagawa, ICML 2016",
    )
)
