"""What one answer says about a difference of utilities: moment matching for a probit choice with slips.

Someone prefers the first of two items with chance slip / 2 + (1 - slip) Phi(difference / NOISE). If the difference is
Gaussian before the answer, it is not after it; the Gaussian with the same mean and variance takes its place.
A tie is read as "the difference is about 0", with the same noise, and is Gaussian already.
"""

import math

from winnerstays._types import Floats
from winnerstays.compiling import kernel

NOISE = 1.7
"""The unit of utilities: Phi(x / 1.7) is within 0.01 of the logistic curve, so utilities read as log-odds."""
LOST, WON, TIED = 0, 1, 2
"""The outcomes of a duel, for its first item."""


@kernel
def normal_cdf(z: float) -> float:
    return 0.5 * math.erfc(-z * math.sqrt(0.5))


@kernel
def normal_density(z: float) -> float:
    return math.exp(-0.5 * z * z) * 0.3989422804014327


@kernel
def chance_of(mean: float, variance: float, slip: float) -> float:
    """Return the chance that the first item is chosen, the difference being N(mean, variance)."""
    return 0.5 * slip + (1.0 - slip) * normal_cdf(mean / math.sqrt(variance + NOISE * NOISE))


@kernel
def match(mean: float, variance: float, outcome: int, slip: float) -> tuple[float, float, float]:
    """Return the likelihood of an outcome and the first two derivatives of its logarithm, the second with sign changed.

    With these, g and k, the difference has mean `mean + variance g` and variance `variance - variance^2 k` after it.
    """
    total = variance + NOISE * NOISE
    if outcome == TIED:
        return math.exp(-0.5 * mean * mean / total) * NOISE / math.sqrt(total), -mean / total, 1.0 / total
    sign = 1.0 if outcome == WON else -1.0
    z = sign * mean / math.sqrt(total)
    likelihood = 0.5 * slip + (1.0 - slip) * normal_cdf(z)
    ratio = (1.0 - slip) * normal_density(z) / likelihood
    return likelihood, sign * ratio / math.sqrt(total), max(ratio * (ratio + z) / total, 0.0)


@kernel
def learn(
    mean: Floats, covariance: Floats, first: int, second: int, outcome: int, slip: float, column: Floats
) -> float:
    """Change a Gaussian of utilities by an answer about two items; return how likely it was. `column` is used."""
    n = column.size
    for i in range(n):
        column[i] = covariance[i, first] - covariance[i, second]
    variance = max(column[first] - column[second], 1e-9)
    likelihood, g, k = match(mean[first] - mean[second], variance, outcome, slip)
    for i in range(n):
        mean[i] += g * column[i]
        for j in range(n):
            covariance[i, j] -= k * column[i] * column[j]
    return likelihood


@kernel
def entropy(chance: float) -> float:
    """Return the entropy of an answer, in nats."""
    chance = min(max(chance, 1e-12), 1.0 - 1e-12)
    return -chance * math.log(chance) - (1.0 - chance) * math.log(1.0 - chance)


@kernel
def entropy_left(mean: float, variance: float, slip: float) -> float:
    """Return the entropy of an answer that is to be expected when the difference, N(mean, variance), is known.

    The entropy of Phi at a Gaussian is taken as in Houlsby et al. (2011).
    """
    width = NOISE * NOISE * math.pi * math.log(2.0) / 2.0
    known = math.sqrt(width / (variance + width)) * math.exp(-0.5 * mean * mean / (variance + width))
    least = entropy(0.5 * slip)
    return least + (math.log(2.0) - least) * known


@kernel
def expected_gain(gap: float, variance: float) -> float:
    """Return E max(0, X) for X ~ N(gap, variance): the expected improvement of one item over another."""
    sd = math.sqrt(max(variance, 1e-12))
    return sd * normal_density(gap / sd) + gap * normal_cdf(gap / sd)


@kernel
def cholesky(matrix: Floats, root: Floats) -> None:
    """Write the lower triangular root of a covariance; where rounding left it without one, of one a little larger."""
    n = matrix.shape[0]
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= root[i, k] * root[j, k]
            if i == j:
                root[i, i] = math.sqrt(max(total, 1e-12))
            else:
                root[i, j] = total / root[j, j]
        for j in range(i + 1, n):
            root[i, j] = 0.0
