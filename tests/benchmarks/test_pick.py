"""The rivals of `pick`: algorithms of the library that choose the pairs, with the same stop."""

import numpy as np
import pytest

from benchmarks._pick_rivals import player
from benchmarks._pick_simulation import Judge, simulate_pick
from benchmarks.pick import order
from winnerstays.picking.procedure import CERTIFIED


@pytest.mark.parametrize("name", ["ws-w", "dts", "random pairs"])
def test_every_rival_finds_a_clear_winner(name):
    judge = Judge(order(5, 0.9), np.zeros((5, 5)))
    found = [simulate_pick(judge, player(name), seed=2, run=run) for run in range(5)]
    assert all(one.favourite == 0 and one.verdict == CERTIFIED for one in found)
