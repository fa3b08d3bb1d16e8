"""Ratings as problems.

- Everyone together: P(i beats j) is the share of the people who rated both and rate i higher, equal ratings half.
- A problem for each person: a rating is a utility seen with noise, P = Phi((u_i - u_j) / (noise sqrt 2)). Few people
  use enough grades to have one favourite, so u_i is the rating drawn a little, by `shrink`, towards everybody's mean.
"""

from collections.abc import Mapping

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.limits import LOCAL, Limits
from winnerstays.problems.readers.ratings import ITEMS, read_ratings
from winnerstays.problems.readers.table import Table
from winnerstays.wording import counted

USERS_AT_ONCE = 2_000


def rating_problem(
    table: Table,
    places: Mapping[str, int],
    note: str,
    *,
    items: int | None = None,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
    limits: Limits = LOCAL,
) -> Problem:
    """Return the choices of a random person among those who rated both items."""
    names, ratings, left_out = read_ratings(table, places, items or ITEMS, skip_bad, limits)
    n_arms, users = len(names), len(ratings.users)
    wins = np.zeros((n_arms, n_arms))
    for low in range(0, users, USERS_AT_ONCE):
        grades = ratings.table(low, min(low + USERS_AT_ONCE, users), n_arms)
        for arm in range(n_arms):
            here = grades[~np.isnan(grades[:, arm])]
            own = here[:, arm : arm + 1]
            wins[arm] += (own > here).sum(axis=0) + (own == here).sum(axis=0) / 2
    np.fill_diagonal(wins, 0)
    if not wins.any():
        raise WinnerstaysError(
            f"there are {n_arms} items, but no two of them were compared: nobody rated two; a larger --items may help "
            "(items= in Python)."
        )
    summary = f"{counted(ratings.grade.size, 'rating')} by {users} people; equal ratings are half a win for both"
    summary = "; ".join(filter(None, [summary, left_out, note]))
    return Problem.from_counts(wins, prior=prior, fit=fit, items=names, note=summary)


def problems_by_person(
    table: Table,
    places: Mapping[str, int],
    title: str,
    *,
    items: int = ITEMS,
    min_ratings: int = 20,
    people: int = 1000,
    noise: float = 1.0,
    shrink: float = 0.2,
    skip_bad: bool = False,
    limits: Limits = LOCAL,
) -> list[Problem]:
    """Return a problem for everyone who rated at least `min_ratings` of the items, those who rated most first."""
    if min_ratings < 2:
        raise WinnerstaysError(f"min_ratings is {min_ratings}, but it must be at least 2: one rating compares nothing.")
    if not 0 <= shrink < 1:
        raise WinnerstaysError(f"shrink is {shrink}, but it must be at least 0 and below 1.")
    names, ratings, _ = read_ratings(table, places, items, skip_bad, limits)
    means = np.bincount(ratings.arm, ratings.grade) / np.bincount(ratings.arm)
    rated = np.diff(ratings.start)
    problems = []
    for number in np.argsort(-rated, kind="stable")[: min(people, int((rated >= min_ratings).sum()))].tolist():
        arms, grades = ratings.of(number)
        wins = (grades[:, None] > grades) + (grades[:, None] == grades) / 2
        np.fill_diagonal(wins, 0)
        problem = Problem.from_utilities(
            (1 - shrink) * grades + shrink * means[arms], noise, counts=wins, items=[names[arm] for arm in arms],
            name=f"{title}-{ratings.users[number]}",
            note=f"{arms.size} ratings, each compared once with each other; noise {noise:g}",
        )  # fmt: skip
        problems.append(problem)
    if not problems:
        raise WinnerstaysError(
            f"nobody rated {min_ratings} of the {len(names)} most rated items (most: {rated.max()}); lower min_ratings "
            "or raise items."
        )
    return problems
