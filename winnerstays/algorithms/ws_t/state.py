"""The State of WS-T, the ingredients of its rule, and the evidence against an arm."""

from typing import NamedTuple

from winnerstays._types import Ints
from winnerstays.algorithms._shared.counts import kl_half, played
from winnerstays.algorithms._shared.passes import Numbering
from winnerstays.algorithms.parameters import Choice, Number, Parameter
from winnerstays.compiling import kernel

UNIT = 2.0**-32
"""The unit in which S_i is kept, so that replacing the evidence of a pair leaves no rounding behind."""
TIE = 2.0**-20
"""Indices that differ by less are equal sums, rounded in different pieces."""
INGREDIENTS: dict[str, Parameter] = {
    "caution": Number(3.0, "factor of t: more of it costs a higher mean, and makes wrong incumbents rarer", above=0.0),
    "root": Number(0.5, "power of min(N, m / n)", minimum=0.0),
    "shrink": Number(0.5, "wins and losses added to a record", minimum=0.0),
    "succession": Number(1.0, "factor of ln(E + 1)", minimum=0.0),
    "lead": Choice(("meeting", "never"), "whether E ahead within a meeting makes an incumbent"),
    "challenger": Choice(("next", "least"), "the next that is due, or the one of the lowest index"),
    "third": Choice(("tried", "known", "never"), "whether a third arm meets the challenger: tried, or only if known"),
}
"""The ingredients of the rule with their values; others are for the ablation alone."""


class Rules(NamedTuple):
    log_caution: float
    root: float
    shrink: float
    succession: float
    by_lead: bool
    next_due: bool
    third: bool
    trials: bool


class State(NamedTuple):
    numbering: Numbering
    wins: Ints  # W, like all that follows by inside numbers
    against: Ints  # S in units of 2**-32
    incumbent: int  # z
    challenger: int  # j; z in a self-duel
    opponent: int  # whom j meets: z or a third arm
    ahead: int  # duels by which the opponent is ahead in this meeting
    meeting: int  # E
    met: int  # m
    served: int  # meetings with a third arm that was known to be cheaper
    tried: int  # those with one that might be
    t: int
    until: int  # z meets itself up to this duel
    rules: Rules


@kernel
def evidence(state: State, i: int, k: int) -> float:
    """Return e_ik = n kl(p, 1/2), how far the record of two arms speaks against the one that is behind."""
    n, added = played(state.wins, i, k), state.rules.shrink
    return n * kl_half((state.wins[i, k] + added) / (n + 2.0 * added)) if n > 0 else 0.0


@kernel
def count(state: State, i: int, k: int, sign: int) -> None:
    """Add to S what the pair says, or take it away."""
    lead = state.wins[i, k] - state.wins[k, i]
    if lead != 0:
        state.against[k if lead > 0 else i] += sign * int(evidence(state, i, k) / UNIT + 0.5)
