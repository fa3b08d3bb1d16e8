"""A column for each item: ranks or ratings, read where it is beyond doubt and asked about where it is not."""

import pytest

from tests.problems.test_duel_files import read
from winnerstays import WinnerstaysError

LUNCH = "voter,Pizza,Sushi,Tacos\n"
RANKED = {"Pizza>Sushi": 1, "Sushi>Pizza": 1, "Pizza>Tacos": 2, "Sushi>Tacos": 2}


@pytest.mark.parametrize(
    "text",
    [
        LUNCH + "1,1,2,3\n2,2,1,3\n",
        LUNCH.replace("voter", "name") + "Ann,1,2,3\nBob,2,1,3\n",
        "Pizza,Sushi,Tacos\n1,2,3\n2,1,3\n",
        "Sheet,Pizza,Sushi,Tacos\n1,1,2,3\n2,2,1,3\n3,1,2,3\n4,2,1,3\n5,1,2,3\n6,2,1,3\n",
        "Timestamp,Order [Pizza],Order [Sushi],Order [Tacos]\n2024,1,2,3\n2025,2,1,3\n",
        'StartDate,Pizza,Sushi,Tacos\nStart,P,"S\nS",T\n"{""ImportId"":""a""}","{""ImportId"":""b""}",,\n1,1,2,3\n2,2,1,3\n',
    ],
)
def test_orders_of_all_items_are_ranks(tmp_path, text):
    found, note = read(tmp_path, text)
    assert (
        found in (RANKED, {pair: 3 * won for pair, won in RANKED.items()})
        and "1 is the best place (Pizza, Sushi, Tacos)" in note
    )


@pytest.mark.parametrize(
    "rows",
    [
        "1,5,3,1\n2,4,4,2\n",
        "1,5,3,1\n2,4,4,2\n3,2,1,3\n",
        "1,5,3,1\n2,4,4,2\n3,2,1,3\n4,1,1,1\n",
        "1,5,3,1\n2,4,4,2\n3,2,1,3\n4,1,1,1\n5,1,2,2\n",
        "Ann,5,3,\nBob,4,,2\n",
        "Ann,1,2,\nBob,2,1,3\nCyd,1,3,2\n",
    ],
)
def test_other_numbers_are_asked_about_and_can_be_said(tmp_path, rows):
    with pytest.raises(WinnerstaysError, match=r"--cells ranks .1 is the best. or --cells ratings"):
        read(tmp_path, LUNCH + rows)
    low, note = read(tmp_path, LUNCH + rows, cells="ranks")
    high, other = read(tmp_path, LUNCH + rows, cells="ratings")
    assert {">".join(reversed(pair.split(">"))): won for pair, won in high.items()} == low
    assert "1 is the best place (Pizza, Sushi, Tacos); voter left out" in note and "the higher rating wins" in other


def test_ranks_may_be_tied_left_out_and_wrong(tmp_path):
    text = "id,Pizza,Sushi,Tacos\n7,1,1,2\n8,2nd,,1st\n9,1,2,many\n"
    with pytest.raises(WinnerstaysError, match="line 4 has 'many' in Tacos, but it must be a number; skip_bad"):
        read(tmp_path, text.replace("many\n", "many\n" + "1,1,2,3\n" * 5), cells="ranks")
    text = text.replace("9,1,2,many\n", "")
    found, _ = read(tmp_path, text, cells="ranks")
    assert found == {"Pizza>Sushi": 0.5, "Sushi>Pizza": 0.5, "Pizza>Tacos": 1, "Sushi>Tacos": 1, "Tacos>Pizza": 1}
    below, _ = read(tmp_path, text, cells="ranks", unranked="below")
    assert below["Tacos>Sushi"] == 1
    with pytest.raises(WinnerstaysError, match="There is no kind of cells 'rank'; did you mean 'ranks'"):
        read(tmp_path, text, cells="rank")
    with pytest.raises(WinnerstaysError, match=r"with cells \(--cells ranks\) at least two of them must be items"):
        read(tmp_path, "winner,loser\na,b\n", cells="ranks")
    with pytest.raises(WinnerstaysError, match="cells does not apply to a file of rankings"):
        read(tmp_path, "a > b\n", cells="ranks")


@pytest.mark.parametrize("name", ["rating", "score", "Stars"])
def test_orders_in_columns_called_ratings_are_asked_about(tmp_path, name):
    header = ",".join(f"{item} {name}" for item in ("Pizza", "Sushi", "Tacos"))
    with pytest.raises(WinnerstaysError, match="--cells ratings"):
        read(tmp_path, f"voter,{header}\n1,1,2,3\n2,2,1,3\n")


