"""Sessions of rankers over HTTP: the same as in the database, also from other languages."""

import pytest

from tests.service.serving import service
from winnerstays.arena import Arena
from winnerstays.service.keys import ApiKeys

LISTS = {"bm25": ["a", "b", "c"], "neural": ["c", "x", "a"]}


@pytest.fixture(scope="module")
def client():
    with service() as client:
        client.arenas.create("rankers", [*LISTS], audience="everyone", seed=1)
        yield client


def test_a_session_through_the_client(client):
    with Arena.open(str(client.base_url), "rankers") as arena:
        session = arena.session("ada", LISTS, length=3)
        session.clicked(1)
        winner = session.winner
        assert session.close().accepted
        *_, answer = arena.events()
    assert answer.session["clicks"] == [1] and answer.winner == winner


def test_a_session_by_requests_alone(client):
    duel = client.post("/v1/arenas/rankers/duels", json={}).json()
    sides = {"first": LISTS[duel["left"]], "second": LISTS[duel["right"]]}
    page = client.post("/v1/interleave", json={**sides, "length": 3}).json()
    clicked = page["owners"].index(1) + 1
    session = {"page": page, "clicks": [clicked]}
    receipt = client.put(f"/v1/duels/{duel['id']}/outcome", json={"session": session}).json()
    assert receipt["status"] == "learned"
    *_, answer = client.arenas.get("rankers").events()
    assert (answer.duel, answer.winner) == (duel["id"], duel["right"])
    again = client.put(f"/v1/duels/{duel['id']}/outcome", json={"session": session}).json()
    assert again["status"] == "duplicate"


@pytest.mark.parametrize(
    "body",
    [
        {"first": ["a", "a"], "second": ["b"]},
        {"first": ["a"], "second": ["b"], "method": "best"},
        {"first": ["a"], "second": ["b"], "length": 0},
        {"first": ["a"], "second": ["b"], "length": 50, "method": "optimized"},
        {"first": [1.5], "second": ["b"]},
        {"first": [10**30], "second": ["b"]},
        {"first": "ab", "second": ["b"]},
        {"first": ["a"]},
    ],
)
def test_what_cannot_be_interleaved_is_a_problem(client, body):
    response = client.post("/v1/interleave", json=body)
    assert response.status_code in (400, 422) and response.json()["detail"]


@pytest.mark.parametrize(
    "damage",
    [{"sizes": [10**30, 3]}, {"sizes": [10**6, 3]}, {"shown": [10**30, "b", "c"]}, {"ranks": None}, {"method": "coin"}],
)
def test_a_damaged_page_is_refused(client, damage):
    duel = client.post("/v1/arenas/rankers/duels", json={}).json()
    page = client.post("/v1/interleave", json={"first": ["a", "b"], "second": ["c"], "length": 3}).json()
    answer = {"session": {"page": {**page, **damage}, "clicks": [1]}}
    response = client.put(f"/v1/duels/{duel['id']}/outcome", json=answer)
    assert response.status_code in (400, 422)
    assert "This is no interleaved list" in response.json()["detail"]


def test_a_visitor_sends_a_session():
    with service() as client:
        key, _ = ApiKeys.of(client.arenas).create(["admin"])
        arena = client.arenas.create("rankers", [*LISTS], audience="everyone", seed=1)
        admin = {"Authorization": f"Bearer {key}"}
        token = client.post("/v1/arenas/rankers/visitors", json={"user": "ada"}, headers=admin).json()["token"]
        session = arena.session("ada", LISTS, length=3)
        answer = {"session": {"page": session.page.to_json(), "clicks": [1]}}
        visitor = {"Authorization": f"Bearer {token}"}
        assert client.put(f"/v1/duels/{session.duel.id}/outcome", json=answer, headers=visitor).status_code == 200
        *_, event = arena.events()
        assert event.user == "ada" and event.session["clicks"] == [1]
