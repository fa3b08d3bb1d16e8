"""The server is killed and comes back in the middle of a game: nothing is lost, and the page goes on by itself."""

from playwright.sync_api import expect

from tests.service.serving import Command
from tests.web.playing import KEYS, answers, duel, play
from winnerstays.arena import Arenas
from winnerstays.web import sushi


def test_a_killed_server_loses_nothing(tmp_path, open_page):
    database, log = str(tmp_path / "game.db"), tmp_path / "log"
    with Arenas.open(database) as arenas:
        sushi.ready_arena(arenas)
    options = ("--visitor-rate", "0")
    server = Command(database, *options, log=log)
    port = server.url.rpartition(":")[2]
    try:
        page = open_page(f"{server.url}/play/sushi")
        play(page, 5)
        before = duel(page)
        server.kill()
        page.keyboard.press(KEYS["left"])
        page.locator("#lost:not([hidden])").wait_for()
        server = Command(database, *options, "--port", port, log=log)
        page.locator(f"[name=duel]:not([value='{before}'])").wait_for(state="attached")
        expect(page.locator("#lost")).to_be_hidden()
        play(page, 4)
        assert answers(page) == 10
    finally:
        server.kill()
    page.complaints.clear()  # the browser reports the connections that failed
    with Arenas.open(database) as arenas:
        assert sum(event.kind == "learned" for event in arenas["sushi"].events()) == 10
        assert arenas.replay().equal
