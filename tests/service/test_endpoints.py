"""Every route, with every status it may answer."""

import json
import sqlite3
import threading
from contextlib import closing

import pytest

from tests.service.serving import service
from tests.waiting import PATIENCE_SECONDS
from winnerstays.arena import StoreError
from winnerstays.arena.stores import sqlite
from winnerstays.errors import WinnerstaysError
from winnerstays.service.config import Config
from winnerstays.service.endpoints import ENDPOINTS

ITEMS = ["ramen", "tacos", "pho"]
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def client():
    with service() as client:
        yield client


@pytest.fixture
def arena(client, request):
    """The path of a fresh arena with a learner for each user."""
    name = request.node.name
    assert client.post("/v1/arenas", json={"name": name, "items": ITEMS, "seed": 7}).status_code == 201
    return f"/v1/arenas/{name}"


def ask(client, arena, user="ada"):
    response = client.post(f"{arena}/duels", json={"user": user})
    assert response.status_code == 201, response.text
    return response.json()


def tell(client, duel, **answer):
    return client.put(f"/v1/duels/{duel}/outcome", json=answer)


def check_problem(response, status, kind, holding=""):
    assert (response.status_code, response.headers["content-type"]) == (status, PROBLEM), response.text
    found = response.json()
    assert found["status"] == status and found["type"] == f"urn:winnerstays:problem:{kind}", found
    assert found["title"] and holding in found["detail"], found
    return found


def test_create_arena(client):
    body = {"name": "a b/ü".replace("/", "-"), "items": ["x", {"id": "y", "title": "<b>Y</b>"}], "audience": "everyone"}
    made = client.post("/v1/arenas", json=body)
    assert made.status_code == 201 and made.headers["location"] == "/v1/arenas/a%20b-%C3%BC"
    assert client.get(made.headers["location"]).json() == made.json()
    assert made.json()["items"][1]["title"] == "<b>Y</b>"
    assert client.post("/v1/arenas", json=body).status_code == 200
    check_problem(client.post("/v1/arenas", json={**body, "items": ["x", "z"]}), 409, "different-arena", "items")
    check_problem(client.post("/v1/arenas", json={**body, "audience": "user"}), 409, "different-arena", "audience")
    for wrong, holding in (
        ({"name": "n", "items": ["x"]}, "2 items"),
        ({"name": "n", "items": ["x", "x"]}, "twice"),
        ({"name": "n", "items": ["x", "y"], "algorithm": "ws-v"}, "ws-w"),
        ({"name": "n", "items": ["x", "y"], "audience": "nobody"}, "nobody"),
        ({"name": "n", "items": ["x", "y"], "colour": "red"}, "colour"),
        ({"name": "n", "items": ["x", "y"], "patience": "3"}, "patience"),
        ({"name": "n", "items": ["x", {"id": "y", "color": "red"}]}, "color"),
        ({"name": "n", "items": ["x", "y"], "version": 99}, "99"),
        ({"name": "a/b", "items": ["x", "y"]}, "/"),
        ({"name": "n"}, "items"),
        ({"items": ["x", "y"]}, "name"),
    ):
        check_problem(client.post("/v1/arenas", json=wrong), 422, "invalid", holding)


def test_list_and_get_arenas(client, arena):
    unset = {"picture": "", "link": "", "text": "", "features": [], "retired": False}
    listed = client.get("/v1/arenas")
    assert listed.status_code == 200
    assert [one["items"] for one in listed.json()["arenas"] if one["name"] == arena.split("/")[-1]] == [
        [{"id": item, "title": item, **unset} for item in ITEMS]
    ]
    assert client.get(arena).json()["seed"] == 7
    check_problem(client.get(arena + "x"), 404, "unknown-arena", "There is no arena")


def test_ask(client, arena):
    made = client.post(f"{arena}/duels", json={"user": "ada"})
    duel = made.json()
    assert made.status_code == 201 and made.headers["location"] == f"/v1/duels/{duel['id']}/outcome"
    assert duel["left"] != duel["right"] and {duel["left"], duel["right"]} <= set(ITEMS)
    assert ask(client, arena) == duel
    assert client.put(made.headers["location"], json={"winner": duel["left"]}).json()["status"] == "learned"
    check_problem(client.post("/v1/arenas/nowhere/duels", json={"user": "ada"}), 404, "unknown-arena", "nowhere")
    check_problem(client.post(f"{arena}/duels", json={}), 422, "invalid", "which user")
    check_problem(client.post(f"{arena}/duels", json={"user": ""}), 422, "invalid", "user")
    check_problem(client.post(f"{arena}/duels", json={"user": "x" * 201}), 422, "invalid", "200")
    check_problem(client.post(f"{arena}/duels", json={"user": "a\0"}), 422, "invalid", "NUL")


