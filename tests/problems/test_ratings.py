"""Tables of ratings: everyone together, and a problem for each person, worked out by hand."""

import tracemalloc

import numpy as np
import polars
import pytest

from winnerstays import WinnerstaysError, problem
from winnerstays.problems import load, problems_of_people

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


def written(path, header="user,item,rating", rows=RATINGS):
    path.write_text(f"{header}\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("header", ["user,item,rating", "userId,movieId,rating"])
def test_ratings_of_everyone(tmp_path, header):
    one = load(written(tmp_path / "r.csv", header))
    assert one.items == ["2", "1", "3"] and one.counts.tolist() == SHARES
    assert one.preferences[0, 1] == 0.5 and one.preferences[0, 2] == pytest.approx(2 / 3)
    assert "6 ratings by 3 people" in one.note and "1 rating replaced by a later one" in one.note


def test_ratings_by_other_names_and_in_memory(tmp_path):
    columns = {"user": "taster", "item": "wine", "rating": "points"}
    assert load(written(tmp_path / "r.csv", "taster,wine,points"), columns=columns).counts.tolist() == SHARES
    frame = polars.DataFrame(RATINGS, schema=list(columns.values()), orient="row")
    assert problem(frame, columns=columns).counts.tolist() == SHARES


def test_the_timestamp_says_which_rating_is_later(tmp_path):
    rows = [("u", "a", 5, 20), ("u", "a", 1, 10), ("u", "b", 3, 10)]
    assert load(written(tmp_path / "r.csv", "userId,movieId,rating,timestamp", rows)).counts.tolist() == [
        [0, 1],
        [0, 0],
    ]
    by_row = load(written(tmp_path / "r.csv", "userId,movieId,rating,when", rows))
    assert by_row.counts.tolist() == [[0, 0], [1, 0]]


def test_equal_ratings_are_half_a_win(tmp_path):
    rows = [("u", "a", 3), ("u", "b", 3), ("v", "a", 4), ("v", "b", 1)]
    assert load(written(tmp_path / "r.csv", rows=rows)).counts.tolist() == [[0, 1.5], [0.5, 0]]


def test_only_the_most_rated_items_and_many_people_at_once(tmp_path, monkeypatch):
    """Cutting people into portions changes nothing; the answer is a direct count."""
    rng = np.random.default_rng(3)
    stars = rng.integers(1, 6, (50, 6)).astype(float)
    stars[rng.random((50, 6)) < [0.1, 0.1, 0.2, 0.3, 0.95, 0.98]] = np.nan
    rows = [(user, item, stars[user, item]) for user, item in zip(*np.nonzero(stars > 0), strict=True)]
    path = written(tmp_path / "r.csv", rows=rows)
    monkeypatch.setattr("winnerstays.problems.rating_problems.USERS_AT_ONCE", 7)
    one = load(path, items=4)
    assert sorted(one.items) == ["0", "1", "2", "3"]
    for first, second in [(0, 1), (1, 3), (2, 0)]:
        mine, other = stars[:, int(one.items[first])], stars[:, int(one.items[second])]
        assert one.counts[first, second] == (mine > other).sum() + (mine == other).sum() / 2


def test_a_problem_per_person(tmp_path):
    path = written(tmp_path / "r.csv")
    people = problems_of_people(path, min_ratings=2, noise=0.5, shrink=0.0)
    assert [one.name for one in people] == ["r-u1", "r-u2"]
    one = people[0]
    assert one.items == ["2", "1", "3"] and one.utilities.tolist() == [4, 5, 3]
    assert one.items[one.best_arm] == "1"
    assert one.preferences[1, 0] == pytest.approx(0.9213503964748574)  # Phi(1 / (0.5 sqrt 2)) = Phi(sqrt 2)
    assert one.counts.sum() == 3
    assert [one.name for one in problems_of_people(path, min_ratings=2, people=1)] == ["r-u1"]
    with pytest.raises(WinnerstaysError, match=r"r\.csv: nobody rated 4 of the 3 most rated items"):
        problems_of_people(path, min_ratings=4)


def test_what_others_think_decides_between_equal_ratings(tmp_path):
    path = written(tmp_path / "r.csv", rows=[("u", "a", 5), ("u", "b", 5), ("v", "a", 1), ("v", "b", 4)])
    one = problems_of_people(path, min_ratings=2, shrink=0.2)[0]
    assert one.utilities.tolist() == pytest.approx([0.8 * 5 + 0.2 * 3, 0.8 * 5 + 0.2 * 4.5])
    assert one.items[one.best_arm] == "b"
    assert problems_of_people(path, min_ratings=2, shrink=0.0)[0].best_arm is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_ratings": 1}, "min_ratings is 1"),
        ({"people": 0}, "people is 0"),
        ({"noise": 0.0}, "noise is 0"),
        ({"shrink": 1}, "shrink is 1"),
        ({"items": 1}, "there are 1 items"),
        ({"city": "Reno"}, "city does not apply to a file of ratings, which takes people, min_ratings"),
        ({"columns": "winner=user,loser=item"}, "--columns user=user,item=item,rating=rating"),
    ],
)
def test_bad_options_of_ratings(tmp_path, options, sentence):
    path = written(tmp_path / "r.csv", rows=[("u", "a", 5), ("u", "b", 5)])
    with pytest.raises(WinnerstaysError, match=sentence):
        problems_of_people(path, **{"min_ratings": 2} | options)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([("u", "a", 5), ("u", "b", "good")], "line 3 has 'good' in the column 'rating', but it must be a number"),
        ([("u", "a", 5), ("u", "b", "nan")], "line 3 has 'nan' in the column 'rating'"),
        ([("u", "a", 5), ("u", "b")], "line 3 has 2 cells, but the header has 3"),
        ([("u", "a", 5), ("", "b", 5)], "line 3 has nothing in the column 'user', but it must name a person"),
        ([("u", "a", 5)], "there are ratings of 1 items"),
        ([("u", "a", 5), ("v", "b", 5)], "no two of them were compared: nobody rated two"),
    ],
)
def test_damaged_ratings_get_a_sentence(tmp_path, rows, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(written(tmp_path / "a.csv", rows=rows))


def test_memory_of_ratings_is_that_of_the_items_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("winnerstays.problems.readers.table.ROWS_AT_ONCE", 500)

    def peak(path):
        tracemalloc.start()
        load(path, items=2)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    kept = [(user, item, 3) for user in range(60) for item in "ab"]
    others = [(user, f"film{film % 40}", 3) for user in range(20) for film in (2 * user, 2 * user + 1)]
    small = written(tmp_path / "small.csv", rows=kept + others * 500)
    large = written(tmp_path / "large.csv", rows=kept + others * 1500)
    spent = [peak(path) for path in (small, small, large)]
    assert large.stat().st_size > 600_000 and spent[2] < spent[1] + 200_000
