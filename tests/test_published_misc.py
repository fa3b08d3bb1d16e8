"""Binary weak regret after 20,000 duels against values from an independent implementation.

Those values came without run counts or errors. Ours, from 4,000 runs, are within 15 % of all sixteen, but six lie more
than 4 of our own standard errors away. The mechanics are not the reason: BTW and BtWR play the same duels as literal
versions, and on `cyclic` BTW's exact regret for ever is 349.9 (test_btw.py), below the 356 given for 20,000 duels.
So the given values have errors of their own. Sixteen means of about 200 runs each would scatter around ours as they do
(their squared differences, in standard errors, sum to 13.3); 200 runs is the assumption here.
"""

import math

import pytest

from winnerstays import simulate

ASSUMED_RUNS = 200
NAMES = ["ws-w", "btw", "btwr", "mbtw"]
GIVEN = {
    "cyclic": [52, 356, 2758, 56],
    "mslr": [46, 2431, 4541, 245],
    "sushi": [368, 6678, 6556, 5026],
    "fifty": [105, 579, 674, 3175],
}


@pytest.mark.slow
def test_weak_regret_after_20000_duels():
    """Each within 4 standard errors of the difference, and all together as close as chance would have it."""
    away = {}
    for problem, given in GIVEN.items():
        result = simulate(problem, NAMES, horizon=20_000, runs=4000, seed=1, times=[20_000])
        for name, value in zip(NAMES, given, strict=True):
            curve = result.curve(name, "weak-binary")
            spread = curve.sem[-1] * math.sqrt(curve.runs)
            error = spread * math.sqrt(1 / curve.runs + 1 / ASSUMED_RUNS)
            away[problem, name] = (curve.mean[-1] - value) / error
    assert max(map(abs, away.values())) <= 4, away
    # the 99.9 % quantile of chi-square with 16 degrees of freedom
    assert sum(z**2 for z in away.values()) <= 39.3, away
