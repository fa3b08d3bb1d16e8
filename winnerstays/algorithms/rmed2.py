"""Relative Minimum Empirical Divergence 2, RMED2 (Komiyama, Honda, Kashima & Nakagawa, COLT 2015, Algorithm 1).

Like RMED1, but an arm meets b*(l), the opponent that costs the least regret for what it shows, as long as the favourite
has met it often enough. To know b*(l), every pair meets at least alpha ln ln t times.

Left open by the paper, besides what RMED1 says: ln ln t is taken as at least 0.01, and lacking duels are played one by
one in the fixed order of the arms, before the pass goes on. The guarantee is quoted for RMED2FH, not derived here.
"""

from dataclasses import replace

from winnerstays.algorithms import rmed
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.rmed1 import rmed1
from winnerstays.randomness import Rng


def init(n_arms: int, rng: Rng, *, f: float, alpha: float) -> rmed.State:
    return rmed.start(n_arms, rng, rmed.RMED2, f=f, alpha=alpha)


rmed2 = register(
    replace(
        rmed1,
        name="rmed2",
        title="Relative Minimum Empirical Divergence 2",
        init=init,
        parameters={"f": rmed.F, "alpha": rmed.ALPHA},
        guarantee="none proved without the horizon; with it see rmed2fh",
    )
)
