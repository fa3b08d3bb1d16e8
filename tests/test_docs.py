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


def test_every_command_is_named_in_the_docs():
    for command in app.registered_commands:
        assert f"winnerstays {command.callback.__name__}" in DOCS


def test_pictures_and_links_exist():
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
            assert target.startswith("https://") or (path.parent / target).exists(), f"{path.name}: {target}"