def test_tell(client, arena):
    duel = ask(client, arena)
    check_problem(tell(client, duel["id"], winner="sushi"), 422, "invalid", "sushi")
    check_problem(tell(client, duel["id"], outcome="maybe"), 422, "invalid", "maybe")
    check_problem(tell(client, duel["id"]), 422, "invalid", "None")
    check_problem(tell(client, duel["id"], winner=duel["left"], user="eve"), 403, "wrong-user")
    check_problem(tell(client, duel["id"], winner=duel["left"], arena="other-arena"), 404, "unknown-arena")
    check_problem(tell(client, "nonsense", winner="pho"), 404, "unknown-duel", "nonsense")
    learned = tell(client, duel["id"], winner=duel["left"], user="ada")
    assert learned.status_code == 200 and learned.json()["status"] == "learned"
    again = tell(client, duel["id"], winner=duel["left"])
    assert again.status_code == 200 and again.json()["status"] == "duplicate"
    hidden = check_problem(tell(client, duel["id"], winner=duel["right"]), 409, "conflict")
    assert duel["left"] not in hidden["detail"], "an earlier answer is shown to whoever gave it, and nobody else"
    found = check_problem(tell(client, duel["id"], winner=duel["right"], user="ada"), 409, "conflict", duel["left"])
    assert found["receipt"]["status"] == "conflict" and found["receipt"]["duel"] == duel["id"]
    noted = tell(client, ask(client, arena)["id"], outcome="skip", reason="both dull")
    assert noted.status_code == 200 and noted.json()["status"] == "noted" and "dull" in noted.json()["reason"]


def test_late_answers_are_gone(client):
    body = {"name": "brief", "items": ITEMS, "expires_after": 1e-6}
    assert client.post("/v1/arenas", json=body).status_code == 201
    duel = ask(client, "/v1/arenas/brief")
    found = check_problem(tell(client, duel["id"], winner=duel["left"]), 410, "late", "expired")
    assert found["receipt"]["status"] == "late"


def test_tell_and_ask(client, arena):
    def both(duel, **body):
        return client.post(f"/v1/duels/{duel}/outcome+next", json=body)

    name = arena.split("/")[-1]
    duel = ask(client, arena)
    answer = {"winner": duel["left"], "arena": name, "user": "ada"}
    done = both(duel["id"], **answer)
    assert done.status_code == 200 and done.json()["receipt"]["status"] == "learned"
    following = done.json()["next"]
    assert following["id"] != duel["id"] and following == ask(client, arena)
    again = both(duel["id"], **answer).json()
    assert again["receipt"]["status"] == "duplicate" and again["next"] == following
    refused = check_problem(both(duel["id"], **{**answer, "winner": duel["right"]}), 409, "conflict")
    assert refused["next"] == following and refused["receipt"]["status"] == "conflict"
    check_problem(both("nonsense", **answer), 404, "unknown-duel")
    check_problem(both(duel["id"], **{**answer, "arena": "nowhere"}), 404, "unknown-arena")
    check_problem(both(duel["id"], winner="ramen"), 422, "invalid", "arena")
    told = check_problem(both(following["id"], winner=following["left"], arena=name), 422, "invalid", "which user")
    assert told["receipt"]["status"] == "learned"


