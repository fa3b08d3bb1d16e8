"""Which two to compare next, and when to stop: the procedure behind `pick`, without judge, clock or store.

A certificate of the best item is made of its own duels, which it needs whatever their order; all others are wasted. So
the aim is that of weak regret, to have the best among the two, and the winner stays: the favourite is the item most
likely to beat all others. It meets the one that is most likely after it and has itself lost least, so that the best
soon finds out a false favourite; whoever is beaten in a circle of losers makes room for one that was unlucky at first.
Items that another beats beyond doubt cannot become the favourite, and meet it last.

log e (winnerstays/evidence.py) beyond `threshold` = log((N-1)/delta) is beyond doubt; docs/pick.md has the argument.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry, kernel
from winnerstays.evidence import log_evidence
from winnerstays.randomness import Rng, below

CERTAIN = 1e9
"""log e of what is known for certain: all judgements of a pair are known."""
NOBODY = -1
PLAYING, CERTIFIED, INDIFFERENT, CYCLE, EQUAL = range(5)
"""Verdicts; the last is of a favourite and a rival who are equal on all examples."""
SECOND_WON, NOTHING, FIRST_WON = -1, 0, 1
"""Outcomes of a duel."""
STEP = 0.5
"""By this a duel won moves the log odds that the winner is the better of the two, as if that one won 62 of 100."""
RECORD = 0.5
"""The weight of a rival's losses less its wins, beside what its score has lost."""


class State(NamedTuple):
    """All is changed in place. Matrices are indexed [item, other item]."""

    wins: Ints  # duels the item won against the other
    evidence: Floats  # log e that the item is the better of the two
    near: Floats  # log e that the item's chance is above 1/2 - indifference
    open: Ints  # duels served and not learned
    settled: Ints  # 1 where all judgements of the pair are known: it is not compared any more
    beaten_by: Ints  # the item that beat it beyond doubt, or NOBODY
    won: Ints  # duels the item won
    lost: Ints  # duels the item lost
    score: Floats  # log of the chance that the item beats all others
    favourite: Ints  # of length 1
    threshold: float  # log((N-1)/delta)
    indifference: float  # 0: never indifferent


def init(n_items: int, level: float, indifference: float, rng: Rng) -> State:
    """Return the state before the first duel; the first favourite is drawn."""
    zeros = np.zeros((n_items, n_items))
    counts = zeros.astype(np.int64)
    return State(
        wins=counts,
        evidence=zeros,
        near=zeros.copy(),
        open=counts.copy(),
        settled=counts.copy(),
        beaten_by=np.full(n_items, NOBODY),
        won=np.zeros(n_items, np.int64),
        lost=np.zeros(n_items, np.int64),
        score=np.full(n_items, (n_items - 1) * math.log(0.5)),
        favourite=np.array([below(rng, n_items)]),
        threshold=math.log((n_items - 1) / (1 - level)),
        indifference=float(indifference),
    )


@entry
def choose(state: State, rng: Rng) -> tuple[int, int]:
    """Return the favourite and a rival; NOBODY if all are decided.

    It is the rival with the best score, less its losses and plus its wins. An open duel counts as what it is expected
    to bring, so that several at once go to different rivals.
    """
    favourite = state.favourite[0]
    for beaten in range(2):  # those who were beaten by others come last
        rival, most, ties = NOBODY, 0.0, 0
        for item in range(state.beaten_by.size):
            if item == favourite or (state.beaten_by[item] != NOBODY) != (beaten == 1):
                continue
            if state.settled[favourite, item] or decided(state, favourite, item):
                continue
            won, lost = state.wins[favourite, item], state.wins[item, favourite]
            expected = state.open[favourite, item] * max(0.1, (won - lost + 1.0) / (won + lost + 3.0))
            worth = state.score[item] + STEP * (RECORD * (state.won[item] - state.lost[item]) - 2.0 * expected)
            if ties == 0 or worth > most:
                rival, most, ties = item, worth, 1
            elif worth == most:
                ties += 1
                if below(rng, ties) == 0:
                    rival = item
        if rival != NOBODY:
            return favourite, rival
    return favourite, NOBODY


@kernel
def decided(state: State, favourite: int, item: int) -> bool:
    """Tell whether the favourite beats an item beyond doubt, or is beyond doubt within `indifference` of it."""
    if state.evidence[favourite, item] >= state.threshold:
        return True
    near = min(state.near[favourite, item], state.near[item, favourite])
    return state.indifference > 0.0 and near >= state.threshold


