"""Rankings, duels and ratings from files, with the counts kept: cases small enough to work out by hand."""

import csv
import json
import tracemalloc

import numpy as np
import pytest

from winnerstays import Problem, WinnerstaysError, problem, simulate
from winnerstays.cli.catalogue import problems
from winnerstays.problems import load, rating_problem, rating_problems, read_duels, read_preflib
from winnerstays.problems.readers.opening import MAX_CELL

NEW = """# FILE NAME: 00001-00000001.toi
# TITLE: Lunch: a vote
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: tacos, al pastor
# ALTERNATIVE NAME 2: ramen
# ALTERNATIVE NAME 3: pho
# ALTERNATIVE NAME 4: pizza
3: 1,2,3,4
2: {2,3},1
1: 4
"""
OLD = """4
1,tacos, al pastor
2,ramen
3,pho
4,pizza
6,6,3
3,1,2,3,4
2,{2,3},1
1,4
"""
BELOW = [[0, 3, 3, 5], [2, 0, 4, 5], [2, 1, 0, 5], [1, 1, 1, 0]]
UNKNOWN = [[0, 3, 3, 3], [2, 0, 4, 3], [2, 1, 0, 3], [0, 0, 0, 0]]


def written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [NEW, OLD], ids=["present", "older"])
def test_preflib_counts_by_hand(tmp_path, text):
    """Three voters rank all; two tie ramen and pho and leave out pizza; one names pizza alone."""
    path = written(tmp_path / "lunch.toi", text)
    one = load(path)
    assert one.items == ["tacos, al pastor", "ramen", "pho", "pizza"] and one.name == "lunch"
    assert one.counts.tolist() == UNKNOWN
    assert one.preferences[0, 3] == pytest.approx(4 / 5)
    assert one.note == (
        "6 voters (PrefLib); ties are half a win; 3 voters left items out, which are not compared (unranked=below "
        "would count them as beaten)"
    )
    below = load(path, unranked="below")
    assert below.counts.tolist() == BELOW
    assert "3 voters left items out, which count as beaten by those they ranked" in below.note


@pytest.mark.parametrize("text", [NEW, OLD], ids=["present", "older"])
def test_a_preflib_file_that_was_cut_off_says_so(tmp_path, text):
    one = load(written(tmp_path / "cut.toi", text.rsplit("\n", 2)[0]))
    assert "5 voters (PrefLib), but the file declares 6;" in one.note


def test_a_preflib_file_can_be_simulated(tmp_path):
    path = written(tmp_path / "lunch.soc", NEW)
    assert simulate(str(path), "ws-w", horizon=50, runs=3).curve("ws-w", "weak-binary").mean[-1] >= 0


def test_alternatives_without_a_name_get_their_number(tmp_path):
    path = written(tmp_path / "a.soc", "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 2: b\n1: 3,2,1\n")
    assert load(path).items == ["1", "b", "3"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        (NEW + "x: 1,2\n", "line 14 has 'x' as count of voters"),
        (NEW + "1: 1,9\n", "line 14 ranks alternative 9, which the file does not name"),
        (NEW + "1: 1,{2,1}\n", "line 14 ranks an alternative twice"),
        (NEW + "1: 1,two\n", "line 14 has 'two' as alternative"),
        (NEW + "1 1 2\n", "line 14 is '1 1 2', but it must be a count"),
        (NEW.split("\n3:")[0], "no orders"),
        ("# NUMBER ALTERNATIVES: 1\n1: 1\n", "there are 1 items to compare; it must be 2 to 100000"),
        ("# NUMBER ALTERNATIVES: 99999\n1: 1\n", "there are 99999 items, but no two of them were compared"),
        ("3\n1,a\n", "ends before all its alternatives are named"),
        ("many\n", "line 1 has 'many' as number of alternatives"),
    ],
)
def test_damaged_rankings_get_a_sentence(tmp_path, text, sentence):
    with pytest.raises(WinnerstaysError, match=sentence) as caught:
        load(written(tmp_path / "a.toc", text))
    assert "a.toc" in str(caught.value)


def test_unranked_must_be_known(tmp_path):
    with pytest.raises(WinnerstaysError, match="unranked is 'above'"):
        read_preflib(tmp_path / "a.soi", unranked="above")


