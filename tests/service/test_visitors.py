"""Visitor tokens and keys that are for some arenas: what each may do, and what exists for each."""

import pytest
from pydantic import ValidationError

from tests.service.serving import service
from tests.service.test_endpoints import ITEMS, check_problem
from winnerstays.arena.records import ALL
from winnerstays.service import key_ring
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.keys import ApiKeys
from winnerstays.service.schemas import AskBody
from winnerstays.service.tokens import MAX_CHARACTERS, TokenSigner, Visitor

SECRET_NAME = "hidden-arena"


@pytest.fixture(scope="module")
def client():
    """A service with three arenas; `client.keys` are headers of keys, `client.visit` makes those of a visitor."""
    with service(visitor_rate=None) as client:
        for name in ("lunch", "dinner", SECRET_NAME):
            client.arenas.create(name, ITEMS)
        client.arenas.create("all", ITEMS, audience="everyone")
        made = {
            "admin": ApiKeys.of(client.arenas).create(["admin"]),
            "serve": ApiKeys.of(client.arenas).create(["serve"]),
            "lunch": ApiKeys.of(client.arenas).create(["admin"], arenas=["lunch", "planned"]),
            "two": ApiKeys.of(client.arenas).create(["serve"], arenas=["lunch", "dinner"]),
        }
        client.keys = {name: {"Authorization": f"Bearer {secret}"} for name, (secret, _) in made.items()}

        def visit(user, arena="lunch", key="serve", **body):
            path = f"/v1/arenas/{arena}/visitors"
            made = client.post(path, json={"user": user, **body}, headers=client.keys[key])
            assert made.status_code == 201, made.text
            return {"Authorization": f"Bearer {made.json()['token']}"}

        client.visit = visit
        yield client
        assert client.arenas.replay().equal


def ask(client, headers, arena="lunch", **body):
    return client.post(f"/v1/arenas/{arena}/duels", json=body, headers=headers)


def answer(client, headers, duel, **body):
    return client.put(f"/v1/duels/{duel}/outcome", json=body, headers=headers)


def test_visitor_plays(client):
    ada = client.visit("ada")
    duel = ask(client, ada).json()
    assert duel["user"] == "ada" and ask(client, ada, user="ada").json() == duel
    assert ask(client, client.keys["serve"], user="ada").json() == duel
    assert answer(client, ada, duel["id"], winner=duel["left"]).json()["status"] == "learned"
    again = check_problem(answer(client, ada, duel["id"], winner=duel["right"]), 409, "conflict", duel["left"])
    assert again["receipt"]["duel"] == duel["id"]
    following = ask(client, ada).json()
    body = {"winner": following["left"], "arena": "lunch"}
    done = client.post(f"/v1/duels/{following['id']}/outcome+next", json=body, headers=ada).json()
    assert done["receipt"]["status"] == "learned" and done["next"]["user"] == "ada"
    best = client.get("/v1/arenas/lunch/best", headers=ada).json()
    assert best["user"] == "ada" and best["favourite"] in ITEMS
    assert client.get("/v1/arenas/lunch/standing", headers=ada).json()["learned"] == 2


def test_visitor_is_nobody_else(client):
    eve, duel = client.visit("eve"), ask(client, client.keys["serve"], user="bob").json()
    check_problem(ask(client, eve, user="bob"), 403, "wrong-user", "bob")
    check_problem(answer(client, eve, duel["id"], winner=duel["left"]), 403, "wrong-user")
    check_problem(answer(client, eve, duel["id"], winner=duel["left"], user="bob"), 403, "wrong-user")
    body = {"winner": duel["left"], "arena": "lunch", "user": "bob"}
    check_problem(client.post(f"/v1/duels/{duel['id']}/outcome+next", json=body, headers=eve), 403, "wrong-user")
    for what in ("best", "standing"):
        check_problem(client.get(f"/v1/arenas/lunch/{what}?user=bob", headers=eve), 403, "wrong-user")
    assert answer(client, client.keys["serve"], duel["id"], winner=duel["left"]).json()["status"] == "learned"


