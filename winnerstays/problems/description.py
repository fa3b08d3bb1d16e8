"""What there is to say about a problem, in sentences: who wins, how surely, and what stands in the way."""

import numpy as np

from winnerstays._types import Ints
from winnerstays.intervals import wilson
from winnerstays.problems.pair_counts import PairCounts
from winnerstays.problems.problem import Problem
from winnerstays.problems.winners import cycle_through, largest

SHOWN = 5
"""Items that are named where many could be."""


def winner_sentences(one: Problem) -> list[str]:
    """Say who wins: the Condorcet winner, or who is nearest to it and which circle stands in the way."""
    if one.best_arm is not None:
        ordered = "yes" if one.totally_ordered else "no"
        return [f"Condorcet winner: {one.items[one.best_arm]}; totally ordered: {ordered}"]
    nearest = one.copeland_winners
    score = one.copeland_scores[nearest[0]] * (one.n_arms - 1)
    said = ["no Condorcet winner: no arm beats every other arm"]
    each = "beats" if nearest.size == 1 else "each beat"
    said.append(f"nearest (Copeland): {_names(one, nearest)}, {each} {score:g} of {one.n_arms - 1} others, ties half")
    circle = cycle_through(one.chances, int(nearest[0]))
    if circle is None:
        row = one.row(int(nearest[0]))
        above, equal = np.flatnonzero(row > 0.5), np.flatnonzero(row == 0.5)
        others = np.setdiff1d(np.arange(one.n_arms), [*above, *equal])
        equal = equal[equal != nearest[0]]
        beaten_by = _names(one, others) if others.size else "none"
        but = f", but not above {_names(one, equal)}" if equal.size else ""
        said.append(f"{one.items[nearest[0]]} is beaten by {beaten_by}{but}")
    else:
        links = zip(circle, [*circle[1:], circle[0]], strict=True)
        said.append("the circle: " + ", ".join(_link(one, first, second) for first, second in links))
    best = largest(one.borda_scores)
    mean = one.borda_scores[best[0]]
    said.append(f"highest mean chance (Borda): {_names(one, best)}, {mean:.3f} against another arm drawn at random")
    said.append("simulate counts weak-copeland, strong-copeland, weak-borda and strong-borda regret here")
    return said


def _names(one: Problem, arms: Ints) -> str:
    named = ", ".join(one.items[arm] for arm in arms[:SHOWN])
    return named + (f" and {arms.size - SHOWN} more" if arms.size > SHOWN else "")


def _link(one: Problem, first: int, second: int) -> str:
    said = f"{one.items[first]} beats {one.items[second]} ({one.row(first)[second]:.3f}"
    if one.pair_counts is not None:
        won, lost = duels_of(one.pair_counts, first, second)
        said += f", {won:g} of {won + lost:g} duels"
    return said + ")"


def duels_of(counts: PairCounts, first: int, second: int) -> tuple[float, float]:
    """Return how often two arms were chosen over each other."""
    low, high = min(first, second), max(first, second)
    found = np.flatnonzero((counts.first == low) & (counts.second == high))
    won, lost = (float(counts.won[found[0]]), float(counts.lost[found[0]])) if found.size else (0.0, 0.0)
    return (won, lost) if first < second else (lost, won)


def evidence_sentence(counts: PairCounts) -> str:
    """Say from how many comparisons a problem was estimated, and how many pairs that leaves undecided."""
    pairs = counts.n_arms * (counts.n_arms - 1) // 2
    low, high = wilson(counts.won, counts.lost)
    unseen = pairs - counts.first.size
    open_ = int(np.count_nonzero((low <= 0.5) & (high >= 0.5))) + unseen
    return (
        f"estimated from {counts.duels:.15g} comparisons; of {pairs} pairs {open_} are undecided (95 % intervals), "
        f"{unseen} never compared"
    )
