"""`Arena.open("http://...")`: the contract of the arena, kept through HTTP; errors as the library raises them."""

import socket
from contextlib import ExitStack

import pytest

from tests.arena.contract import CHECKS, Subject
from tests.arena.contract.answers import check_hammered_duels
from tests.service.serving import running, service, shared_server
from winnerstays import Arena, WinnerstaysError
from winnerstays.arena import Arenas, DifferentArenaError, StoreError, UnknownArenaError
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.stores import open_store
from winnerstays.service.app import create_app
from winnerstays.service.config import Config
from winnerstays.service.keys import ApiKeys


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract_of_arenas_through_http(check, tmp_path):
    """Only replay goes directly to the database. What stores do is checked without HTTP, on each of them."""
    check_through_http(check, str(tmp_path / "arena.db"))


def test_hammered_duels_through_http_on_postgresql(postgres):
    """Where many requests wait for the store at once, which store it is makes a difference."""
    check_through_http(check_hammered_duels, postgres.database())


def check_through_http(check, address):
    with ExitStack() as opened:
        store = open_store(address)
        opened.callback(store.close)

        def connect(clock):
            app = create_app(Config("given"), Arenas(LocalBackend(store, clock)))
            return opened.enter_context(Arenas.open(opened.enter_context(shared_server().host(app))))

        check(Subject(connect, Arenas(LocalBackend(store)).replay))


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
        key, _ = ApiKeys.of(client.arenas).create(["admin"])
        client.get("/v1/arenas")
        url = str(client.base_url)
        with Arena.open(url, "a", ["x", "y"], key=key) as arena:
            assert arena.ask("ada")
        for wrong in (None, "ws_nonsense", "schlüssel"):
            with pytest.raises(WinnerstaysError, match="key"):
                Arena.open(url, "a", key=wrong)


def test_unreachable_service_is_a_sentence():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(StoreError, match="cannot be reached"):
        Arena.open(f"http://127.0.0.1:{port}", "a")


def test_service_is_no_database(monkeypatch, run):
    """What needs the database says so; commands for arenas work through the service, too."""
    with service(key_seconds=0.0) as client:
        url = str(client.base_url).rstrip("/")
        with pytest.raises(WinnerstaysError, match="not a database"):
            Arenas.open(url).replay()
        for words in (["arena", "replay", url], ["arena", "keys", "list", url], ["serve", "--db", url]):
            code, _, err = run(*words)
            assert code == 2 and url in err and "not a database" in err and err.count("\n") == 1
        assert run("arena", "create", url, "ramen", "tacos", "--arena", "lunch")[0] == 0
        secret, _ = ApiKeys.of(client.arenas).create(["admin"])
        code, _, err = run("arena", "list", url)
        assert code == 2 and "key is needed" in err
        monkeypatch.setenv("WINNERSTAYS_KEY", secret)
        assert "lunch" in run("arena", "list", url)[1]
        id_, left, *_ = run("arena", "ask", url, "--arena", "lunch", "--user", "ada")[1].split()
        assert run("arena", "tell", url, id_, left)[1] == "learned\n"
        assert "learned" in run("arena", "export", url, "--format", "ndjson")[1]
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
