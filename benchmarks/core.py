"""Measure the simulator: against a hand-fused loop, by arms, threads, horizon and memory."""

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, uint64

from benchmarks._timing import best_seconds, one_run, row
from winnerstays import problem, simulate
from winnerstays.problems import total_order


@njit(nogil=True)
def fused(preferences, loss, horizon, position, increment):
    """WS-W (last loser first) as one function, by hand: no state, no contract, one regret."""
    n = preferences.shape[0]
    others = np.arange(1, n)
    incumbent, l, k, margin = 0, 1, 1, 0
    regret = 0.0
    for _ in range(horizon):
        challenger = others[k - 1]
        position += increment
        z = (position ^ (position >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
        won = ((z ^ (z >> uint64(31))) >> uint64(11)) * 2.0**-53 < preferences[incumbent, challenger]
        regret += loss[incumbent, challenger]
        margin += 1 if won else -1
        if margin < 1 and margin > -(n * (l - 1) + k):
            continue
        if margin < 1:
            incumbent, others[k - 1] = challenger, incumbent
        margin = 0
        if k < n - 1:
            position += increment
            z = (position ^ (position >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
            pick = k + int(((z ^ (z >> uint64(31))) >> uint64(11)) * 2.0**-53 * (n - 1 - k))
            others[k], others[pick] = others[pick], others[k]
            k += 1
        else:
            others[0], others[k - 1] = others[k - 1], others[0]
            l, k = l + 1, 1
    return regret


def ratio_to_fused(horizon: int) -> tuple[float, float]:
    """Seconds of the generic loop and of the fused one, measured in turns."""
    where = problem("sushi")
    loss = np.ones((16, 16))
    loss[0] = loss[:, 0] = 0
    mine = one_run(where, "ws-w", horizon)
    by_hand = lambda: fused(where.preferences, loss, horizon, np.uint64(1), np.uint64(0x9E3779B97F4A7C15))  # noqa: E731
    mine(), by_hand()
    times: dict[Callable[[], object], float] = {}
    for _ in range(60):  # short pieces in turns: on a busy machine some of each are undisturbed
        for work in (mine, by_hand):
            start = time.perf_counter()
            work()
            times[work] = min(times.get(work, math.inf), time.perf_counter() - start)
    return times[mine], times[by_hand]


def seconds_of_process(code: str, **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


def peak_megabytes(horizon: int) -> float:
    code = (
        "import resource, winnerstays;"
        f"winnerstays.simulate('sushi', 'ws-w', horizon={horizon}, runs=1, times=[{horizon}]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def rows() -> list[dict[str, Any]]:
    horizon = 1_000_000
    mine, by_hand = ratio_to_fused(horizon)
    nano = 1e9 / horizon
    found = [
        row(
            "WS-W, generic loop, sushi",
            mine * nano,
            "ns a duel",
            "",
            "fastest peer (Java) 41-45; duelpy 57,393 (published)",
        ),
        row(
            "WS-W, hand-fused loop, sushi",
            by_hand * nano,
            "ns a duel",
            "",
            "one regret, pairs not ordered as in Algorithm 1",
        ),
        row("generic / fused", mine / by_hand, "x", "<= 1.3"),
    ]
    horizon, nano = 10_000_000, 100.0
    sixteen = best_seconds(one_run(total_order(16, 0.7), "ws-w", horizon)) * nano
    large = best_seconds(one_run(total_order(10_000, 0.7, dimension=1), "ws-w", horizon)) * nano
    found += [
        row("WS-W, 16 arms by rule", sixteen, "ns a duel"),
        row("WS-W, 10,000 arms / 16 arms", large / sixteen, "x", "<= 2", "start-up of a run included"),
        row(
            "WS-S, sushi, horizon 1e6",
            best_seconds(one_run(problem("sushi"), "ws-s", 10**6)) * 1e3,
            "ns a duel",
            "< 2",
            "fastest peer (Java) 31",
        ),
    ]
    short, long = (best_seconds(one_run(problem("mslr"), "ws-s", h), 30) for h in (10**7, 10**9))
    found.append(
        row(
            "WS-S, MSLR, horizon 1e9 / 1e7, total",
            long / short,
            "x",
            "no slower",
            "seconds of one run; both are a few dozen rounds",
        )
    )
    work = {"problem": "sushi", "algorithms": "ws-w", "horizon": 10**6, "runs": 400, "times": [10**6]}
    one, two = (best_seconds(lambda workers=workers: simulate(workers=workers, **work), 5) for workers in (1, 2))
    found.append(
        row("2 threads against 1", one / two, "x", ">= 1.8", f"{400e6 / two / 1e6:.0f} million duels a second on 2")
    )
    small, big = peak_megabytes(10**4), peak_megabytes(10**8)
    found.append(
        row("memory, horizon 1e8 against 1e4", big - small, "MB more", "0 but for noise", f"{small:.0f} MB in all")
    )
    code = "import winnerstays; winnerstays.simulate('sushi', 'ws-w', horizon=1000, runs=10)"
    with tempfile.TemporaryDirectory() as cold:
        found.append(
            row("first simulation, cold compiler cache", seconds_of_process(code, NUMBA_CACHE_DIR=cold), "s", "<= 5")
        )
        warm = min(seconds_of_process(code, NUMBA_CACHE_DIR=cold) for _ in range(3))
        found.append(row("first simulation, warm compiler cache", warm, "s", "<= 1.5", "import included"))
    return found
