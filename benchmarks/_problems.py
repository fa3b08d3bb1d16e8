"""The problems of studies: those of the league, the attacks, and those by which the constants of WS-T were chosen."""

from collections.abc import Iterable

from benchmarks._attacks import ATTACKS, attack
from winnerstays.league.problems import league_problems
from winnerstays.problems import Problem

TUNING = (
    "total-order:n_arms=4,p=0.53",
    "total-order:n_arms=8,p=0.55",
    "total-order:n_arms=40,p=0.65",
    "random-condorcet:n_arms=12,seed=12",
    "random-condorcet:n_arms=30,seed=11",
    "linear-utilities:n_arms=15,seed=11,link=logit",
    "three-types:per_type=4,p=0.6",
    "random-condorcet:n_arms=10,seed=21",
    "random-order:n_arms=12,seed=11",
    "attack-cycle-10",
)
"""Problems by which the constants of WS-T were chosen; they are no part of the league."""
ATTACKING = tuple(name for name in ATTACKS if name not in TUNING)
LOOKED_AT = frozenset(
    {"sushi", "mslr", "cyclic", "total-order:n_arms=4,p=0.52", "total-order:n_arms=10,p=0.51",
     "total-order:n_arms=50,p=0.6", "total-order:n_arms=6,p=0.53", "random-condorcet:n_arms=30,seed=2", "fifty",
     "linear-utilities:n_arms=50,link=logit,seed=2"}
)  # fmt: skip
"""Problems of the league on which variants of WS-T were also run while its rule was made."""


def find_problems(names: Iterable[str]) -> dict[str, Problem]:
    """Return problems by name: attacks, and whatever the league has.

    >>> list(find_problems(["mslr", "attack-ties"]))
    ['mslr', 'attack-ties']
    """
    found: dict[str, Problem] = {}
    for name in names:
        found |= {name: attack(name)} if name in ATTACKS else league_problems([name])
    return found
