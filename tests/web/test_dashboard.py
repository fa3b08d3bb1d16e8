"""The dashboard: every number is one of the API, live events, a user's line, erasing, keys, downloads."""

import asyncio
import csv
import io
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import httpx
import pytest
from markupsafe import escape
from playwright.sync_api import expect

from tests.waiting import wait_until
from tests.web.playing import play
from winnerstays.arena import Event
from winnerstays.arena.figures.counts import rank
from winnerstays.service.keys import ApiKeys
from winnerstays.web import dashboard, live, sushi
from winnerstays.web.dashboard import heat_map, traffic
from winnerstays.web.history import iterations
from winnerstays.web.report import render


@pytest.fixture
def lunch(site):
    """An arena in which ada and bob like pho best, and a robot played."""
    arena = site.arenas.create("lunch", ["ramen", "tacos", "pho"], seed=1)
    for user in ("ada", "bob", "robot-1"):
        for _ in range(20):
            duel = arena.ask(user)
            arena.tell(duel, winner="pho" if "pho" in duel else "ramen")
    return arena


def newest_of_people(arena, count):
    return [event for event in arena.events() if event.user != "robot-1"][-count:]


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
    expect(page.locator(".tile strong").first).to_have_text("20")


def test_events_come_live_and_after_a_lost_connection(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch")
    arena_events = page.locator("#events tr")
    expect(arena_events).to_have_count(20)
    for user in ("carl", "dora"):
        duel = lunch.ask(user)
        page.locator("#events tr", has_text=user).filter(has_text="served").wait_for()
        lunch.tell(duel, winner=duel.left)
        page.locator("#events tr", has_text=user).filter(has_text="learned").wait_for()
    shown = [row.locator("td").nth(1).inner_text() for row in arena_events.all()[:4]]
    assert shown == ["dora", "dora", "carl", "carl"]


def test_live_events_go_on_after_the_last_that_was_seen(site, lunch):
    last = newest_of_people(lunch, 1)[0].seq
    headers = {"Last-Event-ID": str(last - 1)}
    with httpx.stream("GET", f"{site.url}/arenas/lunch/live", headers=headers, trust_env=False) as response:
        lines = (line for line in response.iter_lines() if line.startswith(("id", "data")))
        assert next(lines) == f"id: {lunch.newest_events(1)[0].seq}"
        (event,) = json.loads(next(lines).removeprefix("data: "))
        assert event == newest_of_people(lunch, 1)[0].as_dict()


@pytest.mark.parametrize("last", ["²", "9" * 5000, "x"])
def test_live_events_begin_anew_after_an_id_that_is_none(site, lunch, last):
    headers = {"Last-Event-ID": last.encode()}
    with httpx.stream("GET", f"{site.url}/arenas/lunch/live", headers=headers, trust_env=False) as response:
        assert response.status_code == 200 and next(response.iter_lines()).startswith("retry")


def test_erased_names_leave_the_feed(lunch, monkeypatch):
    monkeypatch.setattr(live, "SECONDS", 0.01)

    async def look():
        feed = live.Feed(lunch)
        stream = feed.watch()
        await anext(stream)
        assert b'"bob"' in await anext(stream)
        lunch.erase("bob")
        assert b"erased" in await anext(stream)
        assert "bob" not in str(feed._newest)
        await stream.aclose()
        await feed._reader
        assert not any(feed._newest.values())

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, look()).result()


@pytest.mark.parametrize("robots", [False, True], ids=["people", "robots"])
def test_events_are_those_of_people_or_of_robots(site, lunch, open_page, robots):
    page = open_page(f"{site.url}/arenas/lunch{'?robots=yes' if robots else ''}")
    expect(page.locator("#events td:nth-child(2)")).to_have_text(["robot-1" if robots else "bob"] * 20)
    for user in ("robot-2", "carl"):
        lunch.ask(user)
    page.locator("#events tr", has_text="robot-2" if robots else "carl").wait_for()
    assert page.locator("#events tr", has_text="carl" if robots else "robot-2").count() == 0


def test_people_are_found_behind_many_robots(lunch, monkeypatch):
    monkeypatch.setattr(live, "LOOKS", (10, 50, 1000))
    assert [event.user for event in live.newest_events(lunch, 20, robots=False)] == ["bob"] * 20
    assert len(live.newest_events(lunch, 20, robots=True)) == 20
    assert len(live.newest_events(lunch, 1000, robots=False)) == 81  # the first is the arena's own


