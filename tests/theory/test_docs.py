"""Commands that the documents name can be called as they are written."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from winnerstays.cli import app

DOCS = Path(__file__).parents[2] / "docs"
TEXT = "\n".join((DOCS / name).read_text() for name in ("exact.md", "errata.md")).split("\n")
LINES = [line.partition("  #")[0] for line in TEXT if line.startswith("winnerstays ")]
SCRIPTS = [shlex.split(line)[2] for line in TEXT if line.startswith("python -c ")]
TESTS = [shlex.split(line)[3] for line in TEXT if line.startswith("python -m pytest ")]


@pytest.mark.parametrize("line", sorted(set(LINES)))
def test_command_is_understood(line):
    _, name, *arguments = shlex.split(line)
    command = typer.main.get_command(app).commands[name]
    context = command.make_context(name, arguments)
    assert context.params


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_prints_numbers(script):
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert all(float(word) > 0 for word in printed.split())


def test_named_tests_exist():
    assert TESTS and all((DOCS.parent / name).is_file() for name in TESTS)


def test_there_are_commands():
    assert len(LINES) > 20 and SCRIPTS
