"""Bad days: the database is away, the disk is full, workers die, readers flood, algorithms are heavy."""

import ctypes
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.postgres import Postgres
from tests.service.serving import client_of, command, running, service, status
from tests.service.test_endpoints import ITEMS, ask, check_problem, tell
from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.arena import Arenas
from winnerstays.arena.engine import state_size
from winnerstays.arena.engine.learner import LearningRules
from winnerstays.arena.settings import Settings
from winnerstays.errors import WinnerstaysError
from winnerstays.service.app import create_app
from winnerstays.service.config import Config
from winnerstays.service.runtime import READERS, WAITING_READERS


@pytest.fixture(scope="module")
def own_postgres():
    """A server that these tests may stop."""
    server = Postgres(Path(tempfile.mkdtemp(prefix="winnerstays-away-")))
    yield server
    server.stop()


def test_worker_dies_while_the_database_is_away(own_postgres, tmp_path):
    """It is replaced, the new one answers 503, and all is well once the database is back; SIGTERM then exits with 0."""
    address = own_postgres.database()
    with Arenas.open(address) as arenas:
        arenas.create("lunch", ITEMS)
    with command(address, "--workers", "2", log=tmp_path / "log") as served:
        workers = served.wait_for(r"Started server process \[(\d+)\]", 2)
        served.wait_for("Application startup complete", 2)
        own_postgres.pause()
        try:
            for worker in workers:
                os.kill(int(worker), signal.SIGKILL)
            served.wait_for("Application startup complete", 4)
            assert status(served.url, "/healthz") == 200 and served.process.poll() is None
            with served.client() as client:
                refused = check_problem(client.get("/readyz"), 503, "store")
            assert str(own_postgres.server.pgdata) not in json.dumps(refused), "the address is for the log"
            assert str(own_postgres.server.pgdata) in (tmp_path / "log").read_text()
            assert f"Child process [{workers[0]}] died" in (tmp_path / "log").read_text()
        finally:
            own_postgres.resume()
        served.wait_until_ready()
        with served.client() as client:  # of a worker that may have to try once more
            wait_until(lambda: client.post("/v1/arenas/lunch/duels", json={"user": "ada"}).is_success)
            duel = ask(client, "/v1/arenas/lunch")
            assert tell(client, duel["id"], winner=duel["left"]).json()["status"] == "learned"
        assert served.terminate() == 0


def test_start_without_the_database(own_postgres, tmp_path):
    address = own_postgres.database()
    own_postgres.pause()
    try:
        with command(address, "--log-format", "json", log=tmp_path / "log", ready=False) as served:
            wait_until(lambda: status(served.url, "/healthz") == 200)
            for path in ("/readyz", "/v1/arenas"):
                assert status(served.url, path) == 503
            own_postgres.resume()
            served.wait_until_ready()
            assert status(served.url, "/v1/arenas") == 200
            assert served.terminate() == 0
    finally:
        own_postgres.restart()
    said, *lines = (tmp_path / "log").read_text().splitlines()
    assert "Starting without it" in said
    entries = [json.loads(line) for line in lines if not line.startswith("ready: ")]  # that line is for scripts
    failed = [entry for entry in entries if entry.get("status") == 503]
    assert failed and all(entry["request_id"] in entry["message"] and entry["code"] == "store" for entry in failed)
    assert all(entry["level"] and entry["time"] and entry["logger"] for entry in entries)


def test_server_that_ends_unasked_does_not_exit_with_0():
    program = (
        "import sys, uvicorn; from winnerstays.cli import main; uvicorn.Server.run = lambda *_: None;"
        "sys.argv = ['winnerstays', 'serve', '--db', 'memory:', '--port', '0']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "nobody asked" in done.stderr


def check_not_ready(served, path, words):
    """Neither probes nor asks get more than a 503 that does not say where; reading and the process go on."""
    with served.client() as client:
        for refused in (client.get("/readyz"), client.post("/v1/arenas/a/duels", json={"user": "new"})):
            problem = check_problem(refused, 503, "store")
            assert path not in json.dumps(problem)
            assert re.search(f"request {problem['request_id']}: .*{path}.*{words}", served.log.read_text())
        assert client.get("/healthz").is_success


def give_up_privileges():
    """Let modes of files bind this process, also if it is of root; for others it changes nothing."""
    drop_from_bounding_set, override_modes = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, override_modes, 0, 0, 0)


