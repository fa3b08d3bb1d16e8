"""Double Thompson Sampling with regret-aware ties, D-TS+ (Wu & Liu, NIPS 2016, section 4.3).

D-TS, but where several candidates tie in the sampled tournament, a1 is the one whose duels would cost the least regret,
sum over j of (max z - (z_i + z_j) / 2) / kl(theta_ij, 1/2), with z the numbers of tournament wins.

Less sure than D-TS: that max z is over all arms and not over the candidates only. The guarantee is that of D-TS.
"""

from dataclasses import replace

from winnerstays.algorithms.dts.dts import dts, init_variant
from winnerstays.algorithms.dts.state import State
from winnerstays.algorithms.registry import register
from winnerstays.randomness import Rng


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    return init_variant(n_arms, rng, alpha, plus=True)


dts_plus = register(
    replace(
        dts,
        name="dts+",
        title="Double Thompson Sampling, regret-aware ties",
        init=init,
        facts=replace(
            dts.facts,
            guarantee="that of D-TS",
            cost="as D-TS; O(N^2) where candidates tie",
        ),
    )
)