def test_batch(client, arena):
    name = arena.split("/")[-1]
    duel = ask(client, arena)
    works = [
        {"tell": {"duel": duel["id"], "winner": duel["left"]}},
        {"ask": {"arena": name, "user": "ada"}},
        {"ask": {"arena": "nowhere"}},
        {"tell": {"duel": duel["id"], "winner": duel["right"]}},
    ]
    done = client.post("/v1/batch", json={"works": works})
    assert done.status_code == 200
    told, asked, problem, refused = done.json()["results"]
    assert told["receipt"]["status"] == "learned" and refused["receipt"]["status"] == "conflict"
    assert asked["duel"] == ask(client, arena)
    assert problem["problem"]["status"] == 404 and "nowhere" in problem["problem"]["detail"]
    assert client.post("/v1/batch", json={"works": []}).json() == {"results": []}
    for work in ({}, {"ask": {"arena": name}, "tell": {"duel": "x"}}):
        check_problem(client.post("/v1/batch", json={"works": [work]}), 422, "invalid", "works.0")
    many = [{"ask": {"arena": name, "user": "ada"}}] * 1001
    check_problem(client.post("/v1/batch", json={"works": many}), 422, "invalid", "1000")


def test_one_bad_work_does_not_hurt_its_neighbours(client, arena):
    """A tell that names an unknown arena fails alone, whatever shares its transaction."""
    duel = ask(client, arena)
    bad = {"tell": {"duel": duel["id"], "winner": duel["left"], "arena": "nowhere"}}
    good = {"tell": {"duel": duel["id"], "winner": duel["left"]}}
    assert client.post("/v1/batch", json={"works": [good]}).json()["results"][0]["receipt"]["status"] == "learned"
    fine, wrong = client.post("/v1/batch", json={"works": [good, bad]}).json()["results"]
    assert fine["receipt"]["status"] == "duplicate" and wrong["problem"]["type"].endswith("unknown-arena")
    check_problem(tell(client, duel["id"], winner=duel["left"], arena="nowhere"), 404, "unknown-arena")


def test_best_standing_bias(client, arena):
    check_problem(client.get(f"{arena}/best?user=ada"), 404, "unknown-user", "ada")
    for _ in range(30):
        duel = ask(client, arena)
        tell(client, duel["id"], winner="tacos" if "tacos" in (duel["left"], duel["right"]) else duel["left"])
    best = client.get(f"{arena}/best", params={"user": "ada"}).json()
    assert best == {"arena": arena.split("/")[-1], "user": "ada", "favourite": "tacos"}
    standing = client.get(f"{arena}/standing", params={"user": "ada", "p": 0.8, "level": 0.9}).json()
    assert standing["favourite"] == "tacos" and standing["level"] == 0.9 and standing["certificate"] is None
    assert {rival["item"] for rival in standing["rivals"]} == {"ramen", "pho"}
    bias = client.get(f"{arena}/bias").json()
    assert bias["left"] + bias["right"] == 30 and bias["low"] <= bias["share"] <= bias["high"]
    check_problem(client.get(f"{arena}/best"), 422, "invalid", "which user")
    check_problem(client.get(f"{arena}/standing?user=ada&level=2"), 422, "invalid", "2")
    check_problem(client.get(f"{arena}/standing?user=ada&p=0.3"), 422, "invalid", "0.3")
    check_problem(client.get(f"{arena}/standing?user=ada&p=x"), 422, "invalid", "p")
    check_problem(client.get(f"{arena}/best?user=ada&colour=red"), 422, "invalid", "colour")
    for what in ("best?user=ada", "standing?user=ada", "bias", "events"):
        check_problem(client.get(f"/v1/arenas/nowhere/{what}"), 404, "unknown-arena", "nowhere")


def test_events_are_streamed(client, arena):
    for number in range(600):
        duel = ask(client, arena, f"user{number % 3}")
        if number < 2:
            tell(client, duel["id"], winner=duel["left"])
    works = [{"ask": {"arena": arena.split("/")[-1], "user": f"more{number}"}} for number in range(1000)]
    client.post("/v1/batch", json={"works": works})
    with client.stream("GET", f"{arena}/events") as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        assert "content-length" not in response.headers
        events = [json.loads(line) for line in response.iter_lines()]
    seqs = [event["seq"] for event in events]
    assert len(events) > 1000 and seqs == sorted(seqs) and events[0]["kind"] == "created"
    after = client.get(f"{arena}/events", params={"after": seqs[-3]}).text.splitlines()
    assert [json.loads(line)["seq"] for line in after] == seqs[-2:]
    everything = client.get("/v1/events").text.splitlines()
    assert len(everything) >= len(events)
    check_problem(client.get(f"{arena}/events?after=-1"), 422, "invalid", "-1")
    check_problem(client.get("/v1/events?after=x"), 422, "invalid", "x")


