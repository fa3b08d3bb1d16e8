"""Documentation that can go stale is a missing test: examples run, and everything is named."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from winnerstays import REGRETS, registered
from winnerstays.cli import app
from winnerstays.problems import FIXED, GENERATED
from winnerstays.testing import CHECKS, check_contract

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
DOCS = README + "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize(
    "block", re.findall(r"```python\n(.*?)```", README, re.S), ids=lambda block: block.split("\n")[0]
)
def test_examples_of_the_readme_run(block, monkeypatch, tmp_path):
    """As a file of their own, as a reader would paste them."""
    file = tmp_path / "example.py"
    file.write_text(block)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, str(file), "exec"), {"__name__": "__main__"})


def test_the_readmes_algorithm_keeps_the_contract(tmp_path, monkeypatch):
    block = next(block for block in re.findall(r"```python\n(.*?)```", README, re.S) if "best-record" in block)
    (tmp_path / "mine.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    mine = importlib.import_module("mine")
    said = []
    check_contract(mine.best_record, said.append)
    assert len(said) == len(CHECKS) + 1 and said[-1] == f"best-record keeps the contract: {len(CHECKS)} checks"


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
