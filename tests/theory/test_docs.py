"""Commands that the documents name can be called as they are written."""

import shlex
from pathlib import Path

import pytest
import typer

from winnerstays.cli import app

DOCS = Path(__file__).parents[2] / "docs"
LINES = [
    line.partition("  #")[0]
    for name in ("exact.md", "errata.md")
    for line in (DOCS / name).read_text().split("\n")
    if line.startswith("winnerstays ")
]


@pytest.mark.parametrize("line", sorted(set(LINES)))
def test_command_is_understood(line):
    _, name, *arguments = shlex.split(line)
    command = typer.main.get_command(app).commands[name]
    context = command.make_context(name, arguments)
    assert context.params


def test_there_are_commands():
    assert len(LINES) > 20
