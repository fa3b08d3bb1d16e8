"""Winner Stays for weak regret, WS-W (Chen & Frazier, ICML 2017, Algorithm 1).

The incumbent meets one challenger after the other; the winner of an iteration stays. A round is over when every arm
has played, and each round makes it harder to unseat the incumbent.
Expected weak regret is bounded for ever: O(N log N) if the arms are totally ordered, O(N^2) with a Condorcet winner.

Algorithm 1 compares the scores C(t, i) = duels won - duels lost. Step 1 takes an arm of the highest score as i_t, and
step 2 an arm of the highest score among the others as j_t. On a tie the i of the previous duel is preferred, then its
j, then a draw decides: so the order of a pair changes only when the other arm is strictly ahead. Within iteration k of
round l all scores follow from one number, the incumbent's margin in this iteration, so a duel costs O(1):
incumbent (N-1)(l-1) + k-1 + margin, challenger -(l-1) - margin, not yet played -(l-1), beaten in this round -l.

Arms that join late stand with those who have not yet played in this round, at -(l-1): they are heard before the round
ends, and again in every later one. A late incumbent is hard to unseat, but the climb costs no weak regret, since
the newcomer is on the screen all the while: better than the incumbent with chance p, it succeeds with at least chance
1 - (1-p)/p, in any round. If the incumbent leaves, nothing is known about the others, and everything starts over.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.parameters import Choice
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, shuffle

FIRST_CHALLENGER = Choice(("literal", "random"), "who meets the incumbent first in a new round: last loser, or anyone")


class State(NamedTuple):
    """`others` holds every arm but the incumbent: first those beaten in this round, then challenger, then the rest."""

    others: Ints
    first: int  # i_t
    second: int  # j_t
    round: int  # l
    iteration: int  # k
    margin: int  # duels `first` won - lost in this iteration
    low: int  # while the margin is between low and high, the pair and its order stay
    high: int
    overtaken: bool  # the challenger is i_t: it has the higher score, or had it before they drew level
    random_first: bool  # a new round begins with any challenger, not with the last loser

    @property
    def incumbent(self) -> int:
        return best(self)

    @property
    def challenger(self) -> int:
        return self.first if self.overtaken else self.second


def init(n_arms: int, rng: Rng, *, first_challenger: str) -> State:
    arms = np.arange(n_arms)
    shuffle(arms, rng)
    return State(
        others=arms[1:].copy(),
        first=int(arms[0]),
        second=int(arms[1]),
        round=1,
        iteration=1,
        margin=0,
        low=-1,
        high=1,
        overtaken=False,
        random_first=first_challenger == "random",
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.first, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    margin = state.margin + (1 if (first == state.first) == first_won else -1)
    if state.low < margin < state.high:
        return state._replace(margin=margin)
    ahead = -margin if state.overtaken else margin
    height = (state.others.size + 1) * (state.round - 1) + state.iteration  # E = N(l-1) + k
    if ahead > 0 or ahead == -height:
        return next_iteration(state, ahead > 0, rng)
    return change_order(state, margin, height)


@kernel
def best(state: State) -> int:
    """Return the incumbent."""
    return state.second if state.overtaken else state.first


def round_of(state: State) -> int:
    return int(state.round)


@kernel
def tie(state: State, first: int, second: int) -> State:
    """Half a win to each leaves the scores as they are."""
    return state


def join(state: State, arms: Sequence[int], rng: Rng) -> State:
    k = state.iteration
    others = np.concatenate([state.others[:k], np.array(arms, np.int64), state.others[k:]])
    return settled(state._replace(others=others), rng)


def leave(state: State, arms: Sequence[int], rng: Rng) -> State:
    gone, k, incumbent = set(arms), state.iteration, best(state)
    stays = np.array([arm not in gone for arm in state.others.tolist()], np.bool_)
    if incumbent in gone:
        left = state.others[stays]
        seat = below(rng, left.size)
        return from_seat(state._replace(others=np.delete(left, seat), first=int(left[seat]), overtaken=False), rng)
    if stays[k - 1]:
        k -= k - 1 - int(stays[: k - 1].sum())
        return settled(state._replace(others=state.others[stays], iteration=k), rng)
    if stays[k:].any():  # the iteration has no loser: the next challenger takes the place in it
        pick = k + int(np.flatnonzero(stays[k:])[below(rng, int(stays[k:].sum()))])
        others = state.others.copy()
        others[k - 1], others[pick] = others[pick], others[k - 1]
        stays[k - 1], stays[pick] = True, False
        k -= k - 1 - int(stays[: k - 1].sum())
        state = state._replace(others=others[stays], iteration=k)
    else:  # it was the last of the round
        others = state.others[stays]
        pick = below(rng, others.size) if state.random_first else others.size - 1
        others[0], others[pick] = others[pick], others[0]
        state = state._replace(others=others, iteration=1, round=state.round + 1)
    challenger = int(state.others[state.iteration - 1])
    return settled(state._replace(first=incumbent, second=challenger, margin=0, overtaken=False), rng)


def present(state: State) -> Sequence[int]:
    return sorted([*state.others.tolist(), int(best(state))])


@kernel
def next_iteration(state: State, incumbent_stays: bool, rng: Rng) -> State:
    """End an iteration: the loser is beaten in this round, the winner meets the next challenger."""
    others, k = state.others, state.iteration
    incumbent = state.first
    if incumbent_stays == state.overtaken:
        incumbent = state.second
    others[k - 1] = state.first + state.second - incumbent
    if k < others.size:  # step 2: arms not yet played tie at -(l-1); one is drawn
        seat, pick, l = k, k + below(rng, others.size - k), state.round
    elif state.random_first:
        seat, pick, l = 0, below(rng, others.size), state.round + 1
    else:  # step 2: all others tie at -l; the tie rule prefers the previous pair, so the last loser (erratum A1)
        seat, pick, l = 0, k - 1, state.round + 1
    others[seat], others[pick] = others[pick], others[seat]
    return state._replace(
        first=incumbent,
        second=others[seat],
        round=l,
        iteration=seat + 1,
        margin=0,
        low=overtaking((others.size + 1) * (l - 1) + seat + 1),
        high=1,
        overtaken=False,
    )


@kernel
def change_order(state: State, margin: int, height: int) -> State:
    """Step 1: swap sides when C(incumbent) - C(challenger) = E - 1 + 2 (margin of the incumbent) changes its sign."""
    low, high = (overtaking(height), 1) if state.overtaken else ((height - 2) // 2, height)
    return state._replace(
        first=state.second, second=state.first, margin=-margin, low=low, high=high, overtaken=not state.overtaken
    )


@kernel
def overtaking(height: int) -> int:
    """Return the incumbent's margin at which the challenger has the higher score."""
    return -((height - 1) // 2) - 1


def from_seat(state: State, rng: Rng) -> State:
    """Return the state at the beginning of round 1 with the same incumbent, and the others in random order."""
    others = state.others.copy()
    shuffle(others, rng)
    return state._replace(
        others=others,
        first=int(best(state)),
        second=int(others[0]),
        round=1,
        iteration=1,
        margin=0,
        low=-1,
        high=1,
        overtaken=False,
    )


def settled(state: State, rng: Rng) -> State:
    """Return the state with the order of the pair, and its limits, that follow from the number of arms."""
    ahead = -state.margin if state.overtaken else state.margin
    height = (state.others.size + 1) * (state.round - 1) + state.iteration
    if ahead <= -height:  # fewer arms, so less to catch up: the challenger has
        return next_iteration(state, False, rng)
    incumbent, challenger, balance = best(state), state.first + state.second - best(state), height - 1 + 2 * ahead
    if balance < 0 or (balance == 0 and state.overtaken):
        low, high = (height - 2) // 2, height
        return state._replace(first=challenger, second=incumbent, margin=-ahead, low=low, high=high, overtaken=True)
    return state._replace(
        first=incumbent, second=challenger, margin=ahead, low=overtaking(height), high=1, overtaken=False
    )


def scores(state: State) -> Ints:
    """Return C(t, i) of Algorithm 1: duels won - lost by each arm."""
    n_arms, l, k = state.others.size + 1, state.round, state.iteration
    margin = -state.margin if state.overtaken else state.margin
    score = np.full(n_arms, 1 - l)
    score[state.others[: k - 1]] = -l
    score[state.challenger] -= margin
    score[state.incumbent] = (n_arms - 1) * (l - 1) + k - 1 + margin
    return score


ws_w = register(
    Algorithm(
        name="ws-w",
        title="Winner Stays, weak regret",
        init=init,
        choose=choose,
        update=update,
        best=best,
        round=round_of,
        parameters={"first_challenger": FIRST_CHALLENGER},
        serving=Serving(
            tie=tie,
            join=join,
            leave=leave,
            present=present,
        ),
        facts=Facts(
            regret="weak",
            guarantee="weak regret bounded for ever: O(N log N) total order, O(N^2) Condorcet",
            paper="Chen & Frazier, ICML 2017",
        ),
    )
)
