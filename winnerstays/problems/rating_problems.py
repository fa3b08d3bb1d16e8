"""Tables of ratings, such as MovieLens, as problems.

- The most rated items are the arms; of items rated equally often, the one that comes first in the file.
- If a person rated an item twice, the later rating counts: by the `timestamp`, or else in the file.
- Everyone together: P(i beats j) is the share of the people who rated both and rate i higher, equal ratings half.
- A problem for each person: a rating is a utility seen with noise, P = Phi((u_i - u_j) / (noise sqrt 2)). Few people
  use enough grades to have one favourite, so u_i is the rating drawn a little, by `shrink`, towards everybody's mean.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.rating_table import RatingTable, RatingTableBuilder
from winnerstays.problems.readers.duels import Rows
from winnerstays.problems.readers.limits import LOCAL, Limits
from winnerstays.problems.readers.table import BadRows, Table
from winnerstays.problems.selection import check_items
from winnerstays.wording import counted

ITEMS = 100
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


def read_ratings(
    table: Table, places: Mapping[str, int], items: int, skip_bad: bool, limits: Limits
) -> tuple[list[str], RatingTable, str]:
    """Return the names of the most rated items, their ratings, and what was left out."""
    check_items(items)
    bad, known = BadRows(skip_bad), Counter[str]()
    for _, rated, _, _ in _ratings(table, places, bad):
        known.update(rated)
        limits.check("items", len(known))
    if len(known) < 2:
        why = f": {bad.note}" if bad.number else ""
        raise WinnerstaysError(f"there are ratings of {len(known)} items, but at least 2 are needed{why}.")
    arms = {item: arm for arm, (item, _) in enumerate(known.most_common(items))}
    builder, read = RatingTableBuilder(), 0
    for users, rated, grades, times in _ratings(table, places, BadRows(skip_bad)):
        for user, item, grade, when in zip(users, rated, grades.tolist(), times.tolist(), strict=True):
            if item in arms:
                builder.add(user, arms[item], grade, when)
                read += 1
    ratings = builder.sorted()
    replaced = read - ratings.grade.size
    later = f"{counted(replaced, 'rating')} replaced by a later one of the same person and item" if replaced else ""
    return list(arms), ratings, "; ".join(filter(None, [later, bad.note]))


def _ratings(
    table: Table, places: Mapping[str, int], bad: BadRows
) -> Iterator[tuple[list[str], list[str], Floats, Floats]]:
    """Yield users, items, grades and times, many at once."""
    for block in table.blocks([*places.values()], bad):
        rows = Rows(table.header, places, block, bad)
        for role, what in (("user", "a person"), ("item", "an item")):
            rows.refuse([not cell for cell in rows.cells[role]], role, f"but it must name {what}")
        grades = rows.numbers("rating")
        times = rows.numbers("timestamp") if "timestamp" in places else np.zeros(grades.size)
        yield rows.kept(rows.cells["user"]), rows.kept(rows.cells["item"]), grades[rows.fine], times[rows.fine]
