"""docs/operations.md: the unit, the proxy, the backups and the alerts that stand there are tried."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.service import nginx
from tests.service.serving import service
from tests.service.test_endpoints import ITEMS, check_problem
from tests.waiting import wait_until
from winnerstays.arena import Arenas
from winnerstays.service import metrics
from winnerstays.service.keys import ApiKeys

TEXT = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()


def block(kind):
    """Return the text of the block in this language, or with this title behind it."""
    language, _, title = kind.partition(" ")
    fence = f'```{language} title="{title}"' if title else f"```{language}"
    (text,) = re.findall(rf"{fence}\n(.*?)```", TEXT, re.DOTALL)
    return text


def run_block(kind, folder, programs="", **variables):
    """Run the commands of a block as they stand, with `winnerstays` of this environment; return what they print."""
    winnerstays = f'winnerstays() {{ {sys.executable} -m winnerstays "$@"; }}'
    environment = {**os.environ, **variables, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"{winnerstays}\n{block(kind)}"], cwd=folder, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def play(arena, users):
    for user in users:
        duel = arena.ask(user)
        arena.tell(duel, winner=duel.left)


@contextmanager
def traffic(arena):
    """People who play all the time."""
    stop, count = threading.Event(), []

    def go():
        while not stop.is_set():
            play(arena, [f"user{len(count) % 7}"])
            count.append(1)

    thread = threading.Thread(target=go)
    thread.start()
    try:
        wait_until(lambda: len(count) > 20)
        yield
    finally:
        stop.set()
        thread.join()


def check_restored(address, before):
    """What was there at the backup is there, goes on, and is what its log says; tokens signed before are valid."""
    with Arenas.open(address) as arenas:
        assert ApiKeys.of(arenas).credentials() == before
        play(arenas["lunch"], ["ada", "new"])
        replay = arenas.replay()
        assert replay.equal and replay.accepted > 20


def test_backup_and_restore_of_sqlite(tmp_path):
    path = str(tmp_path / "arena.db")
    with Arenas.open(path) as arenas:
        ApiKeys.of(arenas).create(["admin"])
        before = ApiKeys.of(arenas).credentials()
        with traffic(arenas.create("lunch", ITEMS)):
            assert "byte for byte" in run_block("sh sqlite", tmp_path, WINNERSTAYS_DB=path)
    assert (tmp_path / "backup.db").stat().st_mode & 0o077 == 0
    Path(path).write_bytes(b"lost")
    run_block("sh sqlite-restore", tmp_path, WINNERSTAYS_DB=path)
    check_restored(path, before)


def test_backup_and_restore_of_postgresql(postgres, tmp_path):
    address, new, programs = postgres.database(), postgres.database(), postgres.server.bin_path
    with Arenas.open(address) as arenas:
        ApiKeys.of(arenas).create(["admin"])
        before = ApiKeys.of(arenas).credentials()
        with traffic(arenas.create("lunch", ITEMS)):
            run_block("sh postgresql", tmp_path, programs, WINNERSTAYS_DB=address)
    assert "byte for byte" in run_block("sh postgresql-restore", tmp_path, programs, NEW_DB=new)
    check_restored(new, before)


def test_backup_says_what_is_wrong(tmp_path, run):
    path, target = str(tmp_path / "arena.db"), tmp_path / "copy.db"
    code, _, err = run("arena", "backup", path, str(target))
    assert code == 2 and "arena.db" in err and "pg_dump" in err and not target.exists()
    code, _, err = run("arena", "backup", "postgresql://shop:hunter2@127.0.0.1:1/db", str(target))
    assert code == 2 and "pg_dump" in err and "hunter2" not in err
    Arenas.open(path).close()
    code, out, _ = run("arena", "backup", path, str(target))
    assert code == 0 and re.fullmatch(r"[0-9a-f]{64}\n", out)
    code, _, err = run("arena", "backup", path, str(target))
    assert code == 2 and "exists already" in err
    code, _, err = run("arena", "backup", path, str(tmp_path / "nowhere" / "copy.db"))
    assert code == 2 and "nowhere" in err and len(list(tmp_path.glob("*"))) == 2, list(tmp_path.glob("*"))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_unit(tmp_path):
    unit = tmp_path / "winnerstays.service"
    unit.write_text(block("ini").replace("/opt/winnerstays/bin/winnerstays", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "winnerstays.service" in line]
    assert not ours, done.stderr


def test_every_metric_is_explained_and_every_alert_has_its_metric():
    with Arenas.open("memory:") as arenas:
        found = [*metrics.collected(), *metrics.ArenaCollector(lambda: arenas.database).collect()]
    names = {f"{metric.name}_total" if metric.type == "counter" else metric.name for metric in found}
    assert len(names) == 9 and all(f"`{name}" in TEXT for name in names), names
    used = {name.removesuffix("_bucket") for name in re.findall(r"winnerstays_\w+", block("yaml"))}
    assert used <= names


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@pytest.mark.skipif(nginx.find() is None, reason=nginx.MISSING)
def test_reverse_proxy(tmp_path, monkeypatch, caplog):
    """nginx with the documented configuration, TLS included, in front of a service."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=arena.example", "-addext", "subjectAltName=DNS:arena.example,IP:127.0.0.1",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    trusted = ssl.create_default_context(cafile=str(certificate))
    with service(loopback=False) as behind:
        port = free_port()
        site = block("nginx").replace("127.0.0.1:8000", behind.base_url.netloc.decode())
        site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        site = site.replace("/etc/ssl/arena.example.pem", str(certificate))
        site = site.replace("/etc/ssl/arena.example.key", str(key))
        folders = "".join(
            f"{name}_temp_path {tmp_path}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        whole = tmp_path / "nginx.conf"
        whole.write_text(
            f"pid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{folders}{site}\n}}\n"
        )
        proxy = subprocess.Popen([nginx.find(), "-p", tmp_path, "-c", whole, "-g", "daemon off;"])
        try:
            with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusted, trust_env=False) as client:

                def answers():
                    assert proxy.poll() is None, (tmp_path / "error.log").read_text()
                    try:
                        return client.get("/readyz").is_success
                    except httpx.TransportError:
                        return False

                wait_until(answers)
                secret, _ = ApiKeys.of(behind.arenas).create(["serve"])
                behind.arenas.create("lunch", ITEMS)
                serve = {"Authorization": f"Bearer {secret}"}
                wait_until(lambda: client.post("/v1/batch", json={"works": []}, headers=serve).is_success)
                made = client.post("/v1/arenas/lunch/visitors", json={"user": "ada"}, headers=serve)
                visitor = {"Authorization": f"Bearer {made.json()['token']}"}
                duel = client.post("/v1/arenas/lunch/duels", json={}, headers=visitor).json()
                told = client.put(f"/v1/duels/{duel['id']}/outcome", json={"winner": duel["left"]}, headers=visitor)
                assert told.json()["status"] == "learned"
                check_problem(client.post("/v1/batch", json={"works": []}), 401, "no-key")
                assert client.get("/metrics", headers=serve).status_code == 404
                assert client.post("/v1/batch", content=b" " * 1_100_000, headers=serve).status_code == 413
                monkeypatch.setattr(behind.arenas.database.store, "run_now", lambda _: 1 / 0)
                failed = client.post("/v1/arenas/lunch/duels", json={}, headers=visitor)
                id_ = failed.headers["x-request-id"]
                assert failed.status_code == 500 and re.fullmatch(r"[0-9a-f]{32}", id_) and id_ in caplog.text
        finally:
            proxy.terminate()
            proxy.wait()
