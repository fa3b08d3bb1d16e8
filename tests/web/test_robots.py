"""Robots play through the same arena, marked, and their regret is drawn beside what theory says."""

import json

import pytest
from playwright.sync_api import expect

from winnerstays.problems import total_order
from winnerstays.theory.expected import expected_regret
from winnerstays.web import robots, sushi
from winnerstays.web.computation import weak_regret_limits


@pytest.fixture
def arena(site):
    return site.arenas.create("small", ["a", "b", "c"], algorithm="ws-w")


def lines(site, **form):
    response = site.post("/play/small/robots", data=form)
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.text.splitlines()]


def test_robots_answer_through_the_arena_and_are_marked(site, arena):
    last = lines(site, p="0.9", robots="5", duels="30")[-1]
    events = list(arena.events())
    answers = [event for event in events if event.kind == "learned"]
    assert len(answers) == 150 and {event.reason for event in answers} == {"robot"}
    assert len({event.user for event in answers}) == 5 and all(event.user.startswith("robot-") for event in answers)
    without_the_best = sum(event.kind == "served" and "a" not in (event.left, event.right) for event in events)
    assert last["curve"][-1] == [30, round(without_the_best / 5, 3)] and last["done"]
    assert last["exact"] == pytest.approx(expected_regret(total_order(3, 0.9)).total.weak_binary, abs=0.05)
    assert last["exact"] < last["bound"]
    assert site.arenas.replay().equal


def test_robots_like_the_first_item_that_is_shown(site, arena):
    arena.add(["d"])
    arena.retire(["a"])
    last = lines(site, p="0.9", robots="5", duels="30")[-1]
    served = [event for event in arena.events() if event.kind == "served"]
    assert last["curve"][-1] == [30, round(sum("b" not in (event.left, event.right) for event in served) / 5, 3)]
    assert last["exact"] == pytest.approx(expected_regret(total_order(3, 0.9)).total.weak_binary, abs=0.05)


def test_robots_stop_with_a_sentence_when_an_item_comes(site, arena, monkeypatch):
    """The robots' problem was made before the item came."""
    monkeypatch.setattr(robots, "ranked", lambda arena, likes: ["a", "b"])
    (line,) = lines(site, robots="5", duels="30")[-1:]
    assert line == {"error": "The item 'c' came while the robots played; start them again."}


def test_the_bound_is_the_least_that_holds():
    limits = weak_regret_limits(total_order(5, 0.7))
    assert limits["exact"] < limits["bound"] < 100


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"p": "0.5"}, "0.51 to 0.99"), ({"robots": "1000"}, "1 to 100"), ({"duels": "many"}, "1 to 2000"),
        ({"likes": "sushi"}, "cannot like"),
    ],
)  # fmt: skip
def test_bad_wishes_get_a_sentence(site, arena, form, sentence):
    response = site.post("/play/small/robots", data=form)
    assert response.status_code == 422 and sentence in response.text


def test_robots_stay_away_from_everybodys_learner(site):
    site.arenas.create("small", ["a", "b"], audience="everyone")
    assert site.post("/play/small/robots", data={}).status_code == 422


def test_the_curve_flattens_in_the_browser(site, open_page):
    sushi.ready_arena(site.arenas)
    page = open_page(f"{site.url}/play/sushi")
    page.get_by_text("Let robots play").click()
    page.get_by_label("Duels each").fill("150")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("exact value of ws-w, for ever").wait_for()
    page.locator("[data-start]:not(:disabled)").wait_for()
    expect(page.locator(".chart canvas")).to_have_count(1)
    expect(page.locator("[data-speed]")).to_contain_text("duels a second")
    assert sum(event.reason == "robot" for event in site.arenas["sushi"].events()) == 20 * 150


def test_stop_stops(site, open_page):
    arena = sushi.ready_arena(site.arenas)
    page = open_page(f"{site.url}/play/sushi")
    page.get_by_text("Let robots play").click()
    page.get_by_label("Duels each").fill("2000")
    page.get_by_label("Robots", exact=True).fill("50")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("mean of 50 robots").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    assert 0 < sum(event.reason == "robot" for event in arena.events()) < 100_000
