"""RMED and Thompson sampling against the fastest other implementation, and against their own rules computed anew."""

import time
from typing import Any

import numpy as np

from benchmarks.core import best_seconds, generic, row
from tests.naive_dts import NAIVE as NAIVE_DTS
from tests.naive_rmed import NAIVE as NAIVE_RMED
from winnerstays import problem
from winnerstays.problems import total_order
from winnerstays.simulation.run import Experiment, run_batch

HORIZON = 1_000_000
TARGETS = {"rmed1": "<= 60", "rmed2": "", "rmed2fh": "", "dts": "<= 1000", "dts+": "", "ecw-rmed": ""}
PEERS = {"rmed1": "; fastest peer (C++) 2,143", "dts": "; fastest peer (C++) 38,922"}


def nanoseconds(where: Any, name: str) -> float:
    return best_seconds(generic(where, name, HORIZON), 3) * 1e9 / HORIZON


def naive_nanoseconds(one: Any, where: Any, start: int, duels: int) -> float:
    """Of the duels after `start`."""
    times = np.array([start, start + duels])
    seconds = []
    for end in (times[:1], times):
        begin = time.process_time()
        run_batch(one, Experiment(where, int(end[-1]), end, 1), [0])
        seconds.append(time.process_time() - begin)
    return (seconds[1] - seconds[0]) * 1e9 / duels


def rows() -> list[dict[str, Any]]:
    found = []
    for name, target in TARGETS.items():
        sushi, fifty = (nanoseconds(problem(where), name) for where in ("sushi", "fifty"))
        found.append(
            row(f"{name}, sushi, horizon 1e6", sushi, "ns a duel", target, f"fifty {fifty:.1f}{PEERS.get(name, '')}")
        )
    many = total_order(500, 0.8)
    for name, one, start, duels in (
        ("rmed1", NAIVE_RMED["rmed1"], 124_750, 50),
        ("rmed2", NAIVE_RMED["rmed2"], 60_000, 2_000),
        ("dts", NAIVE_DTS["dts"], 10, 50),
    ):
        fast, slow = generic(many, name, HORIZON), naive_nanoseconds(one, many, start, duels)
        begin = time.process_time()
        fast()
        mine = (time.process_time() - begin) * 1e9 / HORIZON
        found.append(
            row(
                f"{name}, 500 arms, against its rules computed anew", slow / mine, "x", ">= 20", f"{mine:.0f} ns a duel"
            )
        )
    return found
