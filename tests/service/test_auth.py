"""Keys: what each may do, how they are kept, and what happens without any."""

import asyncio
import re

import pytest

from tests.service.serving import service
from tests.service.test_endpoints import ITEMS, check_problem
from winnerstays.arena import Arenas
from winnerstays.errors import WinnerstaysError
from winnerstays.service import openapi
from winnerstays.service.auth import Authenticator
from winnerstays.service.config import Config
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.keys import SCOPES, ApiKeys, Credentials, digest

OPEN = {"/healthz", "/readyz"}
"""Paths that need no key."""
SCOPES_THAT_OPEN = {"serve": {"serve", "admin"}, "read": {"read", "admin"}, "admin": {"admin"}}


@pytest.fixture(scope="module")
def locked():
    """A service with a key of each scope."""
    with service() as client:
        made = {scope: ApiKeys.of(client.arenas).create([scope])[0] for scope in SCOPES}
        client.keys = {scope: {"Authorization": f"Bearer {key}"} for scope, key in made.items()}
        client.post("/v1/arenas", json={"name": "a", "items": ITEMS}, headers=client.keys["admin"])
        yield client


def test_every_route_has_a_scope_or_is_open():
    assert {endpoint.path for endpoint in ENDPOINTS if endpoint.scope is None} == OPEN
    assert all(endpoint.scope in SCOPES for endpoint in ENDPOINTS if endpoint.path not in OPEN)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
def test_scopes(locked, endpoint):
    """Without a key 401, with a key of another scope 403, with the right one neither."""

    def request(headers):
        path = endpoint.path_format.replace("{name}", "a").replace("{duel}", "x").replace("{user}", "nobody")
        content = b"{}" if endpoint.body else None
        kind = {"Content-Type": "application/json"} if endpoint.body else {}
        return locked.request(endpoint.method, path, content=content, headers={**headers, **kind})

    if endpoint.scope is None:
        assert request({}).is_success
        return
    refused = check_problem(request({}), 401, "no-key", "Bearer")
    assert request({}).headers["www-authenticate"] == "Bearer" and "needed" in refused["detail"]
    for header in ("Bearer ws_wrong", "Basic YTpi", "Bearer", "Bearer ü".encode()):
        check_problem(request({"Authorization": header}), 401, "no-key")
    for scope, headers in locked.keys.items():
        response = request(headers)
        if scope in SCOPES_THAT_OPEN[endpoint.scope]:
            assert response.status_code not in (401, 403), response.text
        else:
            check_problem(response, 403, "scope", endpoint.scope)


def test_scopes_are_documented():
    paths = openapi.document(ENDPOINTS)["paths"]
    for endpoint in ENDPOINTS:
        operation = paths[endpoint.path_format][endpoint.method.lower()]
        assert operation.get("security") == ([{"HTTPBearer": [endpoint.scope]}] if endpoint.scope else None)


def test_keys_are_stored_hashed(tmp_path):
    path = tmp_path / "arena.db"
    with Arenas.open(str(path)) as arenas:
        secret, key = ApiKeys.of(arenas).create(["serve", "read"], "shop", 5)
        assert ApiKeys.of(arenas).list() == [key] and secret.startswith("ws_") and len(secret) > 40
        assert ApiKeys.of(arenas).credentials().keys == {digest(secret): key}
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes() and secret[3:].encode() not in file.read_bytes()


def test_bad_keys_are_refused():
    with Arenas.open("memory:") as arenas:
        for scopes, rate, holding in (([], None, "scope"), (["serv"], None, "serve"), (["read"], 0, "rate")):
            with pytest.raises(WinnerstaysError, match=holding):
                ApiKeys.of(arenas).create(scopes, rate=rate)
        with pytest.raises(WinnerstaysError, match="nonsense"):
            ApiKeys.of(arenas).revoke("nonsense")
        assert ApiKeys.of(arenas).list() == []


def test_keys_take_effect_while_the_service_runs():
    with service(key_seconds=0.0) as client:
        keys = ApiKeys.of(client.arenas)
        assert client.get("/v1/arenas").is_success
        secret, key = keys.create(["read"])
        check_problem(client.get("/v1/arenas"), 401, "no-key")
        headers = {"Authorization": f"Bearer {secret}"}
        assert client.get("/v1/arenas", headers=headers).is_success
        keys.revoke(key.id)
        check_problem(client.get("/v1/arenas", headers=headers), 401, "no-key", "not valid")
        check_problem(client.get("/v1/arenas"), 401, "no-key")  # not open again: there was a key once
        with pytest.raises(WinnerstaysError, match=key.id):
            keys.revoke(key.id)


