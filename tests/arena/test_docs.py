"""docs/arena.md is true: its Python runs, and with its reference it names every setting, status and command."""

import re
from pathlib import Path
from typing import get_args

import httpx

from tests.service.serving import running
from winnerstays.arena.records import Status
from winnerstays.arena.settings import Settings
from winnerstays.cli.arena.group import arena_app

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "arena.md").read_text()
REFERENCE = (DOCS / "arena-reference.md").read_text()


def test_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE, re.S):
        exec(block, names)
    assert names["receipt"].status == "learned"
    assert "is the favourite after 1 learned outcome;" in capsys.readouterr().out
    names["arena"].close()
    with names["Arena"].open("lunch.db") as arena:
        assert [item.id for item in arena.items if not item.retired] == ["ramen", "tacos", "pho", "pizza"]
    with running(names["app"]) as address, httpx.Client(base_url=address, trust_env=False) as client:
        duel = client.post("/ask/eve").json()
        assert client.post(f"/tell/{duel['id']}", json={"winner": duel["left"]}).json() == {"status": "learned"}


def test_everything_is_named():
    settings = set(Settings.model_fields) - {"version", "changes", "first_items"}  # the arena sets these itself
    commands = {command.name for command in [*arena_app.registered_commands, *arena_app.registered_groups]}
    for word in [*settings, *get_args(Status), *commands]:
        assert re.search(rf"\b{word}\b", GUIDE + REFERENCE), f"the pages on arenas do not name {word}"
