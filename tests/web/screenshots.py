"""`python -m tests.web.screenshots`: pictures of every page, for the docs.

A person who likes salmon best has played, robots have played, a simulation has run; all on a service in memory.
"""

import sys
from pathlib import Path
from random import Random

from playwright.sync_api import sync_playwright

from tests.service.serving import shared_server
from tests.web import chromium
from tests.web.conftest import pages
from tests.web.playing import play, play_to_the_end
from winnerstays.problems.builtin import SUSHI_NAMES
from winnerstays.service.keys import ApiKeys
from winnerstays.web import sushi

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pages"
LIKES = ["salmon", *(name for name in SUSHI_NAMES if name != "salmon")]
WIDTH, HEIGHT = 1200, 860
MINUTES = 5 * 60_000
HOST = "lunch.example"


def take(page, name, **options):
    """Save a picture of the page, or of a part of it."""
    page.wait_for_load_state("networkidle") if name != "arena" else page.locator("#traffic canvas").wait_for()
    page.screenshot(path=FOLDER / f"{name}.png", **options)
    print(f"docs/pages/{name}.png")


def take_all(browser, site):
    def context(**options):
        found = browser.new_context(
            **{"viewport": {"width": WIDTH, "height": HEIGHT}, "reduced_motion": "reduce", **options}
        )
        found.set_default_timeout(MINUTES)
        return found

    page = context().new_page()
    page.goto(site.url)
    take(page, "home")
    page.goto(f"{site.url}/play/sushi")
    play(page, 8, likes=LIKES)
    take(page, "play")
    play_to_the_end(page, likes=LIKES)
    take(page, "favourite", full_page=True)
    page.get_by_role("button", name="Play again").click()
    page.locator("[name=duel]").wait_for(state="attached")
    page.get_by_text("Let robots play").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("exact value of ws-w, for ever").wait_for()
    page.locator("[data-start]:not(:disabled)").wait_for()
    page.locator("#robots").screenshot(path=FOLDER / "robots.png")
    print("docs/pages/robots.png")
    page.goto(f"{site.url}/play/sushi")
    play(page, 5, likes=LIKES)  # newest events, which are of people only
    page.goto(f"{site.url}/new")
    take(page, "new")
    page.goto(f"{site.url}/arenas")
    take(page, "arenas")
    page.goto(f"{site.url}/arenas/sushi")
    take(page, "arena", full_page=True)
    page.get_by_role("link", name="Edit toro").click()
    take(page, "item")
    page.goto(f"{site.url}/arenas/sushi")
    page.locator(".plain a").first.click()
    page.locator(".line").wait_for()
    take(page, "user")
    page.goto(f"{site.url}/keys")
    take(page, "keys")
    page.goto(f"{site.url}/lab?problem=fifty&algorithms=ws-w+rucb+rmed1&horizon=3000&runs=50&seed=1")
    page.locator(".legend li").first.wait_for()
    page.locator("[data-start]:not(:disabled)").wait_for()
    take(page, "lab", full_page=True)
    page.goto(f"{site.url}/docs")
    page.locator(".operation summary").first.click()
    take(page, "docs")
    dark = context(color_scheme="dark").new_page()
    dark.goto(f"{site.url}/play/sushi")
    play(dark, 6, likes=LIKES)
    take(dark, "play-dark")
    phone = context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    phone.goto(f"{site.url}/play/sushi")
    play(phone, 6, likes=LIKES)
    take(phone, "play-phone")


def take_share(browser, site):
    """Take the page with the link and its code, which it shows by an address that phones can reach."""
    site.arenas.create("friday-lunch", ["ramen", "tacos", "pho"], audience="everyone", public=True)
    secret, _ = ApiKeys.of(site.arenas).create(["admin"])
    poll = site.arenas.create("place", ["City", "Island", "Hills", "Lake", "Forest"], audience="everyone", public=True)
    rng = Random(1)
    for who in range(12):
        liking = {item: 4 - at + rng.gauss(0, 1.5) for at, item in enumerate(one.id for one in poll.items)}
        for _ in range(10):
            duel = poll.ask(f"voter {who}", among=site.arenas.database.turn("place", f"voter {who}").pair)
            poll.tell(duel, winner=max(duel.left, duel.right, key=liking.__getitem__))
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(f"{site.url.replace('127.0.0.1', HOST)}/sign-in?to=/arenas/friday-lunch/share")
    page.get_by_label("Key").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    page.locator(".scan").wait_for()
    take(page, "share")
    page.goto(f"{site.url.replace('127.0.0.1', HOST)}/arenas/place")
    page.locator(".winner").screenshot(path=FOLDER / "winner.png")


def main():
    path = chromium.find() or chromium.install()
    if path is None:
        sys.exit(chromium.MISSING)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with pages() as site, sync_playwright() as playwright:
        arena = sushi.ready_arena(site.arenas)
        for k in range(30):
            for _ in range(10 + 3 * k):
                duel = arena.ask(f"visitor-{k}")
                left, right = ((LIKES.index(item) + 5 * k) % len(LIKES) for item in (duel.left, duel.right))
                arena.tell(duel, winner=duel.left if left < right else duel.right)
        flags = [*chromium.FLAGS, f"--host-resolver-rules=MAP {HOST} 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        take_all(browser, site)
        with pages(loopback=False) as public:
            take_share(browser, public)
        browser.close()
    shared_server().stop()


if __name__ == "__main__":
    main()
