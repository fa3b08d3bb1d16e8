"""The play page as a person uses it, in Chromium."""

import pytest
from playwright.sync_api import expect

from tests.web.playing import SUSHI, answer, answers, click, duel, play, play_to_the_end, press, shown, tap
from winnerstays.web import sushi, visitors
from winnerstays.web.game import MAX_SKIPS


@pytest.fixture
def arena(site):
    return sushi.ready_arena(site.arenas)


def image_size(png):
    """The width and height that a PNG file says it has."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def visitor(arena):
    """The only visitor so far."""
    (name,) = {event.user for event in arena.events() if event.user}
    return name


@pytest.mark.parametrize(
    ("by", "options"),
    [
        (click, {}),
        (press, {}),
        (tap, {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}),
    ],
    ids=["click", "keys", "touch"],
)
def test_thirty_duels(site, arena, open_page, by, options):
    page = open_page(f"{site.url}/play/sushi", **options)
    play(page, 12, by)
    standing = arena.standing(visitor(arena))
    assert standing.answers == standing.learned == answers(page) == 12
    assert not page.get_by_text("Round").count() and not page.get_by_text("Incumbent").count()
    assert arena.arenas.replay().equal


def test_the_game_has_an_end(site, arena, open_page):
    """A stranger without slips plays to the result, goes on, and plays again as somebody new."""
    for user, better in (("ada", max), ("ben", min)):
        for _ in range(40):
            duel = arena.ask(user)
            arena.tell(duel, winner=better(duel.left, duel.right, key=SUSHI.index))
    page = open_page(f"{site.url}/play/sushi")
    duels = play_to_the_end(page)
    assert duels <= 45 and page.locator(".crown .title").inner_text() == SUSHI[0]
    assert "% sure, after" in page.locator(".result").inner_text().replace("\n", " ")
    assert "of 2 other players has the same favourite." in page.locator(".result").inner_text()
    assert page.locator(".places tr").count() == 5
    with page.expect_download() as download:
        page.get_by_role("link", name="Save a picture").click()
    picture = download.value.path().read_bytes()
    assert download.value.suggested_filename == "favourite.png" and picture.startswith(b"\x89PNG")
    assert image_size(picture) == (1600, 1120)
    page.reload()
    page.locator(".result").wait_for()
    page.get_by_role("button", name="Go on").click()
    page.locator("[name=duel]").wait_for(state="attached")
    play(page, 2)
    page.get_by_role("link", name="See the result").click()
    page.get_by_role("button", name="Play again").click()
    page.locator("[name=duel]").wait_for(state="attached")
    assert answers(page) == 0
    assert arena.arenas.replay().equal


def test_skips_are_no_answers(site, arena, open_page):
    """Whoever only skips reaches an honest sentence and no favourite; a skipped pair does not come back at once."""
    page = open_page(f"{site.url}/play/sushi")
    pairs = []
    for _ in range(MAX_SKIPS - 1):
        pairs.append(frozenset(shown(page)))
        answer(page, "skip")
    assert answers(page) == 0
    assert all(pair not in pairs[max(0, at - 5) : at] for at, pair in enumerate(pairs))
    press(page, "skip")
    page.get_by_role("heading", name="No favourite yet").wait_for()
    assert not page.get_by_role("link", name="Save a picture").count()
    standing = arena.standing(visitor(arena))
    assert standing.likely is None and standing.answers == 0 and arena.summary().favourites == {}
    page.get_by_role("button", name="Go on").click()
    page.locator("[name=duel]").wait_for(state="attached")
    for _ in range(30 - MAX_SKIPS):
        answer(page, "skip")
    page.goto(f"{site.url}/play/sushi/favourite")
    page.get_by_role("heading", name="No favourite yet").wait_for()


def test_sides_are_the_servers_and_a_tie_and_a_skip_are_noted(site, arena, open_page):
    page = open_page(f"{site.url}/play/sushi")
    answer(page, "tie")
    answer(page, "skip")
    events = list(arena.events())
    assert [(event.kind, event.outcome) for event in events if event.outcome] == [("noted", "tie"), ("noted", "skip")]
    assert shown(page) == (events[-1].left, events[-1].right)


def test_a_reload_goes_on_where_it_was(site, arena, open_page):
    page = open_page(f"{site.url}/play/sushi")
    play(page, 5)
    before = duel(page), shown(page)
    page.reload()
    assert (duel(page), shown(page)) == before and answers(page) == 5


def test_whoever_comes_when_many_come_waits_for_a_pair(site, arena, open_page, monkeypatch):
    """Thirty people scan a code in one room, behind one address: the second one plays once the limit allows it."""
    monkeypatch.setattr(visitors, "NEW_PER_SECOND", 1e-6)
    open_page(f"{site.url}/play/sushi").locator("[name=duel]").wait_for(state="attached")
    page = open_page(f"{site.url}/play/sushi")
    page.get_by_text("No answer from the service; trying again.").wait_for()
    monkeypatch.setattr(visitors, "NEW_PER_SECOND", 1e6)
    page.locator("[name=duel]").wait_for(state="attached")
    play(page, 1)
    expect(page.locator("#lost")).to_be_hidden()
    page.complaints.clear()  # the browser reports the requests that were refused


def test_an_arena_that_is_closed_under_the_page_says_so(site, arena, open_page):
    page = open_page("about:blank")
    page.route("**/play/sushi", lambda route: (arena.change(closed=True), route.continue_()) if
               route.request.method == "POST" else route.continue_())  # fmt: skip
    page.goto(f"{site.url}/play/sushi")
    page.get_by_text("The arena 'sushi' is closed: it serves no more duels.").wait_for()
    page.complaints.clear()  # the browser reports the request that was refused


def test_two_browsers_are_two_visitors(site, arena, open_page):
    first, second = (open_page(f"{site.url}/play/sushi") for _ in range(2))
    play(first, 3)
    play(second, 2)
    assert (answers(first), answers(second)) == (3, 2)
    assert len({event.user for event in arena.events() if event.user}) == 2


@pytest.mark.parametrize("by", [click, press], ids=["click", "keys"])
def test_the_last_answer_is_taken_back(site, arena, open_page, by):
    page = open_page(f"{site.url}/play/sushi")
    play(page, 6)
    before = shown(page), arena.standing(visitor(arena))
    answer(page, "left")
    page.reload()
    answer(page, "undo", by)
    assert (shown(page), arena.standing(visitor(arena))) == before and answers(page) == 6
    for _ in range(2):
        page.locator("[name=duel]").wait_for(state="attached")
        assert page.locator("[data-choice=undo]").count() == 0  # one step
        page.reload()
    play(page, 2)
    assert answers(page) == 8
    assert [event.kind for event in arena.events()].count("undone") == 1
    assert arena.arenas.replay().equal


def test_two_items(site, open_page):
    site.arenas.create("lunch", ["ramen", "tacos"], question="Where do we eat?")
    page = open_page(f"{site.url}/play/lunch")
    page.get_by_role("heading", name="Where do we eat?").wait_for()
    assert play_to_the_end(page, likes=["tacos", "ramen"]) <= 8
    assert page.locator(".crown .title").inner_text() == "tacos"


def test_an_arena_for_everyone_is_played_by_all_together(site, open_page):
    site.arenas.create("logo", ["round", "square", "star"], audience="everyone")
    pages = [open_page(f"{site.url}/play/logo") for _ in range(2)]
    for page in pages * 3:
        play(page, 1, likes=["star", "round", "square"])
    assert not pages[0].get_by_text("favourite").count()  # nobody sees the leader before they have voted
    assert sum(event.kind in ("learned", "noted") for event in site.arenas["logo"].events()) == 6


def test_a_team_votes(site, open_page):
    """Each voter gives the same number of answers, nobody sees who leads, and the dashboard names the winner."""
    places = ["City", "Island", "Hills", "Lake"]
    site.arenas.create("trip", places, audience="everyone", question="Where to go?", goal=6)
    for _ in range(3):
        page = open_page(f"{site.url}/play/trip")
        page.get_by_text("0 of 6").wait_for()
        assert play_to_the_end(page, likes=places) == 6
        page.get_by_text("Thank you! Your own favourite").wait_for()
    assert not page.get_by_role("button", name="Go on").count() and not page.get_by_text("Play again").count()
    for wish in ("on", "again", "pair"):  # nor does a form that was made by hand get more
        shown = page.request.post(f"{site.url}/play/trip", form={"ask": wish}).text()
        assert "Thank you!" in shown and 'name="duel"' not in shown
    page.goto(f"{site.url}/arenas/trip")
    assert "City wins (" in page.locator(".sentence").inner_text()
    assert "Island second; 3 people, 18 answers." in page.locator(".sentence").inner_text()
    assert page.locator(".winner tbody tr").count() == len(places) + 3  # items, and voters compared


def test_a_poll_that_is_closed_in_the_middle_keeps_the_last_answer_and_says_so(site, open_page):
    arena = site.arenas.create("trip", ["City", "Island", "Hills"], audience="everyone")
    page = open_page(f"{site.url}/play/trip")
    play(page, 2, likes=["City", "Island", "Hills"])
    arena.change(closed=True)
    press(page, "left")
    page.get_by_text("The poll is closed.").wait_for()
    assert site.arenas.database.poll("trip").group.answers == 3
    assert not page.get_by_role("button", name="Go on").count()


def test_a_hostile_item_is_harmless(site, open_page):
    hostile = {
        "id": "<script>x</script>", "title": "<script>alert(1)</script>" + "W" * 10_000,
        "text": "\u202eright to left 🍣" * 99, "link": "javascript:alert(1)", "picture": "https://elsewhere.example/a.png",
    }  # fmt: skip
    no_picture = {
        "id": "no picture",
        "title": "\u05e9\u05dc\u05d5\u05dd 😀",
        "picture": "/healthz",
        "link": "https://a.example/",
    }
    site.arenas.create("hostile", [hostile, no_picture])
    page = open_page(f"{site.url}/play/hostile", viewport={"width": 320, "height": 640})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail("a script of an item ran"))
    play(page, 2, likes=[hostile["id"], no_picture["id"]])
    page.locator("img.picture").first.wait_for(state="detached")
    assert all(url.startswith(site.url) for url in asked)
    assert [link.get_attribute("href") for link in page.locator(".more a").all()] == ["https://a.example/"]
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_without_scripts_the_form_plays(site, arena, open_page):
    page = open_page(f"{site.url}/play/sushi", java_script_enabled=False)
    page.get_by_role("button", name="Start").click()
    answered = page.locator("[data-answers]")
    for count in (1, 2, 3):
        click(page, "left")
        expect(answered).to_have_text(str(count))
    click(page, "undo")
    expect(answered).to_have_text("2")
    assert page.locator("[data-choice=undo]").count() == 0


@pytest.mark.parametrize("path", ["/", "/play/sushi"])
def test_first_page_is_small_and_comes_from_here(site, arena, open_page, path):
    page = open_page("about:blank")
    sizes = []
    page.on("requestfinished", lambda request: sizes.append((request.url, request.sizes()["responseBodySize"])))
    page.goto(site.url + path, wait_until="networkidle")
    assert all(url.startswith(site.url) for url, _ in sizes)
    assert 0 < sum(size for _, size in sizes) <= 150_000


def test_nothing_is_wider_than_a_small_phone(site, arena, open_page):
    page = open_page(f"{site.url}/play/sushi", viewport={"width": 320, "height": 640})
    for path in ("/", "/play/sushi", "/play/sushi/favourite", "/nowhere"):
        page.goto(site.url + path, wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") == 320, path
    page.complaints.clear()  # the browser reports the page that does not exist


def test_on_a_phone_the_links_are_one_row_and_no_words_are_cut(site, arena, open_page):
    page = open_page(site.url, viewport={"width": 390, "height": 844})
    page.wait_for_load_state("networkidle")
    places = [link.bounding_box()["y"] for link in page.locator(".top a").all()]
    assert max(places) - min(places) < 20, "the mark and all links"
    words = page.locator(".pair .words").all()
    assert words and all(one.evaluate("one => one.scrollHeight <= one.clientHeight + 1") for one in words)
