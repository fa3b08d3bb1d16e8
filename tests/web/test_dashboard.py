"""The dashboard: every number is one of the API, live events, a user's line, erasing, keys, downloads."""

import csv
import io
import json

import httpx
import pytest

from tests.service.serving import wait_until
from tests.web.playing import play
from winnerstays.arena import Event
from winnerstays.web import live, sushi
from winnerstays.web.dashboard import heat_map, traffic
from winnerstays.web.history import iterations
from winnerstays.web.ranking import ranked


@pytest.fixture
def lunch(site):
    """An arena in which ada and bob like pho best, and a robot played."""
    arena = site.arenas.create("lunch", ["ramen", "tacos", "pho"], seed=1)
    for user in ("ada", "bob", "robot-1"):
        for _ in range(20):
            duel = arena.ask(user)
            arena.tell(duel, winner="pho" if "pho" in duel else "ramen")
    return arena


def test_every_number_is_one_of_the_api(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch")
    totals = site.get("/v1/arenas/lunch/totals").json()
    summary = site.get("/v1/arenas/lunch/summary").json()
    bias = site.get("/v1/arenas/lunch/bias").json()
    tiles = [tile.inner_text() for tile in page.locator(".tile strong").all()]
    assert totals["kinds"]["learned"] == 40 and summary["favourites"] == {"pho": 2}
    assert tiles == ["40", "2", f"{summary['sure']} of 2", f"{100 * bias['share']:.1f} %"]
    assert page.locator("tbody tr").first.inner_text().split()[:3] == ["1", "pho", "2"]
    met = {(win["winner"], win["loser"]): win["times"] for win in totals["wins"]}
    cell = page.locator(".heat tbody tr").nth(2).locator("td").nth(0)  # pho over ramen
    assert cell.inner_text() == str(met["pho", "ramen"] + met.get(("ramen", "pho"), 0))
    page.get_by_role("link", name="show robots").click()
    assert page.locator(".tile strong").first.inner_text() == "20"


def test_events_come_live_and_after_a_lost_connection(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch")
    arena_events = page.locator("#events tr")
    assert arena_events.count() == 20
    for user in ("carl", "dora"):
        duel = lunch.ask(user)
        page.locator("#events tr", has_text=user).filter(has_text="served").wait_for()
        lunch.tell(duel, winner=duel.left)
        page.locator("#events tr", has_text=user).filter(has_text="learned").wait_for()
    shown = [row.locator("td").nth(1).inner_text() for row in arena_events.all()[:4]]
    assert shown == ["dora", "dora", "carl", "carl"]


def test_live_events_go_on_after_the_last_that_was_seen(site, lunch):
    last = lunch.newest_events(1)[0].seq
    headers = {"Last-Event-ID": str(last - 1)}
    with httpx.stream("GET", f"{site.url}/arenas/lunch/live", headers=headers, trust_env=False) as response:
        lines = (line for line in response.iter_lines() if line.startswith(("id", "data")))
        assert next(lines) == f"id: {last}"
        (event,) = json.loads(next(lines).removeprefix("data: "))
        assert event == lunch.newest_events(1)[0].as_dict()


def test_a_browser_comes_back_and_sees_each_event_once(site, lunch, open_page, monkeypatch):
    monkeypatch.setattr(live, "SECONDS_OF_STREAM", 0.2)
    page = open_page(f"{site.url}/arenas/lunch")
    for user in ("carl", "dora", "emil"):
        with page.expect_request("**/live"):  # it comes back
            lunch.ask(user)
        page.locator("#events tr", has_text=user).wait_for()
    shown = [row.locator("td").nth(1).inner_text() for row in page.locator("#events tr").all()[:3]]
    assert shown == ["emil", "dora", "carl"]


def test_a_hostile_user_and_item_are_harmless(site, open_page):
    name = '<img src=x onerror=alert(1)>"/../?' + "W" * 150
    arena = site.arenas.create("hostile", [{"id": "<b>a</b>", "title": "<script>1</script>" * 50}, "b"])
    duel = arena.ask(name)
    arena.tell(duel, winner=duel.left)
    page = open_page(f"{site.url}/arenas/hostile", viewport={"width": 320, "height": 640})
    page.on("dialog", lambda dialog: pytest.fail("a script of a name ran"))
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.locator(".plain a").click()
    assert page.locator("h1").inner_text() == name
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_a_users_page_and_erasing(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch")
    page.get_by_label("Name").fill("ada")
    page.get_by_role("button", name="Look").click()
    assert page.locator(".iteration").count() >= 3
    assert page.locator(".line circle").count() == 20
    page.get_by_text("Erase this user").click()
    page.get_by_label("Type the name again").fill("ada")
    page.get_by_role("button", name="Erase for ever").click()
    page.get_by_role("heading", name="lunch").wait_for()
    assert site.get("/arenas/lunch/users/ada").status_code == 404
    assert lunch.arenas.replay().equal


def test_erasing_needs_the_name_again_and_an_admin(site, lunch):
    assert site.post("/arenas/lunch/users/ada", data={"confirm": "bob"}).status_code == 422
    secret, _ = site.arenas.keys.create(["read"])
    wait_until(lambda: site.get("/arenas").status_code == 303)  # keys are read again within a second
    site.post("/sign-in", data={"key": secret})
    assert site.post("/arenas/lunch/users/ada", data={"confirm": "ada"}).status_code == 403
    assert lunch.standing("ada").learned == 20


def event(left, right, winner, kind="learned"):
    return Event(0, 0.0, "a", "u", kind, "d", left, right, "winner" if winner else "tie", winner)


def test_iterations_and_rounds_by_hand():
    """Of three items a round has two iterations; the one who is in the next pair stays."""
    events = [
        event("a", "b", "a"), event("c", "a", "c"), event("a", "c", None, "noted"), event("a", "c", "c"),
        event("b", "c", "b"), event("b", "c", "b", "undone"), event("b", "c", "c"), event("x", "y", "x", "late"),
    ]  # fmt: skip
    found = iterations(events, 3)
    assert [(one.round, set(one.pair), one.winners, one.stays) for one in found] == [
        (1, {"a", "b"}, ["a"], "a"),
        (1, {"a", "c"}, ["c", None, "c"], "c"),
        (2, {"b", "c"}, ["c"], None),
    ]


def test_ranks_are_shared_where_the_data_cannot_tell():
    found = {one.item: one.rank for one in ranked({"a": (500, 1000), "b": (480, 1000), "c": (20, 1000), "d": (0, 0)})}
    assert found == {"a": 1, "b": 1, "c": 3, "d": 1}


def test_traffic_and_heat_map_by_hand(lunch):
    totals = lunch.totals()
    hours, served, answered = traffic(totals)
    assert sum(served) == 40 and sum(answered) == 40 and all(hour % 3600 == 0 for hour in hours)
    cells = heat_map(lunch, totals)
    assert cells[0][0] == (0, 0) and cells[0][2][1] == cells[2][0][1] == cells[0][2][0] + cells[2][0][0]


def test_downloads(site, lunch):
    rows = list(csv.DictReader(io.StringIO(site.get("/arenas/lunch/log.csv").text)))
    assert len(rows) == len(list(lunch.events())) == 121
    lines = site.get("/arenas/lunch/log.ndjson").text.splitlines()
    assert json.loads(lines[-1])["seq"] == int(rows[-1]["seq"])
    assert site.get("/arenas/lunch/log.parquet").content.startswith(b"PAR1")
    assert site.get("/arenas/lunch/log.xls").status_code == 422


def test_keys_are_made_shown_once_and_revoked(site, lunch, open_page):
    page = open_page(f"{site.url}/keys")
    page.get_by_label("Name").fill("shop")
    page.get_by_label("admin").check()
    page.get_by_role("button", name="Make it").click()
    secret = page.locator("code", has_text="ws_").inner_text()
    assert httpx.get(f"{site.url}/v1/arenas", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    wait_until(lambda: site.get("/keys").status_code == 303)  # keys are read again within a second
    page.goto(f"{site.url}/keys")
    page.get_by_label("Key", exact=True).fill(secret)
    page.get_by_role("button", name="Sign in").click()
    assert secret not in page.content() and "shop" in page.content()
    page.get_by_role("button", name="Revoke").click()
    (key,) = site.arenas.keys.list()
    assert key.revoked_at is not None


def test_a_key_without_scopes_is_refused(site):
    response = site.post("/keys", data={"name": "x"})
    assert response.status_code == 422 and "at least one scope" in response.text


def test_an_arena_for_everyone_ranks_by_duels_won(site, open_page):
    sushi.ready_arena(site.arenas)
    site.arenas.create("logo", ["round", "square", "star"], audience="everyone")
    page = open_page(f"{site.url}/play/logo")
    play(page, 6, likes=["star", "round", "square"])
    page.goto(f"{site.url}/arenas/logo")
    assert page.locator("tbody tr").first.inner_text().split()[1] == "star"