def test_visitor_says_no_group(client):
    """Else one visitor could make any number of groups; the group that the server said is remembered."""
    duel = ask(client, client.keys["serve"], user="gus", group="de").json()
    gus = client.visit("gus")
    check_problem(ask(client, gus, group="fr"), 403, "scope", "'fr'")
    assert ask(client, gus).json()["id"] == duel["id"]
    body = {"arena": "lunch", "winner": duel["left"], "group": "fr"}
    path = f"/v1/duels/{duel['id']}/outcome+next"
    check_problem(client.post(path, json=body, headers=gus), 403, "scope", "'fr'")


def test_visitor_of_a_zone(client):
    """A token may be for some items and a group: whatever its visitor asks for, no other item exists."""
    arena = client.arenas.create("zones", [*ITEMS, "sushi", "poke"], sets={"north": ITEMS})
    south = ["sushi", "poke"]
    for among, items in (("north", ITEMS), (south, south)):
        visitor = client.visit(f"of {items[0]}", "zones", among=among, group="zone")
        shown = client.get("/v1/arenas/zones/items", headers=visitor).json()["items"]
        assert [item["id"] for item in shown] == list(items)
        other = [item.id for item in arena.items if item.id not in items]
        check_problem(ask(client, visitor, "zones", among=other), 422, "invalid", "may show 0")
        check_problem(ask(client, visitor, "zones", group="elsewhere"), 403, "scope", "elsewhere")
        for number in range(8):
            body = {"among": [*items, *other]} if number % 2 else {}
            duel = ask(client, visitor, "zones", **body).json()
            assert {duel["left"], duel["right"]} <= set(items) and bool(duel["warning"]) == bool(body)
            assert answer(client, visitor, duel["id"], winner=duel["left"]).json()["status"] == "learned"
        assert client.get("/v1/arenas/zones/best", headers=visitor).json()["favourite"] in items
        top = client.post("/v1/arenas/zones/top", json={"count": 9}, headers=visitor).json()["favourites"]
        assert sorted(top) == sorted(items)
        problem = client.post("/v1/arenas/zones/top", json={"among": other}, headers=visitor)
        check_problem(problem, 422, "invalid", "none")
        check_problem(client.get("/v1/arenas/zones/standing", headers=visitor), 403, "scope", "`top`")
        assert client.post("/v1/arenas/zones/rewards", json={"value": 2}, headers=visitor).is_success
        assert {event.group for event in arena.events(user=f"of {items[0]}") if event.kind == "served"} == {"zone"}


def test_an_open_duel_of_another_zone_is_replaced(client):
    arena = client.arenas.create("moves", [*ITEMS, "sushi", "poke"])
    before = arena.ask("mia", among=["sushi", "poke"])
    mia = client.visit("mia", "moves", among=list(ITEMS))
    duel = ask(client, mia, "moves").json()
    assert {duel["left"], duel["right"]} <= set(ITEMS)
    body = {"winner": duel["left"], "arena": "moves", "among": ["sushi", "poke", *ITEMS[:2]], "without": ["nothing"]}
    done = client.post(f"/v1/duels/{duel['id']}/outcome+next", json=body, headers=mia).json()
    assert {done["next"]["left"], done["next"]["right"]} == set(ITEMS[:2]) and "'nothing'" in done["next"]["warning"]
    assert answer(client, mia, before.id, winner="sushi").json()["status"] == "learned"


def test_tokens_for_items_that_cannot_be(client):
    path, serve = "/v1/arenas/lunch/visitors", client.keys["serve"]

    def made(**body):
        return client.post(path, json={"user": "ada", **body}, headers=serve)

    check_problem(made(among="nowhere"), 422, "invalid", "no such set")
    check_problem(made(among=[ITEMS[0], "nothing"]), 422, "invalid", "may show 1")
    check_problem(
        made(among=[*ITEMS, *(f"item {i} {hash(i * 7919)}" for i in range(2000))]), 422, "invalid", "make a set"
    )
    assert "'nothing'" in made(among=[*ITEMS, "nothing"]).json()["warning"]


def test_items_to_show_are_those_that_are_there(client):
    arena = client.arenas.create("menu", ITEMS)
    arena.retire(ITEMS[:1])
    found = client.get("/v1/arenas/menu/items", headers=client.visit("ada", "menu")).json()["items"]
    assert [item["id"] for item in found] == list(ITEMS[1:])


