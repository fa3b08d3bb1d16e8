"""The problems of Chen & Frazier (2017), typed in from its supplement, and all problems that have a name."""

from collections.abc import Callable, Sequence

import numpy as np

from winnerstays.problems.generated import linear_utilities, random_condorcet, random_order, three_types, total_order
from winnerstays.problems.problem import Problem

SUSHI = """
.500 .512 .622 .655 .698 .726 .711 .708 .749 .800 .741 .783 .847 .817 .854 .868
.488 .500 .602 .683 .652 .776 .663 .683 .738 .709 .786 .802 .830 .850 .871 .873
.378 .398 .500 .528 .554 .533 .534 .591 .573 .593 .661 .705 .734 .672 .787 .822
.345 .317 .472 .500 .553 .619 .566 .641 .675 .687 .665 .696 .803 .823 .796 .844
.302 .348 .446 .447 .500 .513 .524 .518 .608 .538 .643 .610 .695 .672 .681 .775
.274 .224 .467 .381 .487 .500 .513 .559 .575 .621 .591 .701 .702 .787 .829 .811
.289 .337 .466 .434 .476 .487 .500 .559 .553 .613 .564 .607 .703 .735 .736 .801
.292 .317 .409 .359 .482 .441 .441 .500 .556 .527 .562 .580 .668 .805 .777 .767
.251 .262 .427 .325 .392 .425 .447 .444 .500 .512 .548 .542 .612 .786 .710 .685
.200 .291 .407 .313 .462 .379 .387 .473 .488 .500 .543 .579 .613 .718 .685 .747
.259 .214 .339 .335 .357 .409 .436 .438 .452 .457 .500 .564 .625 .618 .702 .684
.217 .198 .295 .304 .390 .299 .393 .420 .458 .421 .436 .500 .542 .644 .700 .733
.153 .170 .266 .197 .305 .298 .297 .332 .388 .387 .375 .458 .500 .577 .607 .596
.183 .150 .328 .177 .328 .213 .265 .195 .214 .282 .382 .356 .423 .500 .578 .637
.146 .129 .213 .204 .319 .171 .264 .223 .290 .315 .298 .300 .393 .422 .500 .586
.132 .127 .178 .156 .225 .189 .199 .233 .315 .253 .316 .267 .404 .363 .414 .500
"""
SUSHI_NAMES = (
    "chu-toro", "toro", "salmon", "maguro", "ikura", "tai", "anago", "hotate", "ika", "aji", "unagi", "awabi", "saba",
    "geso", "tori-gai", "shako",
)  # fmt: skip
MSLR = """
.500 .535 .613 .757 .765
.465 .500 .580 .727 .738
.387 .420 .500 .659 .669
.243 .273 .341 .500 .510
.235 .262 .331 .490 .500
"""
CYCLIC = """
.500 .600 .600 .600
.400 .500 .600 .400
.400 .400 .500 .600
.400 .600 .400 .500
"""


def _printed(text: str, name: str, note: str, items: Sequence[str] | None = None) -> Problem:
    preferences = np.array([row.split() for row in text.split("\n") if row], dtype=float)
    return Problem(preferences, name=name, note=note, items=items)


def sushi() -> Problem:
    """16 kinds of sushi, preferences of 5000 people (Kamishima 2003, as printed by Chen & Frazier 2017)."""
    return _printed(SUSHI, "sushi", "Chen & Frazier 2017, supplement", SUSHI_NAMES)


def mslr() -> Problem:
    """5 rankers for web search (MSLR, as printed by Chen & Frazier 2017, p(4,2) corrected from 0.276 to 0.273)."""
    return _printed(
        MSLR,
        "mslr",
        "Chen & Frazier 2017, supplement; its p(4,2) = 0.276 is a misprint (p(2,4) = 0.727) and is 0.273 here",
    )


def cyclic() -> Problem:
    """4 arms: one beats all, the other three beat each other in a circle (Chen & Frazier 2017, supplement)."""
    return _printed(CYCLIC, "cyclic", "Chen & Frazier 2017, supplement")


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