def test_leaving_a_stream_early_is_harmless(client, arena):
    works = [{"ask": {"arena": arena.split("/")[-1], "user": f"u{number}"}} for number in range(1000)]
    for _ in range(3):
        client.post("/v1/batch", json={"works": works})
    for _ in range(5):
        with client.stream("GET", f"{arena}/events") as response:
            next(response.iter_lines())
    assert ask(client, arena)["id"]


def test_erase(client, arena):
    odd = client.delete(f"{arena}/users/o'brien%2F%C3%BC")
    check_problem(odd, 404, "unknown-user", "o'brien/ü")
    ask(client, arena, "o'brien/ü")
    assert client.delete(f"{arena}/users/o'brien%2F%C3%BC").json()["learners"] == 1
    duel = ask(client, arena, "bob")
    ask(client, arena, "ada")
    gone = client.delete(f"{arena}/users/ada")
    assert gone.status_code == 200 and gone.json() == {"user": "ada", "rows": 1, "learners": 1, "left": []}
    check_problem(client.delete(f"{arena}/users/ada"), 404, "unknown-user", "ada")
    assert tell(client, duel["id"], winner=duel["left"]).status_code == 200


def test_health_and_readiness(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_head_is_get_without_a_body(client, arena):
    """Monitors ask so."""
    ask(client, arena, "ada")
    for path in ("/healthz", "/readyz", arena, f"{arena}/events", "/v1/events", "/v1/arenas/nowhere"):
        head, get = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (get.status_code, b"")
        assert head.headers["Content-Type"] == get.headers["Content-Type"]
    assert client.head(f"{arena}/duels").status_code == 405


def test_metrics_count(client, arena):
    def read():
        lines = client.get("/metrics").text.splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}

    before = read()
    duel = ask(client, arena)
    tell(client, duel["id"], winner=duel["left"])
    tell(client, duel["id"], winner=duel["left"])
    tell(client, duel["id"], winner=duel["right"])
    client.get("/nowhere")
    after = read()

    def more(name):
        return after.get(name, 0) - before.get(name, 0)

    outcome = 'winnerstays_requests_total{method="PUT",route="/v1/duels/{duel}/outcome",status="%d"}'
    assert after["winnerstays_requests_waiting"] == 1, "that for the metrics"
    assert more(outcome % 200) == 2 and more(outcome % 409) == 1
    assert more("winnerstays_duels_served_total") == 1
    assert [more(f'winnerstays_answers_total{{status="{status}"}}') for status in ("learned", "duplicate")] == [1, 1]
    assert more('winnerstays_requests_total{method="GET",route="",status="404"}') == 1
    name = arena.rpartition("/")[2]
    assert more(f'winnerstays_arena_events_total{{arena="{name}",kind="learned"}}') == 1
    assert after[f'winnerstays_arena_silent_share{{arena="{name}"}}'] == 0.0
    assert more('winnerstays_request_seconds_count{method="PUT",route="/v1/duels/{duel}/outcome"}') == 3


def test_unknown_paths_and_methods(client, arena):
    check_problem(client.get("/"), 404, "no-route", "openapi.json")
    check_problem(client.get("/v1/arenas/"), 404, "no-route")
    refused = client.patch("/v1/arenas")
    check_problem(refused, 405, "no-method", "PATCH")
    assert refused.headers["allow"] == "POST, GET, HEAD"


def test_get_changes_nothing(client, arena):
    """No route that GET reaches leaves a row in the log."""
    ask(client, arena, "ada")
    before = client.get("/v1/events").text
    readable = {endpoint.path for endpoint in ENDPOINTS if endpoint.method == "GET"}
    for endpoint in ENDPOINTS:
        path = endpoint.path_format.replace("{name}", arena.split("/")[-1])
        if endpoint.method == "GET":
            user = {"user": "ada"} if path.endswith(("best", "standing")) else {}
            assert client.get(path, params=user).is_success
        elif endpoint.path not in readable:
            assert client.get(path.replace("{duel}", "x").replace("{user}", "ada")).status_code == 405
    assert client.get("/v1/events").text == before