@kernel
def window(number: int, lanes: int) -> int:
    """Return how many duels may be open when duel `number` is served, if `lanes` can be asked at once.

    Answers are learned in the order of the duels; a few more open ones keep all lanes busy while a slow one is awaited.
    """
    return lanes + min(lanes - 1, number // 16)


@entry
def serve(state: State, first: int, second: int) -> None:
    """Note that a duel of these two is open."""
    state.open[first, second] += 1
    state.open[second, first] += 1


@entry
def learn(state: State, first: int, second: int, outcome: int) -> None:
    """Learn the outcome of a served duel. A tie, a skip and a flip are NOTHING."""
    state.open[first, second] -= 1
    state.open[second, first] -= 1
    if outcome == NOTHING:
        return
    winner, loser = (first, second) if outcome == FIRST_WON else (second, first)
    add_to_scores(state, winner, loser, -1.0)
    state.wins[winner, loser] += 1
    add_to_scores(state, winner, loser, 1.0)
    state.won[winner] += 1
    state.lost[loser] += 1
    if not state.settled[winner, loser]:
        won, lost = state.wins[winner, loser], state.wins[loser, winner]
        state.evidence[winner, loser] = log_evidence(won, lost, 0.5)
        state.evidence[loser, winner] = log_evidence(lost, won, 0.5)
        if state.indifference > 0.0:
            null = 0.5 - state.indifference
            state.near[winner, loser] = log_evidence(won, lost, null)
            state.near[loser, winner] = log_evidence(lost, won, null)
        conclude(state, winner, loser)


@entry
def settle(state: State, first: int, second: int, outcome: int) -> None:
    """Note that all judgements of a pair are known, and which of the two they favour (NOTHING: neither)."""
    state.settled[first, second] = state.settled[second, first] = 1
    if outcome != NOTHING:
        winner, loser = (first, second) if outcome == FIRST_WON else (second, first)
        add_to_scores(state, winner, loser, -1.0)
        state.evidence[winner, loser], state.evidence[loser, winner] = CERTAIN, -CERTAIN
        add_to_scores(state, winner, loser, 1.0)
        conclude(state, winner, loser)


@kernel
def add_to_scores(state: State, winner: int, loser: int, sign: float) -> None:
    """Add to the scores of two items, or take from them, what they have of their duels with each other."""
    odds = STEP * (state.wins[winner, loser] - state.wins[loser, winner])
    if abs(state.evidence[winner, loser]) == CERTAIN:
        odds = state.evidence[winner, loser]
    state.score[winner] += sign * log_chance(odds)
    state.score[loser] += sign * log_chance(-odds)


@kernel
def log_chance(odds: float) -> float:
    """Return the logarithm of the chance that has these log odds: that of being the better one of a pair."""
    return -math.log1p(math.exp(-odds)) if odds > -500.0 else odds


@kernel
def conclude(state: State, winner: int, loser: int) -> None:
    """Draw the consequences of new evidence: who is beaten beyond doubt, and who is the favourite."""
    if state.evidence[winner, loser] >= state.threshold and state.beaten_by[loser] == NOBODY:
        state.beaten_by[loser] = winner
    state.favourite[0] = leader(state)


@entry
def leader(state: State) -> int:
    """Return the item with the best score, of those that are not beaten; the favourite, if no other is better."""
    best = state.favourite[0]
    out = state.beaten_by[best] != NOBODY
    for item in range(state.beaten_by.size):
        if state.beaten_by[item] == NOBODY and (out or state.score[item] > state.score[best]):
            best, out = item, False
    return best  # type: ignore[no-any-return]


@entry
def verdict(state: State) -> int:
    """Return PLAYING until every rival of the favourite is decided, then why to stop.

    CERTIFIED: the favourite beats all beyond doubt. EQUAL: it is level with one on all examples. INDIFFERENT: all that
    remain are near a coin. CYCLE: even the favourite is beaten beyond doubt, so no item is best.
    """
    favourite = state.favourite[0]
    if state.beaten_by[favourite] != NOBODY:
        return CYCLE
    sure, equal = True, False
    for item in range(state.beaten_by.size):
        if item != favourite and state.evidence[favourite, item] < state.threshold:
            sure = False
            if state.settled[favourite, item]:
                equal = True
            elif not decided(state, favourite, item):
                return PLAYING
    return CERTIFIED if sure else EQUAL if equal else INDIFFERENT


def confidence(state: State) -> float:
    """Return the confidence of the favourite, as `standing` has it: 1 - (N-1)/min(e)."""
    others = np.delete(state.evidence[state.favourite[0]], state.favourite[0])
    return max(0.0, 1.0 - others.size * math.exp(-min(float(others.min()), CERTAIN)))


def calls_left(state: State) -> int | None:
    """Return about how many more duels the certificate needs; None if the record says nothing about it.

    Each rival's chance is estimated from its duels with the favourite and, as four more, from all of the favourite's.
    """
    favourite = int(state.favourite[0])
    won, lost = state.wins[favourite].astype(float), state.wins[:, favourite].astype(float)
    usual = (won.sum() + 1) / (won.sum() + lost.sum() + 2)
    chance = np.maximum((won + 4 * usual) / (won + lost + 4), 0.5)
    missing = state.threshold - state.evidence[favourite]
    wanted = (missing > 0) & (np.arange(won.size) != favourite)
    if usual <= 0.5 or (chance[wanted] <= 0.5).any():
        return None
    kl = math.log(2) + chance * np.log(chance) + (1 - chance) * np.log1p(-np.minimum(chance, 1 - 1e-12))
    return math.ceil(float((missing[wanted] / np.maximum(kl[wanted], 1e-6)).sum()))


def cycle(state: State) -> tuple[int, ...]:
    """Return items each of which is beaten beyond doubt by the next one, the last by the first."""
    path: list[int] = [int(state.favourite[0])]
    while True:
        victor = int(state.beaten_by[path[-1]])
        if victor == NOBODY:
            return ()
        if victor in path:
            return tuple(path[path.index(victor) :])
        path.append(victor)
