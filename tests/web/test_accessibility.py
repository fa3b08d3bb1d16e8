"""Every page is checked by axe-core, light and dark: no violation that is serious or worse."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.waiting import PATIENCE_SECONDS
from tests.web.conftest import pages
from winnerstays.web import sushi

AXE = (Path(__file__).parent / "vendored" / "axe.min.js").read_text(encoding="utf-8")
PATHS = [
    "/", "/play/sushi", "/play/sushi/favourite", "/new", "/arenas", "/arenas/sushi", "/arenas/sushi/share",
    "/arenas/sushi/item?id=toro", "/arenas/sushi/users/ada", "/keys", "/lab", "/docs", "/sign-in", "/nowhere",
]  # fmt: skip


@pytest.fixture(scope="module")
def page(browser):
    """A page whose policy lets axe-core in."""
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE_SECONDS)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def played_site():
    with pages() as site:
        arena = sushi.ready_arena(site.arenas)
        for user in ("ada", "bob"):
            for _ in range(20):
                duel = arena.ask(user)
                arena.tell(duel, winner=max(duel.left, duel.right))
        yield site


@pytest.mark.parametrize("path", PATHS)
def test_no_serious_violation(played_site, page, path):
    page.goto(played_site.url + path)
    if path == "/play/sushi":
        page.locator("[data-choice=left]").wait_for()
    page.evaluate(AXE)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        serious = [
            f"{scheme}: {one['id']}: {one['nodes'][0]['html'][:200]} ({one['help']})"
            for one in found if one["impact"] in ("serious", "critical")
        ]  # fmt: skip
        assert not serious, "\n".join(serious)


def test_the_game_is_played_by_keyboard_alone(played_site, open_page):
    """Tab reaches the pair before anything below it, and the focus stays on the side that was chosen."""
    page = open_page(f"{played_site.url}/play/sushi")
    page.locator("[data-choice=left]").wait_for()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.choice") == "left":
            break
    duel = page.locator("[name=duel]").get_attribute("value")
    page.keyboard.press("Enter")
    page.locator(f"[name=duel]:not([value='{duel}'])").wait_for(state="attached")
    expect(page.locator("[data-choice=left]")).to_be_focused()
    expect(page.locator("#say")).to_contain_text(" or ")
