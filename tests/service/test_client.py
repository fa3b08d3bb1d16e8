"""`Arena.open("http://...")`: the contract of the arena, kept through HTTP; errors as the library raises them."""

import inspect
from contextlib import ExitStack

import pytest

from tests.service.serving import running, service
from tests.service.test_auth import run
from winnerstays import Arena, WinnerstaysError
from winnerstays.arena import Arenas, DifferentArenaError, StoreError, UnknownArenaError
from winnerstays.arena.remote import RemoteArenas
from winnerstays.arena.stores.base import open_store
from winnerstays.service import auth as keys
from winnerstays.service.app import create_app
from winnerstays.service.config import Config
from winnerstays.testing import arenas as conformance

CHECKS = [
    check
    for check in conformance.CHECKS
    if "_arena(" in inspect.getsource(check) or "Arenas(" in inspect.getsource(check)
]


class Served(RemoteArenas):
    """Arenas on a store, with a service in between. Only replay goes directly to the store."""

    opened = None

    def __init__(self, store, *clock):
        self.local = Arenas(store, *clock)
        app = create_app(Config("given"), self.local)
        super().__init__(self.opened.enter_context(running(app)))
        self.opened.callback(self.close)

    def replay(self):
        return self.local.replay()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract_through_http(check, durable, monkeypatch):
    with ExitStack() as opened:
        monkeypatch.setattr(Served, "opened", opened)
        monkeypatch.setattr(conformance, "Arenas", Served)
        store = open_store(durable)
        opened.callback(store.close)
        check(store)


def test_most_checks_go_through_http():
    assert len(CHECKS) >= 15


def test_open_makes_and_finds_arenas():
    with service() as client:
        url = str(client.base_url)
        with Arena.open(url, "lunch", ["ramen", "tacos"], audience="everyone") as arena:
            assert isinstance(arena, Arena) and [item.title for item in arena.items] == ["ramen", "tacos"]
            duel = arena.ask()
            assert arena.tell(duel, winner=duel.left).accepted
        with Arena.open(url, "lunch") as arena:
            assert arena.best() in ("ramen", "tacos") and arena.settings == client.arenas.get("lunch").settings
            assert [event.kind for event in arena.events(after=1)] == ["served", "learned"]
        with pytest.raises(UnknownArenaError, match="lunch"):
            Arena.open(url, "brunch")
        with pytest.raises(DifferentArenaError, match="audience"):
            Arena.open(url, "lunch", audience="user")


def test_large_batches_are_cut():
    with service() as client, Arena.open(str(client.base_url), "a", ["x", "y"], audience="everyone") as arena:
        duels = arena.ask_many([None] * 1500)
        receipts = arena.tell_many([(duel, duel.left) for duel in duels])
        assert len({duel.id for duel in duels}) == len(receipts) == 1500 and all(one.accepted for one in receipts)
        assert arena.tell_many([]) == []


def test_key_is_sent(tmp_path):
    with service(str(tmp_path / "arena.db")) as client:
        key, _ = keys.create(client.arenas.store, ["admin"])
        client.get("/v1/arenas")
        url = str(client.base_url)
        with Arena.open(url, "a", ["x", "y"], key=key) as arena:
            assert arena.ask("ada")
        for wrong in (None, "ws_nonsense", "schlüssel"):
            with pytest.raises(WinnerstaysError, match="key"):
                Arena.open(url, "a", key=wrong)


def test_unreachable_service_is_a_sentence():
    with service() as client:
        url = str(client.base_url)
    with pytest.raises(StoreError, match="cannot be reached"):
        Arena.open(url, "a")


def test_service_is_no_database(monkeypatch, capsys):
    """What needs the database says so; commands for arenas work through the service, too."""
    with service(key_seconds=0.0) as client:
        url = str(client.base_url).rstrip("/")
        with pytest.raises(WinnerstaysError, match="not a database"):
            Arenas.open(url).replay()
        for words in (["arena", "replay", url], ["keys", "list", "--db", url], ["serve", "--db", url]):
            _, err, code = run(monkeypatch, capsys, *words)
            assert code == 2 and url in err and "not a database" in err and err.count("\n") == 1
        assert run(monkeypatch, capsys, "arena", "create", url, "ramen", "tacos", "--arena", "lunch")[2] == 0
        secret, _ = keys.create(client.arenas.store, ["admin"])
        _, err, code = run(monkeypatch, capsys, "arena", "list", url)
        assert code == 2 and "key is needed" in err
        monkeypatch.setenv("WINNERSTAYS_KEY", secret)
        assert "lunch" in run(monkeypatch, capsys, "arena", "list", url)[0]
        id_, left, *_ = run(monkeypatch, capsys, "arena", "ask", url, "--arena", "lunch", "--user", "ada")[0].split()
        assert run(monkeypatch, capsys, "arena", "tell", url, id_, left)[0] == "learned\n"
        assert "learned" in run(monkeypatch, capsys, "arena", "export", url, "--format", "ndjson")[0]
        assert client.arenas["lunch"].best("ada") == left


def test_connection_that_broke_is_made_again():
    """A service that was restarted has closed the connections; an answer is sent again, because that is harmless."""
    with Arenas.open("memory:") as arenas:
        app = create_app(Config("memory:"), arenas)
        with running(app) as url:
            arena = Arena.open(url, "a", ["x", "y"])
            duel = arena.ask("ada")
        port = int(url.rsplit(":", 1)[1])
        with running(create_app(Config("memory:"), arenas), port) as url:
            assert arena.tell(duel, winner="x").status == "learned"
        arena.close()
