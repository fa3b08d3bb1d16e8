"""Tables of duels: the documented shapes, in every container, counted by hand."""

import csv
import gzip
import io
import json
import sys
import tracemalloc

import pandas
import polars
import pytest

from winnerstays import WinnerstaysError, problem
from winnerstays.arena.history.events import write_csv, write_ndjson, write_parquet
from winnerstays.arena.records import Event
from winnerstays.cli.catalogue import problems
from winnerstays.picking import pick
from winnerstays.picking.recorded import recorded_problem
from winnerstays.problems import load
from winnerstays.problems.readers.table import ROWS_AT_ONCE

DUELS = [("a", "b", "a"), ("b", "a", "a"), ("a", "b", "b"), ("a", "c", "tie"), ("b", "b", "b")]
"""Left, right and winner: a beats b twice, b beats a once, a and c tie; b meets itself."""
COUNTS = [[0, 2, 0.5], [1, 0, 0], [0.5, 0, 0]]


def written(path, rows, delimiter=","):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


def records(names=("left", "right", "winner")):
    return [dict(zip(names, duel, strict=True)) for duel in DUELS]


def write(path, kind):
    """Write `DUELS` as a container of this kind."""
    frame = polars.DataFrame(records())
    whole = {"json": json.dumps(records()), "jsonl": "\n".join(map(json.dumps, records()))}
    buffer = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(buffer)
    elif kind in whole:
        buffer.write(whole[kind].encode())
    else:
        text = frame.write_csv(separator={"csv": ",", "semicolon": ";", "tsv": "\t", "bar": "|"}[kind])
        buffer.write(text.replace("\n", "\r\n").encode("utf-16" if kind == "tsv" else "utf-8-sig"))
    data = buffer.getvalue()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("kind", ["csv", "semicolon", "tsv", "bar", "json", "jsonl", "parquet"])
def test_every_container(tmp_path, kind, packed):
    path = tmp_path / f"duels.{kind}{packed}"
    write(path, kind)
    one = load(path, **({"delimiter": "|"} if kind == "bar" else {}))
    assert one.counts.tolist() == COUNTS and one.items == ["a", "b", "c"] and one.name == "duels"
    assert one.ties.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert one.note == (
        "4 duels, 1 of them ties (half a win for both); 1 of an item with itself left out; columns: left, right, winner"
    )


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, lambda rows: rows])
def test_tables_in_memory(frame):
    assert problem(frame(records())).counts.tolist() == COUNTS
    other = frame(records(("one", "two", "won")))
    assert problem(other, columns={"left": "one", "right": "two", "winner": "won"}).counts.tolist() == COUNTS
    with pytest.raises(WinnerstaysError, match="the columns are 'one', 'two', 'won'"):
        problem(other)
    missing = frame([{"winner": "a", "loser": "b"}, {"winner": None, "loser": "b"}])
    with pytest.raises(WinnerstaysError, match="row 2 has nothing in the column 'winner', but it must name an item"):
        problem(missing)
    assert problem(missing, skip_bad=True).pair_counts.duels == 1


def test_numbers_are_items_and_true_is_a_tie():
    frame = pandas.DataFrame({"winner": [1, 2, 2], "loser": [2, 1, 1], "even": [False, True, False], "w": [2, 3, 0.5]})
    one = problem(frame, columns="tie=even,count=w")
    assert one.items == ["1", "2"] and one.counts.tolist() == [[0, 3.5], [2, 0]]