def test_a_browser_comes_back_and_sees_each_event_once(site, lunch, open_page, monkeypatch):
    monkeypatch.setattr(live, "SECONDS_OF_STREAM", 0.2)
    page = open_page(f"{site.url}/arenas/lunch")
    for user in ("carl", "dora", "emil"):
        with page.expect_request("**/live"):  # it comes back
            lunch.ask(user)
        page.locator("#events tr", has_text=user).wait_for()
    shown = [row.locator("td").nth(1).inner_text() for row in page.locator("#events tr").all()[:3]]
    assert shown == ["emil", "dora", "carl"]


def test_the_feed_of_an_arena_that_was_renamed_ends_quietly(lunch):
    """Its reader ends without an error, and a new one starts when somebody looks at the arena under its new name."""

    async def look():
        feed = live.Feed(lunch.arenas.get("lunch"))
        lunch.change(name="dinner")
        stream = feed.watch()
        assert (await anext(stream)).startswith(b"retry")
        await feed._reader
        feed = live.Feed(lunch.arenas.get("dinner"))
        stream = feed.watch()
        await anext(stream)
        return await anext(stream)

    with ThreadPoolExecutor(1) as pool:  # in this thread the browser's event loop may run
        assert pool.submit(asyncio.run, look()).result().startswith(b"id: ")


def test_a_hostile_user_and_item_are_harmless(site, open_page):
    name = '<img src=x onerror=alert(1)>"/../?' + "W" * 150
    arena = site.arenas.create("hostile", [{"id": "<b>a</b>", "title": "<script>1</script>" * 50}, "b"])
    duel = arena.ask(name)
    arena.tell(duel, winner=duel.left)
    page = open_page(f"{site.url}/arenas/hostile", viewport={"width": 320, "height": 640})
    page.on("dialog", lambda dialog: pytest.fail("a script of a name ran"))
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.locator(".plain a").click()
    expect(page.locator("h1")).to_have_text(name)
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_a_users_page_and_erasing(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".line circle")).to_have_count(20)
    assert page.locator(".iteration").count() >= 3
    page.get_by_text("Erase this user").click()
    page.get_by_label("Type the name again").fill("ada")
    page.get_by_role("button", name="Erase for ever").click()
    page.get_by_role("heading", name="lunch").wait_for()
    assert site.get("/arenas/lunch/users/ada").status_code == 404
    assert lunch.arenas.replay().equal


def test_erasing_needs_the_name_again_and_an_admin(site, lunch):
    assert site.post("/arenas/lunch/users/ada", data={"confirm": "bob"}).status_code == 422
    secret, _ = ApiKeys.of(site.arenas).create(["read"])
    wait_until(lambda: site.get("/arenas").status_code == 303)  # keys are read again within a second
    site.post("/sign-in", data={"key": secret})
    assert site.post("/arenas/lunch/users/ada", data={"confirm": "ada"}).status_code == 403
    assert lunch.standing("ada").learned == 20


def shown_items(arena):
    return [item.id for item in arena.arenas.get(arena.name).items if not item.retired]


def test_items_are_added_retired_and_restored(site, lunch):
    """An id may hold anything, also line ends, which browsers change in forms."""
    assert site.post("/arenas/lunch", data={"add": "id,title\ncurry,Green curry\npizza,"}).status_code == 303
    odd = "a/b\n<b> %41"
    lunch.add([odd])
    assert shown_items(lunch) == ["ramen", "tacos", "pho", "curry", "pizza", odd]
    assert lunch.items[3].title == "Green curry"
    button = re.search(r'name="retire" value="(a/b[^"]*)"', site.get("/arenas/lunch").text)
    assert site.post("/arenas/lunch", data={"retire": button[1]}).headers["location"] == "/arenas/lunch#items"
    assert site.post("/arenas/lunch", data={"retire": "pho"}).status_code == 303
    assert shown_items(lunch) == ["ramen", "tacos", "curry", "pizza"]
    assert "4 items, 2 retired" in site.get("/arenas/lunch").text
    assert not {"pho", odd} & {item for user in "abcdef" for item in (lunch.ask(user).left, lunch.ask(user).right)}
    assert site.get("/arenas/lunch/users/ada").status_code == 200  # whose favourite is retired
    assert site.post("/arenas/lunch", data={"restore": button[1]}).status_code == 303
    assert shown_items(lunch) == ["ramen", "tacos", "curry", "pizza", odd]
    assert lunch.arenas.replay().equal


