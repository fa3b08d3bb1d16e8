"""The State of WS-T, and the ingredients of its rule."""

from typing import NamedTuple

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.passes import Numbering
from winnerstays.algorithms.parameters import Choice, Number, Parameter

UNIT = 2.0**-32
"""The unit in which S_i is kept, so that replacing the evidence of a pair leaves no rounding behind."""
TIE = 2.0**-20
"""Indices that differ by less are equal sums, rounded in different pieces."""
CASE, ALL, INCUMBENT = range(3)
"""What w_j counts: as above; all duels of j with arms that lead it; those with the incumbent."""
INGREDIENTS: dict[str, Parameter] = {
    "caution": Number(3.0, "factor of t: more of it costs a higher mean, and makes wrong incumbents rarer", above=0.0),
    "weight": Number(1.0, "power of w", minimum=0.0),
    "root": Number(0.5, "power of min(N, m / w)", minimum=0.0),
    "shrink": Number(1.0, "wins and losses added to a record in S", minimum=0.0),
    "case_shrink": Number(0.25, "those added to the record with the incumbent in V", minimum=0.0),
    "succession": Number(1.0, "factor of ln(E + 1)", minimum=0.0),
    "duels": Choice(("case", "all", "incumbent"), "what w counts"),
    "lead": Choice(("meeting", "never"), "whether E ahead within a meeting makes an incumbent"),
    "pairs": Choice(("all", "incumbent"), "the pairs that are evidence"),
    "challenger": Choice(("least", "next"), "of least evidence, or the next in a fixed order that is to be met"),
    "third": Choice(("tried", "known", "never"), "whether a third arm meets the challenger: tried, or only if known"),
    "doubt": Number(1.0, "factor of the doubts about what a third arm saves", minimum=0.0),
    "cheap": Number(0.5, "the largest share of the cost of z at which a third arm takes over", above=0.0),
}
"""The ingredients of the rule with their values; others are for the ablation alone."""


class Rules(NamedTuple):
    log_caution: float
    weight: float
    root: float
    shrink: float
    case_shrink: float
    succession: float
    counting: int  # CASE, ALL or INCUMBENT
    by_lead: bool
    all_pairs: bool
    least: bool
    third: bool
    trials: bool
    doubt: float
    cheap: float


class State(NamedTuple):
    numbering: Numbering
    wins: Ints  # W, like all that follows by inside numbers
    against: Ints  # S in units of 2**-32
    rested: Floats  # sum over k that lead i of n_ik e_ik, or of n_ik
    case: Floats  # V; -inf before the first duel
    log_weight: Floats  # ln w
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