@pytest.mark.parametrize(
    ("header", "rows", "options", "counts"),
    [
        ("winner,loser", "a,b\na,b\nb,a", {}, [[0, 2], [1, 0]]),
        ("winner,loser,count", "a,b,2\nb,a,0\nb,a,1.5", {}, [[0, 2], [1.5, 0]]),
        ("model_a,model_b,winner", "a,b,model_a\na,b,model_b\na,b,tie (bothbad)\nb,a,both_bad", {}, [[0, 2], [2, 0]]),
        ("left,right,winner", "a,b,left\nb,a,left\nb,a,right", {}, [[0, 2], [1, 0]]),
        (
            "left,right,winner", "a,b,1\na,b,2\na,b,0\na,b,-", {"codes": "1=left,2=right,0=tie,-=none"},
            [[0, 1.5], [1.5, 0]],
        ),
        ("left,right,winner", "a,b,a\na,b,H", {"codes": {"H": "left"}}, [[0, 2], [0, 0]]),
        (
            "h,g,hs,gs", "a,b,2,1\na,b,0,0\nb,a,-1,-0.5",
            {"columns": "left=h,right=g,left_score=hs,right_score=gs"}, [[0, 2.5], [0.5, 0]],
        ),
        ("winner,loser,drawn", "a,b,0\nb,a,1\nb,a,", {"columns": "tie=drawn"}, [[0, 1.5], [1.5, 0]]),
        ("left,right,winner,drawn", "a,b,a,False\na,b,,True", {"columns": "tie=drawn"}, [[0, 1.5], [0.5, 0]]),
        ("A,B", "x,y", {"columns": "winner=B,loser=A"}, [[0, 1], [0, 0]]),
    ],
)  # fmt: skip
def test_every_shape(tmp_path, header, rows, options, counts):
    (tmp_path / "a.csv").write_text(f"{header}\n{rows}\n")
    assert load(tmp_path / "a.csv", **options).counts.tolist() == counts


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("winner,loser\na,b\n\nb,\n", {}, "line 4 has nothing in the column 'loser'.* --skip-bad leaves such rows out"),
        ('winner,loser\n"a\nb",b\nb,\n', {}, "line 4 has nothing"),
        ("winner,loser\na,b,c\n", {}, "line 2 has 3 cells, but the header has 2; write a cell"),
        ("winner,loser,count\na,b,many\n", {}, "line 2 has 'many' in the column 'count', but it must be a number"),
        ("winner,loser,count\na,b,-1\n", {}, "'-1' in the column 'count', but it must be at least 0"),
        ("winner,loser,count\na,b,nan\n", {}, "'nan' in the column 'count'"),
        ("winner,loser,t\na,b,maybe\n", {"columns": "tie=t"}, "'maybe' in the column 't', but a tie is 1 or 0"),
        ("left,right,winner\na,b,H\n", {}, "'H' in the column 'winner', but it must be an item .* --codes H=left "),
        ("left,right,winner\na,left,left\n", {}, "is both an item and a word for a side; if the word is meant"),
        ("winner,loser\na,b\n", {"codes": "1=left"}, "codes explains a winner column beside left"),
        ("left,right,winner\na,b,1\n", {"codes": "1=up"}, "There is no meaning of a code 'up'"),
        ("left,right,winner\na,b,1\n", {"codes": "1"}, "codes holds '1', which has no `=`"),
        ("winner,loser\na,b\n", {"columns": "winner=b"}, "There is no column 'b'"),
        ("winner,loser\na,b\n", {"columns": "victor=winner"}, "There is no role of a column 'victor'"),
        ("winner,loser\na,b\n", {"columns": 3}, "columns is 3, but it must be a mapping"),
        ("winner,loser\na,b\n", {"columns": "winner=loser,loser=loser"}, "gives winner and loser the same column"),
        ("winner,winner,loser\na,b,c\n", {}, "2 columns are called 'winner'; rename them"),
        ("winner,loser\na,a\n", {}, "there are 1 items to compare"),
        ("winner,loser\na,b\n", {"matrix": "counts"}, "the rows of the matrix are a ... and its columns winner, loser"),
        ("winner,loser\na,b\n", {"unranked": "below"}, "unranked does not apply to a file of duels"),
        ("winner,loser\na,b\n", {"rows": "winners"}, "rows does not apply to a file of duels, which takes"),
        ("winner,loser\na,b\n", {"encoding": "utf-9"}, "there is no encoding 'utf-9'"),
        ("winner,loser\na,b\n", {"delimiter": "::"}, "delimiter is '::', but it must be one character"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_gets_a_sentence(tmp_path, text, options, sentence):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(WinnerstaysError, match=sentence) as error:
        load(tmp_path / "a.csv", **options)
    assert "a.csv: " in str(error.value) or "rows" in options


def test_bad_rows_are_left_out_and_counted(tmp_path):
    (tmp_path / "a.csv").write_text("left,right,winner\n" + "a,b,a\n,b,b\na,b\na,b,nobody\n" * 3)
    one = load(tmp_path / "a.csv", skip_bad=True)
    assert one.counts.tolist() == [[0, 3], [0, 0]] and "9 bad rows left out (line 4 has 2 cells" in one.note
    (tmp_path / "b.csv").write_text("winner,loser\n,b\n")
    with pytest.raises(WinnerstaysError, match="no row can be read: 1 bad row left out"):
        load(tmp_path / "b.csv", skip_bad=True)


def test_another_encoding_is_said(tmp_path):
    (tmp_path / "a.csv").write_bytes("winner,loser\nJürgen,b\n".encode("cp1252"))
    with pytest.raises(WinnerstaysError, match=r"not written in utf-8 .* --encoding cp1252"):
        load(tmp_path / "a.csv")
    assert load(tmp_path / "a.csv", encoding="cp1252").items == ["Jürgen", "b"]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"winner,loser\na,b\n")))
    assert problem("-").name == "stdin"


