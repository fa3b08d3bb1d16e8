"""A recipe site: 200 recipes, of which five are replaced every week, and 150 visitors a week who answer 17 times each.

Visitors have much in common, so each one starts from what earlier visitors liked. The script prints for every week how
many visitors see their favourite recipe within 10 answers. With `--alone`, nobody learns from others.
"""

import math
import random
import sys

from winnerstays import Arena

RECIPES, NEW_EACH_WEEK, VISITORS_A_WEEK, WEEKS, ANSWERS, SOON = 200, 5, 150, 8, 17, 10
COMMON, OWN = 2.0, 0.7  # standard deviations of taste: between recipes, and between people


class Site:
    """The recipes, and how much people like them on average."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.quality = rng, {}
        self.recipes = self.invent(RECIPES)

    def invent(self, count: int) -> list[str]:
        new = [f"recipe {len(self.quality) + k}" for k in range(count)]
        self.quality |= {name: self.rng.gauss(0, COMMON) for name in new}
        return new


def visit(arena: Arena, site: Site, user: str) -> bool:
    """Let a visitor answer; return whether the first answers showed the visitor's favourite."""
    rng = site.rng
    taste = {name: site.quality[name] + rng.gauss(0, OWN) for name in site.recipes}
    favourite, seen = max(taste, key=taste.__getitem__), False
    for number in range(ANSWERS):
        duel = arena.ask(user)
        seen |= favourite in duel and number < SOON
        likes_left = 1 / (1 + math.exp(taste[duel.right] - taste[duel.left]))
        arena.tell(duel, winner=duel.left if rng.random() < likes_left else duel.right)
    return seen


def main(crowd: bool = True) -> list[float]:
    site, shares = Site(random.Random(1)), []
    with Arena.open("memory:", "recipes", site.recipes, crowd=crowd, seed=1) as arena:
        for week in range(WEEKS):
            seen = sum(visit(arena, site, f"{week}/{k}") for k in range(VISITORS_A_WEEK))
            shares.append(seen / VISITORS_A_WEEK)
            print(f"week {week + 1}: {shares[-1]:.0%} of {VISITORS_A_WEEK} saw their favourite within {SOON} answers")
            new, old = site.invent(NEW_EACH_WEEK), site.recipes[:NEW_EACH_WEEK]
            arena.add(new)
            arena.retire(old)
            site.recipes = [*site.recipes[NEW_EACH_WEEK:], *new]
    print(f"all weeks: {sum(shares) / WEEKS:.0%}")
    return shares


if __name__ == "__main__":
    main(crowd="--alone" not in sys.argv)
