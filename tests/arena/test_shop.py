"""docs/shop.md is true: the program on the page runs as a shop, from no file at all to a report."""

import random
import re
import sys
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.service.serving import shared_server
from winnerstays.cli.app import main

TEXT = (Path(__file__).parents[2] / "docs/shop.md").read_text()
(CODE,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
VISITORS = 40


@pytest.fixture
def shop(tmp_path, monkeypatch):
    pytest.importorskip("fastapi", reason="FastAPI is not installed; `pip install '.[dev]'` brings it.")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    import shop

    yield shop
    shop.arena.close()
    del sys.modules["shop"]


def test_the_shop_from_nothing_to_a_report(shop, monkeypatch):
    with shared_server().host(shop.app) as origin:
        play(shop, partial(httpx.Client, base_url=origin, trust_env=False))
    assert shop.arena.arenas.replay().equal
    command = re.search(r"winnerstays (arena report .*)", TEXT).group(1).split()
    monkeypatch.setattr(sys, "argv", ["winnerstays", *command])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert "<html" in Path("report.html").read_text()


def play(shop, visit):
    zones, order = shop.zones(shop.RESTAURANTS), random.Random(1)
    for number in range(VISITORS):
        zone = order.choice(sorted(zones))
        with visit() as browser:
            for turn in range(6):
                feed = browser.get("/feed", params={"zone": zone}).json()
                assert browser.get("/feed", params={"zone": zone}).json() == feed
                assert len(set(feed["restaurants"])) == 4 and set(feed["restaurants"]) <= set(zones[zone])
                chosen = {"feed": feed["feed"], "restaurant": min(feed["restaurants"])}
                statuses = [browser.post("/choice", json=chosen).json() for _ in range(2)]
                assert statuses == ["learned", "duplicate"]
                if turn % 3 == 0:
                    price = browser.post("/order", params={"number": f"{number} {turn}", "price": 12.5})
                    assert price.json() == 12.5
    with visit() as browser, visit() as other:
        feed = browser.get("/feed", params={"zone": "north"}).json()
        closed, *others = feed["restaurants"]
        restaurants = {name: served for name, served in shop.RESTAURANTS.items() if name != closed}
        changes = browser.put("/restaurants", json={**restaurants, "Poke Bowl": ["north"]}).json()
        assert changes == {"added": ["Poke Bowl"], "retired": [closed]}
        after = browser.get("/feed", params={"zone": "north"}).json()
        assert closed not in after["restaurants"] and "Poke Bowl" in after["restaurants"]
        refused = other.post("/choice", json={"feed": feed["feed"], "restaurant": others[0]})
        assert refused.status_code == 422 and "another user" in refused.json()["detail"]
        assert browser.post("/choice", json={"feed": feed["feed"], "restaurant": closed}).json() == "learned"
        unknown = browser.get("/feed", params={"zone": "moon"})
        assert unknown.status_code == 422 and "no such set" in unknown.json()["detail"]
        report = browser.get("/report").json()
        assert report["popular"][0]["item"] in map(min, zones.values()) and "control group" in report["uplift"]
