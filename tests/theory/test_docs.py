"""Commands that the documents name can be called as they are written."""

import ast
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from winnerstays.cli import app
from winnerstays.theory.expected import expected_regret

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


def test_the_example_in_python_gives_what_it_says(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "exact.md").read_text(), re.S)
    exec(example, {})
    weak, wrong, remainder, *others = map(float, capsys.readouterr().out.split())
    assert (round(weak, 2), round(wrong, 4)) == (46.65, 0.5846) and remainder < 1e-6 and min(others) > 0


def test_the_signature_is_the_one_that_is_written():
    written = re.search(r"`expected_regret\((.*?)\)`;", (DOCS / "exact.md").read_text(), re.S)[1]
    given = {name: repr(one.default) for name, one in inspect.signature(expected_regret).parameters.items()}
    said = dict(part.split("=") for part in written.replace("\n", " ").split(", ") if "=" in part)
    said = {name: repr(ast.literal_eval(value)) for name, value in said.items()}
    assert said == {name: value for name, value in given.items() if name != "problem"}


def test_named_tests_exist():
    assert TESTS and all((DOCS.parent / name).is_file() for name in TESTS)


def test_there_are_commands():
    assert len(LINES) > 20 and SCRIPTS
