"""Documentation that can go stale is a missing test: everything is named, links lead somewhere, blocks run."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from winnerstays import REGRETS, registered
from winnerstays.cli import app
from winnerstays.problems import FIXED, GENERATED
from winnerstays.regret_names import COPELAND_REGRETS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCS = "".join(path.read_text() for path in PAGES)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
RUN = ("dueling-bandits", "index", "own-algorithm", "rankers", "simulation")
"""Pages whose blocks in Python are run here; those of other pages are run by tests of their own."""
READ = (
    "README", "arena", "dueling-bandits", "index", "own-algorithm", "paper", "pick", "rankers", "service", "simulation",
    "team-poll", "theory", "web", "which-algorithm",
)  # fmt: skip
"""Pages whose commands must be understood as they are written."""


def blocks(path, *languages):
    return [text for language, text in BLOCK.findall(path.read_text()) if language in languages]


def commands():
    """Return every line that calls winnerstays in a block of shell, without its comment."""
    shell = (text for path in PAGES if path.stem in READ for text in blocks(path, "", "sh"))
    lines = (line.partition("  #")[0] for text in shell for line in text.split("\n"))
    return sorted({line for line in lines if line.startswith("winnerstays ")})


def names(command, path="winnerstays"):
    """Return the full name of every command but those of arenas, which tests/arena/test_docs.py looks for."""
    for name, one in command.commands.items():
        yield f"{path} {name}"
        if name == "research":
            yield from names(one, f"{path} {name}")


@pytest.mark.parametrize("name", [*registered(), *FIXED, *GENERATED, *REGRETS, *COPELAND_REGRETS])
def test_everything_is_named_in_the_docs(name):
    assert f"`{name}`" in DOCS


@pytest.mark.parametrize("name", [*names(typer.main.get_command(app))])
def test_every_command_is_named_in_the_docs(name):
    assert name in DOCS


@pytest.mark.parametrize("line", commands())
def test_a_command_is_understood_as_it_is_written(line):
    _, *words = shlex.split(line)
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    assert command.make_context(name, words).params


@pytest.mark.parametrize("page", RUN)
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = blocks(ROOT / "docs" / f"{page}.md", "python")
    assert examples
    for number, example in enumerate(examples):
        exec(compile(example, f"{page}.md, block {number}", "exec"), {"__name__": "__main__"})


def test_the_algorithm_that_a_reader_writes_keeps_the_contract(run, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(blocks(ROOT / "docs" / "own-algorithm.md", "python")[0])
    code, said, _ = run("check", str(mine))
    assert code == 0 and "best-record keeps the contract" in said


def test_pictures_and_links_exist():
    for path in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
            assert target.startswith("https://") or (path.parent / target).exists(), f"{path.name}: {target}"
