"""The posterior theta ~ Beta(wins + 1, losses + 1) of a pair, mostly without drawing theta.

Most rules ask only whether theta > 1/2. After n duels of which a were won, that has probability
P(Bin(n + 1, 1/2) <= a): one number for each pair (`chance`), which a duel changes by half a binomial probability. Where
a value above 1/2 is needed, it is drawn from the tail alone. Both are exact in law.
"""

import math

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, beta, uniform

SMALL = 1e-4
"""A probability below this is summed up anew at every duel; adding small changes would lose its leading digits."""
LIKELY = 0.1
"""From this probability on, theta > 1/2 is drawn by drawing theta until it is."""
STIRLING = np.array(
    [0.0, *(math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(math.tau) / 2 for n in range(1, 16))]
)
"""The error of Stirling's approximation of ln n!, for small n."""


def even_chances(n_arms: int) -> Floats:
    """Return P(theta > 1/2) of every pair before its first duel."""
    return np.full((n_arms, n_arms), 0.5)


@kernel
def update_chance(chance: Floats, wins: Ints, winner: int, loser: int) -> None:
    """Update chance[i, j] = P(theta_ij > 1/2) with a duel that is not yet in `wins`."""
    a, b = wins[winner, loser], wins[loser, winner]
    change = 0.5 * binomial(a + b + 1, b)
    gained, lost = chance[winner, loser] + change, chance[loser, winner] - change
    if lost < SMALL:
        lost = tail(a + b + 2, b)
        gained = 1.0 - lost
    elif gained < SMALL:
        gained = tail(a + b + 2, a + 1)
        lost = 1.0 - gained
    chance[winner, loser], chance[loser, winner] = gained, lost


@kernel
def tail(n: int, k: int) -> float:
    """Return P(Bin(n, 1/2) <= k) for k < n / 2.

    >>> round(tail(3, 1), 12), round(tail(3, 0), 12)
    (0.5, 0.125)
    """
    total, term = 0.0, 1.0
    for j in range(k, -1, -1):
        total += term
        term *= j / (n - j + 1.0)
        if term < 1e-17 * total:
            break
    return total * binomial(n, k)


@kernel
def binomial(n: int, k: int) -> float:
    """Return P(Bin(n, 1/2) = k) in Loader's form (2000), which keeps its precision for large n."""
    if k == 0 or k == n:
        return math.exp(-n * math.log(2.0))
    lead = (2.0 * k - n) / n
    divergence = 0.5 * ((1.0 + lead) * math.log1p(lead) + (1.0 - lead) * math.log1p(-lead))
    remainder = stirling(n) - stirling(k) - stirling(n - k)
    return math.sqrt(n / (math.tau * k * (n - k))) * math.exp(remainder - n * divergence)


@kernel
def stirling(n: int) -> float:
    """Return ln n! minus its approximation (n + 1/2) ln n - n + ln(2 pi) / 2."""
    if n < STIRLING.size:
        return STIRLING[n]  # type: ignore[no-any-return]
    x = 1.0 / n
    y = x * x
    return x * (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0))))


@kernel
def sample_above_half(rng: Rng, won: int, lost: int, chance: float) -> float:
    """Draw theta ~ Beta(won + 1, lost + 1), given that it is above 1/2; `chance` is the probability of that."""
    if won + lost == 0:
        return 0.5 + 0.5 * uniform(rng)
    if chance >= LIKELY:
        theta = beta(rng, won + 1.0, lost + 1.0)
        while theta <= 0.5:
            theta = beta(rng, won + 1.0, lost + 1.0)
        return theta
    # The density falls from 1/2 on and its logarithm is concave, so the tangent at 1/2 is above it.
    steep = 2.0 * (lost - won)
    while True:
        x = -math.log(1.0 - uniform(rng)) / steep
        if x < 0.5:
            accept = won * math.log1p(2.0 * x) + lost * math.log1p(-2.0 * x) + steep * x
            if math.log(1.0 - uniform(rng)) < accept:
                return 0.5 + x
