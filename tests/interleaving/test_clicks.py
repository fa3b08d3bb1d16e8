"""Simulated searchers against what their probabilities say."""

import math

import pytest

from winnerstays.errors import WinnerstaysError
from winnerstays.interleaving import CLICK_MODELS, simulate_clicks

SEARCHERS = 4000


def share(model, grades, event):
    return sum(event(simulate_clicks(model, grades, seed=seed)) for seed in range(SEARCHERS)) / SEARCHERS


@pytest.mark.parametrize(
    ("model", "grades", "event", "p"),
    [
        ("perfect", [2], lambda clicks: clicks == [1], 0.4),
        ("perfect", [3, 3], lambda clicks: clicks == [1, 2], 0.8**2),
        ("navigational", [4, 4], lambda clicks: clicks == [1], 0.95 * (0.9 + 0.1 * 0.05)),
        ("informational", [0, 4], lambda clicks: 2 in clicks, (1 - 0.4 * 0.1) * 0.9),
        ("position-based", [4, 4, 4], lambda clicks: 3 in clicks, 0.95 / 3),
        ("random", [0, 4], lambda clicks: clicks == [2], 0.25),
    ],
)
def test_clicks_come_as_often_as_the_model_says(model, grades, event, p):
    assert abs(share(model, grades, event) - p) < 4 * math.sqrt(p * (1 - p) / SEARCHERS)


@pytest.mark.parametrize("model", CLICK_MODELS)
def test_no_one_clicks_a_list_of_nothing(model):
    assert simulate_clicks(model, []) == []


def test_refusals():
    with pytest.raises(WinnerstaysError, match="no click model 'informal'; did you mean 'informational'"):
        simulate_clicks("informal", [1])
    for grade in (5, -1, 0.5, True):
        with pytest.raises(WinnerstaysError, match=f"A grade is {grade}, but it must be a whole number from 0 to 4"):
            simulate_clicks("perfect", [0, grade])