def test_read_only_file(tmp_path):
    path = tmp_path / "arena.db"
    with Arenas.open(str(path)) as arenas:
        arenas.create("a", ITEMS)
    path.chmod(0o400)
    with command(str(path), log=tmp_path / "log", ready=False, before=give_up_privileges) as served:
        wait_until(lambda: status(served.url, "/healthz") == 200)
        check_not_ready(served, str(path), "readonly")
        assert "ready: " not in served.log.read_text() and served.terminate() == 0


def test_full_disk(tmp_path):
    """The operating system lets no file of the service grow: not ready; then it does, and all goes on."""
    path = tmp_path / "arena.db"
    with Arenas.open(str(path)) as arenas:
        arenas.create("a", ITEMS)
    with command(str(path), log=tmp_path / "log") as served, served.client() as client:
        duel = ask(client, "/v1/arenas/a")
        assert tell(client, duel["id"], winner=duel["left"]).json()["status"] == "learned"
        size = max(served.log.stat().st_size + 10_000, Path(f"{path}-wal").stat().st_size)
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        wait_until(lambda: client.get("/readyz").status_code == 503)
        check_not_ready(served, str(path), "(full|disk I/O error)")
        assert client.get("/v1/arenas/a/standing?user=ada").json()["learned"] == 1
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        served.wait_until_ready()
        assert ask(client, "/v1/arenas/a", "new")["user"] == "new" and served.terminate() == 0
    with Arenas.open(str(path)) as arenas:
        assert arenas.replay().equal


def test_readers_do_not_stop_askers(monkeypatch):
    """Four times as many readers as there is room for, each of whom takes for ever: asks go on, the rest are told."""
    with service(key_seconds=0.0, read_seconds=0.5) as client:
        client.post("/v1/arenas", json={"name": "a", "items": ITEMS})
        going, answers = threading.Event(), []
        monkeypatch.setattr(client.arenas.database, "bias", lambda *_, **__: going.wait(PATIENCE_SECONDS))
        crowd = 4 * (READERS + WAITING_READERS)
        with ThreadPoolExecutor(crowd) as readers:
            # each with a client of its own: one pool of connections, used by so many threads, closes what others read
            bias = partial(
                httpx.get, client.base_url.join("/v1/arenas/a/bias"), timeout=PATIENCE_SECONDS, trust_env=False
            )
            found = [readers.submit(bias) for _ in range(crowd)]
            try:
                for number in range(20):
                    duel = ask(client, "/v1/arenas/a", f"user{number}")
                    assert tell(client, duel["id"], winner=duel["left"]).json()["status"] == "learned"
                answers = [one.result() for one in found]
            finally:
                going.set()
        for answer in answers:
            check_problem(answer, 503, "busy")
        details = {answer.json()["detail"] for answer in answers}
        assert any("0.5 seconds" in detail for detail in details), details
        wait_until(lambda: client.get("/v1/arenas").is_success)


def test_large_arenas_do_not_run_in_the_event_loop(monkeypatch):
    """A learner that thinks until it is told to stop: others play on, and /healthz answers."""
    with service() as client:
        client.post("/v1/arenas", json={"name": "quick", "items": ITEMS})
        large = [f"item{number}" for number in range(150)]
        assert client.post("/v1/arenas", json={"name": "large", "items": large, "algorithm": "rucb"}).is_success
        thinking, done = threading.Event(), threading.Event()
        serve = LearningRules.serve

        def think(rules, state, *more):
            if rules.settings.name == "large":
                thinking.set()
                done.wait(PATIENCE_SECONDS)
            return serve(rules, state, *more)

        monkeypatch.setattr(LearningRules, "serve", think)
        with ThreadPoolExecutor(2) as threads:
            slow = threads.submit(ask, client, "/v1/arenas/large")
            assert thinking.wait(PATIENCE_SECONDS)
            for _ in range(5):
                assert client.get("/healthz").is_success
            quick = threads.submit(ask, client, "/v1/arenas/quick")
            done.set()
            assert quick.result()["arena"] == "quick" and slow.result()["arena"] == "large"
        duel = slow.result()
        assert tell(client, duel["id"], winner=duel["left"]).json()["status"] == "learned"
        assert client.arenas.replay().equal


