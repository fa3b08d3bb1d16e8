"""Simulated searchers: which results of a list they click, in which order, given how relevant each result is.

All look from the top down, click what seems relevant, and may stop after a click. Grades are 0 to 4, as in MSLR-WEB.
The chances of the cascade models are those of the literature (Hofmann et al. 2011, Schuth et al. 2014).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import kernel
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.randomness import Rng, check_seed, stream, uniform

TOP_GRADE = 4


class ClickModel(NamedTuple):
    """Chances by grade, and how fast attention decays: position k is looked at with chance k^-decay."""

    click: Floats
    stop: Floats
    decay: float = 0.0


CLICK_MODELS = {
    "perfect": ClickModel(np.array([0.0, 0.2, 0.4, 0.8, 1.0]), np.zeros(5)),
    "navigational": ClickModel(np.array([0.05, 0.3, 0.5, 0.7, 0.95]), np.array([0.2, 0.3, 0.5, 0.7, 0.9])),
    "informational": ClickModel(np.array([0.4, 0.6, 0.7, 0.8, 0.9]), np.array([0.1, 0.2, 0.3, 0.4, 0.5])),
    "position-based": ClickModel(np.array([0.05, 0.3, 0.5, 0.7, 0.95]), np.zeros(5), decay=1.0),
    "random": ClickModel(np.full(5, 0.5), np.zeros(5)),
}


def click_model(name: str) -> ClickModel:
    """Return the click model of this name."""
    if name not in CLICK_MODELS:
        raise unknown("click model", name, CLICK_MODELS)
    return CLICK_MODELS[name]


def simulate_clicks(model: ClickModel | str, grades: Sequence[int], *, seed: int = 0) -> list[int]:
    """Return the positions, from 1, that a searcher clicks on a list of results with these grades.

    >>> simulate_clicks("perfect", [0, 4, 0, 4])
    [2, 4]
    """
    known = np.array(grades, dtype=object)
    wrong = next((grade for grade in known if type(grade) is not int or not 0 <= grade <= TOP_GRADE), None)
    if wrong is not None:
        raise WinnerstaysError(f"A grade is {wrong!r}, but it must be a whole number from 0 to {TOP_GRADE}.")
    chosen = click_model(model) if isinstance(model, str) else model
    clicks = np.empty(len(grades), np.int64)
    n = add_clicks(chosen, known.astype(np.int64), len(grades), clicks, stream(check_seed(seed)))
    return [int(place) + 1 for place in clicks[:n]]


@kernel
def add_clicks(model: ClickModel, grades: Ints, shown: int, clicks: Ints, rng: Rng) -> int:
    """Write the places that are clicked, from 0, and return how many."""
    n = 0
    for place in range(shown):
        if model.decay > 0.0 and uniform(rng) >= (place + 1.0) ** -model.decay:
            continue
        grade = grades[place]
        if uniform(rng) < model.click[grade]:
            clicks[n] = place
            n += 1
            if model.stop[grade] > 0.0 and uniform(rng) < model.stop[grade]:
                break
    return n
