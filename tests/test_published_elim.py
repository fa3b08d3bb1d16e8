"""Average strong regret of the eliminating and UCB baselines, against other people's implementations.

The other implementations' numbers are means over their runs. A difference may be 4 standard errors of the difference.
"""

import math

import pytest

from winnerstays import simulate

pytestmark = pytest.mark.slow

AT_1E5 = {
    "btm": (7136, 36),
    "if2": (5150, 126),
    # That library plays every active arm also against itself, at half the rate of a pair, and has N where the paper has
    # the number of pairs in eta. Alone, the first would raise the regret to about 4790 and the second lower it to
    # about 4150; together they cancel: 4452 +- 29 in 60 runs of its rules, 4419 +- 24 of the paper's.
    "savage": (4399, 22),
    "sparring": (2138, 8),
    "multisbm": (6336, 20),
    # That code has other epochs (1000, then 1000000 duels), and for pairs a divergence bound in place of Hoeffding's.
    # Its rules give 18518 +- 448 in 100 runs of a transcription, those here 20548 +- 227 in 400, random pairs 22444.
    "scb": (18_714, 867),
}
"""Sushi, 100000 duels: mean and standard error; SCB from Wu's code (20 runs), all others from Komiyama's (100 runs)."""


def regret(problem, name, horizon, runs, times=None):
    curve = simulate(problem, name, horizon=horizon, runs=runs, seed=1, times=times or [horizon])
    return curve.curve(name, "strong-average")


@pytest.mark.parametrize("name", AT_1E5)
def test_regret_on_sushi_is_that_of_other_implementations(name):
    value, error = AT_1E5[name]
    curve = regret("sushi", name, 10**5, 100 if name == "scb" else 400)
    assert abs(curve.mean[-1] - value) <= 4 * math.hypot(error, curve.sem[-1]), f"{curve.mean[-1]} +- {curve.sem[-1]}"


@pytest.mark.parametrize("name", ["btm", "if2", "savage"])
def test_those_values_are_for_the_horizon_at_which_they_were_read(name):
    """Told to plan for 1000000 duels, the three are far above at 100000: the reference runs knew they had 100000."""
    value, error = AT_1E5[name]
    curve = regret("sushi", name, 10**6, 400, times=[10**5])
    assert curve.mean[-1] - value > 3 * math.hypot(error, curve.sem[-1])


LIBRARY_RUNS = {"mslr": 8, "cyclic": 8, "sushi": 2}
AT_1E6 = {
    ("mslr", "btm"): 2220,
    ("mslr", "if2"): 2028,
    ("mslr", "sparring"): 1537,
    ("mslr", "multisbm"): 2142,
    ("cyclic", "btm"): 2139,
    ("cyclic", "if2"): 1851,
    ("cyclic", "multisbm"): 2305,
    ("sushi", "btm"): 11043,
    ("sushi", "if2"): 8819,
    ("sushi", "sparring"): 4201,
    ("sushi", "multisbm"): 10102,
}
"""Komiyama's library with its defaults after 1000000 duels, of which it knew. No standard errors are given with them;
they are estimated from the spread of the runs here and the number of runs there."""


@pytest.mark.parametrize(("problem", "name"), AT_1E6)
def test_regret_after_a_million_duels_is_the_librarys(problem, name):
    curve = regret(problem, name, 10**6, 100)
    error = curve.sem[-1] * math.sqrt(curve.runs / LIBRARY_RUNS[problem])
    away = abs(curve.mean[-1] - AT_1E6[problem, name])
    assert away <= 4 * math.hypot(error, curve.sem[-1]), f"{curve.mean[-1]} +- {curve.sem[-1]}"


def test_sparring_on_the_cyclic_problem_is_as_in_the_seed_papers_figure():
    """The library's mean, 5028, is of 8 runs with one that went astray; the figure shows about 1140.

    No standard error can be had for a value read off a figure; its reading error is a few percent, taken as 5.
    """
    curve = regret("cyclic", "sparring", 10**6, 100)
    assert curve.mean[-1] == pytest.approx(1140, rel=0.05)


def test_pruning_makes_if2_better_than_if1():
    one, two = (regret("sushi", name, 10**5, 400) for name in ("if1", "if2"))
    assert one.mean[-1] - two.mean[-1] > 3 * math.hypot(one.sem[-1], two.sem[-1])