TIED = [[0, 1.5, 0], [0.5, 0, 1], [1, 0, 0]]
"""a beats b, a and b tie, b beats c, c beats a."""


@pytest.mark.parametrize(
    "table",
    [
        "winner,loser,tie\na,b,\na,b,1\nb,c,0\nc,a,no\n",
        "id,model_a,model_b,winner,judge\n1,a,b,model_a,x\n2,b,a,tie (bothbad),x\n3,b,c,b,x\n4,a,c,model_b,x\n",
        "left,right,winner\na,b,left\nb,a,draw\nb,c,b\na,c,right\n",
        "id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie\n"
        '1,a,b,"two\nlines",1,0,0\n2,a,b,,0,0,1\n3,c,b,,0,1,0\n4,c,a,,1,0,0\n',
    ],
    ids=["winner-loser-tie", "arena", "sides", "flags"],
)
def test_duels_in_every_layout(tmp_path, table):
    one = load(written(tmp_path / "battles.csv", table))
    place = [one.items.index(item) for item in "abc"]
    assert one.counts[np.ix_(place, place)].tolist() == TIED
    assert one.preferences[place[0], place[1]] == pytest.approx(2.5 / 4)
    assert "4 duels, 1 of them ties (half a win for both)" in one.note


def test_a_row_wider_than_its_header_is_a_sentence(tmp_path):
    path = tmp_path / "commas.csv"
    path.write_text("winner,loser\nBob,Kim\nSmith, John,Bob\nKim,Bob,\n")
    with pytest.raises(WinnerstaysError, match=r"line 3 has 3 cells \('Smith', 'John', 'Bob'\), but the header has 2"):
        load(path)
    found = load(path, skip_bad=True)
    assert list(found.items) == ["Bob", "Kim"]
    assert "1 bad row left out" in found.note


def test_a_quote_that_is_never_closed_is_a_sentence(tmp_path):
    path = tmp_path / "quotes.csv"
    path.write_text('winner,loser,comment\nA,B,"two\nlines"\nB,C,"he said\nC,A,x\nC,B,x\n')
    with pytest.raises(WinnerstaysError, match=r"in line 4 a quote .* is opened that is never closed"):
        load(path)
    path.write_text('winner,loser,comment\nA,B,"two\nlines"\nB,C,a 5" screen\n')
    assert load(path).n_arms == 3


def test_duels_as_objects(tmp_path):
    """As the arenas' own JSON files, which hold more than is needed."""
    records = [
        {"model_a": first, "model_b": second, "winner": winner, "turn": 1, "anony": True}
        for first, second, winner in [("a", "b", "model_a"), ("a", "b", "tie"), ("b", "c", "model_a"), ("a", "c", "c")]
    ]
    path = written(tmp_path / "clean_battle.json", json.dumps(records))
    for one in (load(path), read_duels(path)):
        assert one.items == ["a", "b", "c"] and one.counts.tolist() == TIED and one.name == "clean_battle"
    with pytest.raises(WinnerstaysError, match="record 2 has no winner"):
        load(written(tmp_path / "bad.json", json.dumps([records[0], {"model_a": "a", "model_b": "b"}])))
    with pytest.raises(WinnerstaysError, match="the columns are x; a table of duels has"):
        load(written(tmp_path / "bad.json", '[{"x": 1}]'))


