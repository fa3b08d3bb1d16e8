"""The State of ECW-RMED."""

from typing import NamedTuple

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.passes import Lists, Numbering, Pair, Schedule


class State(NamedTuple):
    numbering: Numbering
    wins: Ints  # W, like all that follows by inside numbers
    weights: Floats  # n kl(p, 1/2), the evidence that must be wrong if a pair is the other way round
    superiors: Ints  # L_i, arms that beat i in more than half of their duels
    lists: Lists  # of pairs i <= j as i N + j
    pair: Pair
    sure_until: int  # the winner is beyond doubt up to this duel
    doubtful: int  # the arm last found that could be the winner as well
    schedule: Schedule
    alpha: float
    beta: float
    order: Ints  # room for arms in order of cost
    costs: Floats  # room for their costs
    inferior_sums: Floats  # room for sums of the smallest weights of an arm with its inferiors
    superior_sums: Floats  # room for sums of the smallest weights of another arm with its superiors
