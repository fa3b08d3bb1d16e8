"""The compiled driver is the procedure of `pick`: the same answers lead to the same calls."""

import numpy as np
import pytest

from benchmarks._pick_simulation import Judge, simulate_pick
from winnerstays import pick
from winnerstays.picking.procedure import CERTIFIED
from winnerstays.randomness import stream, uniform


def total_order(n_items, p):
    wins = np.full((n_items, n_items), p)
    wins[np.tril_indices(n_items)] = 1 - p
    np.fill_diagonal(wins, 0.5)
    return Judge(wins, np.zeros_like(wins))


def test_driver_and_pick_need_equally_many_calls():
    """100 picks each of 6 items, p = 0.75: means within 4 standard errors of their difference."""

    def calls_of_pick(run):
        rng = stream(5, run)

        def judge(left, right):
            better, worse = sorted((left, right))
            return better if uniform(rng) < 0.75 else worse

        result = pick([f"{k}" for k in range(6)], judge, seed=run)
        assert result.certified
        return result.calls

    mine = np.array([calls_of_pick(run) for run in range(100)])
    simulated = np.array([simulate_pick(total_order(6, 0.75), seed=1, run=run).calls for run in range(100)])
    error = np.sqrt(mine.var() / 100 + simulated.var() / 100)
    assert abs(mine.mean() - simulated.mean()) <= 4 * error


@pytest.mark.parametrize("strategy", ["pick", "random pairs", "all pairs"])
def test_every_strategy_finds_a_clear_winner(strategy):
    found = [simulate_pick(total_order(5, 0.9), strategy, seed=2, run=run) for run in range(5)]
    assert all(one.favourite == 0 and one.verdict == CERTIFIED for one in found)


def test_a_budget_ends_it():
    found = simulate_pick(total_order(5, 0.55), budget=30)
    assert found.calls == 30 and found.verdict != CERTIFIED


def test_many_calls_at_once_cost_little():
    """8 at once: at most 25 % more calls, 5 items p = 0.6 and 50 items p = 0.7 (means of 60 and 12 picks)."""
    for n_items, p, runs in ((5, 0.6, 60), (50, 0.7, 12)):
        judge = total_order(n_items, p)
        one, many = (
            np.mean([simulate_pick(judge, concurrency=lanes, seed=4, run=run).calls for run in range(runs)])
            for lanes in (1, 8)
        )
        assert many <= 1.25 * one
