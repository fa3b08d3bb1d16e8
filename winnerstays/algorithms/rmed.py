"""Relative Minimum Empirical Divergence: RMED1, RMED2, RMED2FH (Komiyama, Honda, Kashima & Nakagawa, COLT 2015).

exp(-I_i) is the likelihood that arm i beats all others, with I_i = sum over j of n_ij kl(p_ij, 1/2) where p_ij <= 1/2.
Algorithm 1 goes in passes through a list of arms (_shared/passes.py). An arm l of the list meets an opponent m(l) that
can show that l is not the best; arms with I_j - min I <= ln t + f(N) are in the list of the next pass.
- RMED1: m(l) is the favourite, the arm of least I, if it beats l so far, and otherwise the arm that beats l most
  clearly. Strong regret sum_i g_i ln T / (2 kl(p_i1, 1/2)) + O(N^(2+eps)), g_i = p_1i - 1/2.
- RMED2: m(l) is b*(l), the opponent that costs the least regret for what it shows, while l has met the favourite often
  enough. To know b*(l), every pair meets at least alpha ln ln t times.
- RMED2FH: every pair first meets ceil(alpha ln ln T) times; then all b*(l) are fixed, and the rest is RMED2 with
  ln ln T (the authors' library has ln ln t there; regrets agree). No consistent algorithm has a smaller constant before
  ln T.

Left open by the paper: the order of a pass (here: the order in which arms were listed), ties (here: a random order of
the arms, fixed at the start), ln ln t before t = e (here: at least 0.01), and the order of lacking duels (here: one by
one in the fixed order of the arms, before the pass goes on). The guarantees are quoted, not derived here.

A duel touches one pair, so it costs O(1) where the rules say "for all arms":
- I_i is kept in whole multiples of 2**-32, so that replacing the term of a pair leaves no rounding behind;
- `min_waiting` is at most the I_j of every arm outside both lists: none is looked at before it could join;
- pairs are searched for lacking duels only when the number that is due grows, which is rare (ln ln t);
- a favourite that is alone in the list and unbeaten meets itself until ln t lets another arm in.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared import passes
from winnerstays.algorithms._shared.counts import kl_evidence, kl_half, mean, no_wins, played, record, time_before
from winnerstays.algorithms._shared.passes import REMAINING, Lists, Numbering, Pair, Schedule
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng

F = Number(0.3, "f(N) = f N^1.01 is added to ln t when arms are listed", above=0.0)
ALPHA = Number(3.0, "every pair meets at least alpha ln ln t times", above=0.0)
UNIT = 2.0**-32
"""The unit in which I_i is kept."""
TIE = 2**8
"""I_i that differ by no more units than this are equal sums of logarithms, rounded in different pieces."""
SMALLEST_LOG_LOG = 0.01
"""ln ln t is negative before t = e."""
RMED1, RMED2, RMED2FH = range(3)
WAITING, LISTED = 1, 2
"""The status of an arm outside L_R: in neither list, or in L_N."""


class State(NamedTuple):
    numbering: Numbering
    wins: Ints  # W, like all that follows by inside numbers
    divergence: Ints  # I_i in units of 2**-32
    superiors: Ints  # |O_i|, arms that i did not beat in more than half of their duels
    best_opponent: Ints  # RMED2FH: b*(i), or -1; empty otherwise
    lists: Lists  # L_C, L_N, L_R
    min_waiting: int  # no waiting arm has a smaller I_j
    favourite: int  # the arm of least I
    pair: Pair  # l and m(l), or a pair that lacks duels
    schedule: Schedule
    variant: int
    alpha: float
    slack: float  # f(N)
    log_log_horizon: float  # RMED2FH: ln ln T


def init_rmed1(n_arms: int, rng: Rng, *, f: float) -> State:
    return init_variant(n_arms, rng, RMED1, f=f)


def init_rmed2(n_arms: int, rng: Rng, *, f: float, alpha: float) -> State:
    return init_variant(n_arms, rng, RMED2, f=f, alpha=alpha)


def init_rmed2fh(n_arms: int, rng: Rng, *, horizon: int, f: float, alpha: float) -> State:
    return init_variant(n_arms, rng, RMED2FH, f=f, alpha=alpha, horizon=horizon)


def init_variant(n_arms: int, rng: Rng, variant: int, *, f: float, alpha: float = 0.0, horizon: int = 1) -> State:
    """Return the State of any variant before its first duel."""
    log_log_horizon = log_log(horizon)
    return State(
        numbering=passes.random_numbering(n_arms, rng),
        wins=no_wins(n_arms),
        divergence=np.zeros(n_arms, np.int64),
        superiors=np.full(n_arms, n_arms - 1),
        best_opponent=np.full(n_arms if variant == RMED2FH else 0, -1),
        lists=Lists(
            current=np.arange(n_arms),
            following=np.arange(n_arms),
            status=np.full(n_arms, REMAINING),
            n_current=n_arms,
            n_following=0,
            at=0,
        ),
        min_waiting=FOREVER,
        favourite=0,
        pair=Pair(first=0, second=1, listed=False),
        schedule=Schedule(
            t=0,
            due=math.ceil(alpha * log_log_horizon) if variant == RMED2FH else 1,
            due_until=n_arms * (n_arms - 1) // 2 + 1 if variant == RMED2 else FOREVER,
            row=0,
            column=1,
        ),
        variant=variant,
        alpha=alpha,
        slack=f * math.pow(n_arms, 1.01),
        log_log_horizon=log_log_horizon,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return passes.arms_of(state.numbering, state.pair)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    place = state.numbering.place
    state = state._replace(schedule=state.schedule._replace(t=state.schedule.t + 1))
    state = learn(state, place[first], place[second], first_won)
    if state.pair.listed:
        state = next_in_pass(state)
    return next_pair(raise_due(state))


@kernel
def best(state: State) -> int:
    return state.numbering.arm[state.favourite]  # type: ignore[no-any-return]


@kernel
def certain(state: State) -> int:
    if not passes.alone_in_pass(state.lists, state.pair):
        return 0
    needed = (state.min_waiting - state.divergence[state.favourite]) * UNIT - state.slack
    return passes.duels_before(state.schedule, time_before(needed) - 1)


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(schedule=state.schedule._replace(t=state.schedule.t + duels))


@kernel
def log_log(t: int) -> float:
    """Return ln ln t, but at least SMALLEST_LOG_LOG."""
    return max(math.log(math.log(t)), SMALLEST_LOG_LOG) if t > 1 else SMALLEST_LOG_LOG


@kernel
def learn(state: State, i: int, j: int, i_won: bool) -> State:
    """Count the duel; keep I, |O|, the favourite and `min_waiting` in step with the counts."""
    if i == j:
        return state
    wins, divergence, superiors = state.wins, state.divergence, state.superiors
    favourite, min_waiting = state.favourite, state.min_waiting
    before = divergence[favourite]
    for sign in (-1, 1):
        if sign > 0:
            record(wins, i, j, i_won)
        lead = wins[i, j] - wins[j, i]
        superiors[i] += sign * (lead <= 0)
        superiors[j] += sign * (lead >= 0)
        divergence[i if lead < 0 else j] += sign * int(kl_evidence(wins, i, j) / UNIT + 0.5)
    if divergence[favourite] > before:
        favourite = 0
        for k in range(1, divergence.size):
            favourite = likelier(divergence, k, favourite)
    for k in (i, j):
        favourite = likelier(divergence, k, favourite)
        if state.lists.status[k] == WAITING:
            min_waiting = min(min_waiting, divergence[k])
    return state._replace(favourite=favourite, min_waiting=min_waiting)


@kernel
def likelier(divergence: Ints, i: int, j: int) -> int:
    """Return the arm of smaller I, or the first in order if they tie."""
    ahead = divergence[j] - divergence[i]
    return i if ahead > TIE or (ahead >= -TIE and i < j) else j


@kernel
def joins(state: State, divergence: int) -> bool:
    """Whether I_j - min I <= ln t + f(N)."""
    ahead = divergence - state.divergence[state.favourite]
    return ahead * UNIT <= math.log(state.schedule.t) + state.slack  # type: ignore[no-any-return]


@kernel
def next_in_pass(state: State) -> State:
    """Take l out of L_R, put into L_N the arms that may be in the next pass, and go on in the pass.

    L_N is never empty at the end of a pass: L_R is empty then, so the favourite is in L_N.
    """
    lists, divergence, min_waiting = state.lists, state.divergence, state.min_waiting
    status, l = lists.status, lists.current[lists.at]
    if joins(state, divergence[l]):
        lists = passes.add(lists, l, LISTED)
    else:
        status[l] = WAITING
        min_waiting = min(min_waiting, divergence[l])
    if min_waiting < FOREVER and joins(state, min_waiting):
        min_waiting = FOREVER
        for j in range(status.size):
            if status[j] == WAITING:
                if joins(state, divergence[j]):
                    lists = passes.add(lists, j, LISTED)
                else:
                    min_waiting = min(min_waiting, divergence[j])
    return state._replace(min_waiting=min_waiting, lists=passes.go_on(lists))


@kernel
def raise_due(state: State) -> State:
    """RMED2: see whether n >= alpha ln ln t now asks for more duels of every pair."""
    t = state.schedule.t + 1
    if t < state.schedule.due_until:
        return state
    due = max(math.ceil(state.alpha * log_log(t)), state.schedule.due)
    return state._replace(schedule=passes.demand(state.schedule, due, math.exp(due / state.alpha)))


@kernel
def next_pair(state: State) -> State:
    """Set the next pair: one that lacks duels if there is any, else the arm l of the pass and m(l)."""
    n_arms, schedule = state.wins.shape[0], state.schedule
    i, j = passes.find_lacking(schedule, state.wins, 0.0)
    if i < n_arms - 1:
        pair = Pair(i, j, False)
    else:
        if state.variant == RMED2FH and schedule.row < n_arms - 1:
            for arm in range(n_arms):
                state.best_opponent[arm] = cheapest_opponent(state.wins, arm, state.favourite)
        l = state.lists.current[state.lists.at]
        pair = Pair(l, opponent(state, l), True)
    return state._replace(pair=pair, schedule=schedule._replace(row=i, column=j))


@kernel
def opponent(state: State, l: int) -> int:
    """Return m(l), the arm against which a duel of l is worth most."""
    wins, favourite = state.wins, state.favourite
    if state.variant != RMED1 and l != favourite:
        fixed = state.variant == RMED2FH
        b = state.best_opponent[l] if fixed else cheapest_opponent(wins, l, favourite)
        if b >= 0 and wins[l, b] <= wins[b, l]:  # b*(l) in O_l
            ratio = state.log_log_horizon if fixed else log_log(state.schedule.t + 1)
            if played(wins, l, favourite) >= played(wins, l, b) / ratio:
                return b
    if (l != favourite and wins[l, favourite] <= wins[favourite, l]) or state.superiors[l] == 0:
        return favourite
    return hardest_opponent(wins, l)


@kernel
def hardest_opponent(wins: Ints, l: int) -> int:
    """Return argmin over j of p_lj, the arm against which l won the smallest share of duels."""
    chosen, least = l, math.inf
    for j in range(wins.shape[0]):
        if j != l and mean(wins, l, j) < least:
            chosen, least = j, mean(wins, l, j)
    return chosen


@kernel
def cheapest_opponent(wins: Ints, l: int, favourite: int) -> int:
    """Return b*(l) = argmin over j that beat l of (g_l + g_j) / kl(p_lj, 1/2); -1 if no arm beats l."""
    chosen, least = -1, math.inf
    gap = mean(wins, favourite, l) - 0.5
    for j in range(wins.shape[0]):
        if wins[l, j] < wins[j, l]:
            cost = (gap + mean(wins, favourite, j) - 0.5) / kl_half(mean(wins, l, j))
            if cost < least:
                chosen, least = j, cost
    return chosen


rmed1 = register(
    Algorithm(
        name="rmed1",
        title="Relative Minimum Empirical Divergence 1",
        init=init_rmed1,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={"f": F},
        facts=Facts(
            regret="strong",
            guarantee="sum of g_i ln T / (2 kl(p_i1, 1/2)) + O(N^(2+eps)), "
            "optimal if arm 1 is every arm's best opponent",
            cost="O(1) mostly, O(N) at worst",
            paper="Komiyama, Honda, Kashima & Nakagawa, COLT 2015",
        ),
    )
)
rmed2 = register(
    replace(
        rmed1,
        name="rmed2",
        title="Relative Minimum Empirical Divergence 2",
        init=init_rmed2,
        parameters={"f": F, "alpha": ALPHA},
        facts=replace(
            rmed1.facts,
            guarantee="none proved without the horizon; with it see rmed2fh",
        ),
    )
)
rmed2fh = register(
    replace(
        rmed2,
        name="rmed2fh",
        title="Relative Minimum Empirical Divergence 2, fixed horizon",
        init=init_rmed2fh,
        needs=frozenset({"horizon"}),
        facts=replace(
            rmed2.facts,
            guarantee="asymptotically optimal: sum over i of min_j (g_i + g_j) ln T / (2 kl(p_ij, 1/2)) + o(ln T)",
        ),
    )
)