def test_visitor_stays_in_one_arena(client):
    """All other arenas, and what they hold, are as if they did not exist."""
    ada, elsewhere = client.visit("ada"), ask(client, client.keys["serve"], "dinner", user="ada").json()
    for arena in ("dinner", SECRET_NAME, "no-such-arena"):
        found = check_problem(ask(client, ada, arena), 404, "unknown-arena", arena)
        assert found["detail"] == f"There is no arena {arena!r}."
        check_problem(client.get(f"/v1/arenas/{arena}/best", headers=ada), 404, "unknown-arena")
    check_problem(answer(client, ada, elsewhere["id"], winner=elsewhere["left"]), 404, "unknown-duel")
    told = answer(client, ada, elsewhere["id"], winner=elsewhere["left"], arena="dinner")
    found = check_problem(told, 404, "unknown-duel")
    assert SECRET_NAME not in str(found)


def test_visitor_may_do_nothing_else(client):
    ada = client.visit("ada")
    for endpoint in ENDPOINTS:
        if endpoint.scope is None or endpoint.visitors:
            continue
        path = endpoint.path_format.replace("{name}", "lunch").replace("{duel}", "x").replace("{user}", "ada")
        content = {"content": b"{}", "headers": {**ada, "Content-Type": "application/json"}}
        check_problem(client.request(endpoint.method, path, **content), 403, "scope", "visitor")
    assert [endpoint.handler.__name__ for endpoint in ENDPOINTS if endpoint.visitors] == [
        "ask", "tell", "tell_and_ask", "get_items", "top", "best", "standing", "reward",
    ]  # fmt: skip


def test_visitor_of_an_arena_for_everyone(client):
    ada, bob = client.visit("ada", "all"), client.visit("bob", "all")
    duel = ask(client, ada, "all").json()
    check_problem(answer(client, bob, duel["id"], winner=duel["left"]), 403, "wrong-user")
    assert answer(client, ada, duel["id"], winner=duel["left"]).json()["status"] in ("learned", "noted")
    found = check_problem(answer(client, ada, duel["id"], winner=duel["right"]), 409, "conflict", duel["left"])
    assert found["receipt"]["status"] == "conflict"


def test_tokens_that_are_not_valid(client):
    headers = client.visit("ada")
    token = headers["Authorization"]
    changed = token[:20] + ("x" if token[20] != "x" else "y") + token[21:]
    for wrong in (token[:-2], changed, token + "A", "Bearer wsv_", "Bearer wsv_a.b", "Bearer wsv_ü".encode()):
        check_problem(ask(client, {"Authorization": wrong}), 401, "no-key", "token")
    soon = client.visit("ada", seconds=1e-6)
    check_problem(ask(client, soon), 401, "no-key", "expired")
    for seconds in (0, -1, 1e9):
        body = {"user": "ada", "seconds": seconds}
        made = client.post("/v1/arenas/lunch/visitors", json=body, headers=client.keys["serve"])
        check_problem(made, 422, "invalid", "seconds")
    made = client.post("/v1/arenas/nowhere/visitors", json={"user": "ada"}, headers=client.keys["serve"])
    assert check_problem(made, 404, "unknown-arena")["detail"] == "There is no arena 'nowhere'."


def test_tokens_end_with_their_key_and_with_the_secret():
    with service(key_seconds=0.0) as client:
        client.arenas.create("lunch", ITEMS)
        keys = ApiKeys.of(client.arenas)
        (first, key), (second, _) = keys.create(["serve"]), keys.create(["serve"])

        def visit(secret):
            headers = {"Authorization": f"Bearer {secret}"}
            made = client.post("/v1/arenas/lunch/visitors", json={"user": "ada"}, headers=headers)
            return {"Authorization": f"Bearer {made.json()['token']}"}

        one, other = visit(first), visit(second)
        assert ask(client, one).is_success and ask(client, other).is_success
        keys.revoke(key.id)
        check_problem(ask(client, one), 401, "no-key", "revoked")
        assert ask(client, other).is_success
        keys.revoke_visitors()
        check_problem(ask(client, other), 401, "no-key", "not signed")
        assert ask(client, visit(second)).is_success


def test_token_without_keys_is_still_for_one_user():
    with service() as client:
        client.arenas.create("lunch", ITEMS)
        token = client.post("/v1/arenas/lunch/visitors", json={"user": "ada"}).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        assert ask(client, headers).json()["user"] == "ada"
        check_problem(ask(client, headers, user="bob"), 403, "wrong-user")


