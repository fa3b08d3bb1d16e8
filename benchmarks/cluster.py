"""Measure what a Dask cluster costs: two worker processes against two threads."""

import time
from typing import Any

from distributed import LocalCluster

from benchmarks._timing import row
from winnerstays import simulate

JOB = {"problem": "sushi", "algorithms": "ws-w", "horizon": 10**7, "runs": 1600, "times": [10**7], "threads": 2}


def seconds(**options: Any) -> float:
    start = time.perf_counter()
    simulate(**{**JOB, **options})
    return time.perf_counter() - start


def rows() -> list[dict[str, Any]]:
    seconds(runs=4)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        seconds(runs=4, cluster=address)
        threads, dask = seconds(), seconds(cluster=address)
    duels = JOB["horizon"] * JOB["runs"]
    return [
        row("2 threads, 1.6e10 duels of WS-W", threads, "s", "", f"{duels / threads / 1e6:.0f} million duels a second"),
        row("2 Dask workers against 2 threads", dask / threads, "x", "<= 1.1"),
    ]