@pytest.mark.parametrize(("form", "sentence"), [
    ({"add": "curry\npho"}, "has an item &#39;pho&#39; already; edit it instead of adding it."),
    ({"add": " "}, "write one in each line."),
    ({"add": "id,colour\nx,red"}, "The table has a column &#39;colour&#39;"),
    ({"retire": "sushi"}, "There is no item &#39;sushi&#39;"),
    ({"restore": "pho"}, "The item &#39;pho&#39; is not retired"),
    ({"remove": "pho"}, "can be added, retired or restored here, but not &#39;remove&#39;."),
])  # fmt: skip
def test_what_is_wrong_with_a_change_of_items_stands_on_the_page(site, lunch, form, sentence):
    response = site.post("/arenas/lunch", data=form)
    assert response.status_code == 422 and sentence in response.text
    assert form.get("add", "").strip() in response.text and "Newest events" in response.text
    assert shown_items(lunch) == ["ramen", "tacos", "pho"]


def test_where_items_are_fixed_the_page_says_why(site):
    arena = site.arenas.create("fixed", ["a", "b", "c"], algorithm="rucb")
    page = site.get("/arenas/fixed").text
    assert str(escape(arena.why_fixed)) in page and 'name="add"' not in page and 'name="retire"' not in page
    response = site.post("/arenas/fixed", data={"retire": "a"})
    assert response.status_code == 422 and "does not let them come and go" in response.text


def test_items_are_changed_by_an_admin_on_a_page_of_ours(site, lunch):
    foreign = site.post("/arenas/lunch", data={"retire": "pho"}, headers={"Origin": "https://elsewhere.example"})
    assert foreign.status_code == 403
    secret, _ = ApiKeys.of(site.arenas).create(["read"])
    wait_until(lambda: site.get("/arenas").status_code == 303)  # keys are read again within a second
    assert site.post("/arenas/lunch", data={"retire": "pho"}).status_code == 401
    site.post("/sign-in", data={"key": secret})
    assert site.post("/arenas/lunch", data={"retire": "pho"}).status_code == 403
    assert 'id="items"' not in site.get("/arenas/lunch").text
    assert shown_items(lunch) == ["ramen", "tacos", "pho"]


