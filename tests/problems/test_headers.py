"""Tables of duels by the columns that people give them: each is read, or what may be meant is asked."""

import pytest

from winnerstays.errors import WinnerstaysError
from winnerstays.problems import load

DECIDED = {("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "a"): 1.0}
FOUR = {("a", "b"): 1.5, ("b", "a"): 0.5, ("b", "c"): 1.0, ("c", "a"): 1.0}
"""As `DECIDED`, and a tie of a and b."""
GOALS = ("a,b,2,1", "a,b,1,1", "b,c,1,0", "c,a,3,2")
OWN_GOALS = ("a,b,20,10", "a,b,20,20", "b,c,10,9", "a,c,5,8")
BOUTS = ("a,b,Red", "a,b,Draw", "c,b,Blue", "c,a,Red")

HEADERS = {
    # goals of either side, in several languages, joined or not
    "Home,Away,HG,AG": GOALS,
    "Home,Away,HScore,AScore": GOALS,
    "home_team,visitor_team,PTS_home,PTS_away": GOALS,
    "h_title,a_title,h_goals,a_goals": GOALS,
    "Heimmannschaft,Gastmannschaft,Tore Heim,Tore Gast": GOALS,
    "Heimteam,Auswärtsteam,HeimTore,AuswärtsTore": GOALS,
    "Spieler 1,Spieler 2,Sätze 1,Sätze 2": GOALS,
    "equipo_local,equipo_visitante,goles_local,goles_visitante": GOALS,
    "squadra_casa,squadra_ospite,gol_casa,gol_ospite": GOALS,
    "thuis,uit,thuisscore,uitscore": GOALS,
    "Domicile,Extérieur,Buts domicile,Buts extérieur": GOALS,
    "mandante,visitante,mandante_Placar,visitante_Placar": GOALS,
    "Gospodarz,Gość,Bramki gospodarz,Bramki gość": GOALS,
    "Hemmalag,Bortalag,Mål hemma,Mål borta": GOALS,
    "p1_name,p2_name,p1_sets,p2_sets": GOALS,
    "radiant_name,dire_name,radiant_score,dire_score": GOALS,
    "thesis,antithesis,thesis_points,antithesis_points": GOALS,
    # the score that counts, and others
    "home,away,ht_home,ht_away,ft_home,ft_away": ("a,b,0,1,2,1", "a,b,0,1,1,1", "b,c,0,0,1,0", "c,a,0,1,3,1"),
    "home,away,ht_score,ft_score": ("a,b,0-1,2-1", "a,b,0-1,1-1", "b,c,0-0,1-0", "c,a,0-1,3-1"),
    "Team 1,FT,HT,Team 2": ("a,2-0,1-0,b", "a,1-1,1-0,b", "b,3-0,0-0,c", "a,0-1,0-0,c"),
    "home_team_name,away_team_name,home_team_goal_count,away_team_goal_count,home_team_goal_count_half_time,"
    "away_team_goal_count_half_time": ("a,b,2,1,0,1", "a,b,1,1,1,0", "b,c,1,0,0,0", "c,a,2,0,1,1"),
    "team1,team2,proj_score1,proj_score2,score1,score2": ("a,b,1,2,2,1", "a,b,1,2,1,1", "b,c,1,2,2,0", "c,a,1,2,2,1"),
    "home_team,away_team,home_goals,home_behinds,home_score,away_goals,away_behinds,away_score": (
        "a,b,9,8,62,10,1,61", "a,b,10,5,65,9,11,65", "b,c,10,5,65,3,1,19", "c,a,10,5,65,3,1,19",
    ),
    # the log of a team
    "team,opponent,points_for,points_against": OWN_GOALS,
    "Tm,Opp,GF,GA": OWN_GOALS,
    "Team,Opponent,Result": ("a,b,W 3-1", "a,b,T 3-3", "b,c,W 5-4 F/OT", "a,c,L 2-3 (OT)"),
    "TEAM_NAME,MATCHUP,WL,PTS": ("a,a vs. b,W,9", "a,a vs. b,T,8", "b,b vs. c,W,9", "a,a @ c,L,9"),
    "model,baseline,win,tie,loss": ("a,b,1,1,0", "b,c,1,0,0", "c,a,1,0,0"),
    # corners, colours, and results of either side
    "R_fighter,B_fighter,Winner": BOUTS,
    "blue_corner,red_corner,winner": ("b,a,Red", "b,a,Draw", "b,c,Blue", "a,c,Red"),
    "white_username,black_username,white_result,black_result": (
        "a,b,win,resigned", "a,b,agreed,agreed", "c,b,checkmated,win", "c,a,win,timeout",
    ),
    # by how much, and other numbers beside
    "away_team,away_score,home_team,home_score,result,away_qb_name,home_qb_name": (
        "b,10,a,20,10,Q B,Q A", "b,20,a,20,0,Q B,Q A", "c,3,b,27,24,Q C,Q B", "a,14,c,17,3,Q A,Q C",
    ),
    "Winner/tie,,Loser/tie,,PtsW,PtsL,YdsW,TOW,YdsL,TOL": (
        "a,,b,box,20,10,300,1,250,2", "a,@,b,box,20,20,300,1,250,2", "b,,c,box,27,3,310,0,150,3",
        "c,@,a,box,13,10,300,1,350,2",
    ),
    # a winner's column that is empty where there was none
    "team1,team2,toss_winner,result,winner": ("a,b,b,normal,a", "a,b,b,tie,", "b,c,b,normal,b", "a,c,a,normal,c"),
    "mandante,visitante,vencedor,mandante_Placar,visitante_Placar": (
        "a,b,a,2,1", "a,b,-,1,1", "b,c,b,1,0", "c,a,c,1,0",
    ),
}  # fmt: skip

WITHOUT_TIES = {
    "主队,比分,客队": ("a,1-0,b", "b,2-0,c", "c,3-1,a"),
    "홈팀,원정팀,홈득점,원정득점": ("a,b,2,1", "b,c,1,0", "c,a,3,2"),
    "Nr;Spieler A;Spieler B;1. Satz;2. Satz;3. Satz;Sätze": (
        "1;a;b;11:7;9:11;11:5;2:1",
        "2;b;c;11:4;11:6;;2:0",
        "3;a;c;4:11;6:11;;0:2",
    ),
    "set,best,worst": ("1,a,b", "2,b,c", "3,c,a"),
    "prompt,a_1,rank_1,a_2,rank_2,a_3,rank_3": ("1,a,1,b,2,,", "2,,,b,1,c,2", "3,a,4,,,c,3"),
    "Date,Player 1,Score 1,Player 2,Score 2,Player 3,Score 3": ("1,a,9,b,8,,", "2,,,b,2,c,1", "3,c,7,a,-1,,"),
    "Pair,Votes A,Votes B": ("a vs b,1,0", "b vs c,1,0", "a vs c,0,1"),
    "No.,White,Pts.,Result,Pts.,Black": ("1,a,1,1 - 0,2,b", "2,c,1,- - +,0,b", "3,c,0,+ - -,1,a"),
    "Winner ID,Winner Text,Loser ID,Loser Text": ("1,a,2,b", "2,b,3,c", "3,c,1,a"),
    "team,opp,pts,opp_pts": ("a,b,9,8", "b,c,7,1", "a,c,2,3"),
    "strHomeTeam,strAwayTeam,intHomeScore,intAwayScore": ("a,b,9,8", "b,c,7,1", "a,c,2,3"),
    "item_a,item_b,n,a_wins": ("a,b,1,1", "b,c,1,1", "a,c,1,0"),
    "model_a,model_b,preference": ("a,b,A is much better", "c,b,B is slightly better", "c,a,A is better"),
    "image_1,image_2,user_choice": ("a,b,1", "c,b,2", "a,b,skip", "c,a,1"),
    "ホーム,アウェイ,スコア": ("a,b,2-1", "b,c,1-0", "c,a,3-0"),
    "team1,team2,team1_win": ("a,b,1", "c,b,0", "c,a,1"),
    "subject,left_item,right_item,chose_left,rt": ("1,a,b,TRUE,0.5", "1,c,b,FALSE,0.6", "2,c,a,TRUE,1.5"),
    "Team A,Team B,Match Result": ("a,b,a won", "b,c,b won by 3 runs", "a,c,c beat a 2-1"),
    "model_a,model_b,verdict": ("a,b,A>>B", "c,b,B>A", "c,a,[[A>B]]"),
    "Tm,,Opp,W/L,R,RA,W-L": ("a,,b,W,5,0,1-0", "b,@,c,W,2,1,1-0", "a,,c,L,1,9,1-1"),
    "Player_1,Player_2,Winner,Pts_1,Pts_2,score": ("a,b,a,9,99,6-4", "b,c,b,9,99,7-5", "a,c,c,99,9,3-6"),
    "tie,winnername,winnerscore,losername,loserscore": ("False,a,0,b,0", "False,b,0,c,0", "False,c,0,a,0"),
    "Winner,Loser,Weight": ("a,b,-66kg", "b,c,-73kg", "c,a,-66kg"),
    "White,Black,Result": ("a,b,+:-", "c,b,--+", "c,a,1-0"),
    "Home Team,Away Team,Result": ("a,b,2 - 1", "c,b,0 - 3", "c,a,1 - 0", "a,b,", "b,c,-:-"),
    "player1_id,player2_id,winner_id,loser_id,state": (
        "a,b,a,b,complete",
        "b,c,b,c,complete",
        "c,a,c,a,complete",
        "a,b,,,open",
    ),
    "team_1,team_2,t1_score,t2_score,winner": ("a,b,16,3,t1", "c,b,3,16,t2", "c,a,16,3,t1"),
    "home,away,outcome": ("a,b,home win REG", "b,c,home win OT", "a,c,away win SO"),
    "fighter_a,fighter_b,result": ("a,b,win_A", "c,b,win_B", "c,a,win_A"),
    "black,white,result": ("a,b,B+R", "b,c,B+3.5", "a,c,W+T"),
    "blueTeamTag,bResult,rResult,redTeamTag": ("a,1,0,b", "c,0,1,b", "c,1,0,a"),
    "first_item,second_item,pick": ("a,b,1", "c,b,2", "c,a,1"),
    "player1,player2,outcome": ("a,b,P1", "c,b,P2", "c,a,P1"),
    "Won,Lost": ("a,b", "b,c", "c,a"),
    "date,W,L": ("1,a,b", "2,b,c", "3,c,a"),
    "user,selected,not_selected": ("u,a,b", "u,b,c", "u,c,a"),
    "Year,Champion,Runner-up": ("1,a,b", "2,b,c", "3,c,a"),
    "visteam,hometeam,vruns,hruns,wteam,lteam": ("a,b,5,3,a,b", "b,c,5,3,b,c", "c,a,5,3,c,a"),
    "challenger,defender,winner": ("a,b,a", "b,c,b", "a,c,c"),
    "challenger,defender,result": ("a,b,challenger", "c,b,defender", "a,c,defender"),
    "left,right,left_preferred": ("a,b,yes", "c,b,no", "c,a,yes"),
    "blueTeam,redTeam,redWins": ("b,a,1", "b,c,0", "a,c,1"),
    "radiant_name,dire_name,radiant_win": ("a,b,True", "c,b,False", "c,a,True"),
    "Input.image_a,Input.image_b,Answer.choice": ("a,b,image_a", "c,b,image_b", "c,a,image_a"),
    "Option A,Option B,Which do you prefer?": ("a,b,a", "b,c,b", "a,c,c"),
    "a,b,a_is_better": ("a,b,1", "c,b,0", "c,a,1"),
    "home_id,guest_id,team_id_home,team_id_away,home_wins": ("a,b,a,b,1", "c,b,c,b,0", "c,a,c,a,1"),
    "team1,team2,result,winner": ("a,b,normal,a", "a,b,no result,", "b,c,normal,b", "a,c,normal,c"),
}


def wins(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    found = load(path, **options)
    return {
        (one, other): float(found.counts[i, j])
        for i, one in enumerate(found.items)
        for j, other in enumerate(found.items)
        if found.counts[i, j]
    }, found.note


@pytest.mark.parametrize("header", HEADERS)
def test_who_won_or_tied_is_known_by_the_columns(tmp_path, header):
    assert wins(tmp_path, "\n".join([header, *HEADERS[header]]))[0] == FOUR


@pytest.mark.parametrize("header", WITHOUT_TIES)
def test_who_won_is_known_by_the_columns(tmp_path, header):
    assert wins(tmp_path, "\n".join([header, *WITHOUT_TIES[header]]))[0] == DECIDED


ASKED = {
    "variant_a,variant_b,conversions_a,conversions_b": (
        ("a,b,10,5", "b,c,7,3", "a,c,2,9"), "left=variant_a,right=variant_b,left_score=conversions_a,",
    ),
    "home,away,spread": (("a,b,3", "b,c,7", "c,a,2", "a,c,-1"), "left=home,right=away,margin=spread if home won where"),
    "red,green,hue": (("a,b,a", "b,c,b", "a,c,c"), "left=red,right=green,winner=hue if it names who won"),
    "erster,zweiter,stand": (("a,b,2:1", "b,c,1:0", "c,a,2:0"), "left=erster,right=zweiter,score=stand if the first"),
    "player,beat": (("a,b", "b,c", "c,a"), "winner=player,loser=beat if player always won"),
    "one,other,often": (("a,b,3", "b,c,1", "c,a,4"), "winner=one,loser=other,count=often if often is how"),
}  # fmt: skip


@pytest.mark.parametrize("header", ASKED)
def test_what_is_proposed_works(tmp_path, header):
    rows, proposed = ASKED[header]
    with pytest.raises(WinnerstaysError, match="name two sides, but no column is known to say who won") as caught:
        wins(tmp_path, "\n".join([header, *rows]))
    assert proposed in str(caught.value)
    columns = str(caught.value).split("--columns ")[1].split()[0]
    assert sorted(wins(tmp_path, "\n".join([header, *rows]), columns=columns)[0]) == sorted(DECIDED)


NOT_READ = {
    "id,Which do you prefer? [Question 1],Which do you prefer? [Question 2],Which do you prefer? [Question 3]": (
        "1,Option A,Option B,Option A",
        "2,Option B,Option A,Option A",
        "3,Option A,Option A,Option B",
        "4,Option B,Option B,Option A",
    ),
    "Date,Winner,Loser,Weight": ("1,a,b,66", "2,b,c,73", "3,c,a,66"),
    "day,p1_name,p1_win,p2_name,p2_win": ("1,a,0,b,1", "1,b,1,a,0", "2,c,1,a,0", "2,a,0,c,1"),
    "left_stim,right_stim,resp,rt,participant": ("a,b,f,0.8,1", "b,c,j,0.7,1", "c,a,f,0.3,2"),
    "name,Mon,Tue,Wed": ("Ann,yes,no,yes", "Bob,no,yes,no", "Cy,no,yes,yes"),
    "sentence1,sentence2,score": ("a,b,3.5", "b,c,2", "c,a,5"),
    "from_station,to_station,duration": ("a,b,3", "b,c,2", "c,a,5"),
    "team1,team2,toss_winner": ("a,b,a", "b,c,b", "a,c,c"),
    "home,away,ht_score": ("a,b,2-1", "b,c,1-0", "c,a,3-2"),
    "Team,W,L": ("a,3,1", "b,2,2", "c,1,3"),
    "model_1,model_2,g1_winner,g2_winner": ("a,b,model_1,model_1", "b,c,model_1,tie", "a,c,model_2,model_2"),
    "player1,player2,first_server": ("a,b,a", "b,c,b", "a,c,c"),
    "home,away,coach_home,coach_away": ("a,b,x,y", "b,c,y,z", "a,c,x,z"),
}


@pytest.mark.parametrize("header", NOT_READ)
def test_what_does_not_say_who_won_is_not_read(tmp_path, header):
    with pytest.raises(WinnerstaysError) as caught:
        wins(tmp_path, "\n".join([header, *NOT_READ[header]]))
    assert "matrix" not in str(caught.value) or "first row is" in str(caught.value)


@pytest.mark.parametrize(
    ("header", "rows", "proposed"),
    [
        ("left_stim,right_stim,resp,rt,participant", ("a,b,f,0.8,1", "b,c,j,0.7,1", "c,a,f,0.3,2"),
         "--columns left=left_stim,right=right_stim,winner=resp --codes f=left,j=right if resp says"),
        ("Input.url1,Input.url2,preferred.left,preferred.right", ("a,b,true,false", "b,c,false,true"),
         "left_won=preferred.left,right_won=preferred.right if they say who won"),
        ("id,annotator,answer1,answer2,comparison", ("1,1,x,y,left", "2,1,z,x,right"),
         "--columns left=answer1,right=answer2,winner=comparison if it names who won"),
        ("participant,video_A,video_B,rating", ("1,x,y,-2", "1,y,z,1"), "margin=rating if video_A won where"),
    ],
)  # fmt: skip
def test_only_what_may_say_who_won_is_proposed(tmp_path, header, rows, proposed):
    with pytest.raises(WinnerstaysError) as caught:
        wins(tmp_path, "\n".join([header, *rows]))
    assert proposed in str(caught.value) and str(caught.value).count("--columns") == 1


@pytest.mark.parametrize(
    ("questions", "answers", "expected"),
    [
        (("Which? [Logo A vs Logo B]", "Which? [Logo A vs Logo C]", "Which? [Logo B vs Logo C]"),
         ("Logo A,Logo C,Logo C", "Logo B,,Logo B", "Logo A,No preference,Logo B"),
         {("Logo A", "Logo B"): 2, ("Logo B", "Logo A"): 1, ("Logo C", "Logo A"): 1.5, ("Logo A", "Logo C"): 0.5,
          ("Logo C", "Logo B"): 1, ("Logo B", "Logo C"): 2}),
        (("Do you prefer: tea or milk?", "Do you prefer: milk or juice?"), ("Tea,milk", "milk,Milk"),
         {("tea", "milk"): 1, ("milk", "tea"): 1, ("milk", "juice"): 2}),
        (("Coffee or tea?",), ("Coffee", "tea", "Tea"), {("Coffee", "tea"): 1, ("tea", "Coffee"): 2}),
    ],
)  # fmt: skip
def test_a_column_for_each_pair(tmp_path, questions, answers, expected):
    lines = [",".join(["Timestamp", *questions]), *(f"2024-05-0{k},{row}" for k, row in enumerate(answers, start=1))]
    assert wins(tmp_path, "\n".join(lines))[0] == expected


def test_words_that_stand_for_something_are_asked_about(tmp_path):
    table = "fighter1,fighter2,Winner\na,b,Red\na,b,Even\nc,b,Blue\nc,a,Red\n"
    with pytest.raises(WinnerstaysError, match=r"holds 'Red', 'Blue', .*--codes Red=left,Blue=right if they"):
        wins(tmp_path, table)
    assert wins(tmp_path, table, codes="Red=left,Blue=right")[0] == FOUR


@pytest.mark.parametrize("header", ["set,opt1,opt2,opt3,best,worst", "set,A,B,C,Most,Least"])
def test_the_best_and_the_worst_of_those_shown(tmp_path, header):
    found, note = wins(tmp_path, f"{header}\n1,a,b,c,a,b\n2,b,c,d,b,d\n")
    assert found == {
        ("a", "b"): 1, ("a", "c"): 1, ("c", "b"): 1, ("b", "c"): 1, ("b", "d"): 1, ("c", "d"): 1,
    }  # fmt: skip
    assert "beats all, and all beat the" in note


BALLOTS = '4 1\n-2\n5 1 2 0\n3 2=3 1 0  # a tie\n(7) 2 4 0\n0\n"a"\n"b" "c"\n"d d"\n"An election"\n'


def test_ballots_in_blt(tmp_path):
    path = tmp_path / "t.blt"
    path.write_text(BALLOTS)
    found = load(path)
    assert found.items == ["a", "b", "c", "d d"]
    assert found.counts[0, 1] == 5 and found.counts[1, 0] == 3 and found.counts[1, 2] == 1.5
    path.write_text(BALLOTS.replace("2=3", "2=9"))
    with pytest.raises(WinnerstaysError, match="line 4 has the candidate '2=9', but they are numbered from 1 to 4"):
        load(path)
    path.write_text(BALLOTS.replace('"d d"\n"An election"', ""))
    with pytest.raises(WinnerstaysError, match=r"there are 4 candidates, .* 3 names"):
        load(path)
    path.write_text("hello\n")
    with pytest.raises(WinnerstaysError, match="the first line is 'hello', but a file of ballots"):
        load(path)


def test_shares_of_how_many(tmp_path):
    table = "model_1,model_2,win_rate,n\na,b,0.60,100\nb,c,0.75,80\n"
    with pytest.raises(WinnerstaysError, match="left_wins=win_rate,total=n if model_1 won this share of n duels"):
        wins(tmp_path, table)
    found = wins(tmp_path, table, columns="left=model_1,right=model_2,left_wins=win_rate,total=n")[0]
    assert found == {("a", "b"): 60, ("b", "a"): 40, ("b", "c"): 60, ("c", "b"): 20}


def test_ranks_of_either_side_are_proposed_the_other_way_round(tmp_path):
    table = "system1,system2,system1rank,system2rank\na,b,2,1\na,c,1,2\n"
    with pytest.raises(
        WinnerstaysError, match="left_score=system2rank,right_score=system1rank if the lower number wins"
    ):
        wins(tmp_path, table)


@pytest.mark.parametrize(
    ("table", "columns", "note"),
    [
        ("Befragter;Marke;Rang\n1;x;1\n1;y;2\n2;x;1\n2;y;2\n", None, "Rang 1 is the best place"),
        ("votante,opción,puesto\n1,x,1\n1,y,2\n2,x,1\n2,y,2\n", None, "puesto 1 is the best place"),
        ("who,what,no\n1,x,1\n1,y,2\n1,z,3\n2,x,1\n2,y,2\n2,z,3\n", "user=who,item=what,rating=no",
         "in no everybody has 1, 2 and so on once"),
    ],
)  # fmt: skip
def test_places_are_the_better_the_lower(tmp_path, table, columns, note):
    found, said = wins(tmp_path, table, **({"columns": columns} if columns else {}))
    assert found[("x", "y")] == 2 and ("y", "x") not in found and note in said


def test_it_is_said_that_the_higher_number_wins(tmp_path):
    table = "round,player,strokes\n1,x,70\n1,y,72\n2,x,69\n2,y,68\n"
    assert "the higher strokes wins" in wins(tmp_path, table, columns="user=round,item=player,rating=strokes")[1]


def test_voters_in_the_corner_of_a_square_are_asked_about(tmp_path):
    table = "To\\From,a,b,c\na,,12,10\nb,12,,12\nc,1,2,\n"
    with pytest.raises(WinnerstaysError, match="--cells ratings-of-rows if the columns are the voters"):
        wins(tmp_path, table)
    assert wins(tmp_path, table, cells="ratings-of-rows")[0][("b", "a")] == 1


def test_wins_of_how_many(tmp_path):
    found, note = wins(tmp_path, "item_a,item_b,n,a_wins\na,b,20,13\nb,c,10,4\n")
    assert found == {("a", "b"): 13, ("b", "a"): 7, ("b", "c"): 4, ("c", "b"): 6}
    assert "a_wins of n is how often item_a won" in note
    with pytest.raises(WinnerstaysError, match="is 13, but of 12 duels no more can be won"):
        wins(tmp_path, "x,y,of,w\na,b,12,13\n", columns="left=x,right=y,left_wins=w,total=of")


def test_an_empty_winner_can_be_said_to_be_a_tie(tmp_path):
    table = "model_a,model_b,winner\na,b,a\na,b,\nb,c,b\nc,a,c\n"
    with pytest.raises(WinnerstaysError, match=r"line 3 has no winner; .*codes \(--codes =tie\)"):
        wins(tmp_path, table)
    assert wins(tmp_path, table, codes="=tie")[0] == FOUR
    assert wins(tmp_path, table, codes="=none")[0] == DECIDED


def test_items_are_those_that_come_back(tmp_path):
    rows = ("What?,first text,a,second text,b", "Why?,third text,b,fourth text,c", "Who?,fifth text,c,sixth text,a")
    table = "\n".join(["prompt,chosen,chosen_model,rejected,rejected_model", *rows])
    assert wins(tmp_path, table)[0] == DECIDED
    texts = wins(tmp_path, table, columns="winner=chosen,loser=rejected")[0]
    assert texts[("first text", "second text")] == 1


def test_sides_by_their_cells_are_said(tmp_path):
    assert "columns: left challenger, right defender" in wins(tmp_path, "challenger,defender,winner\na,b,a\nb,a,a\n")[1]
