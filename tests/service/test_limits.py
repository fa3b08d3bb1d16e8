"""What strangers may send: limits of size, number and time, refused in words, and memory that stays where it was."""

import json
import resource
import socket
from contextlib import ExitStack, closing, contextmanager

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tests.service.serving import running, service
from tests.service.test_endpoints import ITEMS
from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.service import limits as limits_module
from winnerstays.service.app import create_app
from winnerstays.service.config import Config
from winnerstays.service.keys import ApiKeys
from winnerstays.service.limits import Limits, RefusalLog, network

SMALL = Limits(
    head_bytes=2000, url_bytes=500, headers=20, body_bytes=1000, connections=40, connections_of_address=30, pipelined=4,
    head_seconds=PATIENCE_SECONDS,
)  # fmt: skip
HOST = b"Host: localhost\r\n"


@pytest.fixture(scope="module")
def port():
    with running(create_app(Config("memory:", max_body=1000)), limits=SMALL) as url:
        yield int(url.rpartition(":")[2])


@contextmanager
def limited(**seconds):
    """The port of a service with one limit of time that is soon over; the others are not, however slow this machine."""
    limits = Limits(**{"head_seconds": PATIENCE_SECONDS, "body_seconds": PATIENCE_SECONDS, **seconds})
    with running(create_app(Config("memory:")), limits=limits) as url:
        yield int(url.rpartition(":")[2]), limits


def connect(port, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS, source_address=(source, 0))


def read_all(connection):
    """Everything until the service closes the connection."""
    said = b""
    try:
        while part := connection.recv(65536):
            said += part
    except ConnectionResetError:  # it had not read everything that was sent
        pass
    return said


def exchange(port, *parts):
    """Send the parts one by one for as long as the service takes them; return what it says until it closes."""
    with closing(connect(port)) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                break
        return read_all(connection)


def check_refused(said, status, code):
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status) and b"connection: close" in head, said
    problem = json.loads(body)
    assert problem["status"] == status and problem["type"].endswith(f":{code}"), problem
    return problem["detail"]


def test_sizes(port):
    line = b"GET /healthz HTTP/1.1\r\n"
    many = b"".join(b"X-%d: y\r\n" % number for number in range(30))
    assert "20 headers" in check_refused(exchange(port, line + HOST + many + b"\r\n"), 431, "head-too-large")
    long = b"X: " + b"y" * 3000
    assert "2000 bytes" in check_refused(exchange(port, line + HOST + long), 431, "head-too-large")
    assert "2000 bytes" in check_refused(exchange(port, line, HOST, *[b"y" * 500] * 9), 431, "head-too-large")
    assert "500 bytes" in check_refused(exchange(port, b"GET /" + b"u" * 600 + b" HTTP/1.1\r\n"), 414, "url-too-long")
    check_refused(exchange(port, b"GET /" + b"u" * 9000), 414, "url-too-long")
    check_refused(exchange(port, b"GET /", *[b"u" * 300] * 30), 414, "url-too-long")
    check_refused(exchange(port, *[b"\r\n" * 500] * 20), 431, "head-too-large")
    check_refused(exchange(port, b"nonsense\r\n\r\n"), 400, "bad-request")
    chunked = b"POST /v1/batch HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
    chunked += b"Transfer-Encoding: chunked\r\n\r\n"
    trailer = exchange(port, chunked + b"2\r\n{}\r\n0\r\nX: ", *[b"y" * 20_000] * 20)
    assert trailer.startswith(b"HTTP/1.1 4"), trailer


def test_requests_within_the_limits(port):
    """A head that arrives byte by byte or with its body, and a body many times longer than a head may be."""
    body = b'{"works": []}' + b" " * 900
    head = b"POST /v1/batch HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n" + HOST
    whole = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    large = Limits(head_bytes=300, body_bytes=SMALL.body_bytes, head_seconds=PATIENCE_SECONDS)
    with running(create_app(Config("memory:")), limits=large) as url:
        other = int(url.rpartition(":")[2])
        end = whole.index(b"\r\n\r\n")
        for cut in range(end - 1, end + 6):  # the end of the head in two pieces
            assert exchange(other, whole[:cut], whole[cut:]).startswith(b"HTTP/1.1 200 "), cut
        assert exchange(other, *[whole[place : place + 1] for place in range(len(whole))]).startswith(b"HTTP/1.1 200 ")
    get = b"GET /healthz HTTP/1.1\r\n" + HOST
    with closing(connect(port)) as connection:
        connection.sendall((get + b"\r\n") * 4 + get + b"Connection: close\r\n\r\n")
        assert read_all(connection).count(b"HTTP/1.1 200 OK") == 5


