"""Which columns of ratings are used: ids before titles, names where they are beyond doubt, and what is asked."""

import pytest

from tests.problems.test_duel_files import read
from winnerstays import WinnerstaysError

ROWS = [("u", "a", 5), ("u", "b", 3), ("v", "a", 4), ("v", "b", 2)]
FOUND = {"a>b": 2}


def table(header, *columns):
    rows = zip(*columns, strict=True)
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


USERS, ITEMS, GRADES = (list(column) for column in zip(*ROWS, strict=True))
HEADLINES = ["Loved it", "Not so", "meh", "Loved it"]


@pytest.mark.parametrize("item", ["asin", "product_id", "item_id", "business_id", "gmap_id", "ISBN", "parent_asin"])
@pytest.mark.parametrize("title", ["title", "name"])
def test_an_id_is_the_item_and_a_headline_is_not(tmp_path, item, title):
    for header, columns in (
        (f"user_id,{title},{item},rating", (USERS, HEADLINES, ITEMS, GRADES)),
        (f"rating,{item},{title},user_id", (GRADES, ITEMS, HEADLINES, USERS)),
    ):
        found, note = read(tmp_path, table(header, *columns))
        assert found == FOUND and f"columns: user user_id, item {item}" in note and "called by" not in note


@pytest.mark.parametrize("title", ["title", "name", "movie_title", "movieName"])
def test_items_are_called_by_titles_that_are_one_to_one(tmp_path, title):
    names = [{"a": "Alien", "b": "Brazil"}[item] for item in ITEMS]
    found, note = read(tmp_path, table(f"userId,movieId,{title},rating", USERS, ITEMS, names, GRADES))
    assert found == {"Alien>Brazil": 2} and f"items are called by {title}" in note


def test_one_title_for_all_names_nothing(tmp_path):
    found, _ = read(tmp_path, table("user,asin,title,rating", USERS, ITEMS, ["Five Stars"] * 4, GRADES))
    assert found == FOUND


@pytest.mark.parametrize(
    "header",
    ["user,name,rating", "reviews.username,asins,reviews.rating", "review_profilename,beer_beerid,review_overall",
     "Taster,Wein,Punkte", "judge,dish,score", "customer_id,product_id,star_rating", "Benutzer,Film,Bewertung"],
)  # fmt: skip
def test_names_of_columns_that_are_known(tmp_path, header):
    found, note = read(tmp_path, table(header, USERS, ITEMS, GRADES))
    assert found == FOUND and "columns: " in note


def test_a_name_that_each_user_has_once_is_the_users(tmp_path):
    with pytest.raises(WinnerstaysError):
        read(tmp_path, table("user,name,rating", USERS, USERS, GRADES))


@pytest.mark.parametrize(
    ("header", "columns", "asked"),
    [
        ("user,movie,rating,score", (USERS, ITEMS, GRADES, GRADES[::-1]), "the rating may be in rating or score"),
        ("user,artist,song,rating", (USERS, ITEMS, [*"abcd"], GRADES), "the item may be in artist or song"),
    ],
)
def test_several_columns_are_asked_about(tmp_path, header, columns, asked):
    with pytest.raises(WinnerstaysError, match=asked):
        read(tmp_path, table(header, *columns))
    names = header.split(",")
    given = f"user=user,item={names[1]},rating=rating"
    assert read(tmp_path, table(header, *columns), columns=given)[0]


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("question_id,model,score", "user=question_id,item=model,rating=score"),
        ("From country,To country,Points", "user=From country,item=To country,rating=Points"),
        ("Judge,Essay,Points", "user=Judge,item=Essay,rating=Points"),
    ],
)
def test_likely_columns_are_proposed(tmp_path, header, hint):
    text = table(header, USERS, ITEMS, GRADES)
    with pytest.raises(WinnerstaysError, match=f"say --columns '?{hint}'?: the higher wins among all of one user"):
        read(tmp_path, text)
    assert read(tmp_path, text, columns=hint)[0] == FOUND


def test_ratings_without_a_header_are_proposed_by_number(tmp_path):
    times = [1092182400, 1019865600, 1019865600, 1019865601]
    text = table("", USERS, ITEMS, GRADES, times).lstrip()
    with pytest.raises(WinnerstaysError, match=r"--columns user=1,item=2,rating=3 \(or user=2,item=1\)"):
        read(tmp_path, text)
    assert read(tmp_path, text, columns="user=1,item=2,rating=3")[0] == FOUND


def test_what_a_user_scored_in_a_game_is_no_rating_of_it(tmp_path):
    found, note = read(tmp_path, "game_id,username,score\n1,Ann,7\n1,Bob,5\n2,Ann,3\n2,Bob,4\n")
    assert found == {"Ann>Bob": 1, "Bob>Ann": 1} and "one game" in note
    with pytest.raises(WinnerstaysError, match="say --columns user=user,item=game,rating=score"):
        read(tmp_path, table("user,game,score", USERS, ITEMS, GRADES))
    assert read(tmp_path, table("user,game,rating", USERS, ITEMS, GRADES))[0] == FOUND
