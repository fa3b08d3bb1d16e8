"""Files as people have them, each with what must be read from it. docs/data.md's list of formats is made from this.

Unless a format says otherwise, it holds these four duels: a beats b, a and b tie, b beats c, c beats a.
"""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars

from winnerstays import Arena
from winnerstays.arena.history.export import export

FOUR = {("a", "b"): 1.5, ("b", "a"): 0.5, ("b", "c"): 1.0, ("c", "a"): 1.0}
DECIDED = {("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "a"): 1.0}
"""Without the tie."""


@dataclass(frozen=True)
class Format:
    """A file that must be read: its kind, what is said of it in the docs, its name and content, and what is in it."""

    kind: str
    what: str
    name: str
    content: str | bytes
    wins: dict = field(default_factory=lambda: FOUR)
    """How often each was chosen over each; for a matrix of preferences, P(a beats b) alone."""
    note: str = ""
    """What the problem's note must say was assumed."""
    options: dict = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.kind}: {self.what}"


def csv(header: str, *rows: str) -> str:
    return "\n".join([header, *rows]) + "\n"


def duels(what, header, *rows, name="battles.csv", wins=FOUR, note="", **options):
    return Format("duels", what, name, csv(header, *rows), wins, note, options)


DUELS = [
    duels("`winner`, `loser`, optionally `tie`", "winner,loser,tie", "a,b,", "a,b,1", "b,c,0", "c,a,no"),
    duels(
        "`winner_name`, `loser_name` beside other `winner_...` columns",
        "winner_id,winner_name,winner_age,loser_id,loser_name,loser_age", "1,a,20,2,b,21", "2,b,21,3,c,30",
        "3,c,30,1,a,20", wins=DECIDED, note="columns: winner winner_name, loser loser_name",
    ),
    duels(
        "winners and losers in German, French, Spanish, Italian, Portuguese and Dutch, weights with a decimal comma",
        "Sieger;Verlierer;Gewicht", "a;b;1,5", "b;c;1,0", "c;a;1,0", wins={**DECIDED, ("a", "b"): 1.5},
        note="each row counts Gewicht times",
    ),
    duels(
        "digits in groups of three, in a file with commas", "item_a,item_b,wins_a,wins_b", 'a,b,"1,200",800',
        'b,c,"1,000","2,000"', wins={("a", "b"): 1200.0, ("b", "a"): 800.0, ("b", "c"): 1000.0, ("c", "b"): 2000.0},
        note="wins_a and wins_b are how often each won",
    ),
    duels("a Markdown table", "| winner | loser |", "|---|:-:|", "| a | b |", "| b | c |", "| c | a |", wins=DECIDED,
        name="table.md"),
    duels("`WTeamID`, `LTeamID`", "Season,WTeamID,WScore,LTeamID,LScore", "1,a,9,b,2", "1,b,3,c,1", "1,c,5,a,4",
          wins=DECIDED),
    duels("`chosen`, `rejected`", "prompt,chosen,rejected", "x,a,b", "y,b,c", "z,c,a", wins=DECIDED),
    duels("`model_a`, `model_b`, `winner`", "id,model_a,model_b,winner,judge", "1,a,b,model_a,x",
          "2,b,a,tie (bothbad),x", "3,b,c,b,x", "4,a,c,model_b,x"),
    duels("`model_a`, `model_b`, `winner` with 0 and 1", "model_a,model_b,winner", "a,b,0", "c,b,1", "a,c,1",
          wins=DECIDED, note="in winner, 0 is model_a, 1 is model_b"),
    duels("`model_a`, `model_b`, and flags `winner_model_a`, `winner_model_b`, `winner_tie`",
          "id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie", '1,a,b,"two\nlines",1,0,0',
          "2,a,b,,0,0,1", "3,c,b,,0,1,0", "4,c,a,,1,0,0"),
    duels("`left`, `right`, `winner`", "left,right,winner", "a,b,left", "b,a,draw", "b,c,b", "a,c,right"),
    duels("`shown_1`, `shown_2`, `clicked`", "shown_1,shown_2,clicked", "a,b,a", "b,c,shown_1", "a,c,c", wins=DECIDED),
    duels("`First_x`, `Second_x`, `Winner`", "First_sushi,Second_sushi,Winner", "a,b,First_sushi", "a,b,tie",
          "c,b,second", "a,c,c", note="columns: left First_sushi, right Second_sushi"),
    duels("`team1`, `team2`, `result` as 1, X, 2", "team1,team2,result", "a,b,1", "a,b,X", "b,c,1", "a,c,2",
          note="in result, 1 is team1, 2 is team2"),
    duels("`player_1`, `player_2`, `winner` as 1, 2 and 0 for a tie", "player_1,player_2,winner", "a,b,1", "a,b,0",
          "c,b,2", "c,a,1", note="1 is player_1, 2 is player_2, 0 a tie"),
    duels("any codes of who won, with `codes`", "left,right,winner", "a,b,0", "a,b,2", "c,b,1", "c,a,0",
          codes="0=left,1=right,2=tie"),
    duels("`home_id`, `home_name`, `away_id`, `away_name`, `winner_id`",
          "home_id,home_name,away_id,away_name,winner_id", "1,a,2,b,1",
          "3,c,2,b,2", "1,a,3,c,3", wins=DECIDED, note="winner_id is looked up in home_id and away_id"),
    duels("two sides and `outcome` as 1, 0.5, 0", "player_a,player_b,outcome", "a,b,1", "b,a,0.5", "c,b,0", "c,a,1",
          note="1 is player_a, 0 is player_b, 0.5 a tie"),
    duels("two sides and `outcome` as 1, 0, -1", "player_a,player_b,outcome", "a,b,1", "b,a,0", "c,b,-1", "c,a,1",
          note="1 is player_a, -1 is player_b, 0 a tie"),
    duels("`home`, `away` and scores", "date,home,away,home_score,away_score", "1,a,b,3,0", "2,b,a,1,1", "3,c,b,0,2",
          "4,c,a,1,0", note="the higher of home_score and away_score wins"),
    duels("the same with penalties, and with games that were not played",
          "home,away,home_score,away_score,home_pens,away_pens,status", "a,b,3,0,,,FINISHED", "b,a,1,1,,,FINISHED",
          "c,b,1,1,3,4,FINISHED", "c,a,1,0,,,FINISHED", "a,b,0,0,,,SCHEDULED", "a,b,,,,,",
          note="2 without a decision left out"),
    duels("`Team 1`, `Score`, `Team 2`, `Score`", "Team 1,Score,Team 2,Score", "a,3,b,0", "b,1,a,1", "c,0,b,2",
          "c,1,a,0", note="the first Score is that of the side that stands first"),
    duels("`HomeTeam`, `AwayTeam`, `FTHG`, `FTAG`, `FTR` (H, D, A)", "HomeTeam,AwayTeam,FTHG,FTAG,FTR", "a,b,3,0,H",
          "b,a,1,1,D", "c,b,0,2,A", "c,a,1,0,H"),
    duels("`home_team`, `away_team`, `result` (win, draw, loss of the first)", "home_team,away_team,result", "a,b,win",
          "b,a,draw", "c,b,loss", "c,a,Win"),
    duels("`white`, `black`, `result` (1-0, 1/2-1/2, 0-1)", "White,Black,Result", "a,b,1-0", "b,a,1/2-1/2", "c,b,0-1",
          "c,a,1-0", "a,b,*", note="1 without a decision left out"),
    duels("`home`, `away`, `score` (2-1)", "home,away,score", "a,b,2-1", "b,a,0-0", "c,b,0:4", "c,a,1-0"),
    duels("scores with sets, extra time or penalties", "home,away,score", "a,b,6-4 3-6 7-5", "b,a,0.5-0.5",
          "c,b,1-1 (3-4 pens)", "c,a,2-1 (aet)"),
    duels("two sides and one flag, `home_win`", "home,away,home_win", "a,b,1", "c,b,0", "c,a,true", wins=DECIDED),
    duels("two sides and how often each won, `wins_a`, `wins_b`", "item_a,item_b,wins_a,wins_b", "a,b,1.5,0.5",
          "b,c,1,0", "a,c,0,1", note="wins_a and wins_b are how often each won"),
    duels("a column of counts or weights: `n`, `count`, `weight`, `times`, `votes`", "winner,loser,n", "a,b,10",
          "b,a,2", "b,c,1", "c,a,0", wins={("a", "b"): 10, ("b", "a"): 2, ("b", "c"): 1},
          note="each row counts n times"),
    duels("`player`, `opponent`, `outcome` (W, D, L of the first)", "player,opponent,outcome", "a,b,W", "b,a,D",
          "c,b,L", "c,a,w"),
    duels("the same, each game listed from both sides", "player,opponent,outcome", "a,b,W", "b,a,L", "b,c,W", "c,b,L",
          "c,a,W", "a,c,L", wins=DECIDED, note="each game is listed from both sides and counted once"),
    duels("`player`, `opponent`, `won`", "player,opponent,won", "a,b,TRUE", "c,b,FALSE", "c,a,yes", wins=DECIDED),
    duels("`player`, `opponent`, `wins`, `losses`, optionally `draws`", "player,opponent,wins,losses,draws",
          "a,b,1,0,1", "c,b,0,1,0", "c,a,1,0,0", note="4 duels, 1 of them ties"),
    duels("two rows for each game: `game_id`, `team`, `score`, or `match_id`, `player`, `result` (W, D, L)",
          "match_id,player,result", "1,a,W", "1,b,L", "2,a,D", "3,b,win", "2,b,D", "3,c,loss", "4,c,W", "4,a,L",
          note="the two rows of each match_id are one game"),
    duels("sides in German, French, Spanish, Italian, Portuguese and Dutch", "Heim;Gast;Ergebnis", "a;b;2:1", "b;a;0:0",
          "c;b;0:4", "c;a;1:0"),
    duels("the same with goals or points of either side, also in Polish, Swedish and others",
          "Heimmannschaft;Gastmannschaft;Tore Heim;Tore Gast", "a;b;2;1", "b;a;0;0", "c;b;0;4", "c;a;1;0",
          note="the higher of Tore Heim and Tore Gast wins"),
    duels("`Home`, `Away`, `HG`, `AG`, `Res`", "Home,Away,HG,AG,Res", "a,b,2,1,H", "b,a,0,0,D", "c,b,0,4,A",
          "c,a,1,0,H"),
    duels("scores at half-time beside those that count", "home,away,ht_home,ht_away,ft_home,ft_away", "a,b,0,1,2,1",
          "b,a,0,0,0,0", "c,b,1,1,1,4", "c,a,0,0,1,0", note="the higher of ft_home and ft_away wins"),
    duels("`team`, `opponent`, `points_for`, `points_against`; `GF`, `GA`", "team,opponent,points_for,points_against",
          "a,b,3,1", "b,a,2,2", "c,b,1,2", "c,a,1,0"),
    duels("a result of either side", "white_username,black_username,white_result,black_result", "a,b,win,resigned",
          "a,b,agreed,agreed", "c,b,timeout,win", "c,a,win,checkmated", note="equal results are ties"),
    duels("sides by any names, known by their cells, if another column says who won", "challenger,defender,winner",
          "a,b,a", "b,a,draw", "c,b,b", "a,c,c", note="columns: left challenger, right defender"),
    duels("an empty winner where the result says why", "team1,team2,result,winner", "a,b,normal,a", "a,b,tie,",
          "b,c,normal,b", "a,c,normal,c", "a,b,no result,", note="2 rows without winner by their result"),
    duels("by how much the first side won, with `columns`", "home,away,spread", "a,b,7", "b,a,0", "c,b,-3", "c,a,4",
          columns="left=home,right=away,margin=spread", note="home has won where spread is positive"),
    duels("the best and the worst of those shown, `item1`, `item2`, `item3`, `best`, `worst`",
          "set,item1,item2,item3,best,worst", "1,a,b,c,a,c", "2,c,b,a,c,b",
          wins={("a", "b"): 2, ("a", "c"): 1, ("b", "c"): 1, ("c", "b"): 1, ("c", "a"): 1},
          note="of item1, item2, item3 the best beats all"),
    duels("results of games, the home team in the row and the guest in the column",
          "Home \\ Away,a,b,c", "a,x,2-1,0-1", "b,1:1,x,1-0",
          "c,,,x", note="each cell is a game of its row against its column"),
    duels("a survey with a question for each pair, `Which do you prefer? [a vs b]`",
          "Timestamp,Which? [a vs b],Which? [b vs c],Which? [a vs c]", "1,a,b,c", "2,No preference,,",
          note="each of 3 columns asks about two items"),
    duels("both sides in one column, `Ann vs Bob` or `Ann @ Bob`", "match,winner", "a vs b,a", "a v. b,draw", "c @ b,b",
          "a VS. c,c", note="match names both sides"),
    duels("the same with votes", "pair,votes_left,votes_right", "a vs b,1.5,0.5", "b vs c,1,0", "c vs a,1,0"),
    duels("people called Null, None or NaN", "winner,loser", "Null,b", "b,None", "None,Null",
          wins={("Null", "b"): 1, ("b", "None"): 1, ("None", "Null"): 1}, note="'Null', 'None' are taken for a name"),
    duels("PGN: players and results", '[Event "x"]', '[White "a"]', '[Black "b"]', '[Result "1-0"]', "", "1. e4 e5 1-0",
          "", '[White "b"]', '[Black "a"]', '[Result "1/2-1/2"]', "", "1. d4", "", '[White "c"]', '[Black "b"]',
          '[Result "0-1"]', "", '[Event "y"]', '[White "c"]', '[Black "a"]', '[Result "1-0"]', name="games.pgn"),
    duels("sentences, one a line: `Ann beats Bob`, `Ann lost to Bob 1-3`, `Ann drew with Bob`", "a beats b",
          "a tied with b", "b defeated c 3-1", "a lost to c", name="duels.txt", note="sentences, one a line"),
    duels("scores, one a line: `Ann 2-1 Bob`, `Ann - Bob 3:1`", "a 2-1 b", "a - b 1:1", "b 3-1 c", "a 0:1 c",
          name="duels.txt", note="the higher score wins"),
    duels("the winner behind both: `Ann vs Bob: Ann`", "a vs b: a", "a vs b: tie", "b vs c: b", "a vs c: c",
          name="duels.txt", note="the winner stands behind both"),
    duels("any names, with `columns`", "foo_a,foo_b,bar_a,bar_b,won_by", "1,2,a,b,bar_a", "1,2,a,b,tie",
          "1,2,b,c,b", "2,1,c,a,bar_a", columns="left=bar_a,right=bar_b,winner=won_by"),
    duels("no header, with `columns` by number", "7,a,b", "8,b,c", "9,c,a", wins=DECIDED,
          columns={"winner": 2, "loser": 3}),
]  # fmt: skip

RECORDS = [
    {"model_a": first, "model_b": second, "winner": winner, "turn": 1, "anony": True}
    for first, second, winner in [("a", "b", "model_a"), ("a", "b", "tie"), ("b", "c", "model_a"), ("a", "c", "c")]
]
TABLE = csv("model_a,model_b,winner", "a,b,model_a", "a,b,tie", "b,c,model_a", "a,c,c")
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS)


