"""The scores of Root Winner Stays: kept sums over opponents, the leader, and the test for a change of tastes."""

import math

from winnerstays._types import Ints
from winnerstays.algorithms._shared.margins import KEY, MARGIN, higher_of, lower_of, margin, set_margin
from winnerstays.algorithms.base import NOBODY
from winnerstays.algorithms.ws_root.state import ACTIVE, DUE, PASSES, PRIOR, SCORE, SHOWN, UNIT, WAITING, State
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform

LOWEST = -(2**62)
"""Below every score."""


@kernel
def root(x: int) -> int:
    """Return the floor of 1024 sqrt(x); square roots are rounded correctly everywhere, so it is the same everywhere."""
    return int(math.sqrt(x * 1048576.0))


@kernel
def worth(margin: int) -> int:
    """Return h of a margin: a lead counts by its root, a deficit in full."""
    return root(margin) if margin > 0 else margin * UNIT


@kernel
def fading(state: State) -> float:
    """Return what is left of the prior: N / (N + t)."""
    n_arms = state.arms.shape[1]
    return float(n_arms / (n_arms + state.step))


@kernel
def top_two(state: State, eligible: Ints, scores: Ints, rng: Rng) -> tuple[int, int]:
    """Return the two eligible arms with the highest scores, in order; ties: the least shown, then at random.

    One pass. Of the arms that tie for the top, `first` and `second` are the beginning of a random order; `third` is
    a random one of those that tie for the place behind, and comes second if nobody ties with the first. Those may be
    thousands that were never shown, so the tie at which `third` is replaced next is drawn, not every tie.
    """
    arms, left = state.arms, fading(state)
    due, shown_of, most = arms[DUE], arms[SHOWN], int(state.highest_prior * left)
    first = second = third = NOBODY
    top = behind = LOWEST
    top_shown, behind_shown, top_ties, behind_ties, replaced = 0, 0, 0, 0, 0
    for arm in range(eligible.size):
        value = scores[arm] - due[arm]
        if value + most < behind or eligible[arm] == 0:
            continue
        if most != 0 and arms[PRIOR, arm] != 0:
            value += int(arms[PRIOR, arm] * left)
        if value < behind:
            continue
        shown = shown_of[arm]
        if value == behind and value < top:  # of thousands that were never shown, nearly all come here
            if shown == behind_shown:
                behind_ties += 1
                if behind_ties == replaced:
                    third, replaced = arm, next_of_ties(behind_ties, rng)
                continue
            if shown > behind_shown:
                continue
        if value > top or (value == top and shown < top_shown):
            behind, behind_shown, behind_ties, third = top, top_shown, top_ties, first
            replaced = next_of_ties(behind_ties, rng)
            top, top_shown, top_ties, first, second = value, shown, 1, arm, NOBODY
        elif value == top and shown == top_shown:
            top_ties += 1
            place = below(rng, top_ties)
            if place == 0:
                first, second = arm, first
            elif place == 1:
                second = arm
        elif value > behind or shown < behind_shown:
            behind, behind_shown, behind_ties, third = value, shown, 1, arm
            replaced = next_of_ties(1, rng)
        elif shown == behind_shown:
            behind_ties += 1
            if behind_ties == replaced:
                third, replaced = arm, next_of_ties(behind_ties, rng)
    return first, third if second == NOBODY else second


@kernel
def next_of_ties(ties: int, rng: Rng) -> int:
    """Return at which tie a random one of so many is replaced next, each later one having chance 1 / its number."""
    return int(ties / (1.0 - uniform(rng))) + 1


@kernel
def answered(state: State, first: int, second: int) -> None:
    """Count an answer; a pair that was never `show`n, as where one duel is open at a time, is counted as shown now."""
    for arm in (first, second):
        state.arms[PASSES, arm] = 0
        if state.arms[WAITING, arm] > 0:
            state.arms[WAITING, arm] -= 1
        else:
            state.arms[SHOWN, arm] += 1
        charge(state, arm)


@kernel
def charge(state: State, arm: int) -> None:
    """Let an arm pay for what was shown of it and not answered."""
    state.arms[DUE, arm] = root(state.arms[WAITING, arm] + state.arms[PASSES, arm])


@kernel
def change_margin(state: State, first: int, second: int, value: int) -> int:
    """Set D of a pair and keep the scores; return 1 if the two had never met."""
    arms = state.arms
    if arms[ACTIVE, first] and arms[ACTIVE, second]:
        old = margin(state.table, first, second)
        arms[SCORE, first] += worth(value) - worth(old)
        arms[SCORE, second] += worth(-value) - worth(-old)
    return set_margin(state.table, first, second, value)


@kernel
def add_margins(state: State, eligible: Ints, scores: Ints) -> None:
    """Add h of every margin between eligible arms to their scores."""
    table = state.table
    for place in range(table.shape[1]):
        lead = table[MARGIN, place]
        if lead != 0:
            high = higher_of(table[KEY, place])
            low = lower_of(table[KEY, place], high)
            if eligible[high] and eligible[low]:
                scores[high] += worth(lead)
                scores[low] += worth(-lead)


def add_up(state: State) -> State:
    """Return the state with scores and leader as they follow from the margins."""
    state.arms[SCORE] = 0
    add_margins(state, state.arms[ACTIVE], state.arms[SCORE])
    return lead_anew(state)


@kernel
def lead_anew(state: State) -> State:
    """Return the state with the leader of now; whoever leads stays until another one is ahead."""
    leader, scores = state.leader, state.arms[SCORE]
    most = int(state.highest_prior * fading(state))
    top = standing(state, leader) if state.arms[ACTIVE, leader] else LOWEST
    for arm in range(scores.size):
        if scores[arm] + most > top and state.arms[ACTIVE, arm] and standing(state, arm) > top:
            leader, top = arm, standing(state, arm)
    return led_by(state, leader)


@kernel
def standing(state: State, arm: int) -> int:
    """Return the score of an arm, open duels not counted."""
    score = state.arms[SCORE, arm]
    if state.arms[PRIOR, arm] != 0:
        score += int(state.arms[PRIOR, arm] * fading(state))
    return int(score)


@kernel
def led_by(state: State, leader: int) -> State:
    if leader != state.leader:
        state = state._replace(leader=leader, behind=0, since=0)
    return state


@kernel
def cut_leads(state: State, leader: int) -> None:
    """Take the leader's usual lead from each of its leads, down to 1: tastes have changed."""
    usual = usual_lead(state, leader)
    for arm in range(state.arms.shape[1]):
        if arm != leader:
            lead = margin(state.table, leader, arm)
            if lead > 1:
                change_margin(state, leader, arm, max(1, lead - usual + 1))


@kernel
def usual_lead(state: State, leader: int) -> int:
    """Return the upper median of an arm's leads, by bisection."""
    n_arms, leads, low, high = state.arms.shape[1], 0, 1, 1
    for arm in range(n_arms):
        lead = margin(state.table, leader, arm) if arm != leader else 0
        if lead > 0:
            leads += 1
            high = max(high, lead)
    while low < high:
        middle, above = (low + high + 1) // 2, 0
        for arm in range(n_arms):
            if arm != leader and margin(state.table, leader, arm) >= middle:
                above += 1
        if 2 * above >= leads:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def bits(x: int) -> int:
    """Return how many binary digits a number has."""
    digits = 0
    while x > 0:
        x >>= 1
        digits += 1
    return digits
