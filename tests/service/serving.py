"""A service for tests: in a thread of this process, or as `winnerstays serve`."""

import asyncio
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from functools import cache, partial

import httpx
import uvicorn

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.arena import Arenas
from winnerstays.service.app import create_app
from winnerstays.service.config import Config
from winnerstays.service.limits import Limits
from winnerstays.service.protocol import LimitedProtocol

MAX_SERVICES = 8
"""The most services of one test at the same time."""


class Server(uvicorn.Server):
    """A real server in a thread of this process, on sockets of loopback."""

    def __init__(self, app, ports, limits=None, **options):
        protocol = partial(LimitedProtocol, limits=limits or Limits())
        options |= {"http": protocol, "log_level": "warning", "ws": "none", "interface": "asgi3"}
        options |= {"timeout_keep_alive": PATIENCE_SECONDS}  # a connection that a slow client uses again is still there
        super().__init__(uvicorn.Config(app, **options))
        self.sockets = [socket.create_server(("127.0.0.1", port)) for port in ports]
        self.ports = [listener.getsockname()[1] for listener in self.sockets]
        self.thread = threading.Thread(target=self._run, daemon=True)
        self._started = threading.Event()

    def start(self):
        self.thread.start()
        assert self._started.wait(PATIENCE_SECONDS) and self.started

    def stop(self):
        self.should_exit = True
        self.thread.join()

    def _run(self):
        try:
            self.run(self.sockets)
        finally:
            self._started.set()

    async def main_loop(self):
        self.loop = asyncio.get_running_loop()
        self._started.set()
        await super().main_loop()


class SharedServer(Server):
    """One server for the services of all tests, each with a port of its own: starting a server costs more than a test.

    An application begins and ends on this server as it would on its own one.
    """

    def __init__(self):
        super().__init__(self._dispatch, [0] * MAX_SERVICES, lifespan="off")
        self._free = list(self.ports)
        self._apps = {}
        self._requests = {port: set() for port in self.ports}

    async def _dispatch(self, scope, receive, send):
        port, task = scope["server"][1], asyncio.current_task()
        self._requests[port].add(task)
        try:
            await self._apps[port](scope, receive, send)
        finally:
            self._requests[port].discard(task)

    @contextmanager
    def host(self, app):
        """The address of this application."""
        port = self._free.pop(0)
        lifespan = app.router.lifespan_context(app)
        self._wait_for(lifespan.__aenter__())
        self._apps[port] = app
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            self._wait_for(self._end(port))
            self._wait_for(lifespan.__aexit__(None, None, None))
            self._free.append(port)

    async def _end(self, port):
        if self._requests[port]:
            await asyncio.wait(self._requests[port], timeout=PATIENCE_SECONDS)
        del self._apps[port]

    def _wait_for(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE_SECONDS)


@cache
def shared_server():
    server = SharedServer()
    server.start()
    return server


@contextmanager
def running(app, port=0, limits=None):
    """The address of a server of its own with this application; it ends with all its connections."""
    server = Server(app, [port], limits, lifespan="on")
    server.start()
    try:
        yield f"http://127.0.0.1:{server.ports[0]}"
    finally:
        server.stop()


@contextmanager
def service(address="memory:", **config):
    """A client of a service on a database, with the arenas behind it as `client.arenas`."""
    with (
        Arenas.open(address) as arenas,
        shared_server().host(create_app(Config(address, **config), arenas)) as url,
        client_of(url) as client,
    ):
        client.arenas = arenas
        yield client


class Command:
    """`winnerstays serve` as a process of its own."""

    def __init__(self, database, *options, log, ready=True, before=None, program=("-m", "winnerstays")):
        """`before` is called in the new process, which Python runs as `program` says."""
        self.log = log
        self._logged_before = len(log.read_text()) if log.exists() else 0
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, *program, "serve", "--db", database, "--port", "0", *options],
                stdout=file, stderr=file, start_new_session=True, preexec_fn=before,
            )  # fmt: skip
        try:
            self._wait_for_start(ready)
        except BaseException:
            self.kill()
            raise

    def _wait_for_start(self, ready):
        (self.url,) = self.wait_for(r"Uvicorn running on (http://[^\s\"]+)")
        if ready:
            (address,) = self.wait_for(r"ready: (http://\S+)")
            assert address.rpartition(":")[2] == self.url.rpartition(":")[2]

    def wait_for(self, pattern, count=1):
        """Wait until the log of this process holds the pattern this many times; return what was found."""
        found = []

        def logged():
            found[:] = re.findall(pattern, self.log.read_text()[self._logged_before :])
            assert len(found) >= count or self.process.poll() is None, self.log.read_text()
            return len(found) >= count

        wait_until(logged)
        return found

    def wait_until_ready(self):
        wait_until(lambda: ready(self.url))

    def client(self, key=None):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return client_of(self.url, headers=headers)

    def terminate(self):
        self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)

    def kill(self):
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)


def client_of(url, **options):
    """A client without certificates, which nothing here needs: reading them takes longer than most requests."""
    return httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, trust_env=False, verify=False, **options)


def status(url, path):
    """The status of a GET on a connection of its own; 0 if nobody answers."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def ready(url):
    return status(url, "/readyz") == 200


@contextmanager
def command(database, *options, log, ready=True, **more):
    """Run `winnerstays serve`, and wait until it is ready unless told not to."""
    served = Command(database, *options, log=log, ready=ready, **more)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.kill()