def test_an_item_against_itself_is_left_out_and_counted(tmp_path):
    path = written(tmp_path / "a.csv", "model_a,model_b,winner\nx,y,model_a\nx,x,model_b\n")
    one = load(path)
    assert one.counts.sum() == 1 and "1 of an item with itself left out" in one.note


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            "model_a,model_b,winner\nx,y,z\n",
            r"line 2, column 3 \(winner\) is 'z', but it must be model_a, model_b, tie",
        ),
        ("model_a,model_b,winner\nx,y\n", "line 2 has no winner"),
        ("model_a,model_b,winner\nx,y,tie\n\nx,,tie\n", "line 4 has no model_b"),
        ("winner,loser,tie\nx,y,maybe\n", r"line 2, column 3 \(tie\) is 'maybe' where 0 or 1 is expected"),
        (
            "model_a,model_b,winner_model_a,winner_model_b\nx,y,1,1\n",
            r"line 2, column 3 \(winner_model_a\) must have exactly one outcome",
        ),
        ("winner,loser\n", "there are 0 items"),
        ("winner,loser\nx,x\n", "there are 1 items"),
    ],
)
def test_damaged_duels_get_a_sentence(tmp_path, table, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(written(tmp_path / "a.csv", table))


def test_no_table_of_duels_or_ratings(tmp_path):
    path = written(tmp_path / "a.csv", "x,y\n0.5,0.6\n0.4,0.5\n")
    assert load(path).items == ["x", "y"]
    with pytest.raises(WinnerstaysError, match="the columns are x, y; a table of duels has winner and loser"):
        read_duels(path)
    with pytest.raises(WinnerstaysError, match="the columns are x, y; a table of ratings has userId"):
        rating_problem(path)


def test_long_texts_in_a_table_and_the_limit_is_put_back(tmp_path):
    before = csv.field_size_limit()
    path = written(tmp_path / "a.csv", f"model_a,model_b,winner,text\nx,y,model_a,{'w ' * 200_000}\n")
    assert before < 400_000 < MAX_CELL and load(path).counts[0, 1] == 1
    assert csv.field_size_limit() == before


RATINGS = [
    ("u1", "1", 5),
    ("u1", "2", 3),
    ("u1", "3", 3),
    ("u2", "1", 2),
    ("u2", "2", 4),
    ("u3", "3", 1),
    ("u1", "2", 4),
]
"""u1 rates movie 2 twice: 3, then 4. Movie 2 is rated most often, then 1 and 3."""
SHARES = [[0, 1, 1], [1, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("name", "head", "mark"),
    [
        ("ratings.csv", "userId,movieId,rating,timestamp\n", ","),
        ("stars.csv", "user_id,business_id,stars,date\n", ","),
        ("ratings.dat", "", "::"),
        ("u.data", "", "\t"),
    ],
)
def test_ratings_of_everyone(tmp_path, name, head, mark):
    rows = "".join(mark.join([user, item, str(stars), "978300760"]) + "\n" for user, item, stars in RATINGS)
    one = problem(str(written(tmp_path / name, head + rows)))
    assert one.items == ["2", "1", "3"]
    assert one.counts.tolist() == SHARES
    assert one.preferences[0, 1] == 0.5 and one.preferences[0, 2] == pytest.approx(2 / 3)
    assert "6 ratings by 3 people" in one.note


def test_equal_ratings_are_half_a_win(tmp_path):
    path = written(tmp_path / "r.csv", "user,item,rating\nu,a,3\nu,b,3\nv,a,4\nv,b,1\n")
    assert load(path).counts.tolist() == [[0, 1.5], [0.5, 0]]


def test_titles_beside_the_ratings_name_the_items(tmp_path):
    rows = "userId,movieId,rating\n" + "".join(f"{user},{item},{stars}\n" for user, item, stars in RATINGS)
    path = written(tmp_path / "ratings.csv", rows)
    written(tmp_path / "movies.csv", 'movieId,title,genres\n1,"Sushi, the film",Drama\n2,Twins,x\n3,Twins,x\n')
    assert load(path).items == ["Twins (2)", "Sushi, the film", "Twins (3)"]


def test_only_the_most_rated_items_and_many_people_at_once(tmp_path, monkeypatch):
    """Cutting people into portions changes nothing; the answer is a direct count."""
    rng = np.random.default_rng(3)
    stars = rng.integers(1, 6, (50, 6)).astype(float)
    stars[rng.random((50, 6)) < [0.1, 0.1, 0.2, 0.3, 0.95, 0.98]] = np.nan
    rows = [f"{user},{item},{stars[user, item]:g}" for user, item in zip(*np.nonzero(stars > 0), strict=True)]
    path = written(tmp_path / "r.csv", "user,item,rating\n" + "\n".join(rows) + "\n")
    monkeypatch.setattr("winnerstays.problems.readers.ratings.USERS_AT_ONCE", 7)
    one = rating_problem(path, items=4)
    assert sorted(one.items) == ["0", "1", "2", "3"]
    for first, second in [(0, 1), (1, 3), (2, 0)]:
        mine, other = stars[:, int(one.items[first])], stars[:, int(one.items[second])]
        assert one.counts[first, second] == (mine > other).sum() + (mine == other).sum() / 2


def test_a_problem_per_person(tmp_path):
    rows = "userId,movieId,rating\n" + "".join(f"{user},{item},{stars}\n" for user, item, stars in RATINGS)
    path = written(tmp_path / "r.csv", rows)
    people = rating_problems(path, min_ratings=2, noise=0.5, shrink=0.0)
    assert list(people) == ["u1", "u2"]
    one = people["u1"]
    assert one.items == ["2", "1", "3"] and one.utilities.tolist() == [4, 5, 3]
    assert one.items[one.best_arm] == "1"
    assert one.preferences[1, 0] == pytest.approx(0.9213503964748574)  # Phi(1 / (0.5 sqrt 2)) = Phi(sqrt 2)
    assert one.counts.sum() == 3
    assert list(rating_problems(path, min_ratings=2, people=1)) == ["u1"]
    with pytest.raises(WinnerstaysError, match="nobody rated 4 of the 3 most rated items \\(most: 3\\)"):
        rating_problems(path, min_ratings=4)


def test_what_others_think_decides_between_equal_ratings(tmp_path):
    path = written(tmp_path / "r.csv", "user,item,rating\nu,a,5\nu,b,5\nv,a,1\nv,b,4\n")
    one = rating_problems(path, min_ratings=2, shrink=0.2)["u"]
    assert one.utilities.tolist() == pytest.approx([0.8 * 5 + 0.2 * 3, 0.8 * 5 + 0.2 * 4.5])
    assert one.items[one.best_arm] == "b"
    assert rating_problems(path, min_ratings=2, shrink=0.0)["u"].best_arm is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_ratings": 1}, "min_ratings is 1"),
        ({"people": 0}, "people is 0"),
        ({"noise": 0}, "noise is 0"),
        ({"shrink": 1}, "shrink is 1"),
        ({"items": 1}, "there are 1 items"),
    ],
)
def test_bad_options_of_ratings(tmp_path, options, sentence):
    path = written(tmp_path / "r.csv", "user,item,rating\nu,a,5\nu,b,5\n")
    with pytest.raises(WinnerstaysError, match=sentence):
        rating_problems(path, **options)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            "user,item,rating\nu,a,5\nu,b,good\n",
            r"line 3 has the rating 'good' \(column 3, rating\), but it must be a number",
        ),
        ("user,item,rating\nu,a,5\nu,b,nan\n", "line 3 has the rating 'nan'"),
        ("user,item,rating\nu,a,5\nu,b\n", "line 3 has 2 cells, too few"),
        ("user,item,rating\nu,a,5\n", "there are ratings of 1 items"),
    ],
)
def test_damaged_ratings_get_a_sentence(tmp_path, table, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(written(tmp_path / "a.csv", table))


@pytest.mark.parametrize("name", ["a.soc", "a.csv", "a.dat"])
def test_missing_files(tmp_path, name):
    with pytest.raises(WinnerstaysError, match="cannot be read \\(No such file"):
        load(tmp_path / name)


def test_uncertainty_by_hand():
    """Wilson's interval for 8 of 10 at 95 %: 0.4902 to 0.9433; for a pair never compared: anything."""
    low, high = Problem.from_counts([[0, 8, 0], [2, 0, 0], [0, 0, 0]]).uncertainty()
    assert (low[0, 1], high[0, 1]) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert (low[0, 2], high[0, 2]) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
    assert low + high.T == pytest.approx(np.ones((3, 3)))
    assert low[1, 1] == high[1, 1] == 0.5


def test_uncertainty_covers_the_truth():
    """Of 2000 intervals at 90 % from 40 duels each, 90 % hold the truth, within 4 standard errors and 1 % for the
    coarseness of counts."""
    rng = np.random.default_rng(5)
    truth = rng.uniform(0.2, 0.8, 2000)
    held = 0
    for p, wins in zip(truth, rng.binomial(40, truth), strict=True):
        low, high = Problem.from_counts([[0, wins], [40 - wins, 0]]).uncertainty(0.9)
        held += low[0, 1] <= p <= high[0, 1]
    assert held / 2000 == pytest.approx(0.9, abs=4 * np.sqrt(0.9 * 0.1 / 2000) + 0.01)


def test_the_command_line_shows_what_is_undecided(tmp_path, capsys):
    path = written(tmp_path / "a.csv", "winner,loser\n" + "a,b\n" * 9 + "b,c\n")
    problems(str(path))
    shown = " ".join(capsys.readouterr().out.split())
    assert "estimated from 10 comparisons; of 3 pairs 2 are undecided (95 % intervals), 1 never compared" in shown


def test_uncertainty_needs_counts_and_a_level():
    with pytest.raises(WinnerstaysError, match="not known from how many comparisons"):
        problem("mslr").uncertainty()
    with pytest.raises(WinnerstaysError, match="level is 95"):
        Problem.from_comparisons([("a", "b")]).uncertainty(95)


@pytest.mark.parametrize(
    ("wins", "sentence"), [([[0, 1]], "square table of counts"), ([[0, -1], [1, 0]], "square table of counts")]
)
def test_bad_counts(wins, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem.from_counts(wins)


def peak(read, path):
    tracemalloc.start()
    read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_number_of_duels(tmp_path):
    row = f"a,b,model_a,{'lorem ipsum ' * 40}\nb,c,tie,\n"
    small = written(tmp_path / "small.csv", "model_a,model_b,winner,text\n" + row * 2500)
    large = written(tmp_path / "large.csv", "model_a,model_b,winner,text\n" + row * 12_500)
    assert large.stat().st_size > 4 * small.stat().st_size > 4_000_000
    assert peak(load, large) < peak(load, small) + 100_000


def test_memory_of_ratings_is_that_of_the_items_kept(tmp_path):
    head, kept = "user,item,rating\n", "".join(f"{user},{item},3\n" for user in range(60) for item in "ab")
    others = "".join(f"{user},film{film % 40},3\n" for user in range(20) for film in (2 * user, 2 * user + 1))
    small = written(tmp_path / "small.csv", head + kept + others * 200)
    large = written(tmp_path / "large.csv", head + kept + others * 1200 + kept * 20)
    spent = [peak(lambda path: rating_problem(path, items=2), path) for path in (small, small, large)]
    assert large.stat().st_size > 400_000
    assert spent[2] < spent[1] + 200_000


@pytest.mark.parametrize("text", ["ada\tbob\nbob\tcy\n", "q1,q2,q3\na,b,c\nb,c,a\nc,a,b\n"])
def test_a_table_whose_columns_are_unknown_is_not_called_a_bad_matrix(tmp_path, text):
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(WinnerstaysError, match=r"the first row is '(ada', 'bob|q1', 'q2', 'q3)'.*winner=1,loser=2"):
        problem(path)
    assert "ada" in problem(path, columns="winner=1,loser=2").items if "ada" in text else True


def test_a_number_that_could_be_two_is_refused(tmp_path):
    """In a file with semicolons 1,200 may be twelve hundred, or one and a fifth."""
    path = tmp_path / "x.csv"
    path.write_text("winner;loser;n\na;b;1,200\nb;a;3\n")
    with pytest.raises(WinnerstaysError, match=r"line 2.*1,200"):
        problem(path)


@pytest.mark.parametrize(
    ("header", "rows", "chance"),
    [
        ("home,away,home_wins,away_wins", "a,b,1,2", 1 / 3),
        ("left,right,left_wins,right_wins", "a,b,1,1", 1 / 2),
        ("a,b,a_wins,b_wins,draws", "x,y,0,0,4", 1 / 2),
        ("model_a,model_b,wins_a,wins_b,ties", "x,y,1,2,7", 4.5 / 10),
    ],
)
def test_how_often_each_won_is_counted_whatever_the_sides_are_called(tmp_path, header, rows, chance):
    (tmp_path / "a.csv").write_text(f"{header}\n{rows}\n")
    assert problem(tmp_path / "a.csv", prior=0).preferences[0, 1] == pytest.approx(chance)