def test_database_that_is_away_is_a_problem(monkeypatch, caplog):
    with service() as client:
        client.post("/v1/arenas", json={"name": "a", "items": ITEMS})
        duel = ask(client, "/v1/arenas/a")

        def away(_):
            raise StoreError("The database is on holiday.")

        for how in ("run", "run_now", "read"):
            monkeypatch.setattr(client.arenas.database.store, how, away)
        for response in (
            client.get("/readyz"),
            client.get("/v1/arenas"),
            client.post("/v1/arenas/a/duels", json={"user": "ada"}),
            tell(client, duel["id"], winner=duel["left"]),
        ):
            found = check_problem(response, 503, "store", "database")
            assert "holiday" not in response.text, "where the database is, and what it says, is for the log"
            assert response.headers["retry-after"] == "1"
            id_ = response.headers["x-request-id"]
            assert found["request_id"] == id_
            (line,) = [record.getMessage() for record in caplog.records if id_ in record.getMessage()]
            assert "503 store" in line and "holiday" in line
        assert client.get("/healthz").is_success
        monkeypatch.undo()
        assert tell(client, duel["id"], winner=duel["left"]).json()["status"] == "learned"


def test_file_that_is_locked_silences_nobody(tmp_path, monkeypatch):
    """While another program holds the file, an answer waits for it, and those who need no database are served."""
    monkeypatch.setattr(sqlite, "WAIT_SECONDS", PATIENCE_SECONDS)
    path = str(tmp_path / "arena.db")
    with service(path) as client, closing(sqlite3.connect(path, isolation_level=None)) as other:
        client.post("/v1/arenas", json={"name": "a", "items": ITEMS})
        duel, answers = ask(client, "/v1/arenas/a"), []
        other.execute("BEGIN IMMEDIATE")
        thread = threading.Thread(target=lambda: answers.append(tell(client, duel["id"], winner=duel["left"])))
        thread.start()
        for _ in range(20):
            assert client.get("/healthz").is_success and not answers
        other.execute("COMMIT")
        thread.join()
        assert answers[0].json()["status"] == "learned"
        assert client.arenas.replay().equal


def test_slow_database_is_not_ready(monkeypatch):
    with service(ready_seconds=0.05) as client:
        done = threading.Event()
        monkeypatch.setattr(client.arenas.database.store, "run", lambda _: done.wait(PATIENCE_SECONDS))
        for _ in range(3):
            check_problem(client.get("/readyz"), 503, "store", "0.05")
        assert client.get("/healthz").is_success
        done.set()


def test_defect_is_a_problem_without_details(monkeypatch, caplog):
    with service() as client:
        monkeypatch.setattr(client.arenas.database, "arenas", lambda: 1 / 0)
        given = client.get("/v1/arenas", headers={"X-Request-Id": "proxy-7"})
        found = check_problem(given, 500, "defect")
        assert "ZeroDivision" not in json.dumps(found) and "ZeroDivision" in caplog.text
        assert found["request_id"] == "proxy-7" and "request proxy-7: GET /v1/arenas got 500 defect" in caplog.text


@pytest.mark.parametrize("origin", ["shop.example", "https://shop.example/", "https://", "null", "https://a b", ""])
def test_an_origin_that_no_browser_sends_is_refused(origin):
    with pytest.raises(WinnerstaysError, match="must be an origin") as refused:
        Config("memory:", cors=(origin,))
    assert repr(origin) in str(refused.value)
    for bad in ("img.example", "https://img.example; script-src *", "https://'self'"):
        with pytest.raises(WinnerstaysError, match="--pictures"):
            Config("memory:", pictures=(bad,))
    Config("memory:", cors=("*", "http://localhost:3000"), pictures=("https://img.example/items",))


def test_cors_list():
    with service(cors=("https://shop.example",)) as client:
        asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,content-type"}
        good = client.options("/v1/arenas", headers={"Origin": "https://shop.example", **asked})
        assert good.status_code == 200 and good.headers["access-control-allow-origin"] == "https://shop.example"
        asked["Access-Control-Request-Method"] = "PATCH"
        assert client.options("/v1/arenas/a", headers={"Origin": "https://shop.example", **asked}).status_code == 200
        bad = client.options("/v1/arenas", headers={"Origin": "https://evil.example", **asked})
        assert bad.status_code == 400 and "access-control-allow-origin" not in bad.headers
        read = client.get("/v1/arenas", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in read.headers
