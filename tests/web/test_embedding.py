"""winnerstays.js in somebody else's page: a token, never the key; the custom element plays."""

import gzip

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.service.serving import shared_server
from tests.web.conftest import pages
from winnerstays.service.keys import ApiKeys
from winnerstays.web.pages import STATIC

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def shop(open_page):
    """A shop's page beside a service with keys that allows the shop's origin, and the arena."""
    hosted = {}
    app = Starlette(routes=[Route("/", lambda request: HTMLResponse(hosted["html"]))])
    with shared_server().host(app) as origin, pages(cors=(origin,)) as site:
        secret, _ = ApiKeys.of(site.arenas).create(["serve"])
        arena = site.arenas.create("lunch", [{"id": "ramen", "title": HOSTILE}, "tacos", "pho"])
        site.headers["Authorization"] = f"Bearer {secret}"
        token = site.post("/v1/arenas/lunch/visitors", json={"user": "ada"}).raise_for_status().json()["token"]
        hosted["html"] = (
            '<!doctype html><title>shop</title><link rel="icon" href="data:,">'
            f'<script type="module" src="{site.url}/static/winnerstays.js"></script>'
            f'<winner-stays arena="lunch" token="{token}"></winner-stays>'
        )
        yield open_page(origin), arena


LISTEN = """
window.told = [];
document.querySelector("winner-stays").addEventListener("answer", (event) => told.push(event.detail));
"""


def test_the_element_plays_in_another_page(shop):
    page, arena = shop
    page.evaluate(LISTEN)
    for answered in range(1, 6):
        page.locator("winner-stays button.item:not(:disabled)").first.click()
        page.wait_for_function(f"told.length === {answered}")
    page.get_by_role("button", name="Skip").click()
    page.wait_for_function("told.length === 6")
    events = [event for event in arena.events() if event.outcome]
    assert [event.user for event in events] == ["ada"] * 6
    told = page.evaluate("told")
    assert [one.get("winner") for one in told] == [event.winner for event in events]
    assert told[-1]["outcome"] == "skip"


def test_ask_tell_and_next_from_a_script(shop):
    page, _ = shop
    module = page.locator("script").get_attribute("src")
    token = page.locator("winner-stays").get_attribute("token")
    found = page.evaluate(
        """async ([module, token]) => {
            const { connect } = await import(module);
            const client = connect({ arena: "lunch", token: async () => token });
            const duel = await client.ask();
            const receipt = await client.tell(duel.id, duel.left);
            const second = await client.ask({ among: ["pho", "tacos"], without: ["nothing"] });
            const { next } = await client.next(second.id, { outcome: "tie" });
            const problem = await client.tell("nonsense", "pho").catch((error) => error.problem);
            return { duel, receipt, second, next, problem, items: (await client.items()).length };
        }""",
        [module, token],
    )
    assert found["receipt"]["status"] == "learned" and found["items"] == 3
    assert found["next"]["user"] == "ada" and found["problem"]["status"] == 404
    assert {found["second"]["left"], found["second"]["right"]} == {"pho", "tacos"}
    assert "nothing" in found["second"]["warning"]
    page.complaints.clear()  # the browser reports the refused answer


def test_clicks_on_an_interleaved_list_from_a_script(shop):
    page, arena = shop
    session = arena.session("ada", {"tacos": ["b", "a"], "pho": ["c", "a"]})
    receipt = page.evaluate(
        """async ([module, token, duel, list]) => {
            const { connect } = await import(module);
            return connect({ arena: "lunch", token }).tell(duel, { session: { page: list, clicks: [2, 1] } });
        }""",
        [
            page.locator("script").get_attribute("src"), page.locator("winner-stays").get_attribute("token"),
            session.duel.id, session.page.to_json(),
        ],
    )  # fmt: skip
    assert receipt["status"] in ("learned", "noted")
    *_, event = arena.events()
    assert event.session["clicks"] == [2, 1] and event.session["page"]["shown"] == [*session.shown]


def test_the_element_shows_eligible_items_alone(shop):
    page, arena = shop
    arena.add(["poke", "curry"])
    arena.change(sets={"new": ["poke", "curry"]})
    for attributes in ({"among": "new"}, {"among": '["poke", "curry"]'}, {"without": '["ramen", "tacos", "pho"]'}):
        page.evaluate(
            """(attributes) => {
                const made = document.createElement("winner-stays");
                const token = document.querySelector("winner-stays").getAttribute("token");
                const given = { arena: "lunch", token, ...attributes };
                for (const name in given) made.setAttribute(name, given[name]);
                document.querySelector("winner-stays").replaceWith(made);
                window.told = [];
                made.addEventListener("answer", (event) => told.push(event.detail));
            }""",
            attributes,
        )
        for answered in range(1, 4):
            shown = page.locator("winner-stays button.item:not(:disabled)")
            shown.nth(1).wait_for()
            assert sorted(shown.all_inner_texts()) == ["curry", "poke"]
            shown.first.click()
            page.wait_for_function(f"told.length === {answered}")


def test_the_element_shows_a_feed(shop):
    page, arena = shop
    arena.add(["poke", "curry"])
    page.evaluate("document.querySelector('winner-stays').setAttribute('show', 4)")
    page.evaluate("document.body.append(document.querySelector('winner-stays'))")  # it asks when it is put into a page
    page.evaluate(LISTEN)
    items = page.locator("winner-stays button.item:not(:disabled)")
    items.nth(3).wait_for()
    assert items.count() == 4
    items.nth(2).click()
    page.wait_for_function("told.length === 1")
    items.nth(3).wait_for()  # the next feed
    (learned,) = [event for event in arena.events() if event.outcome]
    assert len(learned.shown) == 4 and page.evaluate("told[0].winner") == learned.winner == learned.shown[2]


def test_the_module_is_small():
    assert len(gzip.compress((STATIC / "winnerstays.js").read_bytes(), 9)) <= 3000
