"""WS-Deficit: the keys, and the step of docs/proofs/ws-deficit.md that bounds how far two other arms come apart."""

import math

import numpy as np
import pytest

from benchmarks._attacks import attack
from winnerstays import algorithm
from winnerstays.problems import random_condorcet, total_order
from winnerstays.testing import play


@pytest.mark.parametrize("where", [total_order(12, 0.6), random_condorcet(8, seed=3), attack("attack-ties")])
def test_keys_follow_from_the_margins_and_bound_them(where):
    n, widest = where.n_arms, 0
    for seed in range(3):
        margin, deepest = np.zeros((n, n), int), np.zeros(n, int)
        for step in play(algorithm("ws-deficit"), where, 1500, seed):
            score = margin.sum(axis=1)
            key = np.maximum(-margin, 0).sum(axis=1) - 2 * np.sign(score) * np.sqrt(abs(score))
            assert sorted(key)[:2] == pytest.approx(sorted(key[[step.first, step.second]]), abs=1e-6)
            won = 1 if step.first_won else -1
            margin[step.first, step.second] += won
            margin[step.second, step.first] -= won
            deepest = np.maximum(deepest, -margin[where.best_arm])
            others = np.delete(np.delete(margin, where.best_arm, 0), where.best_arm, 1)
            apart, m = abs(others).max(), int(deepest.sum())
            assert apart <= 2 * (1 + m + 2 * math.sqrt(m)) + 5 * (n - 2) + 2 * math.sqrt(m)
            widest = max(widest, apart)
    assert widest > 1
