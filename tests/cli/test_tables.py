"""Tables on narrow screens: words wrap, numbers are never broken, cut or left out."""

import pytest
from rich.table import Table

from winnerstays.cli.app import out
from winnerstays.cli.tables.fitting import print_table


@pytest.mark.parametrize("width", [10, 40, 60])
def test_numbers_are_whole_at_any_width(run, monkeypatch, width):
    numbers = {name: [] for name in ("exact", "bounds")}
    for columns in (200, width):
        monkeypatch.setattr(out, "_width", columns)
        for name, options in (("exact", ["cyclic", "--rounds", "2"]), ("bounds", ["--arms", "50", "--p", ".8"])):
            lines = run("research", name, *options)[1].split("\n")
            numbers[name].append(
                [word for line in lines for word in line.split() if word.count(".") == 1 and word[0].isdigit()]
            )
    assert all(wide and wide == narrow for wide, narrow in numbers.values())


def test_words_wrap_before_lines_are_too_long(monkeypatch, capsys):
    monkeypatch.setattr(out, "_width", 30)
    table = Table("the item", "share of all", "from")
    table.add_row("a bowl of ramen with an egg", "0.12345", "0.123 to 0.456")
    print_table(table)
    lines = capsys.readouterr().out.split("\n")
    assert any("0.12345" in line and "0.123 to 0.456" in line for line in lines)
    assert "ramen" in "".join(lines) and max(map(len, lines)) < 45


def test_rows_of_a_backtest_stay_whole(run, monkeypatch, tmp_path):
    (tmp_path / "log.csv").write_text("\n".join(["left,right,winner"] + ["x,y,x"] * 30 + ["x,y,y"] * 10))
    monkeypatch.setattr(out, "_width", 40)
    lines = run("pick", "--data", str(tmp_path / "log.csv"), "--runs", "2")[1].split("\n")
    assert [line.count("%") for line in lines if line.startswith("pick ")] == [2]
