"""Matrices that were found by searching for the worst of WS-T (`winnerstays attack`), and some made by hand."""

import numpy as np

from winnerstays.problems import Problem

ATTACKS: dict[str, tuple[str, str]] = {
    "attack-near-tie": (
        "the two best differ by .001, the others are far behind",
        """
        .500 .501 .700 .750 .800
        .499 .500 .700 .750 .800
        .300 .300 .500 .600 .650
        .250 .250 .400 .500 .600
        .200 .200 .350 .400 .500
        """,
    ),
    "attack-second-best": (
        "an arm that beats all others by far, and loses to the best one alone, narrowly",
        """
        .500 .530 .550 .550 .550 .550
        .470 .500 .950 .950 .950 .950
        .450 .050 .500 .600 .600 .600
        .450 .050 .400 .500 .600 .600
        .450 .050 .400 .400 .500 .600
        .450 .050 .400 .400 .400 .500
        """,
    ),
    "attack-long-cycle": (
        "a winner by a little, and seven others of which each beats the next three by far",
        """
        .500 .550 .550 .550 .550 .550 .550 .550
        .450 .500 .900 .900 .900 .100 .100 .100
        .450 .100 .500 .900 .900 .900 .100 .100
        .450 .100 .100 .500 .900 .900 .900 .100
        .450 .100 .100 .100 .500 .900 .900 .900
        .450 .900 .100 .100 .100 .500 .900 .900
        .450 .900 .900 .100 .100 .100 .500 .900
        .450 .900 .900 .900 .100 .100 .100 .500
        """,
    ),
    "attack-ties": (
        "a winner, and five others that are all equal",
        """
        .500 .600 .600 .600 .600 .600
        .400 .500 .500 .500 .500 .500
        .400 .500 .500 .500 .500 .500
        .400 .500 .500 .500 .500 .500
        .400 .500 .500 .500 .500 .500
        .400 .500 .500 .500 .500 .500
        """,
    ),
}
"""What each is, and its matrix."""


def attack(name: str) -> Problem:
    """Return the problem of that name.

    >>> attack("attack-near-tie").p1
    0.501
    """
    note, text = ATTACKS[name]
    rows = [row.split() for row in text.split("\n") if row.strip()]
    return Problem(np.array(rows, dtype=float), name=name, note=note)
