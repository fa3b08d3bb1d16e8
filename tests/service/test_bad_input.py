"""Whatever is sent, the answer is a problem document, the service goes on, and nothing is lost."""

import json
import socket

import pytest

from tests.service.serving import service
from tests.service.test_endpoints import ITEMS, ask, check_problem, tell
from tests.waiting import PATIENCE_SECONDS
from winnerstays.service.endpoints import ENDPOINTS

WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body]
each_with_body = pytest.mark.parametrize("endpoint", WITH_BODY, ids=lambda endpoint: endpoint.handler.__name__)


@pytest.fixture(scope="module")
def client():
    with service(max_body=5000) as client:
        client.post("/v1/arenas", json={"name": "a", "items": ITEMS})
        client.duel = ask(client, "/v1/arenas/a")
        yield client
        assert tell(client, client.duel["id"], winner=client.duel["left"]).json()["status"] == "learned"
        assert client.arenas.replay().equal


def send(client, endpoint, content, **headers):
    path = endpoint.path.replace("{name}", "a").replace("{duel}", client.duel["id"])
    headers = {"Content-Type": "application/json", **headers}
    return client.request(endpoint.method, path, content=content, headers=headers)


@each_with_body
def test_bodies(client, endpoint):
    check_problem(send(client, endpoint, b"{"), 400, "not-json")
    check_problem(send(client, endpoint, b""), 400, "not-json")
    check_problem(send(client, endpoint, b'{"user": "\xff\xfe"}'), 400, "not-json")
    check_problem(send(client, endpoint, b'{"user": "\\ud800"}'), 400, "not-json")
    check_problem(send(client, endpoint, '{"user": "ü"}'.encode("utf-16")), 400, "not-json")
    check_problem(send(client, endpoint, b"[" * 5000), 400, "not-json")
    for wrong in (b"null", b"7", b'"text"', b"[]", b'{"nonsense": 1}', b'{"user": 7}', b"1e999"):
        check_problem(send(client, endpoint, wrong), 422, "invalid")


@each_with_body
def test_content_types(client, endpoint):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        check_problem(send(client, endpoint, b"{}", **{"Content-Type": kind}), 415, "content-type")
    charset = send(client, endpoint, b"[]", **{"Content-Type": "Application/JSON; charset=utf-8"})
    check_problem(charset, 422, "invalid")


@each_with_body
def test_large_bodies(client, endpoint):
    check_problem(send(client, endpoint, b" " * 5001), 413, "too-large", "5000")
    parts = (b" " * 1000 for _ in range(100))
    check_problem(send(client, endpoint, parts), 413, "too-large", "5000")
    check_problem(send(client, endpoint, b" " * 5000), 400, "not-json")


def talk(client, request):
    """Raw bytes to the service, and what it says."""
    address = client.base_url
    with socket.create_connection((address.host, address.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        said = b""
        while part := connection.recv(65536):
            said += part
    return said


@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
        b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: -5\r\n\r\n{}",
        b"GET /v1/arenas/%ff%00%2e%2e HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /v1/arenas/a/best?user=%ff%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
)
def test_raw_bytes(client, request_):
    said = talk(client, request_)
    assert b" 500 " not in said.split(b"\r\n")[0]
    assert client.get("/healthz").is_success


def test_host_other_than_this_machine_is_refused_without_keys(client):
    for host in ("evil.example", "127.0.0.1.evil.example:80", ""):
        check_problem(client.get("/v1/arenas", headers={"Host": host}), 403, "host")
    for host in ("localhost", "localhost:8000", "127.0.0.1", "[::1]:80"):
        assert client.get("/v1/arenas", headers={"Host": host}).is_success


def test_text_of_items_is_data(client):
    items = [{"id": "<script>", "title": "'; DROP TABLE log; --", "text": "日本 %s ? \u2028"}, {"id": "b"}]
    made = client.post("/v1/arenas", json={"name": "odd <i>", "items": items})
    assert made.status_code == 201 and made.headers["content-type"] == "application/json"
    read = client.get(made.headers["location"]).json()["items"][0]
    assert {name: read[name] for name in items[0]} == items[0]
    duel = client.post("/v1/arenas/odd%20%3Ci%3E/duels", json={"user": "o'brien ?%s"}).json()
    assert "<script>" in (duel["left"], duel["right"])
    assert tell(client, duel["id"], winner="<script>", user="o'brien ?%s").json()["status"] == "learned"
    events = client.get("/v1/arenas/odd%20%3Ci%3E/events").text.splitlines()
    assert json.loads(events[-1])["winner"] == "<script>"
