"""The eliminating and UCB baselines against the fastest other implementations."""

from typing import Any

from benchmarks.core import best_seconds, generic, row
from winnerstays import problem
from winnerstays.problems import total_order

HORIZON = 1_000_000
PEERS = {"btm": 348, "if2": 133, "sparring": 274, "multisbm": 158}
"""Nanoseconds a duel of C++ code on sushi, on a 2-core machine."""
OTHERS = ("if1", "savage", "racing", "scb", "doubler")


def nanoseconds(where: Any, name: str) -> float:
    return best_seconds(generic(where, name, HORIZON), 3) * 1e9 / HORIZON


def rows() -> list[dict[str, Any]]:
    found = []
    for name in (*PEERS, *OTHERS):
        target = f"< {PEERS[name]}" if name in PEERS else ""
        others = [nanoseconds(where, name) for where in (problem("fifty"), total_order(500, 0.8))]
        note = "fifty {:.0f}, 500 arms {:.0f}".format(*others)
        found.append(row(f"{name}, sushi, horizon 1e6", nanoseconds(problem("sushi"), name), "ns a duel", target, note))
    return found