@pytest.mark.parametrize("header", ["i,j,n_ij", "row,col,value", "Source,Target,Weight times"])
@pytest.mark.parametrize("rows", ["0,1,5\n1,2,3\n0,2,4\n", "0,1,5\n1,2,3\n", "x,y,2\ny,x,3\n"])
def test_a_list_of_pairs_is_no_matrix(tmp_path, header, rows):
    first, second, third = header.split(",")
    hint = f"winner={first},loser={second},count={third}"
    with pytest.raises(WinnerstaysError, match=f"--columns .?{hint}.? if {third} is how often {first} beat {second}"):
        read(tmp_path, f"{header}\n{rows}")
    one, other, times = rows.splitlines()[0].split(",")
    assert read(tmp_path, f"{header}\n{rows}", columns=hint)[0][f"{one}>{other}"] == int(times)


@pytest.mark.parametrize("header", ["player,wins,losses", "Team,Pld,W,D,L", "name,won,lost"])
def test_totals_of_items_hold_no_duels(tmp_path, header):
    row = ",".join("3" for _ in header.split(",")[1:])
    with pytest.raises(WinnerstaysError, match="of each item do not say whom it met, and hold no duels"):
        read(tmp_path, f"{header}\nAnn,{row}\nBob,{row}\n")


SQUARE = "{},Anna,Bernd,Carla\nCake,1,2,3\nPie,2,3,1\nTart,3,1,2\n"


@pytest.mark.parametrize("corner", ["Dish", "Wine", "Project"])
def test_rows_and_columns_that_are_orders_are_asked_about(tmp_path, corner):
    text = SQUARE.format(corner)
    with pytest.raises(
        WinnerstaysError, match=f"every column one of {corner}; .* --cells ranks-of-rows if the rows are"
    ):
        read(tmp_path, text)
    assert read(tmp_path, text, cells="ranks")[0]["Anna>Bernd"] == 2
    found, note = read(tmp_path, text, cells="ranks-of-rows")
    assert found["Cake>Pie"] == 2 and f"the items are in {corner}, the voters are Anna, Bernd, Carla" in note
    found, _ = read(tmp_path, text, cells="ratings-of-rows")
    assert found["Pie>Cake"] == 2


@pytest.mark.parametrize("corner", ["voter", "Respondent", "Judge"])
def test_rows_that_are_called_voters_are_voters(tmp_path, corner):
    assert read(tmp_path, SQUARE.format(corner))[0]["Anna>Bernd"] == 2


def test_rows_that_are_items_may_be_more_than_the_judges(tmp_path):
    text = "#,Entry,Judge 1,Judge 2,Total\n1,Cake,1,2,3\n2,Pie,2,1,3\n3,Tart,3,,3\n"
    with pytest.raises(WinnerstaysError, match="ranks-of-rows or ratings-of-rows where each row is one"):
        read(tmp_path, text)
    found, note = read(tmp_path, text, cells="ranks-of-rows")
    assert found == {"Cake>Pie": 1, "Pie>Cake": 1, "Cake>Tart": 1, "Pie>Tart": 1} and "Judge 1, Judge 2" in note
    with pytest.raises(WinnerstaysError, match="no column names each row differently"):
        read(tmp_path, "1,2\n3,4\n", cells="ranks-of-rows")


CITIES = {"Paris>Rome": 1, "Rome>Paris": 1, "Paris>Bern": 2, "Rome>Bern": 2}


@pytest.mark.parametrize(
    "text",
    [
        'Respondent ID,Email,"Please rank the following cities:",,\n,,Paris,Rome,Bern\n7,,1,2,3\n8,,2,1,3\n',
        'Respondent ID,"Rank these:",,,Comments\n,Paris,Rome,Bern,Open-Ended Response\n7,1,2,3,\n8,2,1,3,nice\n',
        'Q0,Q1_1,Q1_2,Q1_3\nName,Rank these - Paris,Rank these - Rome,Rank these - Bern\n"{""ImportId"":""a""}",,,\n'
        "Ann,1,2,3\nBob,2,1,3\n",
    ],
)
def test_headers_of_two_lines_name_the_items(tmp_path, text):
    found, note = read(tmp_path, text)
    assert found == CITIES and ("the second line goes on with the header" in note or "2 rows of questions" in note)


def test_codes_of_questions_may_still_be_given(tmp_path):
    text = (
        "Id,Q1_1,Q1_2,Q1_3\nResponse,Teas - first,Teas - other,Teas - chosen\n"
        '"{""ImportId"":""a""}",,,\n1,oolong,assam,oolong\n2,assam,sencha,assam\n'
    )
    found, _ = read(tmp_path, text, columns="left=Q1_1,right=Q1_2,winner=Q1_3")
    assert found == {"oolong>assam": 1, "assam>sencha": 1}


def test_a_second_row_with_empty_cells_is_a_row(tmp_path):
    found, note = read(tmp_path, "winner,loser,\na,b,x\n,b,y\na,c,z\n", skip_bad=True)
    assert found == {"a>b": 1, "a>c": 1} and "second line" not in note
