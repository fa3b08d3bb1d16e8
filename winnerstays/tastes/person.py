"""How sure one person's favourite is, from the answers of any algorithm's duels.

>>> person = Person(["ramen", "tacos", "pho"])
>>> for _ in range(6):
...     person.tell("pho", "ramen", WON)
...     person.tell("pho", "tacos", WON)
>>> person.standing().favourite, person.standing().likely > 0.8
('pho', True)

Nobody knows in advance how far apart a person's utilities are, nor how often they slip. A mixture of Gaussian
posteriors, one for each spread and share of slips, is weighed by how well each foretold the answers. The chances hold
for people who choose by utilities; `Person.doubt` tells when the answers look otherwise.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.compiling import entry
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.probit import LOST, TIED, WON, chance_of, entropy, entropy_left, expected_gain, learn
from winnerstays.tastes.ranking import Standing, contenders, standing

SPREADS = (0.5, 1.0, 2.0, 4.0, 8.0)
SLIPS = (0.01, 0.1, 0.2, 0.4)
"""Standard deviations of utilities, and shares of answers at random, that are weighed. Before any answer a spread has
weight 1 / spread, so that nobody is told of a favourite before they have shown to have one."""
MAX_ITEMS = 1000
ENOUGH, STRETCH, MAX_STRETCH = 15, 10, 300
"""So many answers are needed to tell whether they fit; a stretch of them has at least, and at most, so many."""
CONTRADICTION, SIDE = 3.5, 3.5
"""Limits in standard errors: by which a stretch is worse foretold than expected; by which one side is chosen more."""
RULES = ("favourite", "entropy-pursuit")


class Person:
    """The posterior of one person's utilities. `mean` is that of other people, where it is known."""

    def __init__(self, items: Iterable[str], *, mean: npt.ArrayLike | None = None) -> None:
        self.items = tuple(items)
        n = len(self.items)
        self._place = {item: place for place, item in enumerate(self.items)}
        if not n or len(self._place) < n:
            raise WinnerstaysError(f"The items are {self.items!r}, but they must be one or more different names.")
        if n > MAX_ITEMS:
            raise WinnerstaysError(
                f"There are {n} items, but one person's tastes are computed for {MAX_ITEMS} at most."
            )
        centre = np.zeros(n) if mean is None else np.array(mean, np.float64)
        if centre.shape != (n,) or not np.isfinite(centre).all():
            raise WinnerstaysError(f"The mean has shape {centre.shape}, but it must be {n} finite numbers.")
        spreads, slips = zip(*product(SPREADS, SLIPS), strict=True)
        self._slips = np.array(slips)
        self._means = np.tile(centre, (len(spreads), 1))
        self._covariances = np.array([spread**2 * np.eye(n) for spread in spreads])
        self._log_weights = -np.log(spreads)
        self._surprises: list[tuple[float, float]] = []
        self._column = np.zeros(n)
        self.answers = self._firsts = 0

    def tell(self, first: str, second: str, outcome: int) -> None:
        """Learn that the first of two items, the one shown left, WON, LOST or TIED. A skipped duel is not told."""
        if outcome not in (LOST, WON, TIED):
            raise WinnerstaysError(f"The outcome is {outcome!r}, but it must be WON (1), LOST (0) or TIED (2).")
        a, b = self._at(first), self._at(second)
        if a == b:
            raise WinnerstaysError(f"A duel of {first!r} with itself says nothing; it needs two items.")
        if outcome != TIED:
            self.answers += 1
            self._firsts += outcome
            chance = foretold(self._means, self._covariances, self._slips, self.weights, a, b)
            likelier = (chance > 0.5) == (outcome == WON)
            odds = abs(math.log(chance / (1 - chance)))
            deviation = odds * (max(chance, 1 - chance) - likelier)
            self._surprises.append((deviation, chance * (1 - chance) * odds**2))
        moment_match(self._means, self._covariances, self._slips, self._log_weights, a, b, outcome, self._column)

    @property
    def weights(self) -> Floats:
        """The posterior weight of each spread and share of slips."""
        weights = np.exp(self._log_weights - self._log_weights.max())
        return np.asarray(weights / weights.sum())

    def standing(self, *, top: int = 5) -> Standing:
        """Return how likely each item is the best, and among the best."""
        weights = self.weights
        kept = contenders(weights @ self._means, weights @ np.diagonal(self._covariances, axis1=1, axis2=2))
        names, covariances = [self.items[place] for place in kept], self._covariances[:, kept[:, None], kept]
        return standing(names, self._means[:, kept], covariances, weights, top)

    def doubt(self) -> str:
        """Return how the answers do not look as if one person had chosen by utilities; empty where they do."""
        if self.answers < ENOUGH:
            return ""
        if abs(2 * self._firsts - self.answers) / math.sqrt(self.answers) > SIDE:
            return "You chose the same side nearly every time."
        if worst_stretch(self._surprises) > CONTRADICTION:
            return "Your answers contradict each other."
        return ""

    def choose(self, rule: str = "favourite", *, avoid: Iterable[tuple[str, str]] = ()) -> tuple[str, str]:
        """Return two items to show next.

        `favourite`: the favourite, and the item of the highest expected improvement over it. `entropy-pursuit`: the
        pair whose answer tells most about the utilities (Pallone, Frazier & Henderson). Pairs to `avoid`, such as one
        that was just skipped, are not shown while there is another.
        """
        n, shunned = len(self.items), {frozenset((self._at(a), self._at(b))) for a, b in avoid}
        if rule not in RULES:
            raise unknown("rule", rule, RULES)
        if n < 2:
            raise WinnerstaysError(f"A duel needs two items, but there is {n}.")
        weights = self.weights
        if rule == "favourite":
            favourite = int((weights @ self._means).argmax())
            worth = np.zeros(n)
            gains(self._means, self._covariances, weights, favourite, worth)
            pairs = [(favourite, other) for other in np.argsort(-worth, kind="stable").tolist() if other != favourite]
        else:
            told = np.zeros((n, n))
            information(self._means, self._covariances, self._slips, weights, told)
            best = np.argsort(-told, axis=None, kind="stable")[: min(len(shunned) + 1, n * (n - 1) // 2)]
            pairs = [(int(at) // n, int(at) % n) for at in best]
        first, second = next((pair for pair in pairs if frozenset(pair) not in shunned), pairs[0])
        return self.items[first], self.items[second]

    def _at(self, item: str) -> int:
        if item not in self._place:
            raise unknown("item", item, self.items)
        return self._place[item]


def worst_stretch(surprises: Sequence[tuple[float, float]]) -> float:
    """Return by how many standard errors the worst foretold stretch of answers was worse foretold than expected."""
    total = np.cumsum([(0.0, 0.0), *surprises[-MAX_STRETCH:]], axis=0)
    first, last = np.triu_indices(len(total), k=STRETCH)
    deviation, variance = (total[last] - total[first]).T
    return float((deviation / np.sqrt(np.maximum(variance, 0.5))).max(initial=-math.inf))


@entry
def moment_match(
    means: Floats, covariances: Floats, slips: Floats, log_weights: Floats, a: int, b: int, outcome: int, column: Floats
) -> None:
    """Change each Gaussian of a mixture, and its weight, by one answer."""
    for part in range(means.shape[0]):
        log_weights[part] += math.log(learn(means[part], covariances[part], a, b, outcome, slips[part], column))


@entry
def foretold(means: Floats, covariances: Floats, slips: Floats, weights: Floats, a: int, b: int) -> float:
    """Return the chance that a is chosen rather than b."""
    chance = 0.0
    for part in range(means.shape[0]):
        covariance = covariances[part]
        variance = max(covariance[a, a] + covariance[b, b] - 2.0 * covariance[a, b], 0.0)
        chance += weights[part] * chance_of(means[part, a] - means[part, b], variance, slips[part])
    return chance


@entry
def gains(means: Floats, covariances: Floats, weights: Floats, favourite: int, worth: Floats) -> None:
    """Write the expected improvement of each item over the favourite."""
    for part in range(means.shape[0]):
        mean, covariance = means[part], covariances[part]
        for i in range(worth.size):
            variance = covariance[i, i] + covariance[favourite, favourite] - 2.0 * covariance[i, favourite]
            worth[i] += weights[part] * expected_gain(mean[i] - mean[favourite], variance)


@entry
def information(means: Floats, covariances: Floats, slips: Floats, weights: Floats, told: Floats) -> None:
    """Write for each pair, first place below second, the mutual information of its answer and the utilities."""
    n = told.shape[0]
    told[:] = -1.0
    for i in range(n):
        for j in range(i + 1, n):
            chance, left = 0.0, 0.0
            for part in range(means.shape[0]):
                covariance = covariances[part]
                variance = max(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j], 0.0)
                mean = means[part, i] - means[part, j]
                chance += weights[part] * chance_of(mean, variance, slips[part])
                left += weights[part] * entropy_left(mean, variance, slips[part])
            told[i, j] = entropy(chance) - left
