"""A recipe site: 200 recipes, five new ones each week, visitors who stay for 17 answers and have tastes in common.

Every visitor starts from what the others taught. How often is their favourite of all recipes among the two on the
screen within 10 answers? It prints that week by week and for all; with `--alone` nobody learns from others.
"""

import math
import random
import sys

from winnerstays import Arena

RECIPES, NEW_EACH_WEEK, VISITORS_A_WEEK, WEEKS, ANSWERS, SOON = 200, 5, 150, 8, 17, 10
COMMON, OWN = 2.0, 0.7  # how far recipes, and people, differ in taste (standard deviations of utilities)


class Kitchen:
    """Which recipes there are, and how good they are in general."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.quality = rng, {}
        self.invent(RECIPES)

    def invent(self, count: int) -> list[str]:
        new = [f"recipe {len(self.quality) + k}" for k in range(count)]
        self.quality |= {name: self.rng.gauss(0, COMMON) for name in new}
        return new


def visit(arena: Arena, kitchen: Kitchen, user: str, there: list[str]) -> bool:
    """Let one visitor answer; return whether the favourite was on the screen within the first answers."""
    rng = kitchen.rng
    taste = {name: kitchen.quality[name] + rng.gauss(0, OWN) for name in there}
    favourite, found = max(taste, key=taste.__getitem__), False
    for number in range(ANSWERS):
        duel = arena.ask(user)
        found |= favourite in duel and number < SOON
        likes_left = 1 / (1 + math.exp(taste[duel.right] - taste[duel.left]))
        arena.tell(duel, winner=duel.left if rng.random() < likes_left else duel.right)
    return found


def main(crowd: bool = True) -> list[float]:
    kitchen = Kitchen(random.Random(1))
    there, shares = list(kitchen.quality), []
    with Arena.open("memory:", "recipes", there, algorithm="ws-root", crowd=crowd, seed=1) as arena:
        for week in range(WEEKS):
            found = sum(visit(arena, kitchen, f"{week}/{k}", there) for k in range(VISITORS_A_WEEK))
            shares.append(found / VISITORS_A_WEEK)
            print(f"week {week + 1}: {shares[-1]:.0%} of {VISITORS_A_WEEK} saw their favourite within {SOON} answers")
            new, old = kitchen.invent(NEW_EACH_WEEK), there[:NEW_EACH_WEEK]
            arena.add(new)
            arena.retire(old)
            there = [*there[NEW_EACH_WEEK:], *new]
    print(f"all weeks: {sum(shares) / WEEKS:.0%}")
    return shares


if __name__ == "__main__":
    main(crowd="--alone" not in sys.argv)
