"""Crosstables: numbers on top stand for the rows, and cells are scores, of one game or of several."""

import pytest

from tests.problems.test_duel_files import read
from winnerstays import WinnerstaysError

ONE_GAME = {"Ann>Bob": 1, "Ann>Cyd": 0.5, "Cyd>Ann": 0.5, "Cyd>Bob": 1}


@pytest.mark.parametrize(
    "text",
    [
        "#,Name,1,2,3,Pts\n1,Ann,*,½,1,1.5\n2,Cyd,½,*,1,1.5\n3,Bob,0,0,*,0\n",
        "Name,1,2,3\nAnn,x,½,1\nCyd,½,x,1\nBob,0,0,x\n",
        "Rk;SNo;Title;Name;Rtg;1;2;3;TB1\n1;7;GM;Ann;2800;;½;1;3\n2;5;GM;Cyd;2700;½;;1;2\n3;9;IM;Bob;2600;0;0;;1\n",
        "Rank,Player,Fed,1,2,3\n1,Ann,NOR,½,*,1\n2,Cyd,NOR,*,½,1\n3,Bob,USA,0,0,*\n",
    ],
)
def test_numbers_on_top_are_the_rows(tmp_path, text):
    found, note = read(tmp_path, text)
    assert found == ONE_GAME and "the columns 1 to 3 are the rows" in note


def test_cells_may_list_games(tmp_path):
    text = "Rk,Title,Name,Rtg,1,2,3,Pts\n1,GM,Ann,2800,**,10,½ ½,2\n2,GM,Bob,2790,01,**,11,3\n3,GM,Cyd,1,½ ½,00,**,1\n"
    found, note = read(tmp_path, text)
    assert found == {"Ann>Bob": 1, "Bob>Ann": 1, "Ann>Cyd": 1, "Cyd>Ann": 1, "Bob>Cyd": 2}
    assert "Rk, Title, Rtg, Pts left out" in note and "cells such as 1½0 list games" in note
    with pytest.raises(WinnerstaysError, match=r"line 2, cell 7: .* is '½½', .*games, 1½0 with 0½1 opposite"):
        read(tmp_path, text.replace("11,3", "10,3").replace("½ ½", "½½"))


@pytest.mark.parametrize(
    "text",
    [
        "#,Name,1,2,3\n1,Ann,4,1,2\n2,Cyd,2,5,1\n3,Bob,3,1,4\n",
        "Who,Club,1,2\nAnn,x,*,1\nBob,y,0,*\n",
        "#,Name,1,2,3\n1,Ann,*,1,0\n2,Cyd,0,*,1\n",
    ],
)
def test_other_tables_with_numbers_on_top_are_asked_about(tmp_path, text):
    with pytest.raises(WinnerstaysError, match="the first row is"):
        read(tmp_path, text)
