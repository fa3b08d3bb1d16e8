"""The problems of Chen & Frazier (2017), and all problems that have a name."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from winnerstays.problems.generated import linear_utilities, random_condorcet, random_order, three_types, total_order
from winnerstays.problems.problem import Problem

MATRICES = Path(__file__).parent / "matrices"
"""P(row beats column), as the supplement prints it."""
SUSHI_NAMES = (
    "chu-toro", "toro", "salmon", "maguro", "ikura", "tai", "anago", "hotate", "ika", "aji", "unagi", "awabi", "saba",
    "geso", "tori-gai", "shako",
)  # fmt: skip


def _printed(name: str, note: str, items: Sequence[str] | None = None) -> Problem:
    return Problem(np.loadtxt(MATRICES / f"{name}.csv", delimiter=","), name=name, note=note, items=items)


def sushi() -> Problem:
    """16 kinds of sushi, preferences of 5000 people (Kamishima 2003, as printed by Chen & Frazier 2017)."""
    return _printed("sushi", "Chen & Frazier 2017, supplement", SUSHI_NAMES)


def mslr() -> Problem:
    """5 rankers for web search (MSLR, as printed by Chen & Frazier 2017, p(4,2) corrected from 0.276 to 0.273)."""
    return _printed(
        "mslr", "Chen & Frazier 2017, supplement; its p(4,2) = 0.276 is a misprint (p(2,4) = 0.727) and is 0.273 here"
    )


def cyclic() -> Problem:
    """4 arms: one beats all, the other three beat each other in a circle (Chen & Frazier 2017, supplement)."""
    return _printed("cyclic", "Chen & Frazier 2017, supplement")


def fifty() -> Problem:
    """50 totally ordered arms, the better one wins with probability 0.8 (Chen & Frazier 2017, simulated data)."""
    return total_order(50, 0.8, name="fifty")


FIXED: dict[str, Callable[[], Problem]] = {"sushi": sushi, "mslr": mslr, "cyclic": cyclic, "fifty": fifty}
GENERATED: dict[str, Callable[..., Problem]] = {
    "total-order": total_order,
    "linear-utilities": linear_utilities,
    "random-condorcet": random_condorcet,
    "random-order": random_order,
    "three-types": three_types,
}
