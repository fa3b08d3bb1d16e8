"""Ranks that are shared where intervals do not tell."""

import numpy as np
import pytest

from winnerstays.intervals import shared_ranks


@pytest.mark.parametrize("size", [1, 2, 7, 200])
def test_ranks_count_the_intervals_above(size):
    """The same as comparing each with each, ends that are equal included."""
    rng = np.random.default_rng(size)
    lows = rng.integers(0, 20, size) / 20
    highs = lows + rng.integers(0, 10, size) / 20
    assert shared_ranks(lows, highs) == [1 + sum(low > high for low in lows) for high in highs]
