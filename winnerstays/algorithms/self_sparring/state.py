"""The State of Self-Sparring."""

from typing import NamedTuple

from winnerstays._types import Ints


class State(NamedTuple):
    """A self-duel teaches nothing, so samples that would only name the leader again need not be drawn (bar.py)."""

    won: Ints  # a_i - 1
    lost: Ints  # b_i - 1
    t: int  # duels so far
    calm: int  # self-duels since something was learned, up to PATIENCE
    leader: int  # from here on once there were that many
    bar: float  # a sample is quiet if that of the leader is above the bar, and all others are below
    log_quiet: float  # ln of a chance that it surely is
    until: int  # the leader meets itself up to this duel
