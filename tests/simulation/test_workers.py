"""The same numbers on threads, processes and real Dask and Ray clusters, also when a worker dies."""

import os
import signal
import socket
import subprocess
import sys
from types import SimpleNamespace

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays import WinnerstaysError, algorithm, simulate
from winnerstays.compiling import COMPILED
from winnerstays.simulation import workers

EXPERIMENT = {"horizon": 2000, "runs": 24, "seed": 3}


def experiment(**options):
    return simulate("mslr", ["ws-w", algorithm("ws-s", beta=1.2)], **{**EXPERIMENT, **options})


def same(one, other):
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one.records, other.records, strict=True))


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def cluster():
    patience = {f"distributed.comm.timeouts.{what}": f"{PATIENCE_SECONDS} s" for what in ("connect", "tcp")}
    with (
        dask.config.set(patience),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
    ):
        yield cluster


@pytest.fixture
def scheduler(cluster, monkeypatch):
    """The address of a Dask cluster, which may take its time to answer."""
    monkeypatch.setattr(workers, "CONNECT_TIMEOUT", PATIENCE_SECONDS)
    return cluster.scheduler_address


def test_processes_give_the_same_numbers():
    assert same(experiment(), experiment(cluster="processes", workers=2))


def test_a_dask_cluster_gives_the_same_numbers(scheduler):
    assert same(experiment(), experiment(cluster=scheduler))


def test_a_killed_dask_worker_changes_nothing(scheduler):
    """A worker process is killed after the first batch; what it had to compute is computed elsewhere."""
    larger = {"horizon": 200_000 if COMPILED else 1500, "runs": 400 if COMPILED else 60, "workers": 2}
    killed = []

    def kill(stage, fraction):
        if 0 < fraction < 1 and not killed:
            with Client(scheduler, set_as_default=False) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    found = experiment(**larger, cluster=scheduler, progress=kill)
    assert len(killed) == 1
    assert same(experiment(**larger), found)


def test_a_ray_cluster_gives_the_same_numbers():
    """Ray runs in processes of its own, started by its command line and reached by its client."""
    port = 20_000 + os.getpid() % 10_000
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    options = {"num-cpus": 2, "include-dashboard": "false", "port": port, "ray-client-server-port": port + 1}
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--disable-usage-stats"]
    command += [f"--{key}={value}" for key, value in options.items()]
    head = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    code = f"""
import numpy as np, winnerstays
from winnerstays.simulation import workers
workers.CONNECT_TIMEOUT = {PATIENCE_SECONDS}
asked = dict(problem="mslr", algorithms=["ws-w", "ws-s"], horizon=2000, runs=24, seed=3)
there, here = winnerstays.simulate(cluster="ray://127.0.0.1:{port + 1}", **asked), winnerstays.simulate(**asked)
print(all(np.array_equal(a, b) for a, b in zip(there.records, here.records)))
"""
    try:
        wait_until(lambda: listens(port + 1))
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE_SECONDS,
            check=False,
        )
    finally:
        head.terminate()
        head.wait(PATIENCE_SECONDS)
    assert done.stdout.split()[-1:] == ["True"], done.stderr


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "ray://127.0.0.1:1", "tcp://nowhere", "tcp://127.0.0.1:99999"]
)
def test_an_unreachable_cluster_is_a_sentence(address):
    with pytest.raises(WinnerstaysError, match=f"The cluster at {address} cannot be reached"):
        experiment(cluster=address)


@pytest.mark.parametrize("kind", ["tcp", "ray"])
def test_a_silent_cluster_is_tried_once_and_given_up_after_eight_seconds(kind, monkeypatch):
    tried = []

    def connect(place, timeout):
        tried.append((place, timeout))
        raise TimeoutError("timed out")

    monkeypatch.setattr(workers, "socket", SimpleNamespace(create_connection=connect))
    with pytest.raises(WinnerstaysError, match=f"{kind}://10.0.0.1:8786 cannot be reached .timed out"):
        experiment(cluster=f"{kind}://10.0.0.1:8786")
    assert tried == [(("10.0.0.1", 8786), 8.0)]


def test_an_unknown_kind_of_cluster():
    with pytest.raises(WinnerstaysError, match="The cluster is 'spark', but it must be"):
        experiment(cluster="spark")
