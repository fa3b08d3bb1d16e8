"""Making an arena from the browser."""

import html

import pytest
from playwright.sync_api import expect

from tests.web.playing import answers, play
from winnerstays.errors import WinnerstaysError
from winnerstays.service.keys import ApiKeys
from winnerstays.web import new
from winnerstays.web.forms import read_items

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'


def test_pictures_of_other_hosts_are_asked_for(site, open_page):
    """The page says where they are, shows them, and loads them only in the arena for which that was allowed."""
    page = open_page(f"{site.url}/new")
    page.route("https://img.example/**", lambda route: route.fulfill(body=PICTURE, content_type="image/svg+xml"))
    page.get_by_label("Name").fill("photos")
    page.get_by_label("Items, one per line").fill(
        "id,picture\na,https://img.example/a.png\nb,https://img.example/b.png"
    )
    page.get_by_role("button", name="Make it").click()
    page.get_by_text("The pictures are at https://img.example. May the page load them from there?").wait_for()
    expect(page.locator(".preview img")).to_have_count(2)
    page.get_by_role("button", name="Make it with pictures").click()
    page.get_by_role("link", name="Play", exact=True).last.click()
    page.locator(".duel img.photo").first.wait_for()
    assert site.arenas["photos"].settings.pictures == ("https://img.example",)
    assert "https://img.example" not in site.get("/new").headers["content-security-policy"]


def test_lines_make_an_arena_with_a_link_and_a_code(site, open_page):
    page = open_page(f"{site.url}/new")
    page.get_by_label("Name").fill("Lunch & more")
    page.get_by_label("Items, one per line").fill("ramen\ntacos\npho")
    page.get_by_role("button", name="Make it").click()
    page.get_by_text("works on this machine only").wait_for()
    assert page.locator("svg.qr").count() == 0
    page.get_by_role("link", name="Play", exact=True).last.click()
    play(page, 3, likes=["pho", "tacos", "ramen"])
    assert answers(page) == 3
    assert "%" not in page.url
    settings = site.arenas["Lunch-more"].settings
    assert settings.audience == "user" and settings.public and len(settings.items) == 3


def test_a_csv_file_becomes_items(site, open_page):
    page = open_page(f"{site.url}/new")
    table = (
        'id,title,picture,text,link\nr,Ramen,/pictures/sushi/ika.svg,"hot, with noodles",https://a.example/\np,Pho,,,\n'
    )
    page.locator("#file").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": table.encode()})
    page.get_by_label("For a team: a poll with one winner").check()
    page.get_by_label("Name").fill("soup")
    page.get_by_role("button", name="Make it").click()
    page.get_by_text("works on this machine only").wait_for()
    settings = site.arenas["soup"].settings
    assert settings.audience == "everyone"
    assert settings.items[0].model_dump(exclude_defaults=True) == {
        "id": "r", "title": "Ramen", "picture": "/pictures/sushi/ika.svg", "text": "hot, with noodles",
        "link": "https://a.example/",
    }  # fmt: skip


def test_a_mistake_keeps_what_was_typed(site):
    response = site.post("/new", data={"name": "one", "items": "only <this>"})
    assert response.status_code == 422
    assert "at least 2 items" in response.text and "only &lt;this&gt;" in response.text
    assert site.arenas.names() == []


def test_the_ready_arena(site):
    assert site.post("/new", data={"ready": "sushi"}).headers["Location"] == "/arenas/sushi/share"
    assert site.arenas.names() == ["sushi"]


def test_the_share_page_says_who_cannot_play(site):
    arena = site.arenas.create("it's lunch", ["ramen", "tacos", "pho"])
    arena.retire(["pho"])
    path = "/arenas/it%27s%20lunch"
    page = site.get(f"{path}/share").text
    assert "2 items" in page and "It is not public. Once the service has keys" in page
    assert (
        "The link works on this machine only" in page and "scan it" not in page and "svg" not in page.split("<main")[1]
    )
    response = site.post(f"{path}/settings", data={"public": "yes", "to": "share"})
    assert response.headers["location"] == f"{path}/share" and site.arenas["it's lunch"].settings.public
    assert "It is not public" not in site.get(f"{path}/share").text
    assert site.post(f"{path}/settings", data={"public": "no"}).headers["location"] == path
    arena.change(closed=True)
    assert "It is closed" in site.get(f"{path}/share").text


def test_what_others_can_open_has_a_code_to_scan(site):
    site.arenas.create("lunch", ["ramen", "tacos"], public=True)
    site.arenas.create("secret", ["ramen", "tacos"])
    key = ApiKeys.of(site.arenas).create(["read"])[0]
    site.post("/sign-in", data={"key": key})
    others = {"Host": "lunch.example"}
    page = site.get("/arenas/lunch/share", headers=others).text
    assert "let people scan it" in page and 'class="qr"' in page and "this machine only" not in page
    page = site.get("/arenas/secret/share", headers=others).text
    assert "let people scan it" not in page and "It is not public" in page


@pytest.mark.parametrize("scope", ["read", "admin"])
def test_with_keys_the_share_page_has_the_button_or_the_command(site, scope):
    site.arenas.create("it's lunch", ["ramen", "tacos"])
    key = ApiKeys.of(site.arenas).create([scope])[0]
    site.post("/sign-in", data={"key": key})
    page = html.unescape(site.get("/arenas/it%27s%20lunch/share").text)
    assert "people must sign in with a key" in page
    assert ("Make it public" in page) is (scope == "admin")
    assert ("""winnerstays arena change DB --arena 'it'"'"'s lunch' --public""" in page) is (scope == "read")


def test_one_address_cannot_make_any_number_of_arenas(site, monkeypatch):
    monkeypatch.setattr(new, "NEW_PER_SECOND", 1e-6)
    statuses = [site.post("/new", data={"name": name, "items": "a\nb"}).status_code for name in ("one", "two")]
    assert statuses == [303, 429] and site.arenas.names() == ["one"]


def test_a_name_that_is_taken_is_refused(site):
    site.arenas.create("lunch", ["a", "b"])
    response = site.post("/new", data={"name": "lunch", "items": "c\nd"})
    assert response.status_code == 409 and "another name" in response.text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "no items yet"), ("id,colour\na,red", "'colour'"), ('id,title\na,"b', "CSV"), ("  \n ", "no items yet")],
)
def test_bad_items_get_a_sentence(text, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        read_items(text)


def test_lines_with_commas_are_lines():
    assert [item.id for item in read_items("salt, pepper\nsugar")] == ["salt, pepper", "sugar"]
