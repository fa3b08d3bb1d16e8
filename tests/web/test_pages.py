"""The pages without a browser: who may see what, whom a duel belongs to, and what is refused."""

import html
import re
import socket
import subprocess
import sys

import httpx
import pytest

from tests.service.serving import ready, running
from tests.waiting import PATIENCE_SECONDS, wait_until
from tests.web.conftest import pages
from winnerstays.arena import Arenas
from winnerstays.service.config import Config
from winnerstays.service.keys import ApiKeys
from winnerstays.web import sushi, visitors
from winnerstays.web.app import create_app
from winnerstays.web.pages import Visit


def ask(client, path="/play/sushi"):
    return client.post(path, data={"ask": "pair"}, headers={"X-Fragment": "board"})


def open_duel(client, path="/play/sushi"):
    """Ask for a pair as the page's script does; return the id of the duel and its two items."""
    text = ask(client, path).raise_for_status().text
    values = [part.partition('"')[0] for part in text.split('value="')[1:4]]
    return values[0], values[1:]


@pytest.fixture
def arena(site):
    return sushi.ready_arena(site.arenas)


def test_every_page_allows_only_itself(site, arena):
    for path in ("/", "/play/sushi", "/nowhere"):
        policy = site.get(path, headers={"Accept": "text/html"}).headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy and "unsafe" not in policy


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_preview_of_the_link_is_no_visitor(site, arena, method):
    """Slack, WhatsApp and search engines open the page, read what it is about, and keep no cookie."""
    before = [event.seq for event in arena.events()]
    response = site.request(method, "/play/sushi").raise_for_status()
    assert "Set-Cookie" not in response.headers
    open_duel(site)
    known = len(list(arena.events()))
    site.request(method, "/play/sushi").raise_for_status()  # nor does a visitor's own browser change anything
    assert (len(before), known) == (1, 2) == (1, len(list(arena.events())))
    assert arena.summary().learners == 1


def test_a_preview_says_what_the_page_is_about(site):
    site.arenas.create("lunch <1>", ["ramen", {"id": "t", "title": "T" * 50}, "pho", "sushi"])
    site.arenas.create("logo", ["round", "square"], audience="everyone")
    page = html.unescape(site.get("/play/lunch%20%3C1%3E").text)
    about = f"ramen, {'T' * 39}…, pho and 1 more: choose the better of two at a time, and find your favourite."
    assert f'<meta name="description" content="{about}">' in page
    assert f'<meta property="og:description" content="{about}">' in page
    assert '<meta property="og:title" content="lunch <1>: which is better?">' in page
    assert f'<meta property="og:url" content="{site.url}/play/lunch%20%3C1%3E">' in page
    assert "round, square: choose the better of two at a time, and find everybody's" in html.unescape(
        site.get("/play/logo").text
    )


def test_the_cookie_is_out_of_reach_of_scripts(site, arena):
    cookie = ask(site).headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie


def test_nobody_answers_anothers_duel(site, arena):
    duel, (left, _) = open_duel(site)
    site.cookies.clear()
    open_duel(site)
    response = site.post("/play/sushi", data={"duel": duel, "winner": left})
    assert response.status_code == 403 and "another user" in response.text
    assert [event.kind for event in arena.events()][-1] != "learned"


@pytest.mark.parametrize("cookie", ["", "ada", "wsv_", "wsv_{content}.", "wsv_W10=.{signature}", "wsv_{other}"])
def test_a_forged_cookie_is_nobody(site, arena, cookie):
    site.arenas.create("other", ["a", "b"])
    ask(site, "/play/other")
    other = site.cookies["visitor"].removeprefix("wsv_")
    site.cookies.clear()
    ask(site)
    content, _, signature = site.cookies["visitor"].removeprefix("wsv_").partition(".")
    duel, (left, _) = open_duel(site)
    site.cookies.clear()
    response = site.post(
        "/play/sushi",
        data={"duel": duel, "winner": left},
        headers={"Cookie": f"visitor={cookie.format(content=content, signature=signature, other=other)}"},
    )
    assert response.status_code == 403 and "who answers" in response.text


def test_the_same_answer_twice_is_learned_once(site, arena):
    duel, (left, right) = open_duel(site)
    for _ in range(2):
        assert site.post("/play/sushi", data={"duel": duel, "winner": left}).status_code == 200
    response = site.post("/play/sushi", data={"duel": duel, "winner": right}, headers={"X-Fragment": "board"})
    assert "answered before" in response.text
    assert sum(event.kind == "learned" for event in arena.events()) == 1