def test_arenas_of_other_processes_are_read_elsewhere(durable, monkeypatch):
    """An arena that this process has not read yet is read, and compiled, in a thread: by an ask and by an answer."""
    with service(durable) as client, Arenas.open(durable) as other:
        arena = other.create("new", ITEMS)
        duel, threads = arena.ask("ada"), set()
        init = LearningRules.__init__

        def note(rules, settings, *models):
            threads.add(threading.current_thread().name)
            init(rules, settings, *models)

        monkeypatch.setattr(LearningRules, "__init__", note)
        assert tell(client, duel.id, winner=duel.left).json()["status"] == "learned"
        assert ask(client, "/v1/arenas/new", "bob")["arena"] == "new"
        assert threads and all(name.startswith(("requests", "slow-requests")) for name in threads), threads


def test_too_large_an_arena_is_refused():
    """Before its first learner is made; an algorithm whose state grows with the items may have as many as it likes."""
    items = [f"item{number}" for number in range(3000)]
    with pytest.raises(WinnerstaysError, match=r"3000 items .* rucb has about 144 MB, .* 999 items"):
        state_size.check_size(Settings(name="large", items=items, algorithm="rucb"))
    state_size.check_size(Settings(name="large", items=items[:999], algorithm="rucb"))
    state_size.check_size(Settings(name="large", items=items, algorithm="ws-w"))
    with service() as client:
        check_problem(
            client.post("/v1/arenas", json={"name": "large", "items": items, "algorithm": "dts", "params": {}}),
            422, "invalid", "998 items",
        )  # fmt: skip


@pytest.mark.parametrize("algorithm", ["rucb", "dts", "ws-w", "sparring", "ecw-rmed"])
def test_size_is_estimated(algorithm):
    settings = Settings(name="a", items=[str(number) for number in range(200)], algorithm=algorithm)
    real = state_size.memory_bytes(LearningRules(settings).fresh(0).algorithm_state)
    assert state_size.state_bytes(settings)(200) == pytest.approx(real, rel=0.05)


@pytest.mark.parametrize(
    "address",
    [
        "host=db.example user=app password=hunter2",
        "postgresql:/app:hunter2@db.example/name",
        "postgres:app:hunter2@db.example",
        "postgresql://app:hunter2@[::1/name",
        "postgresql://app:hun%ter2@db.example/name",
        "postgresql://app:hun@ter2@db.example/name",
        "mysql://app:hunter2@db.example/name",
    ],
)
def test_malformed_addresses_do_not_repeat_the_password(address, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("serve", "--db", address)
    assert code == 2 and err.startswith("winnerstays: ") and "postgresql://" in err
    assert not any(part in out + err for part in ("hunter2", "ter2", "hun%", "hun@")), err
    assert not list(tmp_path.iterdir()), "it did not become a file"


@pytest.mark.parametrize("address", ["memory:", ":memory:", "sqlite:///memory:", "sqlite:///:memory:"])
def test_memory_is_not_shared(address, run):
    code, _, err = run("serve", "--db", address, "--workers", "2")
    assert code == 2 and "cannot share memory:" in err


def test_one_bad_arena_does_not_stop_the_service(durable, caplog):
    """An arena whose algorithm is not installed: the others are served, it is listed, and the log says why."""
    with Arenas.open(durable) as arenas:
        arenas.create("bad", ITEMS, algorithm="rucb", horizon=100)
        arenas.create("good", ITEMS)
        change = "UPDATE arenas SET settings = replace(settings, 'rucb', 'elsewhere') WHERE name = 'bad'"
        assert arenas.database.store.run(lambda transaction: transaction.change(change)) == 1
    with running(create_app(Config(durable))) as url, client_of(url) as client:
        assert client.get("/readyz").is_success
        duel = ask(client, "/v1/arenas/good")
        assert tell(client, duel["id"], winner=duel["left"]).json()["status"] == "learned"
        refused = client.post("/v1/arenas/bad/duels", json={"user": "ada"})
        assert "Other arenas can" in check_problem(refused, 503, "store")["detail"]
        assert [arena["name"] for arena in client.get("/v1/arenas").json()["arenas"]] == ["bad", "good"]
    assert re.search("the arena 'bad' cannot be served: .* no algorithm 'elsewhere'", caplog.text)