def zipped(name, text):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, text)
    return file.getvalue()


def parquet(table):
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def written(what, name, content, **more):
    return Format("ways of writing", what, name, content, **more)


def latin(table):
    return table.replace("a", "é").encode("latin-1")


WRITTEN = [
    written("commas", "battles.csv", TABLE),
    written("semicolons", "battles.csv", TABLE.replace(",", ";")),
    written("tabs (`.tsv`)", "battles.tsv", TABLE.replace(",", "\t")),
    written("bars", "battles.txt", TABLE.replace(",", "|")),
    written("spaces (`.txt`)", "battles.txt", TABLE.replace(",", "   ")),
    written("a first line `sep=;`", "battles.csv", "sep=;\n" + TABLE.replace(",", ";")),
    written("comment lines", "battles.csv", "# made by hand\n\n" + TABLE.replace("b,c", "# so far so good\nb,c")),
    written("lines of a title, and a blank one", "battles.csv", "Taste, spring 2024\nexported by hand\n\n" + TABLE,
            note="3 lines before the table left out"),
    written("as the shell of a database prints it", "battles.txt",
            csv("+---+---+---+", "| model_a | model_b | winner |", "+---+---+---+", "| a | b | model_a |",
                "| a | b | tie |", "| b | c | b |", "| a | c | c |", "+---+---+---+")),
    written("the same by PostgreSQL's, with its footer", "battles.txt",
            csv(" model_a | model_b | winner ", "---------+---------+--------", " a       | b       | model_a",
                " a       | b       | tie", " b       | c       | b", " a       | c       | c", "(4 rows)", "")),
    written("the same drawn with lines, as SQLite's", "battles.txt",
            csv("┌───┬───┬───┐", "│ model_a │ model_b │ winner │", "├───┼───┼───┤", "│ a │ b │ model_a │",
                "│ a │ b │ tie │", "│ b │ c │ b │", "│ a │ c │ c │", "└───┴───┴───┘")),
    written("a title in the first cell, as spreadsheets write it", "battles.csv", "Taste 2024,,\n,,\n" + TABLE,
            note="2 lines before the table left out"),
    written("footers and headings between the rows: one cell alone", "battles.csv",
            TABLE.replace("\nb,c", "\nMatchday 2,,\nb,c") + "Total,,\n\"Source: a, b\",,\nGenerated on Monday\n",
            note="4 lines with one cell alone left out (line 4 'Matchday 2')"),
    written("the questions below the header in Qualtrics' files", "battles.csv",
            csv("Q1,Q2,Q3", "One,The other,Who is better?", '"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}",'
                '"{""ImportId"":""QID3""}"', "a,b,a", "a,b,tie", "b,c,b", "a,c,c"),
            note="2 rows of questions below the header left out", options={"columns": "left=Q1,right=Q2,winner=Q3"}),
    written("digits parted by spaces or apostrophes", "battles.csv",
            csv("winner;loser;votes", "a;b;1 200", "b;c;1'200'000", "c;a;12"),
            wins={("a", "b"): 1200, ("b", "c"): 1200000, ("c", "a"): 12}),
    written("accents as letters of their own (composed)", "battles.csv",
            csv("winner,loser", "Zoe\u0308,b", "Zo\u00eb,b"), wins={("Zo\u00eb", "b"): 2}),
    written("old Macs' line ends", "battles.csv", TABLE.replace("\n", "\r").encode()),
    written("quoted cells with line breaks", "battles.csv",
            csv('model_a,"model_b",winner,text', 'a,b,model_a,"one,\ntwo"', "a,b,tie,", 'b,c,b,"x"', "a,c,c,")),
    written("row names, as R writes them", "battles.csv",
            csv("model_a,model_b,winner", "1,a,b,model_a", "2,a,b,tie", "3,b,c,b", "4,a,c,c")),
    written("Windows line ends", "battles.csv", TABLE.replace("\n", "\r\n").encode()),
    written("UTF-8, with or without a byte order mark", "battles.csv", b"\xef\xbb\xbf" + TABLE.encode()),
    written("UTF-16, with a byte order mark", "battles.csv", TABLE.encode("utf-16")),
    written("UTF-16, without one", "battles.csv", TABLE.encode("utf-16-le")),
    written("Latin-1 (Windows-1252)", "battles.csv", TABLE.encode() + "é,b,tie\né,b,tie\n".encode("latin-1"),
            wins=FOUR | {("é", "b"): 1.0, ("b", "é"): 1.0}, note="read as Windows-1252"),
    written("UTF-8 and Windows-1252 in one file", "battles.csv",
            "winner,loser\nMüller,b\n".encode() + "Müller,b\n".encode("cp1252"), wins={("Müller", "b"): 2},
            note="the file mixes both"),
    written("any other encoding, with `encoding`", "battles.csv", "winner,loser\nЮлия,b\n".encode("cp1251"),
            wins={("Юлия", "b"): 1}, note="read as cp1251", options={"encoding": "cp1251"}),
    written("`.gz`", "battles.csv.gz", gzip.compress(TABLE.encode())),
    written("`.bz2`", "battles.csv.bz2", bz2.compress(TABLE.encode())),
    written("`.xz`", "battles.csv.xz", lzma.compress(TABLE.encode())),
    written("`.zip` with one file", "battles.zip", zipped("battles.csv", TABLE)),
    written("`.json`, a list of objects", "battles.json", json.dumps(RECORDS)),
    written("`.json`, the list in a field", "battles.json", json.dumps({"version": 2, "battles": RECORDS})),
    written("`.json`, in a field of a field", "battles.json", json.dumps({"data": {"battles": RECORDS}, "n": 4})),
    written("`.json`, columns, as pandas writes it", "battles.json",
            json.dumps({key: {str(k): one[key] for k, one in enumerate(RECORDS)} for key in RECORDS[0]})),
    written("`.json`, pandas' `split`, `index` and `table`", "battles.json",
            json.dumps({"columns": [*RECORDS[0]], "index": [0, 1, 2, 3], "data": [[*one.values()] for one in RECORDS]}),
            ),
    written("`.json`, objects that follow each other", "battles.json",
            "".join(json.dumps(one, indent=1) + ",\n" for one in RECORDS)),
    written("CSV called `.json`", "battles.json", TABLE),
    written("`.jsonl`, `.ndjson`, one object per line", "battles.jsonl", LINES),
    written("the same, called `.json`", "battles.json", LINES),
    written("`.json`, objects or chats in place of names", "battles.json",
            json.dumps([{"chosen": {"id": 1, "name": "a"}, "rejected": [{"role": "assistant", "content": "b"}]}] * 2),
            wins={("a", "b"): 2.0}, note="of the chat messages in rejected the last counts"),
    written("`.json`, objects within objects: their fields are columns with dotted names, `score.winner`",
            "battles.json",
            json.dumps([{"home": {"name": "a"}, "away": {"name": "b"}, "score": {"winner": "HOME", "note": None}}] * 2),
            wins={("a", "b"): 2.0}, note="winner score.winner"),
    written("`.jsonl.gz`", "battles.jsonl.gz", gzip.compress(LINES.encode())),
    written("`.parquet` (needs the extra `tables`)", "battles.parquet", parquet(polars.DataFrame(RECORDS))),
]  # fmt: skip

