"""Self-Sparring: what it counts, and the law of its pairs."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from winnerstays.algorithms import algorithm
from winnerstays.algorithms.self_sparring import choose, init
from winnerstays.compiling import COMPILED
from winnerstays.problems import cyclic
from winnerstays.randomness import stream
from winnerstays.testing import play

STATES = {
    "two alike": ([30, 30, 2], [20, 21, 12]),
    "a leader far ahead": ([200, 40, 3, 1], [80, 60, 15, 9]),
    "never played": ([12, 0, 0, 0, 4], [5, 0, 0, 0, 9]),
    "close and long": ([5000, 4900, 90], [4800, 4990, 130]),
    "a leader that never won": ([0, 3, 1], [6, 4, 2]),
}
"""Wins and losses."""


def largest_chances(won, lost):
    """P(arm i has the largest sample), by quadrature."""
    posteriors = [beta(a + 1, b + 1) for a, b in zip(won, lost, strict=True)]

    def of(i):
        others = [one for k, one in enumerate(posteriors) if k != i]
        edges = sorted({float(q) for one in posteriors for q in one.ppf([1e-9, 0.01, 0.5, 0.99, 1 - 1e-9])})
        inside = lambda x: posteriors[i].pdf(x) * np.prod([one.cdf(x) for one in others])  # noqa: E731
        return sum(quad(inside, low, high)[0] for low, high in zip([0, *edges], [*edges, 1], strict=True))

    return np.array([of(i) for i in range(len(won))])


def test_a_self_duel_counts_as_a_win_and_a_loss():
    won, lost, self_duels = np.zeros(4), np.zeros(4), 0
    for step in play(algorithm("self-sparring"), cyclic(), 300):
        assert (step.state.won == won).all() and (step.state.lost == lost).all()
        winner, loser = (step.first, step.second) if step.first_won else (step.second, step.first)
        won[winner] += 1
        lost[loser] += 1
        self_duels += winner == loser
    assert 0 < self_duels < 300


@pytest.mark.parametrize("name", STATES)
def test_pairs_are_two_independent_largest_samples(name):
    """Every pair of arms as often as by quadrature; 4 standard errors."""
    won, lost = map(np.array, STATES[name])
    draws, rng = 40_000 if COMPILED else 4000, stream(3)
    state = init(len(won), stream(0))._replace(won=won, lost=lost)
    seen = np.zeros((len(won), len(won)))
    for _ in range(draws):
        seen[choose(state, rng)] += 1 / draws
    chances = largest_chances(won, lost)
    assert abs(chances.sum() - 1) <= 1e-6
    expected = np.outer(chances, chances)
    assert (abs(seen - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws) + 2 / draws).all()
