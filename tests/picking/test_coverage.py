"""A wrong item is certified in at most 1 - level of simulated picks; with cycles, where every item is wrong, too.

The compiled driver runs the same procedure as `pick` (test_simulation.py compares them call by call).
"""

import math
import random

import numpy as np
import pytest

from benchmarks._pick_simulation import Judge, simulate_pick
from winnerstays.picking import Picker
from winnerstays.picking.bets import Answers
from winnerstays.picking.procedure import CERTIFIED, CYCLE, INDIFFERENT


def order(n_items, p, top=None):
    """The first beats the second with `top`, all other better ones the worse with p."""
    wins = np.full((n_items, n_items), 0.5) + (p - 0.5) * (
        np.triu(np.ones((n_items, n_items)), 1) - np.tril(np.ones((n_items, n_items)), -1)
    )
    if top is not None:
        wins[0, 1], wins[1, 0] = top, 1 - top
    return wins


def cycle(n_items, p):
    """Everyone beats the next half of the others: no item beats all others (an odd number of items)."""
    ahead = (np.arange(n_items)[None, :] - np.arange(n_items)[:, None]) % n_items
    return np.where(ahead == 0, 0.5, np.where(ahead <= n_items // 2, p, 1 - p))


CASES = {
    "2 items, near-tie": (order(2, 0.52), 0),
    "5 items, near-tie at the top": (order(5, 0.6, top=0.53), 0),
    "8 items": (order(8, 0.6), 0),
    "50 items": (order(50, 0.75), 0),
    "50 items, near-tie at the top": (order(50, 0.75, top=0.55), 0),
    "3 in a cycle": (cycle(3, 0.6), None),
    "7 in a cycle": (cycle(7, 0.65), None),
}


def wrong_certificates(name, level, runs, budget, *, ties=0.0, concurrency=1):
    wins, best = CASES[name]
    judge = Judge(wins * (1 - ties), np.where(np.eye(len(wins)) == 1, 0.0, ties))
    found = [
        simulate_pick(judge, level=level, budget=budget, concurrency=concurrency, seed=11, run=run)
        for run in range(runs)
    ]
    wrong = sum(one.verdict == CERTIFIED and one.favourite != best for one in found)
    lost = sum(one.verdict == CYCLE for one in found) if best is not None else 0
    print(f"{name}, level {level}: of {runs} picks {wrong} certified a wrong item, {lost} lost the best")
    return wrong + lost


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("name", CASES)
def test_coverage(name, level):
    """150 picks a case, 4 standard errors of the bound: 2,100 in all."""
    runs = 150
    margin = 4 * math.sqrt(level * (1 - level) / runs)
    assert wrong_certificates(name, level, runs, 3000) / runs <= 1 - level + margin


def test_coverage_with_ties_and_many_calls_at_once():
    runs = 300
    wrong = wrong_certificates("5 items, near-tie at the top", 0.9, runs, 4000, ties=0.3, concurrency=8)
    assert wrong / runs <= 0.1 + 4 * math.sqrt(0.1 * 0.9 / runs)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("name", CASES)
def test_coverage_of_ten_thousand_picks(name, level):
    """1,000 picks a case with room to end: 14,000 in all; no margin, the bound itself."""
    assert wrong_certificates(name, level, 1000, 20_000) / 1000 <= 1 - level


def test_indifference_is_rarely_claimed_of_a_better_item():
    """The second item of two is better by 0.1; at indifference 0.05 it is claimed to be as good in at most 10 %."""
    judge = Judge(order(2, 0.6), np.zeros((2, 2)))
    found = [simulate_pick(judge, level=0.9, indifference=0.05, seed=3, run=run) for run in range(400)]
    wrong = sum(one.verdict == INDIFFERENT or one.favourite != 0 for one in found)
    assert wrong / 400 <= 0.1 + 4 * math.sqrt(0.09 / 400)
    coin = Judge(np.full((3, 3), 0.5), np.zeros((3, 3)))
    ends = [simulate_pick(coin, indifference=0.1, seed=3, run=run, budget=20_000).verdict for run in range(50)]
    assert ends.count(INDIFFERENT) >= 40


def wrong_picks(share, runs, **options):
    """Of picks of two items, how often the one was certified that wins the smaller share of the examples."""
    wrong = 0
    for run in range(runs):
        answers = share(random.Random(run))
        picker = Picker(["a", "b"], examples=range(len(answers)), seed=run, level=0.9, **options)
        failures = random.Random(1000 + run)
        while picker.stop is None:
            for question in picker.ask(16):
                if failures.random() < 0.1:
                    picker.fail(question)
                else:
                    picker.tell(question, "ab"[answers[question.example]])
        wrong += picker.stop == "certified" and picker.verdict().best == "b"
    print(f"{options}: {wrong} of {runs}")
    return wrong / runs


MARGIN = 4 * math.sqrt(0.09 / 300)


@pytest.mark.parametrize("concurrency", [1, 16])
def test_on_these_examples_the_majority_is_rarely_missed(concurrency):
    """16 of 30 examples are for a; every tenth call fails. 300 picks at level 0.9, 4 standard errors."""
    wrong = wrong_picks(lambda rng: rng.sample([0] * 16 + [1] * 14, 30), 300, concurrency=concurrency)
    assert wrong <= 0.1 + MARGIN


@pytest.mark.parametrize("concurrency", [1, 16])
def test_on_new_examples_the_better_one_is_rarely_missed(concurrency):
    """Of all examples 52 % are for a; 100 are drawn, and of these many have a majority for b. As above."""
    wrong = wrong_picks(
        lambda rng: [int(rng.random() < 0.48) for _ in range(100)], 300, concurrency=concurrency, claim="new"
    )
    assert wrong <= 0.1 + MARGIN


def test_grades_that_cancel_out_are_rarely_called_a_difference():
    """30 % "much better" for the one, 60 % "slightly better" for the other: mean 1/2. 200 tests at level 0.95."""
    wrong = 0
    for seed in range(200):
        rng, answers = random.Random(seed), Answers()
        values = [1.0 if u < 0.3 else 0.25 if u < 0.9 else 0.5 for u in (rng.random() for _ in range(600))]
        wrong += max(map(answers.tell, values)) >= math.log(1 / 0.05)
    assert wrong / 200 <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 200)