def test_two_tabs_are_one_visitor_and_only_the_latest_answer_is_taken_back(site, arena):
    """Both tabs show the same pair; the first tab goes on, the second takes back what is no longer the latest."""
    fragment = {"X-Fragment": "board"}
    first, (left, _) = open_duel(site)
    assert open_duel(site)[0] == first
    site.post("/play/sushi", data={"duel": first, "winner": left}, headers=fragment)
    second, (left, _) = open_duel(site)
    assert f'name="undo" value="{first}"' in ask(site).text
    site.post("/play/sushi", data={"duel": second, "winner": left}, headers=fragment)
    for duel in (first, "nonsense"):
        response = site.post("/play/sushi", data={"undo": duel}, headers=fragment)
        assert response.status_code == 200 and "Only your latest answer can be taken back" in response.text
    assert 'name="undo"' not in ask(site).text
    assert sum(event.kind == "undone" for event in arena.events()) == 0


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"duel": "nonsense", "winner": "toro"}, 404),
        ({}, 404),
        ({"duel": "{duel}", "winner": "pizza"}, 422),
        ({"duel": "{duel}", "outcome": "maybe"}, 422),
        ({"duel": "{duel}\udcff"}, 404),
    ],
)
def test_bad_answers_get_a_sentence(site, arena, form, status):
    duel, _ = open_duel(site)
    body = "&".join(f"{name}={value.format(duel=duel)}" for name, value in form.items()).encode(
        "utf-8", "surrogateescape"
    )
    response = site.post("/play/sushi", content=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert response.status_code == status and "This " in response.text


def test_one_address_cannot_make_any_number_of_visitors(site, arena, monkeypatch):
    monkeypatch.setattr(visitors, "NEW_PER_SECOND", 1e-6)
    assert ask(site).status_code == 200
    assert ask(site).status_code == 200  # the same visitor again
    site.cookies.clear()
    response = ask(site)
    assert response.status_code == 429 and "Set-Cookie" not in response.headers
    assert sum(event.kind == "served" for event in arena.events()) == 1


def test_behind_a_proxy_on_another_machine_visitors_are_counted_apart(monkeypatch):
    """FORWARDED_ALLOW_IPS names the proxy; what others say about where they come from is not believed."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.5")
    monkeypatch.setattr(visitors, "NEW_PER_SECOND", 1e-6)
    with Arenas.open("memory:") as arenas, running(create_app(Config("memory:"), arenas)) as url:
        sushi.ready_arena(arenas)
        ApiKeys.of(arenas).create(["admin"])

        def come(proxy, address):
            transport = httpx.HTTPTransport(local_address=proxy)
            with httpx.Client(base_url=url, transport=transport) as client:
                headers = {"X-Forwarded-For": address}
                return client.post("/play/sushi", data={"ask": "pair"}, headers=headers).status_code

        through_the_proxy = [come("127.0.0.5", f"192.0.2.{number}") for number in (1, 2, 1)]
        assert through_the_proxy == [200, 200, 429]
        assert [come("127.0.0.6", f"192.0.2.{number}") for number in (3, 4)] == [200, 429]


def test_an_item_that_comes_while_the_page_is_made_is_no_defect(site, monkeypatch):
    """What was read before shows the duel all the same, with the texts that it was served with."""
    arena = site.arenas.create("menu", ["a", "b"])
    before = site.arenas.get("menu")
    arena.add([{"id": "c", "title": "Cake"}])
    arena.retire(["a"])
    monkeypatch.setattr(Visit, "remembered_arena", lambda visit: before)
    shown = site.post("/play/menu", data={"ask": "pair"})
    assert shown.status_code == 200 and "Cake" in shown.text


def test_a_form_that_is_too_large_is_refused():
    with pages(max_body=100) as small:
        sushi.ready_arena(small.arenas)
        open_duel(small)
        assert small.post("/play/sushi", data={"duel": "x" * 200}).status_code == 413


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}]
)
def test_a_form_of_another_site_is_refused(site, arena, headers):
    duel, (left, _) = open_duel(site)
    response = site.post("/play/sushi", data={"duel": duel, "winner": left}, headers=headers)
    assert response.status_code == 403 and "another site" in response.text


def test_without_keys_the_pages_answer_as_localhost_only(site, arena):
    assert site.get("/", headers={"Host": "evil.example"}).status_code == 403


def test_with_keys_only_public_arenas_are_played(site):
    ApiKeys.of(site.arenas).create(["admin"])
    site.arenas.create("open", ["a", "b"], public=True)
    site.arenas.create("closed", ["a", "b"])
    assert site.get("/play/open").status_code == 200
    closed, missing = site.get("/play/closed"), site.get("/play/nope")
    assert closed.status_code == missing.status_code == 404
    assert closed.text.replace("closed", "nope") == missing.text, "strangers do not learn which arenas there are"
    assert site.get("/play/closed/favourite").status_code == 404
    assert site.post("/play/closed", data={}).status_code == 404
    assert "closed" not in site.get("/").text


def test_what_does_not_exist_is_a_page_for_people_and_a_document_for_programs(site):
    assert "does not exist" in site.get("/nowhere", headers={"Accept": "text/html"}).text
    assert site.get("/nowhere").headers["Content-Type"] == "application/problem+json"
    assert site.get("/play/nowhere").status_code == 404
    assert site.delete("/", headers={"Accept": "text/html"}).status_code == 405


def test_every_sushi_has_its_drawing(site, arena):
    for item in arena.items:
        assert site.get(item.picture).headers["Content-Type"].startswith("image/svg")
    assert site.get("/pictures/sushi/pizza.svg").status_code == 404


def test_pictures_of_other_hosts_are_shown_if_they_are_allowed(site):
    items = [{"id": "a", "picture": "https://img.example/a.png"}, "b"]
    with pages(pictures=("https://img.example",)) as other:
        for client, shown in ((site, False), (other, True)):
            client.arenas.create("art", items)
            response = ask(client, "/play/art")
            assert ("https://img.example/a.png" in response.text) is shown
            assert ("https://img.example" in response.headers["Content-Security-Policy"]) is shown


def test_demo_serves_the_ready_arena(tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as file, socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = subprocess.Popen(
            [sys.executable, "-m", "winnerstays", "demo", "--db", str(tmp_path / "demo.db"), "--port", port,
             "--no-browser"],
            stdout=file, stderr=file,
        )  # fmt: skip
        try:
            wait_until(lambda: re.search(r"Play at (\S+)", log.read_text()) or process.poll() is not None)
            url = re.search(r"Play at (\S+)", log.read_text())[1]
            wait_until(lambda: ready(url))
            assert "salmon" in httpx.post(f"{url}/play/sushi", data={"ask": "pair"}, trust_env=False).text
        finally:
            process.terminate()
            assert process.wait(PATIENCE_SECONDS) == 0
