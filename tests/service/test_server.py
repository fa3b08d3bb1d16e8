"""A socket that several processes share."""

import pickle
import socket
import sys
from contextlib import ExitStack, closing
from multiprocessing.reduction import ForkingPickler

import pytest

from winnerstays.service.server import shared

CONNECTIONS = 64
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all workers listen on one socket")


@pytest.fixture
def port():
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as uvicorn does
    bound.bind(("127.0.0.1", 0))
    with closing(shared(bound)) as made:
        yield made


def handed_over(port):
    """The socket as a worker process gets it."""
    return pickle.loads(ForkingPickler.dumps(port))


def test_connections_are_dealt_out(port):
    """Each of two workers gets some of 64 connections, however late the other takes its own."""
    with ExitStack() as opened:
        workers = [opened.enter_context(closing(handed_over(port))) for _ in range(2)]
        for worker in workers:
            assert worker.getsockname() == port.getsockname()
            worker.listen(CONNECTIONS)
            worker.setblocking(False)
        for _ in range(CONNECTIONS):
            opened.enter_context(closing(socket.create_connection(port.getsockname())))
        taken = []
        for worker in workers:
            count = 0
            while True:
                try:
                    connection, _ = worker.accept()
                except BlockingIOError:
                    break
                connection.close()
                count += 1
            taken.append(count)
    assert sum(taken) == CONNECTIONS and min(taken) > 0, taken


@pytest.mark.parametrize("listening", [False, True])
def test_second_server_does_not_slip_in(port, listening):
    with closing(handed_over(port)) as worker, closing(socket.socket()) as other:
        if listening:
            worker.listen()
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="in use"):
            other.bind(port.getsockname())
