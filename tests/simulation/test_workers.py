"""The same numbers on threads, processes and real Dask and Ray clusters, also when a worker dies."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from distributed import Client, LocalCluster

from winnerstays import WinnerstaysError, algorithm, simulate
from winnerstays.compiling import COMPILED
from winnerstays.simulation import workers

EXPERIMENT = {"horizon": 2000, "runs": 24, "seed": 3}


def experiment(**options):
    return simulate("mslr", ["ws-w", algorithm("ws-s", beta=1.2)], **{**EXPERIMENT, **options})


def same(one, other):
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one.records, other.records, strict=True))


def wait_for(port):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(f"nothing listens on port {port}")


@pytest.fixture(scope="module")
def dask():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


def test_processes_give_the_same_numbers():
    assert same(experiment(), experiment(cluster="processes", workers=2))


def test_a_dask_cluster_gives_the_same_numbers(dask):
    assert same(experiment(), experiment(cluster=dask.scheduler_address))


def test_a_killed_dask_worker_changes_nothing(dask):
    """One of the two worker processes is killed in the middle; its batches are computed again elsewhere."""
    runs = 400 if COMPILED else 60
    larger = {"horizon": 200_000 if COMPILED else 1500, "runs": runs, "workers": 2}
    expected = experiment(**larger)
    killed = []

    def kill():
        with Client(dask.scheduler_address, set_as_default=False) as client:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                busy = [address for address, tasks in client.processing().items() if tasks]
                if busy:
                    pids = client.run(os.getpid)
                    os.kill(pids[busy[0]], signal.SIGKILL)
                    killed.append(pids[busy[0]])
                    return
                time.sleep(0.02)

    killer = threading.Thread(target=kill)
    killer.start()
    found = experiment(**larger, cluster=dask.scheduler_address)
    killer.join()
    assert len(killed) == 1
    assert same(expected, found)


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
asked = dict(problem="mslr", algorithms=["ws-w", "ws-s"], horizon=2000, runs=24, seed=3)
there, here = winnerstays.simulate(cluster="ray://127.0.0.1:{port + 1}", **asked), winnerstays.simulate(**asked)
print(all(np.array_equal(a, b) for a, b in zip(there.records, here.records)))
"""
    try:
        wait_for(port + 1)
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=240, check=False
        )
    finally:
        head.terminate()
        head.wait(60)
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
