"""Documentation that can go stale is a missing test: everything is named, and links lead somewhere."""

import re
from pathlib import Path

import pytest

from winnerstays import REGRETS, registered
from winnerstays.cli import app
from winnerstays.problems import FIXED, GENERATED

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
DOCS = README + "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("name", [*registered(), *FIXED, *GENERATED, *REGRETS])
def test_everything_is_named_in_the_docs(name):
    assert f"`{name}`" in DOCS


def commands(group=app, words=("winnerstays",)):
    """Every command, with the words that call it."""
    for command in group.registered_commands:
        yield " ".join([*words, command.name or command.callback.__name__])
    for inner in group.registered_groups:
        yield from commands(inner.typer_instance, (*words, inner.name))


@pytest.mark.parametrize("command", list(commands()))
def test_every_command_is_named_in_the_docs(command):
    assert command in DOCS


def test_pictures_and_links_exist():
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
            assert target.startswith("https://") or (path.parent / target).exists(), f"{path.name}: {target}"
