"""Relative Minimum Empirical Divergence 2, fixed horizon, RMED2FH (Komiyama et al., COLT 2015, Algorithm 1).

Every pair meets ceil(alpha ln ln T) times; then the cheapest opponents b*(l) are fixed, and passes go on as in RMED2
with ln ln T. Asymptotically optimal: no consistent algorithm has a smaller constant before ln T.

Left open by the paper: as in RMED1 and RMED2. The guarantee is quoted, not derived here.
"""

from dataclasses import replace

from winnerstays.algorithms import rmed
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.rmed2 import rmed2
from winnerstays.randomness import Rng


def init(n_arms: int, rng: Rng, *, horizon: int, f: float, alpha: float) -> rmed.State:
    return rmed.start(n_arms, rng, rmed.RMED2FH, f=f, alpha=alpha, horizon=horizon)


rmed2fh = register(
    replace(
        rmed2,
        name="rmed2fh",
        title="Relative Minimum Empirical Divergence 2, fixed horizon",
        init=init,
        needs=frozenset({"horizon"}),
        guarantee="asymptotically optimal: sum over i of min_j (g_i + g_j) ln T / (2 kl(p_ij, 1/2)) + o(ln T)",
    )
)
