"""Streams are what they claim to be, compiled or not."""

import numpy as np
import pytest
from scipy import stats

from winnerstays import randomness
from winnerstays.algorithms._shared import counts
from winnerstays.compiling import COMPILED
from winnerstays.randomness import below, shuffle, stream, uniform

DRAWS = 20_000 if COMPILED else 4000
ALPHA = 1e-4
"""The chance that a right generator would fail one of these tests; seeds are fixed, so it either does or does not."""


def test_the_stream_is_recorded():
    rng = stream(7, 0)
    assert [float(uniform(rng)) for _ in range(3)] == [0.06187412272095982, 0.4286700990668759, 0.4164716315395556]


def test_it_is_splitmix64():
    """The published first outputs for seed 1234567 and the golden-ratio increment."""
    rng = np.array([1234567, 0x9E3779B97F4A7C15], np.uint64)
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [int(uniform(rng) * 2**53) for _ in outputs] == [output >> 11 for output in outputs]


def test_streams_differ_by_seed_and_path():
    seen = {tuple(stream(*path).tolist()) for path in [(0,), (1,), (0, 0), (0, 1), (0, 0, 1), (0, 1, 0)]}
    assert len(seen) == 6
    assert all(stream(seed)[1] % 2 == 1 for seed in range(50))


def test_uniform():
    rng = stream(1)
    draws = np.array([uniform(rng) for _ in range(DRAWS)])
    assert draws.min() >= 0 and draws.max() < 1
    assert stats.kstest(draws, "uniform").pvalue > ALPHA
    assert stats.kstest(draws[::2], draws[1::2]).pvalue > ALPHA
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / np.sqrt(DRAWS)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_below_is_uniform(n):
    rng = stream(2, n)
    counts = np.bincount([below(rng, n) for _ in range(DRAWS)], minlength=n)
    assert counts.size == n and stats.chisquare(counts).pvalue > ALPHA


def test_shuffle_gives_every_order_alike():
    rng, counts = stream(3), {}
    for _ in range(DRAWS // 2):
        values = np.arange(3)
        shuffle(values, rng)
        counts[tuple(values.tolist())] = counts.get(tuple(values.tolist()), 0) + 1
    assert len(counts) == 6 and stats.chisquare(list(counts.values())).pvalue > ALPHA


def test_normal_gamma_and_beta_have_their_laws():
    rng = stream(4)
    for draw, law in [
        (lambda: randomness.normal(rng), stats.norm()),
        (lambda: randomness.gamma(rng, 1.0), stats.gamma(1)),
        (lambda: randomness.gamma(rng, 7.0), stats.gamma(7)),
        (lambda: randomness.beta(rng, 1.0, 1.0), stats.beta(1, 1)),
        (lambda: randomness.beta(rng, 3.0, 40.0), stats.beta(3, 40)),
    ]:
        assert stats.kstest([draw() for _ in range(DRAWS // 2)], law.cdf).pvalue > ALPHA


def test_kl_half_against_scipy():
    for p in (0.0, 0.1, 0.5, 0.73, 1.0):
        assert counts.kl_half(p) == pytest.approx(stats.entropy([p, 1 - p], [0.5, 0.5]), abs=1e-15)


def test_counting_duels():
    wins = counts.no_wins(3)
    for first, second, won in [(0, 1, True), (0, 1, False), (1, 0, True), (2, 2, True)]:
        counts.record(wins, first, second, won)
    assert wins.tolist() == [[0, 1, 0], [2, 0, 0], [0, 0, 0]]
    assert counts.played(wins, 0, 1) == 3 and counts.mean(wins, 1, 0) == 2 / 3 and counts.mean(wins, 0, 2) == 0.5
