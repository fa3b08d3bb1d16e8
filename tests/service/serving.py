"""A service for tests: in a thread of this process, or as `winnerstays serve`."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import uvicorn

from winnerstays.arena import Arenas
from winnerstays.service.app import create_app
from winnerstays.service.config import Config

PATIENCE_SECONDS = 60


@contextmanager
def running(app, port=0):
    """The address of a real server on loopback with this application."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def service(address="memory:", **config):
    """A client of a service on a database, with the arenas behind it as `client.arenas`."""
    with (
        Arenas.open(address) as arenas,
        running(create_app(Config(address, **config), arenas)) as url,
        httpx.Client(base_url=url, timeout=30, trust_env=False) as client,
    ):
        client.arenas = arenas
        yield client


class Command:
    """`winnerstays serve` as a process of its own."""

    def __init__(self, database, *options, log):
        self.log = log
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "winnerstays", "serve", "--db", database, "--port", "0", *options],
                stdout=file, stderr=file, start_new_session=True,
            )  # fmt: skip
        self.url = self._wait()

    def _wait(self):
        end = time.monotonic() + PATIENCE_SECONDS
        started = self.log.read_text().count("Uvicorn running on")
        while time.monotonic() < end:
            found = re.findall(r"Uvicorn running on (http://\S+)", self.log.read_text())
            if len(found) > started and _ready(found[-1]):
                return found[-1]
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def client(self, key=None):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, timeout=30, trust_env=False, headers=headers)

    def terminate(self):
        self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)


def _ready(url):
    try:
        return httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


@contextmanager
def command(database, *options, log):
    served = Command(database, *options, log=log)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.kill()