def test_pipelined_requests_are_bounded(port):
    said = exchange(port, (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n") * 1000)
    assert said.count(b"HTTP/1.1 200 OK") == SMALL.pipelined + 1, "what was taken is answered"
    said = exchange(port, (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n") * 3 + b"nonsense\r\n\r\n")
    assert said.count(b"HTTP/1.1 200 OK") == 3 and b" 400 " not in said


def test_headers_that_two_readers_would_read_differently(port):
    """Two hosts are refused, and what comes after the body is no header, whatever it claims."""
    with service() as client:
        secret, _ = ApiKeys.of(client.arenas).create(["admin"])
        with running(create_app(Config("memory:"), client.arenas), limits=SMALL) as url:
            own = int(url.rpartition(":")[2])
            get = b"GET /healthz HTTP/1.1\r\n" + HOST
            assert "Host" in check_refused(exchange(own, get + b"Host: evil.example\r\n\r\n"), 400, "bad-request")
            chunked = b"POST /v1/batch HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            end = b"0\r\nAuthorization: Bearer " + secret.encode() + b"\r\n\r\n"
            body = b'd\r\n{"works": []}\r\n' + end
            said = exchange(own, chunked + HOST + b"Connection: close\r\n\r\n" + body)
            assert said.startswith(b"HTTP/1.1 401 "), said
            for length in (b"0" * 5000, b"1e3"):
                post = b"POST /v1/batch HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
                bearer = b"Authorization: Bearer " + secret.encode() + b"\r\n"
                said = exchange(own, post + bearer + HOST + b"Content-Length: " + length + b"\r\n\r\n")
                assert said.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")), said


def test_limits_count_networks():
    assert network("2001:db8::1") == network("2001:db8::ffff:1") != network("2001:db8:0:1::1")


def test_no_memory_is_no_fault_of_the_request(monkeypatch):
    def fail(self, name, value):
        raise MemoryError

    with running(create_app(Config("memory:"))) as url:
        monkeypatch.setattr(HttpToolsProtocol, "on_header", fail)
        said = exchange(int(url.rpartition(":")[2]), b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        check_refused(said, 503, "busy")


def test_head_that_does_not_end():
    with limited(head_seconds=0.1) as (port, _):
        assert "headers" in check_refused(exchange(port), 408, "timeout")
        assert "headers" in check_refused(exchange(port, b"GET /healthz HTTP/1.1\r\nX: "), 408, "timeout")


def test_body_that_does_not_end():
    head = b"POST /v1/batch HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    with limited(body_seconds=0.1) as (port, _):
        assert "body" in check_refused(exchange(port, head + b'{"works'), 408, "timeout")


def test_later_request_on_a_connection_that_does_not_end():
    with limited() as (port, limits), closing(connect(port)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        first = b""
        while not first.endswith(b'{"status":"ok"}'):
            first += connection.recv(65536)
        object.__setattr__(limits, "head_seconds", 0.1)  # from now on: the first request had all the time it needed
        connection.sendall(b"GET /hea")
        assert first.startswith(b"HTTP/1.1 200 ")
        assert "headers" in check_refused(read_all(connection), 408, "timeout")


def test_connections_are_bounded(port):
    """30 of one address and 40 in all; where one ends, another may come."""

    with ExitStack() as opened:
        one = [opened.enter_context(closing(connect(port))) for _ in range(30)]
        detail = check_refused(read_all(opened.enter_context(closing(connect(port)))), 503, "connections")
        assert "Your address has 30" in detail
        other = [opened.enter_context(closing(connect(port, "127.0.0.2"))) for _ in range(10)]
        detail = check_refused(read_all(opened.enter_context(closing(connect(port, "127.0.0.3")))), 503, "connections")
        assert "40 connections" in detail
        assert len(one) + len(other) == 40
    last = exchange(port, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
    assert last.startswith(b"HTTP/1.1 200 ")


def test_response_that_nobody_reads(caplog):
    """Whoever asks for the log and does not read it is cut off; the service goes on."""
    with service() as client:
        long = [f"{item:200}" for item in ITEMS]
        arena = client.arenas.create("lunch", long, audience="everyone")
        for _ in range(12):  # 8 MB, more than the kernel keeps for a connection
            arena.ask_many([None] * 1000)
        app = create_app(Config("memory:"), client.arenas)
        with running(app, limits=Limits(read_seconds=0.1)) as url, closing(socket.socket()) as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.connect(("127.0.0.1", int(url.rpartition(":")[2])))
            lazy.settimeout(PATIENCE_SECONDS)
            lazy.sendall(b"GET /v1/events HTTP/1.1\r\n" + HOST + b"\r\n")
            wait_until(lambda: "(unread): A response was not read for 0.1 seconds" in caplog.text)


def test_memory_stays_where_it_was(port):
    """40 MB of tiny headers, one header of 40 MB, a URL of 40 MB: none is kept."""
    line, piece = b"GET /healthz HTTP/1.1\r\n", 1_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for start, more in ((line, b"a: b\r\n" * (piece // 6)), (line + b"X: ", b"y" * piece), (b"GET /", b"u" * piece)):
        exchange(port, start, *[more] * 40)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 10_000, f"{grown} kB"


def test_log_is_rate_limited(monkeypatch, caplog):
    monkeypatch.setattr(limits_module, "LOG_SECONDS", float("inf"))
    log = RefusalLog()
    for number in range(100):
        log.refuse("timeout", f"192.0.2.{number}", "Too slow.")
    log.refuse("url-too-long", "192.0.2.7", "Too long.")
    assert [record.getMessage() for record in caplog.records] == [
        "refused 192.0.2.0 (timeout): Too slow.",
        "refused 192.0.2.7 (url-too-long): Too long.",
    ]
    monkeypatch.setattr(limits_module, "LOG_SECONDS", 0.0)
    log.refuse("timeout", "192.0.2.9", "Too slow.")
    assert caplog.records[-1].getMessage() == "refused 192.0.2.9 (timeout): Too slow. And 99 more like it."