MATRIX = "0.5,0.7,0.6\n0.3,0.5,0.9\n0.4,0.1,0.5\n"
SURE = {("a", "b"): 0.7, ("b", "a"): 0.3, ("a", "c"): 0.6, ("c", "a"): 0.4, ("b", "c"): 0.9, ("c", "b"): 0.1}
COUNTED = {("a", "b"): 7, ("b", "a"): 3, ("a", "c"): 6, ("c", "a"): 5, ("b", "c"): 9}


def archive(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


ARRAY = np.array([[0.5, 0.7, 0.6], [0.3, 0.5, 0.9], [0.4, 0.1, 0.5]])


def matrix(what, name, content, wins=SURE, note="", **options):
    return Format("matrix", what, name, content, wins, note, options)


MATRICES = [
    matrix("numbers alone (items are then 0, 1, 2)", "m.csv", MATRIX),
    matrix("names in the first row", "m.csv", "a,b,c\n" + MATRIX),
    matrix("names in the first column", "m.csv", "a,0.5,0.7,0.6\nb,0.3,0.5,0.9\nc,0.4,0.1,0.5\n"),
    matrix("names in both", "m.csv", "item,a,b,c\na,0.5,0.7,0.6\nb,0.3,0.5,0.9\nc,0.4,0.1,0.5\n"),
    matrix("names in both, as R writes them", "m.txt", "a b c\na 0.5 0.7 0.6\nb 0.3 0.5 0.9\nc 0.4 0.1 0.5\n"),
    matrix("names in both, in another order", "m.csv", ",c,a,b\na,0.6,0.5,0.7\nb,0.9,0.3,0.5\nc,0.5,0.4,0.1\n",
           note="columns put into the order of the rows"),
    matrix("spaces, as `numpy.savetxt` writes it, header behind `#`", "m.txt", "# a b c\n" + MATRIX.replace(",", " ")),
    matrix("semicolons and decimal commas", "m.csv", MATRIX.replace(",", ";").replace(".", ",")),
    matrix("an empty diagonal (nothing, -, NaN)", "m.csv", "nan,0.7,0.6\n0.3,,0.9\n0.4,0.1,-\n"),
    matrix("a diagonal of 0 or 1", "m.csv", "0,0.7,0.6\n0.3,0,0.9\n0.4,0.1,0\n", note="the diagonal of 0 is not used"),
    matrix("one half, the other empty", "m.csv", ",0.7,0.6\n,,0.9\n,,\n", note="3 empty cells follow"),
    matrix("percentages, 55%", "m.csv", "50%,70%,60%\n30%,50%,90%\n40%,10%,50%\n"),
    matrix("0 to 100, opposite cells 100 together", "m.csv", "50,70.5,60\n29.5,50,90\n40,10,50\n",
           {**SURE, ("a", "b"): 0.705, ("b", "a"): 0.295}, note="percentages"),
    matrix("counts of wins", "m.csv", ",a,b,c\na,0,7,6\nb,3,0,9\nc,5,0,0\n", COUNTED, "wins were counted: 30 duels"),
    matrix("the same with totals", "m.csv", ",a,b,c,Total\na,0,7,6,13\nb,3,0,9,12\nc,5,0,0,5\nTotal,8,7,15,30\n",
           COUNTED, "totals left out"),
    matrix("columns of ranks, wins, points or means beside it", "m.csv",
           "Rank,Team,a,b,c,Pts\n1,a,-,7,6,13\n2,b,3,-,9,12\n3,c,5,0,-,5\n", COUNTED, "Rank, Pts left out"),
    matrix("a corner that says who wins: `winner`, `loser\\winner`, `beaten by`", "m.csv",
           "Loser \\ Winner,a,b,c\na,0,3,5\nb,7,0,0\nc,6,9,0\n", COUNTED, "the column beats the row, as 'Loser"),
    matrix("a title that says so: `Wins of column over row`", "m.csv",
           "Wins of column over row\n,a,b,c\na,0,3,5\nb,7,0,0\nc,6,9,0\n", COUNTED,
           "the column beats the row, as 'Wins of column over row' says"),
    matrix("transposed, with `rows`", "m.csv", ",a,b,c\na,0,3,5\nb,7,0,0\nc,6,9,0\n", COUNTED,
           "the column beats the row", rows="losers"),
    matrix("wins and losses, 7-3, or wins and duels, 7/10", "m.csv", ",a,b,c\na,,7-3,6-5\nb,3-7,,9-0\nc,5-6,0-9,\n",
           COUNTED),
    matrix("numbers for names, as pandas writes them, with or without its index", "m.csv", "0,1,2\n" + MATRIX),
    matrix("rounded chances", "m.csv", ",a,b\na,0.5,0.66\nb,0.33,0.5\n", {("a", "b"): 2 / 3, ("b", "a"): 1 / 3},
           "1 pairs that sum to a little more or less than 1"),
    matrix("zeros below the diagonal of chances", "m.csv", "0.5,0.7,0.6\n0,0.5,0.9\n0,0,0.5\n",
           note="3 zeros below the diagonal are taken for empty"),
    matrix("a crosstable with X and ½, with `matrix`", "m.csv", ",a,b,c\na,X,1½,0\nb,½,X,1\nc,1,0,X\n", FOUR,
           matrix="counts"),
    matrix("a crosstable with numbers on top: `#`, `Name`, `1`, `2`, `3`, `Pts`", "m.csv",
           "#,Name,1,2,3,Pts\n1,a,*,1½,0,1.5\n2,b,½,*,1,1.5\n3,c,1,0,*,1\n", FOUR,
           "the columns 1 to 3 are the rows, in their order"),
    matrix("cells that list games, `1½0` with `0½1` opposite", "m.csv", ",a,b,c\na,,1½,0\nb,0½,,1\nc,1,0,\n", FOUR,
           "cells such as 1½0 list games"),
    matrix("certain preferences (0 and 1), with `matrix`", "m.csv", "0,1\n0,0\n", {("a", "b"): 1.0, ("b", "a"): 0.0},
           matrix="preferences"),
    matrix("`.npy`", "m.npy", saved(ARRAY)),
    matrix("`.npz` with `preferences` and optionally `items`, `utilities`, `features`", "m.npz",
           archive(preferences=ARRAY, items=np.array(["a", "b", "c"]))),
    matrix("`.npz` with one array of any name", "m.npz", archive(whatever=ARRAY)),
    matrix("`.npz` with one array and `names`", "m.npz", archive(W=ARRAY, names=np.array(["a", "b", "c"]))),
    matrix("`.parquet`, with names in both", "m.parquet",
           parquet(polars.DataFrame({"item": ["a", "b"], "a": [0.5, 0.3], "b": [0.7, 0.5]})),
           {("a", "b"): 0.7, ("b", "a"): 0.3}),
    matrix("the same by pandas, whose index is the last column", "m.parquet",
           parquet(polars.DataFrame({"a": [0.5, 0.3], "b": [0.7, 0.5], "__index_level_0__": ["a", "b"]})),
           {("a", "b"): 0.7, ("b", "a"): 0.3}),
    matrix("`.json`, by names, the outer beats the inner, alone or in `wins`", "m.json",
           '{"a": {"b": 7, "c": 6}, "b": {"a": 3, "c": 9}, "c": {"a": 5}}', COUNTED, "the row beats the column"),
    matrix("`.json`, a frame of pandas, with `rows`", "m.json",
           '{"a": {"a": 0, "b": 3, "c": 5}, "b": {"a": 7, "b": 0, "c": 0}, "c": {"a": 6, "b": 9, "c": 0}}', COUNTED,
           rows="losers"),
    matrix("`.json`, the same as pandas' `split`", "m.json",
           json.dumps({"columns": ["a", "b", "c"], "index": ["a", "b", "c"], "data": ARRAY.tolist()})),
    matrix("`.json` with one array and `names`", "m.json",
           '{"names": ["a", "b", "c"], "wins": [[0, 7, 6], [3, 0, 9], [5, 0, 0]]}', COUNTED),
    matrix("`.json`, a list of lists", "m.json", json.dumps(ARRAY.tolist())),
    matrix("`.json` with `preferences` and optionally `items`, `utilities`, `features`", "m.json",
           json.dumps({"preferences": ARRAY.tolist(), "items": ["a", "b", "c"]})),
    matrix("`.json` with `counts`", "m.json", '{"counts": [[0,7,6],[3,0,9],[5,0,0]], "items": ["a","b","c"]}', COUNTED),
    Format("duels", "`.json` with `comparisons`: [[winner, loser], ...]", "c.json",
           '{"comparisons": [["a", "b"], ["b", "c"], ["c", "a"]]}', DECIDED, "3 duels"),
    Format("duels", '`.json` with pairs and counts, `{"a>b": 3}`', "c.json",
           '{"a>b": 1.5, "b>a": 0.5, "b > c": 1, "c>a": 1}', FOUR, "4 duels"),
    Format("duels", '`.json` with pairs and wins, `{"a vs b": {"a": 3, "b": 1}}`', "c.json",
           '{"a vs b": {"a": 1, "b": 0, "ties": 1}, "b vs c": {"b": 1, "c": 0}, "c vs a": {"c": 1, "a": 0}}', FOUR,
           "4 duels, 1 of them ties"),
]  # fmt: skip

RANKED = """# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 3
# ALTERNATIVE NAME 1: a
# ALTERNATIVE NAME 2: b
# ALTERNATIVE NAME 3: c
2: 1,2
1: {1,2},3
"""
OLD_RANKED = "3\n1,a\n2,b\n3,c\n3,3,2\n2,1,2\n1,{1,2},3\n"
KNOWN = {("a", "b"): 2.5, ("b", "a"): 0.5, ("a", "c"): 1, ("b", "c"): 1}
BEATEN = {("a", "b"): 2.5, ("b", "a"): 0.5, ("a", "c"): 3, ("b", "c"): 3}
NOT_COMPARED = "2 voters left items out, which are not compared"


def rankings(what, name, content, wins=KNOWN, note=NOT_COMPARED, **options):
    return Format("rankings", what, name, content, wins, note, options)


RANKINGS = [
    rankings("PrefLib's `.soc`, `.soi`, `.toc`, `.toi`; what a voter leaves out is not compared", "vote.toi", RANKED),
    rankings("the same in PrefLib's older form", "vote.toi", OLD_RANKED),
    rankings("the same under another name", "vote.txt", RANKED),
    rankings("`.gz`", "vote.toi.gz", gzip.compress(RANKED.encode())),
    rankings("what a voter leaves out is beaten, with `unranked=below`", "vote.toi", RANKED, BEATEN,
             "count as beaten", unranked="below"),
    rankings("ballots of elections in BLT", "vote.blt",
             '3 1\n2 1 2 0\n1 2 3 0\n0\n"a"\n"b"\n"c"\n"An election"\n', {("a", "b"): 2, ("b", "c"): 1},
             "3 voters (BLT)"),
    rankings("one a line, `a > b > c`, `a = b`, with or without a count", "vote.txt", "2: a > b\na=b > c\n"),
    rankings("the same with items that are tied in braces, `{a, b} > c`", "vote.txt", "{a, b} > c\n2: a > b\n"),
    rankings("the same with the count behind, `a > b: 2`", "vote.txt", "a > b: 2\na=b > c: 1\n"),
    rankings("the same with numbered lines or voters, `1.`, `2)`, `voter 7:`", "vote.txt",
             "1. a > b\n2. a > b\n3. a = b > c\n", note="the numbers 1 to 3 in front are those of the lines"),
    rankings("the same with arrows: `->`, `=>`, `→`, `≻`, `»`", "vote.txt", "a -> b: 2\na = b → c: 1\n",
             note="-> is read as >"),
    rankings("a column of such rankings, and one of counts", "vote.csv", "id,ranking,n\n1,a>b,2\n2,a=b>c,1\n"),
    rankings("columns `1st`, `2nd`, `3rd` or `rank 1`, `rank 2`", "vote.csv",
             "voter,1st,2nd,3rd\n1,a,b,\n2,a,b,\n3,b,a,c\n",
             {**KNOWN, ("a", "b"): 2.0, ("b", "a"): 1.0}),
    rankings("columns `First choice`, `Second choice`, or `Choice 1`, `Choice 2`", "vote.csv",
             "First choice,Second choice,Third choice\na,b,\na,b,\na = b,c,\n"),
    rankings("the same in seven languages, with anything around: `Mayor Choice 1 of 3`, `Platz 1`, `Premier choix`",
             "vote.csv", "Cast Vote Record,"
             "Mayor Choice 1 of 3 (026),Mayor Choice 2 of 3 (126),Mayor Choice 3 of 3 (226)\n"
             "1,a,b,\n2,a,b,\n3,a = b,c,\n", note="the places are Mayor Choice 1 of 3 (026), Mayor"),
    rankings("columns `Winner`, `2nd`, `3rd`, or `Favorite`, `Second favorite`", "vote.csv",
             "Date,Winner,2nd,3rd\n1,a,b,\n2,a,b,\n3,b,a,c\n",
             {**KNOWN, ("a", "b"): 2.0, ("b", "a"): 1.0}, "the places are Winner, 2nd, 3rd"),
    rankings("columns with numbers alone or in brackets: `1`, `#1`, `Q1[1]`", "vote.csv",
             "Voter,#1,#2,#3\nx,a,b,\ny,b,a,c\nz,a,b,\n", {**KNOWN, ("a", "b"): 2.0, ("b", "a"): 1.0},
             "the places are #1, #2, #3"),
    rankings("the same with what election offices write for no candidate", "vote.csv",
             "RecordId,rank1,rank2,rank3\n1,a,skipped,b\n2,a,b,skipped\n3,a = b,Write-in,c\n",
             note="no candidate: 2 'skipped', 1 'Write-in'"),
    rankings("a column called `ranking` with commas in its cells", "vote.csv",
             'voter,ranking\n1,"a,b"\n2,"a, b"\n3,"b,a,c"\n', {**KNOWN, ("a", "b"): 2.0, ("b", "a"): 1.0},
             "ranking names the best first"),
    rankings("a column called so with `1. Pizza, 2. Sushi` in its cells, or with semicolons in a file with commas",
             "vote.csv", 'Id,Rank the drinks\n1,"1. a, 2. b"\n2,"1. a, 2. b"\n3,"2. a, 1. b, 3. c"\n',
             {**KNOWN, ("a", "b"): 2.0, ("b", "a"): 1.0}, "Rank the drinks names the best first"),
    rankings("a column for each item, `rank_Pizza`, or `... [Pizza]` with `1st`, `2nd`", "vote.csv",
             "id,rank_a,rank_b,rank_c\n1,1,2,\n2,1,2,\n3,1,1,2\n", note="1 is the best place"),
    rankings("a column for each item whose rows are orders of 1, 2, 3: `voter`, `Pizza`, `Sushi`, `Tacos`", "vote.csv",
             "voter,a,b,c\n1,1,2,3\n2,2,1,3\n", {("a", "b"): 1, ("b", "a"): 1, ("a", "c"): 2, ("b", "c"): 2},
             "1 is the best place (a, b, c); voter left out"),
    rankings("a column for each item with ranks, or with ratings, with `cells`", "vote.csv",
             "Timestamp,Lunch [a],Lunch [b],Lunch [c]\n1,5,3,\n2,4,2,\n3,4,4,1\n", cells="ratings"),
    rankings("the question above and the items in a second line, as SurveyMonkey writes them, or Qualtrics' `Q1_1`",
             "v.csv", "Respondent ID,Please rank these:,,\n,a,b,c\n7,1,2,\n8,1,2,\n9,1,1,2\n",
             note="the second line goes on with the header"),
    rankings("a row for each item and a column for each judge, with `cells`", "vote.csv",
             "Dish,Anna,Bernd,Carla\na,5,9,4\nb,3,2,4\nc,,,1\n",
             note="the items are in Dish, the voters are Anna, Bernd", cells="ratings-of-rows"),
    rankings("a row for each voter and item: `voter`, `item`, `rank`", "vote.csv",
             "voter,item,rank\n1,a,1\n1,b,2\n2,b,2\n2,a,1\n3,c,3\n3,a,1\n3,b,1\n",
             note="rank 1 is the best place"),
    rankings("`.json`, objects with `ranking` and `count`", "vote.json",
             '[{"ranking": ["a", "b"], "count": 2}, {"ranking": [["a", "b"], "c"], "count": 1}]'),
    rankings("`.json` with `ballots`, and optionally `candidates`", "vote.json",
             '{"candidates": ["a", "b", "c"], "ballots": [["a", "b"], ["a", "b"], [["a", "b"], "c"]]}'),
    rankings("`.jsonl`, one list of names per line", "vote.jsonl", '["a", "b"]\n["a", "b"]\n[["a", "b"], "c"]\n'),
    rankings("`.json`, lists of names, the best first", "vote.json", '[["a", "b"], ["a", "b"], ["b", "a", "c"]]',
             {**KNOWN, ("a", "b"): 2.0, ("b", "a"): 1.0}),
]  # fmt: skip

GRADES = [("u", "a", 5), ("u", "b", 3), ("v", "a", 2), ("v", "b", 4), ("v", "c", 4), ("w", "c", 1)]
RATED = {("a", "b"): 1, ("b", "a"): 1, ("b", "c"): 0.5, ("c", "b"): 0.5, ("c", "a"): 1}


def ratings(what, name, header, mark=",", **options):
    rows = [mark.join([user, item, str(grade), "978300760"]) for user, item, grade in GRADES]
    return Format("ratings", what, name, "\n".join([*filter(None, [header]), *rows]) + "\n", RATED, "", options)


RATINGS = [
    ratings("`userId`, `movieId`, `rating`", "ratings.csv", "userId,movieId,rating,timestamp"),
    ratings("`user_id`, `business_id`, `stars`", "stars.csv", "user_id,business_id,stars,date"),
    ratings("`User-ID`, `ISBN`, `Book-Rating`, semicolons", "books.csv", "User-ID;ISBN;Book-Rating;when", ";"),
    ratings("`.dat` without a header (`::`)", "ratings.dat", "", "::"),
    ratings("`.dat` with one", "ratings.dat", "UserID::MovieID::Rating::Timestamp", "::"),
    ratings("`.data` without a header (tabs)", "u.data", "", "\t"),
    Format(
        "ratings",
        "`user_id`, `asin`, `rating` beside the headlines of reviews, `title`",
        "reviews.jsonl",
        "".join(
            json.dumps({"rating": grade, "title": f"{grade} stars", "asin": item, "user_id": user}) + "\n"
            for user, item, grade in GRADES
        ),
        RATED,
        "columns: user user_id, item asin",
    ),
    Format(
        "ratings",
        "`customer_id`, `product_id`, `product_title`, `star_rating`: items are called by their titles",
        "us.tsv",
        "customer_id\tproduct_id\tproduct_title\tstar_rating\n"
        + "".join(f"{user}\t{ord(item)}\t{item}\t{grade}\n" for user, item, grade in GRADES),
        RATED,
        "items are called by product_title",
    ),
    ratings("`Taster`, `Wine`, `Points`", "wine.csv", "Taster,Wine,Points,Day"),
    ratings("any names, with `columns`", "r.csv", "who,what,liked,at", columns="user=who,item=what,rating=liked"),
]


def arena_log(folder: Path, format_: str) -> Path:
    """The log of an arena in which a beats b, a and b tie, a duel is skipped, and one stays open."""
    path = folder / f"log.{format_}"
    with Arena.open("memory:", items=["a", "b"]) as arena:
        for answer in ({"winner": "a"}, {"outcome": "tie"}, {"outcome": "skip"}):
            arena.tell(arena.ask(user="ada").id, **answer)
        arena.ask(user="bob")
        export(arena.events(), format_, path)
    return path


FORMATS = [*DUELS, *MATRICES, *RANKINGS, *RATINGS, *WRITTEN]
HEADINGS = {
    "duels": "Tables of duels",
    "matrix": "Matrices",
    "rankings": "Rankings",
    "ratings": "Ratings",
    "ways of writing": "How tables are written",
}


def listing() -> str:
    """The list of formats in docs/data.md."""
    lines = []
    for kind, heading in HEADINGS.items():
        lines.append(f"**{heading}**\n")
        lines += [f"- {one.what}" for one in FORMATS if one.kind == kind]
        if kind == "duels":
            lines.append("- the log that `winnerstays arena export` writes, in every format: accepted answers")
        if kind == "ratings":
            lines.append("- a folder with Yelp's `business.json` and `review.json`: one problem per person, see below")
        lines.append("")
    return "\n".join(lines)


MARKS = ("<!-- formats: python -m tests.problems.formats -->\n", "<!-- end of formats -->")
PAGE = Path(__file__).parents[2] / "docs" / "data.md"


def page_with(listed: str) -> str:
    """docs/data.md with this list of formats."""
    before, _, rest = PAGE.read_text().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}\n{listed}{MARKS[1]}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with(listing()))
