"""The problems of the league, in named sets."""

from collections.abc import Iterable
from pathlib import Path

from winnerstays.errors import unknown
from winnerstays.problems import FIXED, GENERATED, Problem
from winnerstays.problems import problem as find_problem

SETS: dict[str, tuple[str, ...]] = {
    "paper": ("sushi", "mslr", "cyclic", "fifty"),
    "constant": ("total-order:n_arms=5,p=0.6", "total-order:n_arms=20,p=0.7", "total-order:n_arms=50,p=0.6"),
    "utilities": tuple(
        f"linear-utilities:n_arms={n},link={link},seed=2" for n in (10, 50, 200) for link in ("logit", "probit")
    ),
    "condorcet": (
        "random-condorcet:n_arms=10,seed=2",
        "random-condorcet:n_arms=30,seed=2",
        "random-condorcet:n_arms=100,seed=2",
        "random-order:n_arms=10,seed=2",
        "random-order:n_arms=50,seed=2",
    ),
    "types": ("three-types", "three-types:per_type=10,p=0.6"),
    "near-ties": (
        "total-order:n_arms=2,p=0.51",
        "total-order:n_arms=4,p=0.52",
        "total-order:n_arms=6,p=0.53",
        "total-order:n_arms=10,p=0.51",
    ),
    "large": ("total-order:n_arms=200,p=0.8", "total-order:n_arms=500,p=0.7"),
}
"""Problems by what they have in common; all of them have a Condorcet winner."""


def league_problems(asked: Iterable[str]) -> dict[str, Problem]:
    """Return problems by name: of named sets, of single names, or of files; those of all sets if none is asked.

    >>> list(league_problems(["types", "mslr"]))
    ['three-types', 'three-types:per_type=10,p=0.6', 'mslr']
    """
    names = [name for name_or_set in [*asked] or SETS for name in SETS.get(name_or_set, (name_or_set,))]
    return {name: _find(name) for name in dict.fromkeys(names)}


def _find(name: str) -> Problem:
    if name.replace("-", "").isalpha() and name not in {*FIXED, *GENERATED} and not Path(name).exists():
        raise unknown("set or problem", name, [*SETS, *FIXED, *GENERATED])
    problem = find_problem(name)
    problem.winner  # noqa: B018 - regret is not defined without one: said now, not after an hour
    return problem