def test_visitor_rate():
    with service(visitor_rate=1e-6) as client:
        client.arenas.create("lunch", ITEMS)
        visitors = []
        for user in ("ada", "ada", "bob"):
            token = client.post("/v1/arenas/lunch/visitors", json={"user": user}).json()["token"]
            visitors.append({"Authorization": f"Bearer {token}"})
        ada, again, bob = visitors
        answers = [ask(client, headers) for headers in (ada, again) * 6]  # a new token is no new visitor
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(refused) == 11
        check_problem(refused[0], 429, "rate", "'ada'")
        assert ask(client, bob).is_success


def test_copy_of_the_database_signs_nothing(tmp_path):
    """Of all that the database holds, nothing is the secret of a token; restarts agree on the key ring beside it."""
    path, ring = str(tmp_path / "arena.db"), str(tmp_path / "arena.db.secrets")
    with service(path, secrets=ring) as client:
        arena = client.arenas.create("lunch", ITEMS, public=True)
        _, key = ApiKeys.of(client.arenas).create(["admin"])
        arena_id = client.arenas.database.permitted("lunch", ALL)
        with client.arenas.database.store.snapshot() as snapshot:
            held = [value for table in ("secrets", "api_keys") for row in snapshot.rows(f"SELECT * FROM {table}")
                    for value in row if isinstance(value, str | bytes) and value]  # fmt: skip
        assert held and not any(secret in map(str, held) for secret in key_ring.load(ring))
        for value in held:
            token = TokenSigner(Visitor, [value]).sign(Visitor(arena_id, "ada", 1e11, key.id))
            check_problem(ask(client, {"Authorization": f"Bearer {token}"}), 401, "no-key", "not signed")
        token = TokenSigner(Visitor, key_ring.load(ring)).sign(Visitor(arena_id, "ada", 1e11, key.id))
        visitor = {"Authorization": f"Bearer {token}"}
        assert ask(client, visitor).is_success and arena.name == "lunch"
    with service(path, secrets=ring) as client:
        assert ask(client, visitor).is_success


def test_token_is_for_one_arena_not_for_its_name(client):
    """A new private arena of the same name is another one."""
    client.arenas.create("pop-up", ITEMS)
    old = client.visit("ada", "pop-up")
    duel = ask(client, old, "pop-up").json()
    client.arenas.delete("pop-up")
    arena = client.arenas.create("pop-up", ITEMS)
    held = ask(client, client.keys["admin"], "pop-up", user="ada").json()
    for refused in (
        ask(client, old, "pop-up"),
        answer(client, old, held["id"], winner=held["left"]),
        answer(client, old, duel["id"], winner=duel["left"]),
        client.get("/v1/arenas/pop-up/items", headers=old),
        client.get("/v1/arenas/pop-up/standing", headers=old),
        client.post("/v1/arenas/pop-up/top", json={}, headers=old),
    ):
        assert refused.status_code == 404, refused.text
    assert [event.kind for event in arena.events()][1:] == ["served"]
    arena.change(name="moved")
    assert ask(client, client.visit("ada", "moved"), "moved").is_success


def test_token_of_no_key_ends_with_public():
    """The service's own pages give tokens out without a key."""
    with service(key_seconds=0.0) as client:
        arena = client.arenas.create("lunch", ITEMS, public=True)
        visitor = {
            "Authorization": f"Bearer {client.post('/v1/arenas/lunch/visitors', json={'user': 'ada'}).json()['token']}"
        }
        duel = ask(client, visitor).json()
        ApiKeys.of(client.arenas).create(["admin"])
        assert ask(client, visitor).json() == duel
        arena.change(public=False)
        check_problem(ask(client, visitor), 404, "unknown-arena")
        check_problem(answer(client, visitor, duel["id"], winner=duel["left"]), 404, "unknown-duel")
        check_problem(client.get("/v1/arenas/lunch/best", headers=visitor), 404, "unknown-arena")


