"""The scripts and tests that docs/paper.md and docs/theory.md name exist, and their numbers are right."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "docs" / "paper.md").read_text().split("\n")
SCRIPTS = [shlex.split(line)[2] for line in LINES if line.startswith("python -c ")]
TESTS = [shlex.split(line)[3] for line in LINES if line.startswith("python -m pytest ")]


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_prints_numbers(script):
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert all(float(word) > 0 for word in printed.split())


def test_named_tests_exist():
    assert SCRIPTS and TESTS and all((ROOT / name).is_file() for name in TESTS)


def test_the_example_in_python_gives_what_it_says(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "theory.md").read_text(), re.S)
    exec(example, {})
    weak, wrong, remainder, strong, duels = map(float, capsys.readouterr().out.split())
    assert (round(weak, 2), round(wrong, 4)) == (46.65, 0.5846) and remainder < 1e-6
    assert (round(strong, 1), round(duels)) == (110.2, 1500)
