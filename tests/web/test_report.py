"""The report of an arena: its first sentence, its figures, nothing loaded, hostile titles harmless."""

import re
import sys

import pytest

from winnerstays.arena import Arena, Arenas
from winnerstays.cli import main
from winnerstays.web.report import Figures, headline, render, unknowns

HOSTILE = "</style><script>alert(1)</script><img src=https://evil.example/x onerror=alert(2)>"


def played(arena, users, answers=8):
    for number in range(users):
        for _ in range(answers):
            duel = arena.ask(f"user {number}", fresh=True)
            arena.tell(duel, winner="pho" if "pho" in duel else max(duel.left, duel.right))
        arena.tell(arena.ask(f"user {number}"), outcome="skip")
    return arena


@pytest.fixture(scope="module")
def lunch():
    """An arena with a control group; all like pho best."""
    items = [{"id": "pho", "title": HOSTILE}, *(f"dish {number}" for number in range(11))]
    with Arena.open("memory:", "a <b>lunch", items, algorithm="ws-root", holdout=0.4, probes=0.4, seed=2) as arena:
        yield played(arena, 60)


def test_the_page_says_what_the_arena_says(lunch):
    page, figures = render(lunch, 1_800_000_000), Figures.of(lunch)
    seen = lunch.uplift()["chosen"]
    assert seen.low > 0 and figures.answers == 60 * 9
    assert headline(figures) == (
        "60 people answered or skipped 540 of 540 duels. They chose what the arena would recommend over a random item "
        f"{seen.learner.mean:.0%} of the time: {100 * seen.difference:.0f} points more "
        f"({100 * seen.low:.0f} to {100 * seen.high:.0f}) than with the control group's recommendations."
    )
    assert f"{100 * seen.difference:+.1f}</strong>" in page and "2027-01-15" in page
    assert any("duels with a choice or a tie" in one for one in unknowns(figures))
    assert any("no rewards were logged" in one for one in unknowns(figures))


def test_nothing_is_loaded_and_titles_are_text(lunch):
    page = render(lunch, 0)
    assert HOSTILE[:30] not in page and "&lt;/style&gt;&lt;script&gt;" in page and "a &lt;b&gt;lunch" in page
    assert not re.search(r"<(script|img|link|iframe)|@import|url\(|src=[\"'/]", page.replace(" src=https:", ""))
    assert "default-src 'none'" in page


def test_it_fits_a_phone(lunch, tmp_path, open_page):
    file = tmp_path / "report.html"
    file.write_text(render(lunch, 0), encoding="utf-8")
    page = open_page(f"file://{file}", viewport={"width": 320, "height": 640}, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.locator("h1").inner_text() == "a <b>lunch" and page.locator("script, img, link").count() == 0
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(21, 23, 27)"


def test_arenas_without_answers_or_without_a_control_group():
    with Arena.open("memory:", "new", ["ramen", "pho"], audience="everyone") as arena:
        assert headline(Figures.of(arena)) == "Nobody has answered a duel of new yet; 0 were shown."
        assert "no control group" in render(arena, 0)
        for _ in range(40):
            duel = arena.ask()
            arena.tell(duel, winner="pho")
        assert headline(Figures.of(arena)) == "People answered or skipped 40 of 40 duels. Best liked is pho."
        assert any("--holdout 0.1" in one for one in unknowns(Figures.of(arena)))


def test_the_command(tmp_path, capsys, monkeypatch):
    database, file = tmp_path / "lunch.db", tmp_path / "report.html"

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["winnerstays", "arena", "report", str(database), "--html", str(file), *words])
        with pytest.raises(SystemExit):
            main()
        said = capsys.readouterr()
        return said.out + said.err

    with Arenas.open(str(database)) as arenas:
        arenas.create("lunch", ["ramen", "pho"])
    assert "written" in run() and "Nobody has answered" in file.read_text()
    assert "exists already" in run()
    with Arenas.open(str(database)) as arenas:
        arenas.create("dinner", ["ramen", "pho"])
    assert "Which arena? Say it with --arena" in run("--force")
    assert "There is no arena 'tea'" in run("--force", "--arena", "tea")
    assert "Nobody has answered" in file.read_text()
