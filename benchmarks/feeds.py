"""What a choice among four items teaches: all pairs with the chosen item, or fewer of them; beside plain duels.

`python -m benchmarks feeds` plays the same visitors with each rule and writes results/feeds.csv. The chosen one of k
items beats each of the k-1 others, so there are k-1 pairs; but they are not independent. At equal utilities one choice
among k items tells as much as 2 (k-1) / k duels: 1.5 for four items, not 3.
"""

import math
from collections.abc import Callable

import numpy as np

from benchmarks._results import table, write_results
from benchmarks._shop import Site, World
from winnerstays._types import Floats
from winnerstays.probit import chance_of
from winnerstays.tastes import LOST, WON, Crowd, fit
from winnerstays.tastes.crowd import View, Visitor

SITES = (
    Site("half", 1.5, 0.0, 1.5, visitors=500, items=60),
    Site("own", 0.0, 0.0, 2.1, visitors=500, items=60),
    Site("cuisine, features", 1.0, 1.6, 0.7, visitors=500, items=60, features=True),
)
POPULATIONS = 4
COLUMNS = ("site", "shown", "learned", "favourite %", "s.e.", "known %", "s.e.", "surprise", "s.e.", "populations")
Rule = Callable[[np.random.Generator, list[int]], list[int]]
RULES: dict[str, tuple[int, Rule]] = {
    "the pair": (2, lambda r, losers: losers),
    "all three pairs": (4, lambda r, losers: losers),
    "two of them": (4, lambda r, losers: r.permutation(losers)[:2].tolist()),
    "one of them": (4, lambda r, losers: r.permutation(losers)[:1].tolist()),
}


class Answers:
    """A visitor's pairs: how often the first item lost, won and tied."""

    def __init__(self, seed: int) -> None:
        self.seed, self.counts = seed, dict[tuple[int, int], list[int]]()

    def tell(self, winner: int, loser: int) -> None:
        first, second = sorted((winner, loser))
        self.counts.setdefault((first, second), [0, 0, 0])[WON if winner == first else LOST] += 1

    def visitor(self, crowd: Crowd) -> Visitor:
        """Return the visitor, of whom the crowd has heard nothing."""
        columns = [(*pair, *counts) for pair, counts in self.counts.items()]
        return crowd.visitor(np.array(columns, np.int64).reshape(-1, 5).T, seed=self.seed)


def surprise(crowd: Crowd, visitor: Visitor, a: int, b: int, chance: float) -> float:
    """Return how much worse than the truth the model foretells a duel that the visitor has not seen, in nats."""
    view = View(crowd, visitor, np.array([a, b]))
    variance, covariance = view.variance(), view.covariance(0)
    foretold = chance_of(
        float(view.mean[0] - view.mean[1]), float(variance.sum() - 2 * covariance[1]), crowd.settings.slips
    )
    return chance * math.log(chance / foretold) + (1 - chance) * math.log((1 - chance) / (1 - foretold))


def play(world: World, size: int, rule: Rule) -> tuple[float, float, float]:
    """Return the share of screens with the favourite, of visitors whose favourite is known at the end, the surprise."""
    site, r = world.site, np.random.default_rng([world.seed, 5])
    items = np.arange(site.items)
    crowd = Crowd(world.factors[items] if site.features else np.empty((items.size, 0)))
    log: list[tuple[int, int, int, int]] = []
    screens, shown_best, known, worse, next_ = 0, 0, 0, [], 50
    for who in range(site.visitors):
        utility, answers = world.utilities[who][: site.items], Answers(who)
        best = int(utility.argmax())
        for _ in range(int(world.clicks[who])):
            shown = crowd.pick(answers.visitor(crowd), items, count=size)
            screens, shown_best = screens + 1, shown_best + (best in shown)
            chances = np.exp(utility[list(shown)] - utility[list(shown)].max())
            chances = site.slips / size + (1 - site.slips) * chances / chances.sum()
            winner = int(r.choice(shown, p=chances))
            for loser in rule(r, [item for item in shown if item != winner]):
                answers.tell(winner, loser)
                log.append((who, winner, loser, WON))
        visitor = answers.visitor(crowd)
        known += int(View(crowd, visitor, items).mean.argmax()) == best
        for _ in range(5):
            a, b = map(int, r.choice(items, 2, replace=False))
            chance = site.slips / 2 + (1 - site.slips) / (1 + math.exp(utility[b] - utility[a]))
            worse.append(surprise(crowd, visitor, a, b, chance))
        if len(log) >= next_:
            next_, crowd = len(log) * 5 // 4, fit(crowd, *np.array(log).T)
    return 100 * shown_best / screens, 100 * known / site.visitors, float(np.mean(worse))


def main(words: list[str]) -> None:
    lines: list[list[object]] = []
    for site in SITES:
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in RULES}
        for seed in range(100, 100 + POPULATIONS):
            for name, (size, rule) in RULES.items():
                found[name].append(play(World(site, seed), size, rule))
        for name, values in found.items():
            mean, errors = np.mean(values, axis=0), _error(np.array(values))
            numbers = [float(x) for both in zip(mean, errors, strict=True) for x in both]
            lines.append([site.name, RULES[name][0], name, *numbers, POPULATIONS])
        new = [[f"{x:.3g}" if isinstance(x, float) else x for x in line] for line in lines[-len(RULES) :]]
        print(table(COLUMNS, new), flush=True)
    write_results("feeds", COLUMNS, lines)


def _error(values: Floats) -> Floats:
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))
