"""The State of Root Winner Stays."""

from typing import NamedTuple

from winnerstays._types import Ints

UNIT = 1024
SCORE, DUE, PRIOR, WAITING, PASSES, SHOWN, ACTIVE = range(7)
"""The rows of `arms`. The score is the sum over active opponents, without the prior and what is due for open duels."""
ROWS = 7


class State(NamedTuple):
    arms: Ints  # one column for each arm, active or not
    table: Ints  # D, of pairs that met
    met: int  # pairs in the table
    leader: int  # z, the arm with the highest score, open duels not counted
    behind: int  # duels that z lost - won since its best moment
    since: int  # duels of z since then
    step: int  # t
    change: float
    highest_prior: int  # the scans skip whoever would stay behind even with it