def events():
    base = dict.fromkeys(Event.__dataclass_fields__) | {"arena": "lunch", "at": 1.0}
    rows = [
        ("served", "=a", "b", None, None), ("learned", "=a", "b", "winner", "b"), ("refused", "b", "=a", "winner", "b"),
        ("noted", "b", "=a", "tie", None), ("learned", "b", "=a", "skip", None),
    ]  # fmt: skip
    named = ("kind", "left", "right", "outcome", "winner")
    return [Event(**base | {"seq": k} | dict(zip(named, row, strict=True))) for k, row in enumerate(rows)]


def test_the_log_of_an_arena_in_every_format(tmp_path):
    """One win and one tie are accepted; CSV has an apostrophe before what a spreadsheet takes for a formula."""
    for name, write_text in (("log.csv", write_csv), ("log.ndjson", write_ndjson)):
        with (tmp_path / name).open("w") as file:
            write_text(events(), file)
    write_parquet(events(), tmp_path / "log.parquet")
    for name in ("log.csv", "log.ndjson", "log.parquet"):
        one = load(tmp_path / name)
        assert one.items == ["'=a" if name == "log.csv" else "=a", "b"]
        assert one.counts.tolist() == [[0, 0.5], [1.5, 0]] and "1 without a decision left out" in one.note
        assert "an arena's log: accepted answers" in one.note


def test_the_store_of_a_pick(tmp_path):
    result = pick(["b", "a", "c"], min, store=str(tmp_path / "run.db"), seed=1)
    one = recorded_problem(tmp_path / "run.db")
    assert one.pair_counts.duels == result.calls and one.name == "run"
    assert one.items[int(one.copeland_scores.argmax())] == "a"
    with pytest.raises(WinnerstaysError, match="the file is a database; `winnerstays arena export FILE"):
        load(tmp_path / "run.db")


def test_many_blocks_are_one_table(tmp_path):
    """A pair for every row of two blocks and a bit; the bad row of the last block is named by its line."""
    n = 2 * ROWS_AT_ONCE + 100
    path = written(tmp_path / "a.csv", [("winner", "loser"), *((f"x{k % 7}", f"y{k % 5}") for k in range(n))])
    one = load(path)
    assert one.pair_counts.duels == n and one.n_arms == 12
    assert one.counts[one.items.index("x3"), one.items.index("y3")] == len(range(3, n, 35))
    with path.open("a") as file:
        file.write("x,\n")
    with pytest.raises(WinnerstaysError, match=f"line {n + 2} has nothing in the column 'loser'"):
        load(path)


def test_memory_does_not_grow_with_the_number_of_duels(tmp_path, monkeypatch):
    for module in ("readers.table", "pair_counts"):
        monkeypatch.setattr(f"winnerstays.problems.{module}.ROWS_AT_ONCE", 500)

    def peak(path):
        tracemalloc.start()
        load(path)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    row = f"a,b,model_a,{'lorem ipsum ' * 40}\nb,c,tie,\n"
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    small.write_text("model_a,model_b,winner,text\n" + row * 2000)
    large.write_text("model_a,model_b,winner,text\n" + row * 8000)
    assert peak(small) > 0 and peak(large) < peak(small) + 200_000


def test_the_command_line_shows_what_is_undecided(tmp_path, capsys):
    path = written(tmp_path / "a.csv", [("winner", "loser"), *[("a", "b")] * 9, ("b", "c")])
    problems(str(path))
    shown = " ".join(capsys.readouterr().out.split())
    assert "estimated from 10 comparisons; of 3 pairs 2 are undecided (95 % intervals), 1 never compared" in shown
