"""Limits of use: operations are counted, not requests, and all workers count together."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.service.serving import command, service
from tests.service.test_endpoints import ITEMS, check_problem
from winnerstays.arena import Arenas
from winnerstays.service import rates
from winnerstays.service.keys import ApiKeys
from winnerstays.service.rates import RateLimiter


def test_bucket_refills():
    """Three operations a second: three at once, then one every third of a second."""
    limiter = RateLimiter()
    granted = sum(limiter.seconds_to_wait("k", 3.0, now=moment / 100) == 0 for moment in range(1, 1002))
    assert granted == pytest.approx(3 + 3 * 10, abs=1)
    seconds = limiter.seconds_to_wait("k", 3.0, now=10.01)
    assert 0 < seconds <= 1 / 3 and limiter.seconds_to_wait("k", 3.0, now=10.01 + seconds + 1e-9) == 0


def test_operations_are_counted():
    limiter = RateLimiter()
    assert limiter.seconds_to_wait("k", 10.0, 7, now=1.0) == 0
    assert limiter.seconds_to_wait("k", 10.0, 4, now=1.0) == pytest.approx(0.1)
    assert limiter.seconds_to_wait("k", 10.0, 3, now=1.0) == 0
    assert limiter.seconds_to_wait("other", 10.0, 10, now=1.0) == 0
    assert limiter.seconds_to_wait("k", 10.0, 11, now=99.0) == float("inf")
    assert limiter.seconds_to_wait("slow", 0.5, 1, now=1.0) == 0
    assert limiter.seconds_to_wait("slow", 0.5, 1, now=2.0) == pytest.approx(1.0)


def test_table_is_never_full(monkeypatch):
    """More visitors than buckets: whichever was used least lately is forgotten, and it is full by then."""
    monkeypatch.setattr(rates, "BUCKETS", 16)
    limiter = RateLimiter()
    for visitor in range(200):
        assert limiter.seconds_to_wait(f"v{visitor}", 1.0, now=1.0 + visitor) == 0
        assert limiter.seconds_to_wait(f"v{visitor}", 1.0, now=1.0 + visitor) > 0


def test_processes_share_the_table(tmp_path):
    """Two processes together grant what one would: 50 operations at once of a bucket that hardly refills."""
    path = tmp_path / "rates"
    rates.make_file(path)
    program = (
        "import sys; from winnerstays.service.rates import RateLimiter; limiter = RateLimiter(sys.argv[1]);"
        "sys.stdin.read(1); print(sum(limiter.seconds_to_wait('k', 50.0, now=1.0) == 0 for _ in range(100)))"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for worker in workers:
        worker.stdin.write(b"\n")
        worker.stdin.flush()
    assert sum(int(worker.communicate()[0]) for worker in workers) == 50


def test_batch_counts_its_operations(monkeypatch):
    """On a clock of its own: five operations a second, and no second passes but when the test says so."""
    now = [1.0]
    monkeypatch.setattr(rates, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with service() as client:
        client.arenas.create("all", ITEMS, audience="everyone")
        secret, key = ApiKeys.of(client.arenas).create(["serve"], rate=5)
        headers = {"Authorization": f"Bearer {secret}"}

        def batch(works):
            return client.post("/v1/batch", json={"works": [{"ask": {"arena": "all"}}] * works}, headers=headers)

        found = check_problem(batch(1000), 429, "rate", "not 999 at once")
        assert key.id in found["detail"]
        assert len(batch(4).json()["results"]) == 4
        refused = batch(4)
        check_problem(refused, 429, "rate", "5 operations")
        assert int(refused.headers["retry-after"]) >= 1
        now[0] += 1.0
        assert len(batch(4).json()["results"]) == 4


def test_workers_count_together(postgres, tmp_path):
    """Whichever of two workers is asked, a key for one operation in eleven days gets one."""
    address = postgres.database()
    with Arenas.open(address) as arenas:
        secret, _ = ApiKeys.of(arenas).create(["read"], rate=1e-6)
    with command(address, "--workers", "2", log=tmp_path / "log") as served:
        served.wait_for("Application startup complete", 2)
        granted, refused = 0, 0
        while refused < 40:  # every connection is a new one, dealt out among the workers
            with served.client(secret) as client:
                status = client.get("/v1/arenas").status_code
            granted, refused = granted + (status == 200), refused + (status == 429)
    assert granted == 1
