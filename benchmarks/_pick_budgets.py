"""What is lost with a budget too small for a certificate: the plan of `pick` beside other ways to spend it.

Strengths are normal with deviation 1.5 in log odds. The loss is the best item's chance against the chosen
one, less 1/2.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._pick_simulation import Judge, simulate_pick
from winnerstays._types import Floats
from winnerstays.picking import Picker
from winnerstays.picking.ranking import Counts, fit

SPREAD = 1.5
SIZES = {8: 300, 20: 200, 50: 150, 200: 30, 1000: 6}
"""Items: runs."""
BUDGETS = (1, 2, 3, 5)
"""Calls for each item."""


class Match:
    """A judge with a budget, and what it has said."""

    def __init__(self, strength: Floats, budget: int, seed: int) -> None:
        self.strength, self.left, self.rng = strength, budget, np.random.default_rng(seed)
        self.wins = np.zeros((len(strength), len(strength)))

    def wins_first(self, first: int, second: int) -> bool:
        """Ask once."""
        chance = 1 / (1 + math.exp(self.strength[second] - self.strength[first]))
        won = bool(self.rng.random() < chance)
        self.wins[(first, second) if won else (second, first)] += 1
        self.left -= 1
        return won

    def leader(self) -> int:
        """Return the item with the best score by Bradley and Terry's model."""
        zeros = 0 * self.wins
        return int(fit(Counts(self.wins, zeros, zeros), 0.5, davidson=False, bias=False).values[: len(zeros)].argmax())


def planned(match: Match) -> int:
    """Use `pick` with the budget."""
    picker = Picker(
        [str(item) for item in range(len(match.strength))], budget=match.left, seed=int(match.rng.integers(2**31))
    )
    while picker.stop is None:
        for question in picker.ask():
            picker.tell(question, "left" if match.wins_first(int(question.left), int(question.right)) else "right")
    return picker.goal.best[0]


def unplanned(match: Match) -> int:
    """Use the rule of `pick` without a plan."""
    chance = 1 / (1 + np.exp(match.strength[None, :] - match.strength[:, None]))
    judge, seed = Judge(chance, np.zeros_like(chance)), int(match.rng.integers(2**31))
    return simulate_pick(judge, budget=match.left, seed=seed).favourite


def knock_out(match: Match) -> int:
    """Let the winners of each round meet in the next; the rounds share the budget."""
    left = match.rng.permutation(len(match.strength)).tolist()
    while len(left) > 1:
        pairs = len(left) // 2
        duels = max(1, match.left // (math.ceil(math.log2(len(left))) * pairs))
        winners = left[2 * pairs :]
        for one, other in zip(left[: 2 * pairs : 2], left[1 : 2 * pairs : 2], strict=True):
            won = sum(match.wins_first(one, other) for _ in range(duels)) - duels / 2
            winners.append(one if won > 0 or (won == 0 and match.rng.random() < 0.5) else other)
        left = match.rng.permutation(winners).tolist()
    return int(left[0])


def swiss(match: Match) -> int:
    """Let neighbours by points meet in each round."""
    while match.left > 0:
        order = np.lexsort((match.rng.random(len(match.wins)), -match.wins.sum(axis=1)))
        for one, other in zip(order[::2], order[1::2], strict=False):
            if match.left > 0:
                match.wins_first(int(one), int(other))
    return match.leader()


def ring_and_pivots(match: Match) -> int:
    """Let neighbours in a ring meet, then everyone the best of them (a probabilistic pivot tournament)."""
    n = len(match.strength)
    order = match.rng.permutation(n)
    for one, other in zip(order, np.roll(order, -1), strict=True):
        if match.left > 0:
            match.wins_first(int(one), int(other))
    pivots = np.lexsort((match.rng.random(n), -match.wins.sum(axis=1)))[: max(1, match.left // n)]
    for pivot in pivots:
        for item in match.rng.permutation(n):
            if item != pivot and match.left > 0:
                match.wins_first(int(item), int(pivot))
    return match.leader()


WAYS: dict[str, Callable[[Match], int]] = {
    "pick": planned, "without a plan": unplanned, "knock-out": knock_out, "Swiss": swiss,
    "ring and pivots": ring_and_pivots,
}  # fmt: skip


def budgets(most: int = 1000) -> str:
    """Return the losses as a table, for up to so many items."""
    lines = [f"| items | calls | {' | '.join(WAYS)} |", "|---" * (len(WAYS) + 2) + "|"]
    for n, runs in SIZES.items():
        for share in BUDGETS if n <= most else ():
            cells = []
            for way in WAYS.values():
                losses: list[Any] = []
                for run in range(runs):
                    strength = np.random.default_rng(run).normal(0, SPREAD, n)
                    chosen = way(Match(strength, share * n, run))
                    losses.append(1 / (1 + math.exp(strength[chosen] - strength.max())) - 0.5)
                cells.append(f"{np.mean(losses):.3f} ± {np.std(losses) / math.sqrt(runs):.3f}")
            lines.append(f"| {n} | {share * n:,} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)
