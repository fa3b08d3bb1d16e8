"""Relative Minimum Empirical Divergence, RMED1 (Komiyama, Honda, Kashima & Nakagawa, COLT 2015, Algorithm 1).

Every arm that could still be the best meets the favourite, if the favourite beats it so far, and otherwise whoever
beats it most clearly. Strong regret sum_i g_i ln T / (2 kl(p_i1, 1/2)) + O(N^(2+eps)), g_i = p_1i - 1/2.

The paper leaves open the order of the arms in a pass (here: the order in which they were listed) and ties (here: a
random order of the arms, fixed at the start). The constant of the guarantee is quoted, not derived here.
"""

from winnerstays.algorithms import rmed
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import register
from winnerstays.randomness import Rng


def init(n_arms: int, rng: Rng, *, f: float) -> rmed.State:
    return rmed.start(n_arms, rng, rmed.RMED1, f=f)


rmed1 = register(
    Algorithm(
        name="rmed1",
        title="Relative Minimum Empirical Divergence 1",
        init=init,
        choose=rmed.choose,
        update=rmed.update,
        best=rmed.best,
        certain=rmed.certain,
        leap=rmed.leap,
        parameters={"f": rmed.F},
        regret="strong",
        guarantee="sum of g_i ln T / (2 kl(p_i1, 1/2)) + O(N^(2+eps)), optimal if arm 1 is every arm's best opponent",
        cost="O(1) mostly, O(N) at worst",
        paper=rmed.PAPER,
    )
)
