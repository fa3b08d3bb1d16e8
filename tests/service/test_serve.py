"""`winnerstays serve` as a process: started, stopped, killed, with one worker and with two."""

import json
import os
import random
import select
import signal
import socket
import sqlite3
import threading
from collections import Counter
from contextlib import closing, suppress
from http.client import HTTPConnection

import httpx
import psycopg
import pytest

from tests.service.serving import command, service
from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays import Arena
from winnerstays.arena import Arenas
from winnerstays.arena.stores import postgresql
from winnerstays.service.keys import ApiKeys

ITEMS = ["ramen", "tacos", "pho"]
CLIENTS = 64
PLAYERS = 6


def create(address, **rules):
    with Arenas.open(address) as arenas:
        arenas.create("lunch", ITEMS, **rules)


class Report(list):
    """The answers that were acknowledged: (id of the duel, winner, status code, status)."""

    def __init__(self):
        super().__init__()
        self._changed = threading.Condition()

    def append(self, answer):
        with self._changed:
            super().append(answer)
            self._changed.notify()

    def wait_for(self, count):
        with self._changed:
            assert self._changed.wait_for(lambda: len(self) >= count, PATIENCE_SECONDS)


def play(number, client, report):
    """Ask and tell until the service is gone; what was acknowledged goes into the report."""
    luck = random.Random(number)
    with suppress(httpx.HTTPError, KeyError):
        while True:
            duel = client.post("/v1/arenas/lunch/duels", json={"user": f"user{number}"}).json()
            winner = luck.choice((duel["left"], duel["right"]))
            told = client.put(f"/v1/duels/{duel['id']}/outcome", json={"winner": winner})
            report.append((duel["id"], winner, told.status_code, told.json().get("status")))


