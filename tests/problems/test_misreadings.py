"""What readers that guess get wrong: each case has the right result here, or a sentence."""

import pytest

from winnerstays import WinnerstaysError
from winnerstays.problems import load


def read(tmp_path, text, **options):
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load(path, **options)


def wins(one, winner, loser):
    return one.counts[one.items.index(winner), one.items.index(loser)]


@pytest.mark.parametrize("column", ["state", "prize draw", "label", "status", "n", "winner_rank", "score"])
@pytest.mark.parametrize("cell", ["NC", "even", "open", "tie", "6", "", "1-0"])
def test_a_column_that_is_not_mapped_is_never_looked_at(tmp_path, column, cell):
    """A state NC is North Carolina and not `no contest`; a prize draw is no draw; status `open` drops no row."""
    one = read(tmp_path, f"winner,loser,{column}\n" + f"a,b,{cell}\n" * 3 + "b,c,x\n")
    assert wins(one, "a", "b") == 3 and wins(one, "b", "a") == 0 and one.pair_counts.duels == 4
    assert one.ties.sum() == 0 and f"not used: {column}" in one.note


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Bye", "NA"), ("192.168.100.200", "192168100200"), ("100 200", "100200"), ("007", "7"), ("1.0", "1"),
        ("None", "null"), ("A", "a"), ("NaN", "draw"), ("tie", "skipped"), ("2024-05-01", "1,5"), ("x ", "x"),
    ],
)  # fmt: skip
def test_an_item_is_the_text_of_its_cell(tmp_path, name, other):
    one = read(tmp_path, f'winner,loser\n"{name}","{other}"\n"{name}",third\n"{other}",third\n')
    assert one.items == [name, other, "third"]
    assert wins(one, name, other) == wins(one, name, "third") == wins(one, other, "third") == 1


def test_weights_are_weights_whatever_their_size(tmp_path):
    """30 and 50 are no kilograms; a column of another name counts if it is mapped, and else is not used."""
    text = "winner,loser,{}\na,b,30\nb,a,50\n"
    assert wins(read(tmp_path, text.format("count")), "b", "a") == 50
    mapped = read(tmp_path, text.format("weight"), columns={"count": "weight"})
    assert (wins(mapped, "a", "b"), wins(mapped, "b", "a")) == (30, 50)
    plain = read(tmp_path, text.format("weight"))
    assert wins(plain, "b", "a") == 1 and "not used: weight" in plain.note


def test_counts_that_go_up_by_one_are_counts(tmp_path):
    rows = "".join(f"a,b,{n}\n" for n in range(1, 7))
    assert wins(read(tmp_path, "winner,loser,count\n" + rows), "a", "b") == 21
    assert wins(read(tmp_path, "winner,loser,n\n" + rows, columns="count=n"), "a", "b") == 21


def test_mapping_one_role_gives_no_other_role(tmp_path):
    """`columns={"winner": "a"}` does not make `a` a side: there is no loser, and no sides."""
    with pytest.raises(WinnerstaysError, match=r"columns gives winner=a; .* --columns winner=a,loser=b"):
        read(tmp_path, "a,b,c\nx,y,x\n", columns={"winner": "a"})
    one = read(tmp_path, "left,right,a\nx,y,y\n", columns={"winner": "a"})
    assert wins(one, "y", "x") == 1


def test_an_error_of_the_program_is_not_called_a_damaged_file(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise KeyError("inside")

    monkeypatch.setattr("winnerstays.problems.readers.files.duels_problem", fail)
    with pytest.raises(KeyError, match="inside"):
        read(tmp_path, "winner,loser\na,b\n")
