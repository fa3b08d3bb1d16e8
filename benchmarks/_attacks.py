"""Matrices that hurt WS-T: found by `python -m benchmarks attack`, or made by hand."""

from collections.abc import Sequence

import numpy as np

from winnerstays.problems import Problem


def nearly_tied(chances: Sequence[float], within: float, across: float) -> str:
    """Return the text of a matrix: the best arm wins with these chances, the others are almost equal and ordered.

    `within` is the chance among arms that the best arm beats equally often, `across` among the rest.
    """
    p = np.full((len(chances) + 1, len(chances) + 1), 0.5)
    for j, chance in enumerate(chances, 1):
        p[0, j], p[j, 0] = chance, 1 - chance
        for i in range(1, j):
            p[i, j] = within if chances[i - 1] == chance else across
            p[j, i] = 1 - p[i, j]
    return "\n".join(" ".join(f"{value:.4f}" for value in row) for row in p)


ATTACKS: dict[str, tuple[str, str]] = {
    "attack-near-equal": (
        "a winner that beats ten arms narrowly and ten by far; the twenty are almost equal",
        nearly_tied([0.52] * 10 + [0.95] * 10, within=0.501, across=0.5005),
    ),
    "attack-one-close": (
        "a winner that beats one arm narrowly and eighteen by far; the nineteen are almost equal",
        nearly_tied([0.51] + [0.95] * 18, within=0.501, across=0.501),
    ),
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
    "attack-dts-6": (
        "found by the search beside dts, 6 arms, seed 0: 1.15 times its regret at 10^4 duels",
        """
        .500 .507 .709 .594 .588 .699
        .493 .500 .502 .501 .500 .609
        .291 .498 .500 .111 .526 .564
        .406 .499 .889 .500 .874 .500
        .412 .500 .474 .126 .500 .626
        .301 .391 .436 .500 .374 .500
        """,
    ),
    "attack-dts-6-b": (
        "found by the search beside dts, 6 arms, seed 1: 1.15 times its regret at 10^4 duels",
        """
        .500 .741 .738 .843 .988 .505
        .259 .500 .486 .449 .430 .637
        .262 .514 .500 .301 .520 .553
        .157 .551 .699 .500 .463 .648
        .012 .570 .480 .537 .500 .497
        .495 .363 .447 .352 .503 .500
        """,
    ),
    "attack-dts-8": (
        "found by the search beside dts, 8 arms, seed 1: 1.20 times its regret at 10^4 duels",
        """
        .500 .695 .575 .597 .505 .505 .582 .829
        .305 .500 .465 .903 .212 .335 .523 .456
        .425 .535 .500 .481 .852 .324 .855 .449
        .403 .097 .519 .500 .511 .325 .497 .535
        .495 .788 .148 .489 .500 .967 .480 .509
        .495 .665 .676 .675 .033 .500 .416 .386
        .418 .477 .145 .503 .520 .584 .500 .482
        .171 .544 .551 .465 .491 .614 .518 .500
        """,
    ),
    "attack-ws-s-3": (
        "found by the search beside ws-s, 3 arms, seed 1: 1.06 times its regret at 10^4 duels",
        """
        .500 .517 .513
        .483 .500 .457
        .487 .543 .500
        """,
    ),
    "attack-rmed1-3": (
        "found by the search beside rmed1, 3 arms, seed 0: 2.29 times its regret at 10^4 duels",
        """
        .500 .505 1.
        .495 .500 .505
        .000 .495 .500
        """,
    ),
    "attack-dts-5": (
        "found by 200 steps of the search beside dts, 5 arms, seed 5, with third arms: 1.72 times its regret",
        """
        .500 .907 .505 .505 .505
        .093 .500 .506 .229 .498
        .495 .494 .500 .838 .305
        .495 .771 .162 .500 .599
        .495 .502 .695 .401 .500
        """,
    ),
    "attack-dts-7": (
        "found by the search beside dts, 7 arms, seed 4, with third arms: 1.18 times its regret at 10^4 duels",
        """
        .500 .505 .505 .691 .512 .745 .516
        .495 .500 .483 .500 .394 .500 .534
        .495 .517 .500 .949 .000 .474 .561
        .309 .500 .051 .500 .478 .500 .502
        .488 .606 1.   .522 .500 .519 .397
        .255 .500 .526 .500 .481 .500 .477
        .484 .466 .439 .498 .603 .523 .500
        """,
    ),
    "attack-dts-8-b": (
        "found by the search beside dts, 8 arms, seed 3, with third arms: 1.17 times its regret at 10^4 duels",
        """
        .500 .760 .506 .505 .651 .645 .877 1.
        .240 .500 .529 .017 .470 .501 .547 .502
        .494 .471 .500 .362 .016 .741 .452 .479
        .495 .983 .638 .500 .227 .530 .521 .615
        .349 .530 .984 .773 .500 .349 .778 .422
        .355 .499 .259 .470 .651 .500 .398 .549
        .123 .453 .548 .479 .222 .602 .500 .494
        .000 .498 .521 .385 .578 .451 .506 .500
        """,
    ),
    "attack-rmed2-5": (
        "found by the search beside rmed2, 5 arms, seed 4, with third arms: 2.23 times its regret at 10^4 duels",
        """
        .500 .505 .517 .510 .519
        .495 .500 .249 .796 .796
        .483 .751 .500 .245 .288
        .490 .204 .755 .500 .299
        .481 .204 .712 .701 .500
        """,
    ),
    "attack-cycle-10": (
        "a winner by a little, and nine others of which each beats the next four by far; third arms were tuned on it",
        """
        .500 .560 .560 .560 .560 .560 .560 .560 .560 .560
        .440 .500 .850 .850 .850 .850 .150 .150 .150 .150
        .440 .150 .500 .850 .850 .850 .850 .150 .150 .150
        .440 .150 .150 .500 .850 .850 .850 .850 .150 .150
        .440 .150 .150 .150 .500 .850 .850 .850 .850 .150
        .440 .150 .150 .150 .150 .500 .850 .850 .850 .850
        .440 .850 .150 .150 .150 .150 .500 .850 .850 .850
        .440 .850 .850 .150 .150 .150 .150 .500 .850 .850
        .440 .850 .850 .850 .150 .150 .150 .150 .500 .850
        .440 .850 .850 .850 .850 .150 .150 .150 .150 .500
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
