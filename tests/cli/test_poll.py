"""`winnerstays poll`: what is refused before anything is opened, and the result at the end."""

import pytest

from winnerstays.arena import Arenas
from winnerstays.cli import poll
from winnerstays.service import server
from winnerstays.service.keys import ApiKeys


@pytest.fixture
def opened(monkeypatch):
    """The addresses on which a service would have listened."""
    hosts = []
    monkeypatch.setattr(server, "run", lambda config, host, port, **options: hosts.append((config, host, port)))
    monkeypatch.setattr(poll, "when_ready", lambda address, invite: invite())
    return hosts


def test_a_poll_is_for_everyone_with_the_link_and_its_key_ends_with_it(run, opened, tmp_path):
    items, db = tmp_path / "items.txt", str(tmp_path / "trip.db")
    items.write_text("City\nIsland\n")
    code, shown, errors = run("poll", "Where to go?", str(items), "--db", db, "--answers", "5")
    assert (code, errors) == (0, "") and [host for _, host, _ in opened] == ["0.0.0.0"]
    assert "/play/where-to-go" in shown and "█" in shown and "%20" not in shown
    assert shown.splitlines()[-1] == "Not enough yet: 0 people, 0 answers."
    with Arenas.open(db) as arenas:
        arena = arenas["where-to-go"]
        assert arena.settings.public and arena.settings.goal == 5 and arena.settings.question == "Where to go?"
        (key,) = ApiKeys.of(arenas).list()
        assert key.revoked_at is not None
        arena.change(closed=True)
    assert "is closed" in run("poll", "Where to go?", str(items), "--db", db)[2]


def test_a_list_that_is_no_choice_is_refused(run, opened, tmp_path):
    items = tmp_path / "items.txt"
    items.write_text("City\n")
    code, _, errors = run("poll", "Where to go?", str(items), "--db", str(tmp_path / "trip.db"))
    assert code == 2 and "needs at least 2 items" in errors and not opened
    assert not (tmp_path / "trip.db").exists()
