"""Self-Sparring: what it counts, and that samples which are not drawn leave the law of the duels as it is."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from winnerstays.algorithms import algorithm
from winnerstays.algorithms.self_sparring.bar import chance_above, log_density, marking_chance, set_bar
from winnerstays.algorithms.self_sparring.self_sparring import PATIENCE, choose, init, leap, quiet_duels, update
from winnerstays.compiling import COMPILED
from winnerstays.problems import cyclic
from winnerstays.randomness import stream, uniform
from winnerstays.testing import play

STATES = {
    "two alike": ([30, 30, 2], [20, 21, 12], 0),
    "a leader far ahead": ([200, 40, 3, 1], [80, 60, 15, 9], 0),
    "never played": ([12, 0, 0, 0, 4], [5, 0, 0, 0, 9], 0),
    "led by an arm that is not the best": ([9, 40, 3], [9, 20, 5], 0),
    "close and long": ([5000, 4900, 90], [4800, 4990, 130], 0),
    "a leader that never won": ([0, 3, 1], [6, 4, 2], 0),
    "one that never lost": ([7, 8, 1], [3, 0, 5], 1),
}
"""Wins, losses, the arm that has met itself."""


def state_of(won, lost, leader, **fields):
    fresh = init(len(won), stream(0))._replace(won=np.array(won), lost=np.array(lost), **fields)
    return fresh if not fields else set_bar(fresh, leader)


def largest_chances(won, lost):
    """P(arm i has the largest sample), by quadrature."""
    posteriors = [beta(a + 1, b + 1) for a, b in zip(won, lost, strict=True)]

    def of(i):
        others = [one for k, one in enumerate(posteriors) if k != i]
        edges = sorted({float(q) for one in posteriors for q in one.ppf([1e-9, 0.01, 0.5, 0.99, 1 - 1e-9])})
        inside = lambda x: posteriors[i].pdf(x) * np.prod([one.cdf(x) for one in others])  # noqa: E731
        return sum(quad(inside, low, high)[0] for low, high in zip([0, *edges], [*edges, 1], strict=True))

    return np.array([of(i) for i in range(len(won))])


def test_it_counts_duels_between_different_arms():
    won, lost = np.zeros(4), np.zeros(4)
    for step in play(algorithm("self-sparring"), cyclic(), 300):
        assert (step.state.won == won).all() and (step.state.lost == lost).all()
        if step.first != step.second:
            winner, loser = (step.first, step.second) if step.first_won else (step.second, step.first)
            won[winner] += 1
            lost[loser] += 1
    assert 0 < won.sum() < 300


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("calm", [0, PATIENCE])
def test_pairs_are_two_independent_largest_samples(name, calm):
    """Every pair of arms as often as by quadrature, with all samples drawn or with a bar; 4 standard errors."""
    won, lost, leader = STATES[name]
    draws, rng = 40_000 if COMPILED else 4000, stream(3)
    state = state_of(won, lost, leader, calm=PATIENCE) if calm else state_of(won, lost, leader)
    quiet = math.exp(2 * state.log_quiet) if calm else 0.0
    found = np.zeros((len(won), len(won)))
    for _ in range(draws):
        pair = (leader, leader) if uniform(rng) < quiet else choose(state, rng)
        found[pair] += 1 / draws
    chances = largest_chances(won, lost)
    assert abs(chances.sum() - 1) <= 1e-6
    expected = np.outer(chances, chances)
    assert (abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws) + 2 / draws).all()


def test_a_mark_is_at_least_as_likely_as_the_wrong_side():
    for won, lost, leader in STATES.values():
        state = state_of(won, lost, leader, calm=PATIENCE)
        for arm, (a, b) in enumerate(zip(won, lost, strict=True)):
            posterior = beta(a + 1, b + 1)
            wrong = posterior.cdf(state.bar) if arm == leader else posterior.sf(state.bar)
            assert wrong * (1 - 1e-9) <= marking_chance(state, arm) <= 1


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (0, 9), (7, 0), (3, 2), (40, 90), (100_000, 70_000)])
def test_density_and_tangent(won, lost):
    posterior = beta(won + 1, lost + 1)
    for x in (0.05, 0.3, 0.6, 0.999):
        assert log_density(won, lost, x) == pytest.approx(posterior.logpdf(x), rel=1e-9, abs=1e-9)
        assert chance_above(won, lost, x) >= posterior.sf(x) * (1 - 1e-9)


def test_quiet_duels_are_geometric():
    """Mean and share of none, 4 standard errors; what is never quiet ends at once, what always is does not."""
    state, rng, draws = state_of([12, 3], [3, 12], 0, calm=PATIENCE), stream(5), 20_000 if COMPILED else 4000
    loud = -math.expm1(2 * state.log_quiet)
    drawn = np.array([quiet_duels(state, rng) for _ in range(draws)])
    assert 0.001 < loud < 0.5
    assert abs(drawn.mean() - (1 - loud) / loud) <= 4 * math.sqrt((1 - loud) / draws) / loud
    assert abs((drawn == 0).mean() - loud) <= 4 * math.sqrt(loud * (1 - loud) / draws)
    assert quiet_duels(state._replace(log_quiet=-math.inf), rng) == 0
    assert quiet_duels(state._replace(log_quiet=0.0), rng) >= 2**61


def test_self_duels_can_be_leapt_over():
    """Leaping over the certain duels gives the state that playing them does, without a random number."""
    state, rng = state_of([90, 10, 5], [30, 20, 50], 0, calm=PATIENCE), stream(8)
    state = state._replace(until=7)
    played = state
    before = rng.copy()
    for _ in range(7):
        assert choose(played, rng) == (0, 0)
        played = update(played, 0, 0, True, rng)
    assert (rng == before).all() and played.t == leap(state, 7).t == 7 and played.until == 7
    played = update(played, 0, 0, True, rng)  # the duel that needed a look ended like all others
    assert (rng != before).any() and played.until >= played.t == 8
    learned = update(played, 0, 1, True, rng)
    assert learned.calm == 0 and learned.until == learned.t == 9
