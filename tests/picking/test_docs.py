"""docs/pick.md is true: its Python runs, and it names every option and every way to stop."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

from winnerstays.picking.findings import Stop
from winnerstays.picking.options import Options

TEXT = (Path(__file__).parents[2] / "docs" / "pick.md").read_text()


def test_python_runs(capsys):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(block, names)
    assert names["result"].best == "Be brief." and names["result"].certified
    assert "Be brief. is the best of 3" in capsys.readouterr().out


def test_everything_is_named():
    for word in [*(field.name for field in fields(Options)), *get_args(Stop)]:
        assert f"`{word}`" in TEXT, f"docs/pick.md does not name {word}"


def test_the_league_is_there():
    rows = TEXT.split("<!-- league -->")[1].split("<!-- /league -->")[0].strip().splitlines()
    assert len(rows) >= 14
