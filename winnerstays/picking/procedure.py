"""Which two to compare next, and when to stop: the procedure behind `pick`, without judge, clock or store.

A certificate of the best item is made of its own duels, which it needs whatever their order; all others are wasted. So
the aim is that of weak regret, to have the best among the two, and the winner stays: the favourite is the item most
likely to beat all others. It meets the one that is most likely after it and has itself lost least, so that the best
soon finds out a false favourite; whoever is beaten in a circle of losers makes room for one that was unlucky at first.
Items that are dropped cannot become the favourite, and meet it last.

Each item has one test of the hypothesis that it is the best: a product over its rivals of bets on their duels with it.
It is dropped when that has ever reached 1/delta, and one rival alone has (docs/pick.md has the argument).
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry, kernel
from winnerstays.randomness import Rng, below

CERTAIN = 1e9
"""log e of what is known for certain: all judgements of a pair are known."""
NOBODY = -1
PLAYING, CERTIFIED, INDIFFERENT, CYCLE, SETTLED = range(5)
"""Verdicts; the last: nothing is left to be asked of the favourite and a rival, and neither beats the other."""
UNKNOWN = 2
"""Of a pair: nothing is left to be asked, but some answers are missing, because calls have failed too often."""
STEP = 0.5
"""By this a duel won moves the log odds that the winner is the better of the two, as if that one won 62 of 100."""
RECORD = 0.5
"""The weight of a rival's losses less its wins, beside what its score has lost."""
PART = 0.75
"""The part of its money that an item's test bets on each rival; with one rival it bets all."""
MARGIN = 1.0
"""A test bets on no rival whose score is this much lower, unless that one leads: the bet would be lost."""
CYCLES = ("excluded", "detected", "safe")
"""What is known of cycles: there are none; there may be some; there may be, and no error of the certificate shall
come from them."""


class State(NamedTuple):
    """All is changed in place. Matrices are indexed [item, other item]."""

    wins: Floats  # duels the item won against the other; a narrow win counts less
    evidence: Floats  # log e that the item is the better of the two
    reached: Floats  # the most that log e ever was
    staked: Floats  # log e of the duels on which the other one's test has bet
    bets_won: Ints  # of those, the duels that the item won, where all are wins and losses
    bets_lost: Ints
    near: Floats  # the most that log e ever was of a chance above 1/2 - indifference
    against: Floats  # log of the product of the bets that the item is not the best
    doubt: Floats  # the most that it ever was
    open: Ints  # duels served and not learned
    settled: Ints  # 1 where nothing is left to be asked of the pair; UNKNOWN if some of its answers are missing
    beaten_by: Ints  # if the item is dropped, a rival that beats it, else NOBODY
    won: Floats  # duels the item won
    lost: Floats  # duels the item lost
    score: Floats  # log of the chance that the item beats all others
    favourite: Ints  # of length 1
    direct: float  # log e from which a pair is decided
    joint: float  # log of the product from which an item is dropped
    part: float  # the part of its money that a test bets on each rival
    margin: float  # by this a rival's score may be lower for a test to bet on it
    indifference: float  # 0: never indifferent
    excluded: bool  # the last item that remains is certified