def test_longest_names_fit_into_a_token():
    signer = TokenSigner(Visitor, ["x" * 32])
    visitor = Visitor(2**63 - 1, "".join(map(chr, range(0x1F300, 0x1F300 + 200))), 1e10, "1a2b3c4d")
    assert len(signer.sign(visitor)) < MAX_CHARACTERS and signer.check(signer.sign(visitor)) == visitor


def test_bound_key(client):
    """A key for one arena, also with the scope admin: no other arena exists for it."""
    lunch = client.keys["lunch"]
    assert [one["name"] for one in client.get("/v1/arenas", headers=lunch).json()["arenas"]] == ["lunch"]
    assert client.get("/v1/arenas/lunch", headers=lunch).is_success
    elsewhere = ask(client, client.keys["admin"], SECRET_NAME, user="zoe").json()
    for endpoint in ENDPOINTS:
        path = endpoint.path_format.replace("{name}", SECRET_NAME).replace("{user}", "zoe")
        if "{name}" in endpoint.path_format:
            content = {"content": b'{"user": "zoe"}', "headers": {**lunch, "Content-Type": "application/json"}}
            found = check_problem(client.request(endpoint.method, path, **content), 404, "unknown-arena")
            assert found["detail"] == f"There is no arena {SECRET_NAME!r}."
        elif endpoint.all_arenas:
            check_problem(client.get(path, headers=lunch), 403, "scope", "'lunch'")
    check_problem(answer(client, lunch, elsewhere["id"], winner=elsewhere["left"]), 404, "unknown-duel")
    made = client.post("/v1/arenas", json={"name": "mine", "items": ITEMS}, headers=lunch)
    check_problem(made, 403, "scope", "planned")
    missing = check_problem(client.get("/v1/arenas/planned", headers=lunch), 404, "unknown-arena")
    assert SECRET_NAME not in missing["detail"]
    assert client.post("/v1/arenas", json={"name": "planned", "items": ITEMS}, headers=lunch).status_code == 201
    works = [
        {"ask": {"arena": "lunch", "user": "zoe"}},
        {"ask": {"arena": SECRET_NAME, "user": "zoe"}},
        {"tell": {"duel": elsewhere["id"], "winner": elsewhere["left"]}},
        {"tell": {"duel": elsewhere["id"], "winner": elsewhere["left"], "arena": SECRET_NAME}},
    ]
    results = client.post("/v1/batch", json={"works": works}, headers=lunch).json()["results"]
    assert results[0]["duel"]["arena"] == "lunch" and results[2]["receipt"]["status"] == "unknown"
    assert [results[place]["problem"]["status"] for place in (1, 3)] == [404, 404]


def test_key_for_two_arenas(client):
    for arena in ("lunch", "dinner"):
        duel = ask(client, client.keys["two"], arena, user="kim").json()
        assert answer(client, client.keys["two"], duel["id"], winner=duel["left"]).json()["status"] == "learned"
    token = client.visit("kim", "dinner", key="two")
    assert ask(client, token, "dinner").is_success


def test_404_names_no_other_arena(client):
    """Who may list arenas finds the nearest name in the list: `Arenas.get` does."""
    for key in ("serve", "admin"):
        hidden = check_problem(ask(client, client.keys[key], "lunhc", user="a"), 404, "unknown-arena")
        assert hidden["detail"] == "There is no arena 'lunhc'."
    works = [{"ask": {"arena": "lunhc", "user": "a"}}, {"tell": {"duel": "x", "winner": "y", "arena": "lunhc"}}]
    batch = client.post("/v1/batch", json={"works": works}, headers=client.keys["serve"])
    assert SECRET_NAME not in batch.text and batch.text.count("There is no arena 'lunhc'.") == 2


def test_body_of_a_visitor_is_small(client):
    """Whoever has a token is anybody: what takes long to check is refused before it is read. A key may send more."""
    many = [str(number) for number in range(20_000)]
    check_problem(ask(client, client.visit("ada"), among=many), 413, "too-large", "65536")
    check_problem(ask(client, client.keys["serve"], user="ada", among=many), 422, "invalid", "'0'")


def test_of_many_mistakes_in_a_list_the_first_is_found():
    """Describing all of 450,000 took a second, for which nobody else was served."""
    for field in ("among", "without"):
        with pytest.raises(ValidationError) as found:
            AskBody.model_validate({"user": "ada", field: [1] * 1000})
        assert found.value.error_count() <= 2
