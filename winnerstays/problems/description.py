"""A problem described in sentences: who wins, and how surely."""

import numpy as np

from winnerstays._types import Ints
from winnerstays.intervals import wilson
from winnerstays.problems.pair_counts import PairCounts
from winnerstays.problems.problem import Problem
from winnerstays.problems.winners import largest

SHOWN = 5
"""The most items that a sentence names."""


def winner_sentences(problem: Problem) -> list[str]:
    """Say who wins: the Condorcet winner, or which arms come nearest to being one."""
    if problem.best_arm is not None:
        ordered = "yes" if problem.totally_ordered else "no"
        return [f"Condorcet winner: {problem.items[problem.best_arm]}; totally ordered: {ordered}"]
    nearest, best = problem.copeland_winners, largest(problem.borda_scores)
    score = problem.copeland_scores[nearest[0]] * (problem.n_arms - 1)
    verb = "beats" if nearest.size == 1 else "each beat"
    row = problem.row(int(nearest[0]))
    return [
        "no Condorcet winner: no arm beats every other arm",
        f"nearest (Copeland): {_names(problem, nearest)}, {verb} {score:g} of {problem.n_arms - 1} others; a tie "
        "counts half",
        f"{problem.items[nearest[0]]} loses to {_names(problem, np.flatnonzero(row < 0.5)) or 'none'}",
        f"highest mean chance (Borda): {_names(problem, best)}, {problem.borda_scores[best[0]]:.3f} against a random "
        "other arm",
        "simulate records weak-copeland, strong-copeland, weak-borda and strong-borda regret here",
    ]


def _names(problem: Problem, arms: Ints) -> str:
    named = ", ".join(problem.items[arm] for arm in arms[:SHOWN])
    return named + (f" and {arms.size - SHOWN} more" if arms.size > SHOWN else "")


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
