"""docs/pick.md is true: its Python runs, and it names every option and every way to stop."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

from winnerstays.picking.findings import Stop
from winnerstays.picking.options import Options

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "pick.md").read_text()
RESULTS = ROOT / "results" / "pick.md"


def test_python_runs(capsys):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(block, names)
    assert names["result"].best == "Be brief." and names["result"].certified
    assert "Be brief. is the best of 3" in capsys.readouterr().out


def test_everything_is_named():
    for word in [*(field.name for field in fields(Options)), *get_args(Stop)]:
        assert f"`{word}`" in TEXT, f"docs/pick.md does not name {word}"


def test_the_table_holds_measured_rows():
    """Each row on the page has the calls of `pick` and the ratio that the benchmark wrote."""
    measured = {}
    for line in RESULTS.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        measured[cells[0]] = (cells[1], cells[-1]) if len(cells) == 8 else None
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TEXT.splitlines() if ", p = ." in line]
    assert len(rows) >= 4
    for case, calls, ratio in rows:
        assert measured[case] == (calls, ratio)