def run_threads(target, count, *arguments):
    """Call target(number, ...) in this many threads at once."""
    threads = [threading.Thread(target=target, args=(number, *arguments)) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def check_kept(address, report):
    """Everything acknowledged is in the log once, and replay is equal."""
    with Arenas.open(address) as arenas:
        accepted = [event for event in arenas.events() if event.kind in ("learned", "noted")]
        winners = {event.duel: event.winner for event in accepted}
        assert len(winners) == len(accepted)
        for duel, winner, status, said in report:
            assert status == 200 and said in ("learned", "noted", "duplicate") and winners[duel] == winner
        assert arenas.replay().equal
        return len(accepted)


@pytest.mark.parametrize(("workers", "kills"), [("1", 1), pytest.param("2", 10, marks=pytest.mark.slow)])
def test_terminated_and_killed_under_load(durable, workers, kills, tmp_path):
    """SIGTERM lets requests end and exits with 0; SIGKILL loses nothing acknowledged; the next start goes on.

    A duel that nobody answers stays open all the time.
    """
    create(durable)
    report, unanswered = Report(), set()
    for kill in [*[True] * kills, False]:
        with command(durable, "--workers", workers, log=tmp_path / "log") as served, served.client() as client:
            unanswered.add(client.post("/v1/arenas/lunch/duels", json={"user": "silent"}).json()["id"])
            threads = run_threads(play, PLAYERS, client, report)
            report.wait_for(len(report) + 20)
            if kill:
                served.kill()
            else:
                assert served.terminate() == 0
            for thread in threads:
                thread.join()
    assert len(unanswered) == 1
    count = check_kept(durable, report)
    assert "Finished server process" in (tmp_path / "log").read_text()
    print(f"{kills} kills and a stop: {len(report)} answers acknowledged, {count} in the log")


def test_workers_are_replaced_one_by_one(postgres, tmp_path):
    """SIGHUP starts new workers while people play; whoever tries again after a lost connection goes on."""
    address = postgres.database()
    create(address)
    report, done = Report(), threading.Event()
    with command(address, "--workers", "2", log=tmp_path / "log") as served:
        served.wait_for("Application startup complete", 2)

        def go_on(number):
            while not done.is_set():
                with served.client() as client:
                    play(number, client, report)

        threads = run_threads(go_on, PLAYERS)
        report.wait_for(20)
        served.process.send_signal(signal.SIGHUP)
        served.wait_for("Application startup complete", 4)
        report.wait_for(len(report) + 20)
        done.set()
        assert served.terminate() == 0
        for thread in threads:
            thread.join()
        assert len(set(served.wait_for(r"Started server process \[(\d+)\]", 4))) == 4
    check_kept(address, report)


def test_termination_waits_for_requests_under_way(tmp_path):
    """A request that waits for the database when SIGTERM arrives is answered. The log says that there are no keys."""
    path = tmp_path / "arena.db"
    create(str(path))
    with (
        command(str(path), log=tmp_path / "log") as served,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
        served.client() as client,
        closing(HTTPConnection(served.url.removeprefix("http://"), timeout=PATIENCE_SECONDS)) as connection,
    ):
        served.wait_for("loopback only")
        assert served.url.startswith("http://127.0.0.1:")
        duel = client.post("/v1/arenas/lunch/duels", json={"user": "ada"}).json()
        other.execute("BEGIN IMMEDIATE")
        answer = json.dumps({"winner": duel["left"]})
        connection.request("PUT", f"/v1/duels/{duel['id']}/outcome", answer, {"Content-Type": "application/json"})
        later = httpx.get(f"{served.url}/healthz", trust_env=False)
        assert later.is_success  # and so what was sent on an earlier connection has been read
        served.process.terminate()
        served.wait_for("Shutting down")
        assert select.select([connection.sock], [], [], 0)[0] == []
        other.execute("COMMIT")
        assert json.load(connection.getresponse())["status"] == "learned"
        assert served.process.wait(PATIENCE_SECONDS) == 0


def test_keys_stay_out_of_logs(tmp_path):
    path, log = str(tmp_path / "arena.db"), tmp_path / "log"
    with Arenas.open(path) as arenas:
        key, _ = ApiKeys.of(arenas).create(["admin"])
    with command(path, "--access-log", "--host", "0.0.0.0", log=log) as served:
        url = served.url.replace("0.0.0.0", "127.0.0.1")
        with Arena.open(url, "lunch", ITEMS, key=key) as arena:
            duel = arena.ask("ada")
            assert arena.tell(duel, winner=duel.left).status == "learned"
        wrong = {"Authorization": "Bearer ws_secret_that_is_wrong"}
        assert httpx.get(f"{url}/v1/arenas", headers=wrong, trust_env=False).status_code == 401
        assert served.terminate() == 0
    text = log.read_text()
    assert "/v1/arenas/lunch/duels" in text and "401" in text
    assert key not in text and key[3:] not in text and "secret_that_is_wrong" not in text


@pytest.fixture(scope="module")
def two_workers(postgres, tmp_path_factory):
    """A service with two workers, for tests in any order: each makes an arena of its own."""
    address = postgres.database()
    with command(address, "--workers", "2", log=tmp_path_factory.mktemp("workers") / "log") as served:
        served.wait_for("Application startup complete", 2)
        served.address = address
        yield served
        assert served.terminate() == 0


def test_two_workers_on_postgresql(two_workers):
    """64 clients hammer the same duels: one answer of each is learned, and the metrics of both workers add up."""
    with two_workers.client() as client:
        client.post("/v1/arenas", json={"name": "hammered", "items": ITEMS, "audience": "everyone"})
        works = {"works": [{"ask": {"arena": "hammered"}}] * 10}
        duels = [result["duel"] for result in client.post("/v1/batch", json=works).json()["results"]]
    receipts = []

    def hammer(number):
        luck = random.Random(number)
        with two_workers.client() as client:
            for duel in luck.sample(duels, len(duels)):
                winner = luck.choice((duel["left"], duel["right"]))
                told = client.put(f"/v1/duels/{duel['id']}/outcome", json={"winner": winner})
                found = told.json()
                receipts.append((duel["id"], winner, told.status_code, found.get("receipt", found)["status"]))

    for thread in run_threads(hammer, CLIENTS):
        thread.join()
    counts = Counter(status for *_, status in receipts)
    accepted = {duel: winner for duel, winner, _, status in receipts if status in ("learned", "noted")}
    assert counts["learned"] + counts["noted"] == len(accepted) == len(duels), counts
    assert counts.total() == CLIENTS * len(duels)
    for duel, winner, code, status in receipts:
        if status in ("duplicate", "conflict"):
            assert (winner == accepted[duel]) == (status == "duplicate") == (code == 200)
    with two_workers.client() as client:
        metrics = client.get("/metrics").text
        events = [json.loads(line) for line in client.get("/v1/arenas/hammered/events").text.splitlines()]
    for status, count in counts.items():
        assert f'winnerstays_answers_total{{status="{status}"}} {count}.0' in metrics
    assert {event["duel"]: event["winner"] for event in events if event["kind"] in ("learned", "noted")} == accepted
    check_kept(two_workers.address, [])


def test_worker_that_dies_is_replaced(two_workers):
    """The supervisor starts another one."""
    with Arena.open(two_workers.url, "mourned", ITEMS) as arena:
        duel = arena.ask("ada")
        os.kill(int(two_workers.wait_for(r"Started server process \[(\d+)\]")[0]), signal.SIGKILL)
        two_workers.wait_for("Application startup complete", 3)
        assert arena.tell(duel, winner=duel.left).status == "learned"


def test_commit_that_takes_too_long(postgres, monkeypatch, caplog):
    """Who answered is told that it is not known; the answer is kept once, and said again it is a duplicate."""
    address = postgres.database()
    create(address)
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("CREATE TABLE disk (slow boolean); INSERT INTO disk VALUES (false)")
        other.execute(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN WHILE (SELECT slow FROM disk) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; END $$"
        )
        other.execute(
            "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW EXECUTE FUNCTION wait()"
        )
        monkeypatch.setattr(postgresql, "COMMIT_SECONDS", PATIENCE_SECONDS)
        with service(address) as client:
            duel = client.post("/v1/arenas/lunch/duels", json={"user": "ada"}).json()
            other.execute("UPDATE disk SET slow = true")
            monkeypatch.setattr(postgresql, "COMMIT_SECONDS", 0.3)
            told = client.put(f"/v1/duels/{duel['id']}/outcome", json={"winner": duel["left"]})
            assert told.status_code == 503 and "silent" not in told.text and "silent" in caplog.text
            monkeypatch.setattr(postgresql, "COMMIT_SECONDS", PATIENCE_SECONDS)
            other.execute("UPDATE disk SET slow = false")
            again = client.put(f"/v1/duels/{duel['id']}/outcome", json={"winner": duel["left"]})
            assert again.status_code == 200 and again.json()["status"] == "duplicate"
    assert check_kept(address, [(duel["id"], duel["left"], 200, "duplicate")]) == 1


def test_workers_end_with_their_supervisor(postgres, tmp_path, monkeypatch):
    """Nothing keeps the port after the supervisor was killed, and no folder is left."""
    address = postgres.database()
    create(address)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with command(address, "--workers", "2", log=tmp_path / "log") as served:
        served.wait_for("Application startup complete", 2)
        assert [folder.name[:17] for folder in (tmp_path / "temporary").iterdir()] == ["winnerstays-serve"]
        os.kill(served.process.pid, signal.SIGKILL)
        wait_until(lambda: served.log.read_text().count("Finished server process") == 2)
        socket.create_server(("127.0.0.1", int(served.url.rpartition(":")[2]))).close()
        assert not any((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize("database", ["nowhere/arena.db", "."])
def test_database_that_cannot_be_opened_is_a_sentence(database, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("serve", "--db", database)
    assert code == 2 and database in err and err.count("\n") == 1


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_port_in_use_is_a_sentence(host, workers, tmp_path, run):
    with socket.create_server((host, 0)) as other:
        port = str(other.getsockname()[1])
        options = ("--db", str(tmp_path / "arena.db"), "--host", host, "--port", port, "--workers", workers)
        code, _, err = run("serve", *options)
    assert code == 2 and f"{host}, port {port}" in err and "in use" in err and err.count("\n") == 1


def test_host_that_is_not_here_is_a_sentence(tmp_path, run):
    path = str(tmp_path / "arena.db")
    run("arena", "keys", "create", path, "--scope", "admin")
    for host in ("192.0.2.1", "no-such-host.invalid"):
        code, _, err = run("serve", "--db", path, "--host", host)
        assert code == 2 and host in err and err.count("\n") == 1, err