def init(n_items: int, level: float, rng: Rng, *, indifference: float = 0.0, cycles: str = "detected") -> State:
    """Return the state before the first duel; the first favourite is drawn.

    With an indifference the test is that of `safe`, whose one budget of errors serves both.
    """
    zeros = np.zeros((n_items, n_items))
    safe = cycles == "safe" or indifference > 0
    single = math.log(1 / (1 - level))
    return State(
        wins=zeros,
        evidence=zeros.copy(),
        reached=zeros.copy(),
        staked=zeros.copy(),
        bets_won=zeros.astype(np.int64),
        bets_lost=zeros.astype(np.int64),
        near=zeros.copy(),
        against=np.zeros(n_items),
        doubt=np.zeros(n_items),
        open=zeros.astype(np.int64),
        settled=zeros.astype(np.int64),
        beaten_by=np.full(n_items, NOBODY),
        won=np.zeros(n_items),
        lost=np.zeros(n_items),
        score=np.full(n_items, (n_items - 1) * math.log(0.5)),
        favourite=np.array([below(rng, n_items)]),
        direct=single + math.log(n_items - 1) if safe else single,
        joint=0.0 if safe else single,
        part=1.0 if n_items == 2 else PART,
        margin=math.inf if n_items == 2 else MARGIN,
        indifference=float(indifference),
        excluded=cycles == "excluded",
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
    if beats(state, favourite, item):
        return True
    near = min(state.near[favourite, item], state.near[item, favourite])
    return state.indifference > 0.0 and near >= state.direct


@kernel
def beats(state: State, item: int, other: int) -> bool:
    """Tell whether an item beats another one beyond doubt."""
    return state.reached[item, other] >= state.direct and state.doubt[other] >= state.joint  # type: ignore[no-any-return]


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
def withdraw(state: State, first: int, second: int) -> None:
    """Note that a duel was served in vain: it is not open any more."""
    state.open[first, second] -= 1
    state.open[second, first] -= 1


@entry
def learn(state: State, first: int, second: int, lead: float) -> None:
    """Count a served duel: `lead` is 1 if the first won, -1 if the second did, less if only just, 0 for neither."""
    withdraw(state, first, second)
    if lead == 0.0:
        return
    winner, loser = (first, second) if lead > 0.0 else (second, first)
    add_to_scores(state, winner, loser, -1.0)
    state.wins[winner, loser] += abs(lead)
    add_to_scores(state, winner, loser, 1.0)
    state.won[winner] += abs(lead)
    state.lost[loser] += abs(lead)


@entry
def bets_on(state: State, item: int, other: int) -> bool:
    """Tell whether the other one's test bets on the item in their next duel."""
    if state.wins[item, other] > state.wins[other, item]:
        return True
    return state.score[other] - state.score[item] <= state.margin  # type: ignore[no-any-return]


@entry
def stake(state: State, item: int, other: int, log_e: float) -> None:
    """Set log e of the duels of an item on which the other one's test has bet."""
    state.against[other] += money(log_e, state.part) - money(state.staked[item, other], state.part)
    state.staked[item, other] = log_e
    state.doubt[other] = max(state.doubt[other], state.against[other])


@entry
def weigh(state: State, first: int, second: int, for_first: float, for_second: float) -> None:
    """Set log e of all duels of a pair, and draw the consequences: who is dropped, and who is the favourite."""
    if state.settled[first, second]:
        return
    state.evidence[first, second], state.evidence[second, first] = for_first, for_second
    state.reached[first, second] = max(state.reached[first, second], for_first)
    state.reached[second, first] = max(state.reached[second, first], for_second)
    conclude(state, first)
    conclude(state, second)
    state.favourite[0] = leader(state)


@entry
def weigh_near(state: State, first: int, second: int, for_first: float, for_second: float) -> None:
    """Set log e of a pair that each is no worse than by `indifference`."""
    state.near[first, second] = max(state.near[first, second], for_first)
    state.near[second, first] = max(state.near[second, first], for_second)


@entry
def settle(state: State, first: int, second: int, outcome: int) -> None:
    """Note that nothing is left to be asked of a pair; 1: the first is known to win, -1: the second is, 0: neither."""
    if outcome != 0:
        winner, loser = (first, second) if outcome > 0 else (second, first)
        add_to_scores(state, winner, loser, -1.0)
        stake(state, winner, loser, CERTAIN)
        weigh(state, winner, loser, CERTAIN, -CERTAIN)
        add_to_scores(state, winner, loser, 1.0)
        state.favourite[0] = leader(state)
    state.settled[first, second] = state.settled[second, first] = 1


@entry
def remove(state: State, item: int) -> None:
    """Leave out an item that is found: who is the best of the others, by the evidence that there is of them?"""
    n_items = state.beaten_by.size
    for other in range(n_items):
        if other != item:
            add_to_scores(state, item, other, -1.0)
            state.against[other] -= money(state.staked[item, other], state.part)
        state.settled[item, other] = state.settled[other, item] = 1
        state.reached[item, other], state.reached[other, item] = 0.0, CERTAIN
    state.beaten_by[item] = item
    for other in range(n_items):
        out = state.beaten_by[other] == other
        state.doubt[other] = CERTAIN if out else max(0.0, state.against[other])
        state.beaten_by[other] = other if out else NOBODY
    for other in range(n_items):
        conclude(state, other)
    state.favourite[0] = leader(state)


@kernel
def money(log_e: float, part: float) -> float:
    """Return the logarithm of what becomes of 1 when this part of it is bet on e."""
    if log_e > 30.0 or part == 1.0:
        return log_e + math.log(part)
    return math.log1p(part * math.expm1(log_e))


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
def conclude(state: State, item: int) -> None:
    """Drop an item whose test says that it is not the best, if one rival alone says so, too."""
    if state.beaten_by[item] != NOBODY or state.doubt[item] < state.joint:
        return
    for other in range(state.beaten_by.size):
        if other != item and beats(state, other, item):
            state.beaten_by[item] = other
            return


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

    CERTIFIED: the favourite beats all beyond doubt. SETTLED: nothing is left to be asked of it and a rival.
    INDIFFERENT: all that remain are near a coin. CYCLE: even the favourite is dropped, so no item is best.
    """
    favourite = state.favourite[0]
    if state.beaten_by[favourite] != NOBODY:
        return CYCLE
    sure, settled, alone = True, False, True
    for item in range(state.beaten_by.size):
        if item == favourite:
            continue
        alone = alone and state.beaten_by[item] != NOBODY
        if not beats(state, favourite, item):
            sure = False
            settled = settled or bool(state.settled[favourite, item])
    if sure or (alone and state.excluded):
        return CERTIFIED
    for item in range(state.beaten_by.size):
        if item != favourite and not state.settled[favourite, item] and not decided(state, favourite, item):
            return PLAYING
    return SETTLED if settled else INDIFFERENT


def confidence(state: State, item: int) -> float:
    """Return the highest level at which an item would be certified now; 0 if at none."""
    lowest = CERTAIN
    for other in range(state.beaten_by.size):
        if other != item:
            direct = state.reached[item, other]
            if state.excluded:
                direct = np.delete(state.reached[:, other], other).max()
            lowest = min(lowest, direct if state.joint == 0.0 else min(direct, state.doubt[other]))
    shared = state.beaten_by.size - 1 if state.joint == 0.0 else 1
    return max(0.0, 1.0 - shared * math.exp(-lowest))


def calls_left(state: State) -> int | None:
    """Return about how many more duels the certificate needs; None if the record says nothing about it.

    Each rival's chance is estimated from its duels with the favourite and, as four more, from all of the favourite's.
    """
    favourite = int(state.favourite[0])
    won, lost = state.wins[favourite], state.wins[:, favourite]
    usual = (won.sum() + 1) / (won.sum() + lost.sum() + 2)
    chance = np.maximum((won + 4 * usual) / (won + lost + 4), 0.5)
    missing = np.maximum(state.direct - state.reached[favourite], state.joint - state.doubt)
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
