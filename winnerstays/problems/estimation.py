"""From counted duels to chances: pair by pair, or by one strength per item."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.chances import LOGIT, Chances, as_numbers, matrix_chances, pair_chances
from winnerstays.problems.pair_counts import PairCounts
from winnerstays.problems.winners import rows_of

SMALL, MOSTLY_MET = 1000, 0.25
"""With more arms, of which a smaller share of the pairs have met, only the pairs that met are kept."""
FITS = ("bradley-terry", "bradley-terry-unmet")
GRADIENT = 1e-8
"""Where the Bradley-Terry fit stops: the slope per duel."""


def as_pair_counts(wins: npt.ArrayLike | PairCounts) -> PairCounts:
    """Check a square table of wins, and take the pairs that met out of it."""
    if isinstance(wins, PairCounts):
        return wins
    counts = as_numbers("wins", wins)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not (counts >= 0).all():
        raise WinnerstaysError(f"The wins must be a square table of counts, but their shape is {counts.shape}.")
    return PairCounts.from_table(counts)


def estimate(pairs: PairCounts, prior: float, fit: str | None) -> tuple[Chances, str]:
    """Return the chances, and a note on how they were estimated."""
    if not (math.isfinite(prior) and prior >= 0):
        raise WinnerstaysError(f"The prior is {prior}, but it must be a number of at least 0.")
    if fit is None:
        return _pair_by_pair(pairs, prior), ""
    if fit not in FITS:
        raise unknown("fit", fit, FITS)
    fitted = Chances(LOGIT, np.empty((0, 0)), fit_strengths(pairs, prior), 0.5)
    unmet = f"{pairs.n_arms * (pairs.n_arms - 1) // 2 - pairs.first.size} pairs never met"
    if fit == "bradley-terry":
        return fitted, f"{unmet}; all chances are fitted (Bradley-Terry)"
    matrix = rows_of(fitted, np.arange(pairs.n_arms))
    matrix[pairs.first, pairs.second] = (pairs.won + prior) / (pairs.won + pairs.lost + 2 * prior)
    matrix[pairs.second, pairs.first] = 1 - matrix[pairs.first, pairs.second]
    return matrix_chances(matrix), f"{unmet}; their chances are fitted (Bradley-Terry)"


def _pair_by_pair(pairs: PairCounts, prior: float) -> Chances:
    """Estimate each pair by itself; keep those that met alone where they are few among many."""
    if pairs.n_arms > SMALL and pairs.first.size < MOSTLY_MET * pairs.n_arms * (pairs.n_arms - 1) / 2:
        return pair_chances(pairs, prior)
    counts: Floats = pairs.table()
    total = counts + counts.T
    preferences = np.full_like(counts, 0.5)
    np.divide(counts + prior, total + 2 * prior, out=preferences, where=total + prior > 0)
    np.fill_diagonal(preferences, 0.5)
    return matrix_chances(preferences)


def fit_strengths(counts: PairCounts, prior: float = 1.0) -> Floats:
    """Return one strength per item, their mean 0, under which the duels are likeliest: P = 1 / (1 + exp(s_j - s_i)).

    The fit adds `prior` further wins and losses of each item against an item of strength 0. Without them an item that
    has won all its duels would be infinitely strong, and groups of items that never met could not be compared.

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
