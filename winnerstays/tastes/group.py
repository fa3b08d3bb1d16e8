"""What a group of people likes, from few answers of each: a team's poll.

>>> group = Group(["city", "island", "hills"])
>>> for person in ("Ada", "Ben", "Cleo"):
...     group.tell(person, "island", "city", WON)
...     group.tell(person, "island", "hills", WON)
>>> group.standing().favourite
'island'

Two levels: an item's utility for all, and each person's deviation from it. So 180 answers of 12 people are not taken
for those of 180 people. The group's favourite is the item of the highest mean utility among the people who answered
("mean"), or the one that is the favourite of most of them ("most").
"""

from collections.abc import Iterable
from itertools import product

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.probit import LOST, TIED, WON
from winnerstays.tastes.person import moment_match
from winnerstays.tastes.ranking import Standing, normals, standing_of

SPREADS = (0.7, 1.5, 3.0, 6.0)
OWN_SHARES = (0.1, 0.4, 0.8)
SLIPS = (0.02, 0.15)
"""Standard deviations of a person's utilities, shares of their variance that are the person's own, and shares of
answers at random: each combination is weighed by how well it foretold the answers."""
MAX_ITEMS = 100
RULES = ("mean", "most")
DRAWS = 2048


class Group:
    """Collects answers of several people; `standing` fits them. The order in which people answer does not matter."""

    def __init__(self, items: Iterable[str]) -> None:
        self.items = tuple(items)
        self._place = {item: place for place, item in enumerate(self.items)}
        if not 0 < len(self.items) <= MAX_ITEMS or len(self._place) < len(self.items):
            raise WinnerstaysError(
                f"There are {len(self.items)} items, but a group compares 1 to {MAX_ITEMS}, all of different names."
            )
        self.answers: dict[str, list[tuple[int, int, int]]] = {}

    def tell(self, person: str, first: str, second: str, outcome: int) -> None:
        """Learn that for a person the first of two items WON, LOST or TIED. A skipped duel is not told."""
        for item in (first, second):
            if item not in self._place:
                raise unknown("item", item, self.items)
        if first == second or outcome not in (LOST, WON, TIED):
            raise WinnerstaysError(f"An answer is about two items and is 0, 1 or 2, not {(first, second, outcome)!r}.")
        self.answers.setdefault(person, []).append((self._place[first], self._place[second], outcome))

    def standing(self, rule: str = "mean", *, top: int = 3) -> Standing:
        """Return how likely each item is the group's favourite."""
        if rule not in RULES:
            raise unknown("rule", rule, RULES)
        n, people = len(self.items), [self.answers[name] for name in sorted(self.answers)]
        settings = list(product(SPREADS, OWN_SHARES, SLIPS))
        fits = [_Fit(n, people, spread**2 * (1 - own), spread**2 * own, slip) for spread, own, slip in settings]
        evidence = np.array([fit.evidence for fit in fits])
        weights = np.exp(evidence - evidence.max())
        ends = np.rint(np.cumsum(weights / weights.sum()) * DRAWS).astype(int).tolist()
        numbers = normals(DRAWS, n * (len(people) + 1)).reshape(DRAWS, -1, n)
        counts, total, begin = np.zeros((n, n)), np.zeros(n), 0
        for fit, end in zip(fits, ends, strict=True):
            if end > begin:
                scores = fit.scores(numbers[begin:end], rule)
                total += scores.sum(axis=0)
                ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
                np.add.at(counts, (np.arange(n)[None, :], ranks), 1)
            begin = end
        return standing_of(self.items, counts / DRAWS, total / DRAWS, top)


class _Fit:
    """The group's posterior for one choice of settings.

    A person's answers are a Gaussian term of that person's utilities: a precision matrix and a shift. What it says
    about the utilities for all follows by adding the deviation's variance. People are gone through twice, each time
    with what the others say as the prior.
    """

    def __init__(
        self, n: int, people: list[list[tuple[int, int, int]]], shared: float, own: float, slip: float
    ) -> None:
        self.own = own
        self.precision, self.shift = np.eye(n) / shared, np.zeros(n)
        self.people: list[tuple[Floats, Floats]] = [(np.zeros((n, n)), np.zeros(n)) for _ in people]
        told = list(self.people)
        slips, column = np.array([slip]), np.zeros(n)
        for _ in range(2):
            self.evidence = 0.0
            for who, answers in enumerate(people):
                others = np.linalg.inv(self.precision - told[who][0])
                mean = others @ (self.shift - told[who][1])
                before = others + own * np.eye(n)
                means, covariances, log_weight = mean[None].copy(), before[None].copy(), np.zeros(1)
                for first, second, outcome in answers:
                    moment_match(means, covariances, slips, log_weight, first, second, outcome, column)
                self.evidence += float(log_weight[0])
                inverse, after = np.linalg.inv(before), np.linalg.inv(covariances[0])
                term = (after - inverse, after @ means[0] - inverse @ mean)
                mixed = np.linalg.inv(np.eye(n) + own * term[0])
                message = ((term[0] @ mixed + mixed.T @ term[0]) / 2, mixed.T @ term[1])
                self.precision = self.precision + message[0] - told[who][0]
                self.shift = self.shift + message[1] - told[who][1]
                self.people[who], told[who] = term, message

    def scores(self, numbers: Floats, rule: str) -> Floats:
        """Return in each draw the mean of people's utilities of each item, or how many like it best."""
        covariance = np.linalg.inv(self.precision)
        shared = covariance @ self.shift + numbers[:, 0] @ np.linalg.cholesky(covariance).T
        if not self.people:
            return shared
        scores = np.zeros_like(shared)
        for who, (precision, shift) in enumerate(self.people):
            posterior = np.linalg.inv(precision + np.eye(shared.shape[1]) / self.own)
            posterior = (posterior + posterior.T) / 2
            mean = (shared / self.own + shift) @ posterior
            utility = mean + numbers[:, who + 1] @ np.linalg.cholesky(posterior).T
            if rule == "mean":
                scores += utility
            else:
                scores[np.arange(len(scores)), utility.argmax(axis=1)] += 1
        if rule == "most":  # between items that as many people like best, the higher utility for all decides
            scores += 0.5 / (1.0 + np.exp(-(shared - shared.mean(axis=1, keepdims=True))))
        return scores