def test_items_in_a_browser(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch", viewport={"width": 320, "height": 640})
    page.get_by_label("New items").fill("curry\nsoup")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Retire curry").wait_for()
    page.get_by_role("button", name="Retire tacos").click()
    page.get_by_role("button", name="Restore tacos").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert shown_items(lunch) == ["ramen", "pho", "curry", "soup"]


def test_an_item_is_edited_in_a_browser(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch", viewport={"width": 320, "height": 640})
    page.get_by_role("link", name="Edit tacos").click()
    page.get_by_label("Title").fill("<b>Tacos</b>")
    page.get_by_label("Text").fill("with beans\nand corn")
    page.get_by_label("Link").fill("javascript:alert(1)")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Edit <b>Tacos</b>").click()
    assert page.locator(".card .title").inner_text() == "<b>Tacos</b>"
    page.get_by_text("This link is not shown").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    tacos = lunch.arenas.get("lunch").items[1]
    assert (tacos.id, tacos.title, tacos.text) == ("tacos", "<b>Tacos</b>", "with beans\nand corn")
    assert lunch.arenas.replay().equal


def test_an_item_is_edited_where_items_are_fixed_and_what_is_wrong_is_said(site):
    odd = "a/b\n<b> %41"
    site.arenas.create("fixed", [odd, "b"], algorithm="rucb")
    (link,) = re.findall(r'href="(/arenas/fixed/item[^"]*a%2Fb[^"]*)"', site.get("/arenas/fixed").text)
    form = site.get(link).raise_for_status().text
    id_ = re.search(r'name="id" value="([^"]*)"', form)[1]
    assert site.post("/arenas/fixed/item", data={"id": id_, "title": "new"}).status_code == 303
    assert site.arenas.get("fixed").items[0].title == "new"
    wrong = site.post("/arenas/fixed/item", data={"id": id_, "text": "x\0"})
    assert wrong.status_code == 422 and 'role="alert"' in wrong.text
    assert site.post("/arenas/fixed/item", data={"id": "c"}).status_code == 422
    assert site.get("/arenas/fixed/item").status_code == 422


def test_an_arena_is_closed_opened_and_renamed(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas/lunch")
    page.get_by_text("Settings", exact=True).click()
    page.get_by_role("button", name="Close it").click()
    page.get_by_text("closed", exact=True).wait_for()
    closed = site.get("/play/lunch")
    assert closed.status_code == 422 and "is closed: it serves no more duels" in closed.text
    page.get_by_text("Settings", exact=True).click()
    page.get_by_role("button", name="Open it again").click()
    expect(page.get_by_text("closed", exact=True)).to_have_count(0)
    page.get_by_text("Settings", exact=True).click()
    page.locator("[name=rename]").fill("dinner & <b>")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("heading", name="dinner & <b>").wait_for()
    assert site.get("/play/dinner%20%26%20%3Cb%3E").status_code == 200
    assert site.arenas.names() == ["dinner & <b>"] and site.arenas.replay().equal


def test_an_arena_is_deleted_after_its_name_was_typed(site, lunch):
    site.arenas.create("other", ["a", "b"])
    wrong = site.post("/arenas/lunch/settings", data={"delete": "other"})
    assert wrong.status_code == 422 and "Type the name &#39;lunch&#39;" in wrong.text
    assert site.post("/arenas/lunch/settings", data={"delete": "lunch"}).headers["location"] == "/arenas"
    assert site.arenas.names() == ["other"] and site.get("/arenas/lunch").status_code == 404


def test_what_is_wrong_with_settings_is_said(site, lunch):
    for form, words in (({"rename": " "}, "name"), ({"colour": "red"}, "&#39;colour&#39; is none of these")):
        response = site.post("/arenas/lunch/settings", data=form)
        assert response.status_code == 422 and words in response.text
    foreign = site.post(
        "/arenas/lunch/settings", data={"closed": "yes"}, headers={"Origin": "https://elsewhere.example"}
    )
    assert foreign.status_code == 403 and not lunch.arenas.get("lunch").settings.closed


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
    counts = [(500, 500), (480, 520), (20, 980), (0, 0)]
    found = {one.item: one.rank for one in rank(list("abcd"), counts)}
    assert found == {"a": 1, "b": 1, "c": 3, "d": 1}


def test_traffic_and_heat_map_by_hand(lunch):
    totals = lunch.totals()
    hours, served, answered = traffic(totals)
    assert sum(served) == 40 and sum(answered) == 40 and all(hour % 3600 == 0 for hour in hours)
    cells = heat_map(lunch, totals)
    assert cells[0][0] == (0, 0) and cells[0][2][1] == cells[2][0][1] == cells[0][2][0] + cells[2][0][0]


RECORD_LABELS = """
window.labels = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  labels.push({ text, x: x - this.measureText(text).width / 2, right: x + this.measureText(text).width / 2, y });
  draw.apply(this, arguments);
};
"""
"""Labels of a chart are pixels: what is drawn, and where, is written down beside."""


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("hours", [1, 5, 30, 14 * 24])
def test_labels_of_the_traffic_do_not_run_into_each_other(site, lunch, open_page, monkeypatch, hours, width):
    start = 1_700_000_000 // 3600 * 3600
    shown = [[start + 3600 * hour for hour in range(hours)], [9] * hours, [8] * hours]
    monkeypatch.setattr(dashboard, "traffic", lambda totals: shown)
    page = open_page("about:blank", viewport={"width": width, "height": 800})
    page.add_init_script(RECORD_LABELS)
    page.goto(f"{site.url}/arenas/lunch")
    page.wait_for_function("labels.some(({ text }) => text.includes(':'))")
    labels = page.evaluate("labels")
    lowest = {label["y"] for label in labels if ":" in label["text"] or label["text"].count("-") == 2}
    for y in lowest:
        row = sorted({(one["x"], one["right"]) for one in labels if one["y"] == y})
        assert all(right < x for (_, right), (x, _) in pairwise(row)), row
    assert {label["text"][-3:] for label in labels if ":" in label["text"]} == {":00"}


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
    page.get_by_role("cell", name="shop").wait_for()
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("revoked", exact=True).wait_for()
    (key,) = ApiKeys.of(site.arenas).list()
    assert key.revoked_at is not None


def test_a_key_without_scopes_is_refused(site):
    response = site.post("/keys", data={"name": "x"})
    assert response.status_code == 422 and "at least one scope" in response.text


def test_an_arena_for_everyone_ranks_by_duels_won(site, open_page):
    sushi.ready_arena(site.arenas)
    site.arenas.create("logo", ["round", "square", "star"], audience="everyone")
    page = open_page(f"{site.url}/play/logo")
    play(page, 5, likes=["star", "round", "square"])
    page.goto(f"{site.url}/arenas/logo")
    assert page.locator(".sentence").inner_text() == "Not enough yet: 1 person, 5 answers."
    ranking = page.get_by_role("region", name="Items by rank, Won")
    assert ranking.locator("tbody tr").first.inner_text().split()[1] == "star"


FITS = "(one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight"


def test_a_few_items_fit_without_scroll_bars(site, open_page, tmp_path):
    names = ["Spaghetti alla carbonara with extra cheese", "Massaman curry", "A bowl of ramen with egg", "Pho"]
    arena = site.arenas.create("dinner", names, seed=1)
    for user in ("ada", "bob", "somebody-with-a-very-long-name-0123456789-0123456789"):
        for _ in range(4):
            duel = arena.ask(user)
            arena.tell(duel, winner=duel.left)
    for width in (1200, 900):
        page = open_page(f"{site.url}/arenas/dinner", viewport={"width": width, "height": 900})
        page.locator("#events tr").first.wait_for()
        boxes = {one.get_attribute("aria-label"): one.evaluate(FITS) for one in page.locator(".scroll").all()}
        if width == 1200:
            assert all(boxes.values()), boxes
        cells = page.locator("#events td").evaluate_all("(all) => all.map((one) => getComputedStyle(one).textOverflow)")
        assert set(cells) == {"ellipsis"}
        (tmp_path / "report.html").write_text(render(arena, time.time()))
        page = open_page((tmp_path / "report.html").as_uri(), viewport={"width": width, "height": 900})
        boxes = {one.get_attribute("aria-label"): one.evaluate(FITS) for one in page.locator(".scroll").all()}
        assert boxes and all(boxes.values()), (width, boxes)


def test_buttons_do_not_touch_the_first_card(site, lunch, open_page):
    page = open_page(f"{site.url}/arenas", viewport={"width": 390, "height": 800})
    head, card = (page.locator(one).first.bounding_box() for one in (".head", ".ways .panel"))
    assert card["y"] - head["y"] - head["height"] >= 8


def test_without_answers_nothing_is_said_of_sides(site):
    arena = site.arenas.create("lunch", ["ramen", "tacos"])
    page = site.get("/arenas/lunch").text
    assert "Give the first answer" in page and "Traffic" not in page and "Wins" not in page
    arena.ask("ada")
    page = site.get("/arenas/lunch").text
    assert "Traffic" in page and "no choices yet" in page and "50.0 %" not in page


def test_sessions_of_rankers_show_who_owned_what(site, open_page):
    lists = {"bm25": ["a", "b", "c", "d"], "neural": ["c", "x", "a", "y"]}
    arena = site.arenas.create("rankers", [*lists], audience="everyone", seed=1)
    sessions = [arena.session(None, lists, length=4, seed=seed) for seed in range(6)]
    for session in sessions[:5]:
        session.clicked(1)
        session.clicked(3)
    for session in sessions:
        session.close()
    page = open_page(f"{site.url}/arenas/rankers")
    panel = page.locator("#sessions")
    table = {
        cells[0]: list(map(int, cells[1:]))
        for cells in (row.inner_text().split() for row in panel.locator("table").first.locator("tbody tr").all())
    }
    won = {ranker: sum(session.winner == ranker for session in sessions) for ranker in lists}
    assert {ranker: row[:2] for ranker, row in table.items()} == {ranker: [6, won[ranker]] for ranker in lists}
    assert sum(row[2] for row in table.values()) == 10
    assert panel.locator("dd .number").all_inner_texts() == ["5", "0", "5"]
    assert panel.locator("details").count() == 6
    assert "no clicks" in panel.locator("summary").first.inner_text()
    panel.locator("summary").nth(1).click()
    rows = [row.inner_text().split() for row in panel.locator("details").nth(1).locator("tbody tr").all()]
    last = sessions[4]
    sides = (last.duel.left, last.duel.right)
    assert [row[1:3] for row in rows] == [
        [result, sides[owner]] for result, owner in zip(last.shown, last.page.owners, strict=True)
    ]
    assert [row[3:] for row in rows] == [["yes"], [], ["yes"], []]


def test_a_session_without_owners_shows_which_ranker_alone_has_a_result(site, open_page):
    lists = {"bm25": ["a", "b", "c"], "neural": ["c", "x", "a"]}
    items = [{"id": "bm25", "title": "Words"}, {"id": "neural", "title": "Neural"}]
    arena = site.arenas.create("rankers", items, audience="everyone", seed=1)
    session = arena.session(None, lists, method="optimized", length=4, seed=1)
    session.clicked(result="x")
    session.close()
    panel = open_page(f"{site.url}/arenas/rankers").locator("#sessions details")
    assert panel.locator("summary strong").inner_text() == "Neural"
    panel.locator("summary").click()
    rows = [row.inner_text().split() for row in panel.locator("tbody tr").all()]
    assert {row[1]: row[2] for row in rows} == {"a": "both", "b": "Words", "c": "both", "x": "Neural"}
