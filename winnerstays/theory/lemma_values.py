"""Exact values of what the paper's lemmas bound, so that each lemma can be judged: Lemmas 2, 4, 5 and 11.

Notation of section 4.2: D(l) = 1 if the best arm is incumbent when round l begins, V(l, k) = 1 if D(l) = 1 and the best
arm lost one of the iterations 1 to k-1, B(l, k) = 1 if the incumbent of iteration k is the better arm, T(l, k) its
duels; a bar is 1 minus. In iteration 1 of round 1 the better of the two arms counts as the incumbent.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.problems import Problem
from winnerstays.theory.ruin import loss_probability, win_probability
from winnerstays.theory.subsets import sweeps


class WeakTerms(NamedTuple):
    """What Lemmas 4 and 5 bound in round l; of Lemma 4, the largest over iterations k."""

    round: int
    wrong_better: float  # E[Dbar B T]
    fallen_better: float  # E[V B T]
    wrong_worse: float  # sum over k of E[Dbar Bbar T]
    fallen_worse: float  # sum over k of E[V Bbar T]


def weak_terms(problem: Problem, rule: str = "literal") -> Iterator[WeakTerms]:
    """Yield the terms of each round of WS-W, without end."""
    best_arm = problem.winner
    better = problem.preferences.T > 0.5  # [challenger, incumbent]
    for step in sweeps(problem, rule):
        start = step.start
        if step.round == 1:  # the better arm is the incumbent; the other order of the same pair is the same duel
            start = np.where(better, start + start.T, 0.0)
        wrong, right = start.copy(), np.zeros_like(start)
        wrong[:, best_arm], right[:, best_arm] = 0.0, start[:, best_arm]
        starts_wrong = step.from_starts(wrong) * step.duration
        fallen = step.from_starts(right) * step.duration
        fallen[:, :, best_arm] = 0.0  # it began the round, so whoever else is incumbent came after its fall
        yield WeakTerms(
            step.round,
            *(float((duels * better).sum(axis=(1, 2)).max()) for duels in (starts_wrong, fallen)),
            *(float((duels * ~better).sum()) for duels in (starts_wrong, fallen)),
        )


def most_worse_incumbents(problem: Problem, rounds: int, rule: str = "literal") -> float:
    """Return the largest expected number of future iterations with a worse incumbent, over all states: Lemma 2.

    All incumbents, challengers and unplayed sets of the first half of `rounds` are looked at; the other half is there
    so that what is cut off does not matter.
    """
    return max(
        max(float(to_come.starts.max()), to_come.within)
        for to_come in _to_come(problem, rounds, rule, until_better_loses=False)
    )


def most_until_better_loses(problem: Problem, rounds: int, rule: str = "literal") -> float:
    """Return the largest f(i, l) of Lemma 11: worse incumbents from the beginning of round l, with incumbent i, on.

    Counting stops when a better incumbent loses. Who is challenged first is averaged over, given i.
    """
    expected = _to_come(problem, rounds, rule, until_better_loses=True)
    most = 0.0
    for to_come, step in zip(expected, sweeps(problem, rule), strict=False):
        weight = step.start.sum(axis=0)
        by_incumbent = (step.start * to_come.starts.T).sum(axis=0)
        most = max(most, float((by_incumbent[weight > 0] / weight[weight > 0]).max()))
    return most


class _ToCome(NamedTuple):
    """Worse incumbents to come in one round and all later ones."""

    starts: Floats  # [i, j]: with incumbent i and challenger j in iteration 1
    within: float  # the most, from within the round


def _to_come(problem: Problem, rounds: int, rule: str, *, until_better_loses: bool) -> list[_ToCome]:
    """Compute the expectations of the first half of the rounds, backwards from the last."""
    n_arms, preferences = problem.n_arms, problem.preferences
    arms = range(n_arms)
    sets = [frozenset(some) for size in range(1, n_arms - 1) for some in combinations(arms, size)]
    starts, to_come = np.zeros((n_arms, n_arms)), []
    for l in range(rounds, 0, -1):
        values: dict[tuple[int, frozenset[int]], float] = {}
        later = starts if rule == "literal" else np.tile(starts.sum(axis=1, keepdims=True) / (n_arms - 1), n_arms)

        def meet(i: int, j: int, left: frozenset[int], l: int, values: dict, later: Floats) -> float:  # type: ignore[type-arg]
            """Return the expectation from the iteration of i with challenger j on; then `left` is unplayed."""
            height, x = n_arms * l - 1 - len(left), float(preferences[i, j])
            stays, falls = (values[i, left], values[j, left]) if left else (later[i, j], later[j, i])
            falls = 0.0 if until_better_loses and x > 0.5 else falls
            counts = 1.0 if x < 0.5 and height > 1 else 0.0
            return float(counts + win_probability(x, height) * stays + loss_probability(x, height) * falls)

        for unplayed in sets:
            for i in arms:
                if i not in unplayed:
                    values[i, unplayed] = sum(meet(i, j, unplayed - {j}, l, values, later) for j in unplayed) / len(
                        unplayed
                    )
        starts = np.zeros((n_arms, n_arms))
        for i in arms:
            for j in arms:
                if i != j:
                    starts[i, j] = meet(i, j, frozenset(arms) - {i, j}, l, values, later)
        to_come.append(_ToCome(starts, max(values.values(), default=0.0)))
    return to_come[::-1][: (rounds + 1) // 2]
