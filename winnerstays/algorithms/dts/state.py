"""The State of D-TS and D-TS+."""

from typing import NamedTuple

from winnerstays._types import Floats, Ints


class State(NamedTuple):
    """An arm surely loses to j where u_ij <= 1/2. How many such losses it has says how optimistic its score is."""

    wins: Ints  # W
    chance: Floats  # P(theta_ij > 1/2)
    sure_losses: Ints  # how many j have u_ij <= 1/2, for each i
    expiry_of: Floats  # the ln t up to which that number holds at least, for each i
    expiry: float  # the least of them
    candidates: Ints  # the arms with the fewest sure losses
    n_candidates: int
    leader: int
    first: int  # a1
    second: int  # a2
    self_duels: int  # duels of the leader with itself that are to come
    ends_by_sample: bool  # they end because of a sample, not because a sure loss expiry_of
    t: int  # duels so far
    alpha: float
    plus: bool  # break ties as D-TS+ does
    arms: Ints  # room for the arms that are tied
    losses: Ints  # room for tournament losses
    costs: Floats  # D-TS+: room for regrets
