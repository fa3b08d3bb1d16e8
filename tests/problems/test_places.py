"""Columns that stand for places: by words around them, in several languages, or by their cells; and what is none."""

import pytest

from tests.problems.test_duel_files import read
from winnerstays import WinnerstaysError

ROWS = [("Red", "Blue", "Green"), ("Blue", "Red", "Green")]
FOUND = {"Red>Blue": 1, "Blue>Red": 1, "Red>Green": 2, "Blue>Green": 2}


def table(header, rows=ROWS):
    return "\n".join([f"Name;{header}", *(";".join([f"p{k}", *row]) for k, row in enumerate(rows))]) + "\n"


@pytest.mark.parametrize(
    "header",
    [
        "#1;#2;#3",
        "1;2;3",
        "Top 1;Top 2;Top 3",
        "top1;top2;top3",
        "Favorite;Second favorite;Third favorite",
        "Premier choix;Deuxi\u00e8me choix;Troisi\u00e8me choix",
        "1er choix;2\u00e8me choix;3\u00e8me choix",
        "Primera opci\u00f3n;Segunda opci\u00f3n;Tercera opci\u00f3n",
        "1\u00aa opci\u00f3n;2\u00aa opci\u00f3n;3\u00aa opci\u00f3n",
        "Erstwunsch;Zweitwunsch;Drittwunsch",
        "Platz 1;Platz 2;Platz 3",
        "1. Wahl;2. Wahl;3. Wahl",
        "Rang 1;Rang 2;Rang 3",
        "Prima scelta;Seconda scelta;Terza scelta",
        "Eerste keuze;Tweede keuze;Derde keuze",
        "Primeira escolha;Segunda escolha;Terceira escolha",
        "Rank these. [Rank 1];Rank these. [Rank 2];Rank these. [Rank 3]",
        "Order [1st];Order [2nd];Order [3rd]",
        "Q1[1];Q1[2];Q1[3]",
        "Mayor, 1st choice, city;Mayor, 2nd choice, city;Mayor, 3rd choice, city",
        "Choice 1 of 3 (026916);Choice 2 of 3 (126916);Choice 3 of 3 (226916)",
        "Winner;2nd;3rd",
        "Sieger;2. Platz;3. Platz",
    ],
)
def test_columns_that_differ_in_the_place_alone(tmp_path, header):
    found, note = read(tmp_path, table(header))
    assert found == FOUND, note


@pytest.mark.parametrize(
    "header",
    [
        "Player 1;Player 2;Player 3",
        "You prefer? [Question 1];You prefer? [Question 2];You prefer? [Question 3]",
        "Choice in pair 1;Choice in pair 2;Choice in pair 3",
        "preferred_1;preferred_2;preferred_3",
        "Option 1;Option 2;Option 3",
        "Winner of game 1;Winner of game 2;Winner of game 3",
    ],
)
def test_other_numbered_columns_are_no_places(tmp_path, header):
    with pytest.raises(WinnerstaysError):
        read(tmp_path, table(header))


@pytest.mark.parametrize("header", ["1;2;3", "Q1[1];Q1[2];Q1[3]", "Which first? [1];Which first? [2];Which first? [3]"])
@pytest.mark.parametrize("rows", [[("A", "B", "A"), ("B", "A", "B")], [("yes", "no", "maybe"), ("no", "yes", "never")]])
def test_numbers_alone_are_no_places_where_rows_differ_or_repeat(tmp_path, header, rows):
    with pytest.raises(WinnerstaysError):
        read(tmp_path, table(header, rows))


def test_several_rankings_are_asked_about(tmp_path):
    header = ";".join(f"{office} Choice {k} of 3" for office in ("Mayor", "Council") for k in (1, 2, 3))
    with pytest.raises(WinnerstaysError, match="several rankings in its columns, from Mayor Choice 1 of 3 to Mayor"):
        read(tmp_path, table(header, [row + row for row in ROWS]))


@pytest.mark.parametrize(
    "cells",
    [
        '"1. Tea, 2. Milk, 3. Rum"|"1. Milk, 2. Tea, 3. Rum"',
        '"2) Milk, 1) Tea, 3) Rum"|"1) Milk, 2) Tea, 3) Rum"',
        "Tea;Milk;Rum;|Milk;Tea;Rum;",
    ],
)
def test_lists_in_a_cell(tmp_path, cells):
    rows = "".join(f"{k},5/1/23 10:11,{cell}\n" for k, cell in enumerate(cells.split("|"), start=7))
    found, note = read(tmp_path, f"Id,Start time,Rank the drinks\n{rows}")
    assert found == {"Tea>Milk": 1, "Milk>Tea": 1, "Tea>Rum": 2, "Milk>Rum": 2} and "names the best first" in note


def test_places_in_races_with_several_columns_that_may_be_items_are_proposed(tmp_path):
    text = "raceId,driverId,constructorId,position\n18,1,1,1\n18,2,2,2\n18,3,2,\\N\n19,1,1,2\n19,2,2,1\n"
    hint = "user=raceId,item=driverId,rating=position"
    with pytest.raises(WinnerstaysError, match=f"say --columns {hint}: the lower wins"):
        read(tmp_path, text)
    assert read(tmp_path, text, columns=hint, skip_bad=True)[0] == {"1>2": 1, "2>1": 1}


@pytest.mark.parametrize("places", ["pick_1,pick_2,pick_3", "Top 1,Top 2,Top 3"])
def test_duels_beside_places_are_asked_about(tmp_path, places):
    text = f"model_a,model_b,winner,{places}\nx,y,x,p,q,r\ny,z,z,q,r,p\n"
    with pytest.raises(
        WinnerstaysError, match=r"holds duels, and beside .* --columns left=model_a,right=model_b,winner="
    ):
        read(tmp_path, text)
    assert read(tmp_path, text, columns="left=model_a,right=model_b,winner=winner")[0] == {"x>y": 1, "z>y": 1}
