"""The State of CCB."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints

Flags = npt.NDArray[np.bool_]


class State(NamedTuple):
    """A pair is decided where one arm beats the other with confidence at the present time t, and open otherwise."""

    tally: Ints  # w_ij and w_ji
    won: Ints  # opponents that each arm decidedly beats: the lower Copeland score
    lost: Ints  # opponents that decidedly beat it: N - 1 - the upper Copeland score
    expiry: Floats  # no decided defeat of the arm has less evidence than this
    candidates: Flags  # B
    superiors: Flags  # superiors[i, j]: j in B^i, thought to beat i
    n_superiors: Ints  # |B^i|
    n_open: Ints  # how many pairs of i with B^i are open
    losses: int  # L_C
    first_expiry: float  # the least expiry
    outdated: bool  # whether steps B and C may have something to do
    t: int
    self_duels: int  # coming duels of the only leader with itself
    alpha: float
