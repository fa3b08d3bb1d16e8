"""Bradley and Terry's model: one strength per item, P(i beats j) = 1 / (1 + exp(s_j - s_i)), fitted to counted duels.

It says something of pairs that never met: through those whom both have met. The fit maximises the likelihood of the
duels and of `prior` further wins and losses of each item against an item of strength 0, without which an item that has
won all its duels would be infinitely strong, and groups of items that never met could not be compared.
"""

from typing import Any

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.pair_counts import PairCounts

GRADIENT = 1e-8
"""Where the fit stops: the slope per duel."""


def fit_strengths(counts: PairCounts, prior: float = 1.0) -> Floats:
    """Return the strengths of largest likelihood, their mean 0.

    >>> one = PairCounts.from_table(np.array([[0.0, 3], [1, 0]]))
    >>> strengths = fit_strengths(one, prior=1e-9)
    >>> round(float(1 / (1 + np.exp(strengths[1] - strengths[0]))), 4)
    0.75
    """
    if not prior > 0:
        raise WinnerstaysError(f"The prior is {prior}, but a Bradley-Terry fit needs one above 0 (1 is usual).")
    from scipy.optimize import minimize
    from scipy.special import expit

    first, second, won = counts.first, counts.second, counts.won
    total = counts.won + counts.lost
    scale = 1 / (counts.duels + 2 * prior * counts.n_arms)

    def lack(strength: Floats) -> tuple[float, Floats]:
        """Minus the mean log likelihood, and its gradient."""
        edge = strength[first] - strength[second]
        loss = total * np.logaddexp(0, -edge) + counts.lost * edge
        alone = prior * (np.logaddexp(0, strength) + np.logaddexp(0, -strength))
        slope = total * expit(edge) - won
        gradient = np.bincount(first, slope, counts.n_arms) - np.bincount(second, slope, counts.n_arms)
        gradient += prior * (2 * expit(strength) - 1)
        return scale * float(loss.sum() + alone.sum()), np.asarray(scale * gradient)

    options: dict[str, Any] = {"maxiter": 5000, "maxfun": 10_000, "gtol": GRADIENT * 0.1, "ftol": 0.0}
    optimum = minimize(lack, np.zeros(counts.n_arms), jac=True, method="L-BFGS-B", options=options)
    if np.abs(lack(optimum.x)[1]).max() > GRADIENT:
        raise WinnerstaysError(f"The Bradley-Terry fit did not converge ({optimum.message}); try a larger prior.")
    return np.asarray(optimum.x - optimum.x.mean())