def test_keys_are_read_again_when_they_are_old():
    reads = []

    async def refresh(key_seconds):
        auth = Authenticator(lambda: reads.append(1) or Credentials({}, ""), Config("memory:", key_seconds=key_seconds))
        assert auth.stale
        await asyncio.gather(*[auth.refresh() for _ in range(10)])
        return auth

    assert not asyncio.run(refresh(3600.0)).stale
    assert asyncio.run(refresh(0.0)).stale
    assert len(reads) == 2, "requests that wait at the same time share one read"


def test_elsewhere_than_on_loopback_keys_are_always_needed():
    with service(loopback=False) as client:
        check_problem(client.get("/v1/arenas"), 401, "no-key")


@pytest.mark.parametrize(
    "headers",
    [{"X-Forwarded-For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}, {"X-Real-IP": "192.0.2.1"}, {"Via": "1.1 proxy"},
     {"Host": "shop.example"}],
)  # fmt: skip
def test_without_keys_a_proxy_is_refused(headers):
    """To the service everybody behind it comes from this machine."""
    with service(key_seconds=0.0) as client:
        refused = check_problem(client.get("/v1/arenas", headers=headers), 403, "host", "Without keys")
        assert "winnerstays arena keys create" in refused["detail"]
        secret, _ = ApiKeys.of(client.arenas).create(["read"])
        assert client.get("/v1/arenas", headers={**headers, "Authorization": f"Bearer {secret}"}).is_success


def test_without_keys_any_origin_is_refused(tmp_path, run):
    code, _, err = run("serve", "--db", str(tmp_path / "a.db"), "--cors", "*")
    assert code == 2 and "every web page that you open" in err


def test_rate_limit():
    with service() as client:
        slow, key = ApiKeys.of(client.arenas).create(["read"], rate=1e-6)
        fast, _ = ApiKeys.of(client.arenas).create(["read"])
        statuses = [client.get("/v1/arenas", headers={"Authorization": f"Bearer {slow}"}) for _ in range(12)]
        refused = [response for response in statuses if response.status_code == 429]
        assert len(refused) == 11
        check_problem(refused[0], 429, "rate", key.id)
        assert int(refused[0].headers["retry-after"]) >= 1
        assert all(client.get("/v1/arenas", headers={"Authorization": f"Bearer {fast}"}).is_success for _ in range(12))


def test_commands(tmp_path, run):
    db = str(tmp_path / "arena.db")
    code, out, err = run("arena", "keys", "create", db, "--scope", "serve", "--scope", "read", "--name", "shop")
    assert code == 0 and re.fullmatch(r"ws_\S{43}\n", out) and "read, serve" in err
    number = re.search(r"key (\w{8}) ", err)[1]
    listed = run("arena", "keys", "list", db)[1]
    assert number in listed and "shop" in listed and out.strip() not in listed
    assert run("arena", "keys", "revoke", db, number)[0] == 0
    for arguments, holding in (
        (["revoke", db, number], number),
        (["create", db, "--scope", "root"], "serve"),
        (["create", db, "--scope", "read", "--rate", "-1"], "rate"),
        (["create", db, "--scope", "read", "--arena", "nope"], "There is no arena 'nope'"),
    ):
        code, _, err = run("arena", "keys", *arguments)
        assert code == 2 and holding in err and err.count("\n") == 1, err


def test_mistyped_database_is_not_made(tmp_path, run):
    missing = tmp_path / "lnuch.db"
    for words in (["list", str(missing)], ["revoke", str(missing), "1a2b3c4d"]):
        code, _, err = run("arena", "keys", *words)
        assert code == 2 and "lnuch.db" in err and not missing.exists()


def test_binding_elsewhere_without_keys_is_refused(tmp_path, run):
    code, _, err = run("serve", "--db", str(tmp_path / "a.db"), "--host", "0.0.0.0")
    assert code == 2 and err.startswith("winnerstays: Without keys") and "0.0.0.0" in err


def test_memory_cannot_be_shared(run):
    code, _, err = run("serve", "--db", "memory:", "--workers", "2")
    assert code == 2 and "memory:" in err
