"""Yelp's files and the generated city in their format: who is chosen, what damage does, what is learned."""

import io
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from winnerstays import WinnerstaysError, simulate
from winnerstays.problems.yelp import GENERATED, fit, write_city, yelp_problems
from winnerstays.problems.yelp.embedding import embed
from winnerstays.problems.yelp.files import Lines, businesses, gather, most_reviewed, reviews
from winnerstays.problems.yelp.tastes import MIN_SIGMA, PENALTIES

SMALL = {"restaurants": 30, "elsewhere": 10, "regulars": 12, "visitors": 60}
FEW = {"restaurants": 20, "min_reviews": 15}


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    return folder, write_city(folder, seed=3, **SMALL)


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    folder = tmp_path_factory.mktemp("city")
    return write_city(folder, seed=1), yelp_problems(folder), folder


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def save(path, lines):
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))


def business(number, count=1, city="Las Vegas", categories="Food, Restaurants", **other):
    return {
        "business_id": f"b{number}", "name": f"Place {number}", "city": city, "state": "NV",
        "categories": categories, "stars": 3.5, "review_count": count, **other,
    }  # fmt: skip


def review(user, number, stars=3.0, text="good food " * 10, date="2015-01-01"):
    return {
        "review_id": f"r{user}-{number}", "user_id": user, "business_id": f"b{number}", "stars": stars,
        "text": text, "date": date,
    }  # fmt: skip


def test_the_generated_city_has_yelps_fields_and_is_named_by_its_seed(town, tmp_path):
    folder, truth = town
    places, written = entries(folder / "business.json"), entries(folder / "review.json")
    assert set(places[0]) == {"business_id", "name", "city", "categories", "review_count"}
    assert set(written[0]) == {"user_id", "business_id", "stars", "text", "date"}
    assert {len(entry[key]) for entry in written for key in ("user_id", "business_id")} == {22}
    assert all(entry["business_id"].startswith("generated-") for entry in places)
    counted = sum(entry["business_id"] == places[0]["business_id"] for entry in written)
    assert places[0]["review_count"] == counted
    assert {entry["city"] for entry in places} == {"Las Vegas", "Phoenix"}
    assert truth.utilities.shape == (72, 30)
    for name, seed in (("same", 3), ("other", 4)):
        (tmp_path / name).mkdir()
        write_city(tmp_path / name, seed=seed, **SMALL)
        equal = (tmp_path / name / "review.json").read_bytes() == (folder / "review.json").read_bytes()
        assert equal == (name == "same")


def test_a_city_is_not_overwritten_unasked(town):
    with pytest.raises(WinnerstaysError, match="exists already"):
        write_city(town[0], seed=3, **SMALL)


def test_a_city_may_have_places_that_nobody_reviewed(tmp_path):
    write_city(tmp_path, seed=3, restaurants=60, elsewhere=4, regulars=1, visitors=3)
    reviewed = {review["business_id"] for review in entries(tmp_path / "review.json")}
    businesses = entries(tmp_path / "business.json")
    assert len(reviewed) < len(businesses) == 64
    assert {one["business_id"] for one in businesses if one["review_count"]} == reviewed


def test_the_papers_sizes(city):
    _, data, _ = city
    assert len(data.problems) >= 49 and {one.n_arms for one in data.problems} == {100}
    assert {one.features.shape for one in data.problems} == {(100, 20)}
    assert all(one.items == data.problems[0].items for one in data.problems)
    assert [taste.ratings for taste in data.tastes] == sorted((t.ratings for t in data.tastes), reverse=True)
    assert data.tastes[-1].ratings >= 20


def test_everything_generated_says_so(city):
    _, data, _ = city
    assert GENERATED == "generated data, not Yelp" == data.source
    assert data.generated and all(GENERATED in one.note and "generated" in one.name for one in data.problems)


def test_without_a_folder_the_city_is_generated(city):
    _, data, _ = city
    again = yelp_problems()
    assert again.generated
    assert [one.utilities.tolist() for one in again.problems] == [one.utilities.tolist() for one in data.problems]


def test_preferences_are_probit_in_utilities(city):
    _, data, _ = city
    one, taste = data.problems[5], data.tastes[5]
    u = one.utilities
    assert u.tolist() == taste.utilities.tolist()
    assert one.preferences[3, 8] == pytest.approx(NormalDist().cdf((u[3] - u[8]) / (taste.sigma * np.sqrt(2))))
    assert one.best_arm == int(np.argmax(u))
    assert simulate(one, "ws-w", horizon=100, runs=2).curve("ws-w", "weak-utility").mean[-1] > 0


def rank_correlation(first, second):
    return np.corrcoef(np.argsort(np.argsort(first)), np.argsort(np.argsort(second)))[0, 1]


def test_known_tastes_are_found_and_least_squares_finds_them_worse(city):
    """Mean rank correlation with the true utilities of all 100 restaurants, most of which a user never rated."""
    truth, data, folder = city
    arms = most_reviewed(businesses(folder), "Las Vegas", 100)
    columns = [truth.restaurants.index(place) for place in arms]
    ratings, _ = gather(reviews(folder), {place: arm for arm, place in enumerate(arms)}, 1, io.StringIO())
    features = data.problems[0].features
    ridge, squares = [], []
    for user, taste in zip(data.users, data.tastes, strict=True):
        true = truth.utilities[truth.users.index(user), columns]
        ridge.append(rank_correlation(true, taste.utilities))
        where, stars = ratings.of(ratings.users.index(user))
        theta = np.linalg.lstsq(np.c_[np.ones(len(where)), features[where]], stars, rcond=None)[0][1:]
        squares.append(rank_correlation(true, features @ theta))
    assert np.mean(ridge) > 0.6
    assert np.mean(ridge) > np.mean(squares) + 0.1


def test_plain_least_squares_goes_through_every_rating():
    """With 20 features, an intercept and 20 ratings nothing is left to estimate a variance from; ridge leaves some."""
    rng = np.random.default_rng(1)
    features = rng.standard_normal((100, 20))
    rated, stars = features[:20], rng.integers(1, 6, 20).astype(float)
    design = np.c_[np.ones(20), rated]
    theta, _, rank, _ = np.linalg.lstsq(design, stars, rcond=None)
    assert rank == 20 and abs(stars - design @ theta).max() < 1e-9
    taste = fit(features, rated, stars)
    assert taste.ratings - taste.used >= 1 and taste.sigma >= MIN_SIGMA


def test_ridge_is_the_textbooks():
    """Against the normal equations with an intercept that is not penalised, and its hat matrix."""
    rng = np.random.default_rng(2)
    features = rng.standard_normal((60, 4))
    rated, stars = features[:30], np.rint(3 + features[:30] @ [0.8, -0.5, 0.2, 0] + rng.normal(0, 0.5, 30))
    taste = fit(features, rated, stars)
    design = np.c_[np.ones(30), rated]
    errors = []
    for penalty in PENALTIES:
        inverse = np.linalg.inv(design.T @ design + 30 * penalty * np.diag([0, 1, 1, 1, 1]))
        hat = design @ inverse @ design.T
        errors.append(30 * ((stars - hat @ stars) ** 2).sum() / (30 - np.trace(hat)) ** 2)
        if penalty == taste.penalty:
            expected = np.c_[np.ones(60), features] @ (inverse @ design.T @ stars)
            sigma = np.sqrt(((stars - hat @ stars) ** 2).sum() / (30 - np.trace(hat)))
            assert taste.utilities == pytest.approx(expected)
            assert (taste.used, taste.sigma) == (pytest.approx(np.trace(hat)), pytest.approx(sigma))
    assert taste.penalty == PENALTIES[int(np.argmin(errors))]


def test_a_perfectly_known_taste_still_has_the_noise_of_rounding():
    features = np.arange(12.0)[:, None]
    taste = fit((features - 5.5) / 3.5, (features[:10] - 5.5) / 3.5, features[:10, 0])
    assert taste.sigma == pytest.approx(1 / np.sqrt(12))
    assert taste.explained > 0.99 and int(np.argmax(taste.utilities)) == 11


@pytest.mark.parametrize(
    "line",
    [
        '{"review_id": "cut sho', "[1, 2, 3]", "\0" * 3000, "[" * 100_000, '{"text": "\udcff"}',
        json.dumps({**review("u", 1), "stars": "five"}), json.dumps({**review("u", 1), "text": None}),
    ],
)  # fmt: skip
def test_a_line_that_is_no_review_is_refused(tmp_path, line):
    lines = json.dumps(review("u", 1)) + "\n \n" + line + "\n"
    (tmp_path / "review.json").write_bytes(lines.encode(errors="surrogateescape"))
    with pytest.raises(WinnerstaysError, match=r"review\.json: line 3 is no JSON object with user_id, business_id"):
        gather(reviews(tmp_path), {"b1": 0}, 100, io.StringIO())


@pytest.mark.parametrize("stars", [9, 0, float("nan")])
def test_stars_out_of_range_are_refused(tmp_path, stars):
    save(tmp_path / "review.json", [review("v", 1, stars)])
    with pytest.raises(WinnerstaysError, match=f"a review has {stars} stars, but it must be 1 to 5"):
        gather(reviews(tmp_path), {"b1": 0}, 100, io.StringIO())


def test_the_most_reviewed_restaurants_of_the_city_and_no_others(tmp_path):
    save(
        tmp_path / "yelp_academic_dataset_business.json",
        [
            business(1, 10),
            business(2, 99, categories="Shopping"),
            business(3, 98, city="Phoenix"),
            business(4, 20, city=" las vegas "),
            business(5, 20, categories=["Bars", "Restaurants"]),
            business(6, 97, categories=None),
            business(7, 96, categories="Restaurants Supply"),
            business(8, 30),
        ],
    )
    assert list(most_reviewed(businesses(tmp_path), "Las Vegas", 3)) == ["b8", "b4", "b5"]


def test_the_latest_review_of_a_place_counts(tmp_path):
    save(
        tmp_path / "review.json",
        [
            review("u", 1, 2, date="2016-05-01 10:00:00"),
            review("u", 1, 5, date="2016-05-01 09:59:59"),
            review("u", 2, 1, date="2016-05-01"),
            review("u", 2, 3, date="2016-05-01"),
        ],
    )
    ratings, _ = gather(reviews(tmp_path), {"b1": 0, "b2": 1}, 100, io.StringIO())
    arms, stars = ratings.of(0)
    assert (arms.tolist(), stars.tolist()) == ([0, 1], [2, 3])


def test_words_are_kept_up_to_a_number_per_restaurant(tmp_path):
    save(
        tmp_path / "review.json",
        [review("u", 1, text="Crème-brûlée, 2 x GOOD!\n"), review("v", 1, text="one two three")],
    )
    with (tmp_path / "words").open("w") as spill:
        _, tokens = gather(reviews(tmp_path), {"b1": 0}, 5, spill)
    assert tokens == [5]
    assert (tmp_path / "words").read_text() == "0 crème brûlée good\n0 one two\n"


def rich_town(folder, users=3, places=12, stars=lambda user, place: 1 + (user + place) % 5):
    """Everyone reviews every place."""
    save(folder / "business.json", [business(place, 50) for place in range(places)])
    save(
        folder / "review.json",
        [
            review(f"u{user}", place, stars(user, place), text=f"word{chr(97 + place)} " * 20 + "good food " * 5)
            for user in range(users)
            for place in range(places)
        ],
    )
    return folder


def test_files_that_are_not_generated_are_yelps(tmp_path):
    data = yelp_problems(rich_town(tmp_path), restaurants=12, min_reviews=12)
    assert not data.generated and data.source == "Yelp academic dataset"
    assert [one.name for one in data.problems] == ["yelp-user-1", "yelp-user-2", "yelp-user-3"]
    assert data.problems[0].items == [f"Place {place}" for place in sorted(range(12), key=lambda p: f"b{p}")]


def test_who_likes_everything_the_same_is_left_out(tmp_path):
    folder = rich_town(tmp_path, stars=lambda user, place: 4 if user == 1 else 1 + (user + place) % 5)
    data = yelp_problems(folder, restaurants=12, min_reviews=12)
    assert data.users == ["u0", "u2"]
    alone = rich_town(tmp_path, users=1, stars=lambda user, place: 4)
    with pytest.raises(WinnerstaysError, match="all users gave everything the same stars"):
        yelp_problems(alone, restaurants=12, min_reviews=12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"restaurants": 13},
            "Las Vegas has 12 restaurants, but 13 are wanted.* \\(most restaurants: Las Vegas \\(12\\)",
        ),
        ({"city": "Reno"}, "Reno has 0 restaurants"),
        ({"restaurants": 1}, "restaurants is 1, but at least 2"),
        ({"min_reviews": 2}, "min_reviews is 2, but"),
        ({"restaurants": 12, "min_reviews": 13}, "nobody reviewed 13 of the 12 restaurants \\(most: 12\\)"),
    ],
)
def test_too_little_gets_a_sentence(tmp_path, options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        yelp_problems(rich_town(tmp_path), **{"min_reviews": 12, **options})


def test_missing_files_get_a_sentence(tmp_path):
    with pytest.raises(WinnerstaysError, match="nowhere is no folder; give the folder with"):
        yelp_problems(tmp_path / "nowhere")
    with pytest.raises(WinnerstaysError, match=r"there is no business\.json or yelp_academic_dataset_business\.json"):
        yelp_problems(tmp_path)
    save(tmp_path / "business.json", [business(1)])
    with pytest.raises(WinnerstaysError, match=r"there is no review\.json or"):
        yelp_problems(tmp_path)


def test_files_that_are_something_else_get_a_sentence(tmp_path):
    rich_town(tmp_path)
    save(tmp_path / "review.json", [review("u", 0)])
    with pytest.raises(WinnerstaysError, match="11 of the 12 restaurants have no reviews in it, 'Place 1' for one"):
        yelp_problems(tmp_path, restaurants=12)
    (tmp_path / "review.json").write_text("not\njson\n")
    with pytest.raises(WinnerstaysError, match="line 1 is no JSON object with user_id, business_id"):
        yelp_problems(tmp_path, restaurants=12)
    (tmp_path / "business.json").write_text("")
    with pytest.raises(WinnerstaysError, match="Las Vegas has 0 restaurants"):
        yelp_problems(tmp_path, restaurants=12)


def test_without_gensim_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(WinnerstaysError, match=r"pip install '.*\[paper\]'"):
        yelp_problems()


def test_progress_is_told(town, monkeypatch):
    monkeypatch.setattr("winnerstays.problems.yelp.files.LINES_PER_REPORT", 100)
    told = []
    yelp_problems(town[0], **FEW, progress=lambda stage, done: told.append((stage, done)))
    shares = [done for stage, done in told if stage == "reading review.json"]
    assert len(shares) > 3 and shares == sorted(shares) and shares[0] > 0 and shares[-1] <= 1
    assert [done for stage, done in told if stage == "doc2vec"] == pytest.approx(np.arange(11) / 11)


DIGEST = """
import hashlib, sys
from winnerstays.problems.yelp import yelp_problems
data = yelp_problems(sys.argv[1], restaurants=20, min_reviews=15)
print(hashlib.sha256(b"".join(one.features.tobytes() + one.utilities.tobytes() for one in data.problems)).hexdigest())
"""


def test_two_processes_with_other_hash_seeds_agree(town):
    found = [
        subprocess.run(
            [sys.executable, "-c", DIGEST, str(town[0])], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert found[0] == found[1] and len(found[0]) == 65
    assert (
        yelp_problems(town[0], **FEW, seed=2).problems[0].features[0, 0]
        != yelp_problems(town[0], **FEW).problems[0].features[0, 0]
    )


def test_words_after_the_ten_thousandth_still_count(tmp_path):
    """Documents 0 and 1 have the same words in another order, 2 and 3 one half each. gensim reads 10,000 words of a
    document, and would take 0 for 2 and 1 for 3."""
    rng = np.random.default_rng(1)
    half = {side: [" ".join(rng.choice([f"{side}{k}" for k in range(30)], 500)) for _ in range(20)] for side in "ab"}
    documents = [half["a"] + half["b"], half["b"] + half["a"], half["a"], half["b"]]
    lines = [f"{number} {text}\n" for number, document in enumerate(documents) for text in document]
    (tmp_path / "words").write_text("".join(lines[place] for place in rng.permutation(len(lines))))
    both, again, one, other = embed(tmp_path / "words", 4)
    assert np.linalg.norm(both - again) < np.linalg.norm(one - other) / 3


def peak_of_reading(folder):
    tracemalloc.start()
    with (folder / "words").open("w") as spill:
        gather(reviews(folder), {"b1": 0, "b2": 1}, 1000, spill)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_file(tmp_path):
    """25 times as many reviews, most of other places: 15 MB more on disk, less than 1 MB more in memory."""
    some = [json.dumps(review(f"u{user}", 1 + user % 20, text="tasty noodles " * 60)) + "\n" for user in range(600)]
    spent = []
    for name, times in (("once", 1), ("again", 1), ("large", 25)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "review.json").write_text("".join(some * times))
        spent.append(peak_of_reading(tmp_path / name))
    assert (tmp_path / "large" / "review.json").stat().st_size > 14_000_000
    assert spent[2] < spent[1] + 1_000_000


def test_a_file_without_line_ends_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("winnerstays.problems.yelp.files.MAX_LINE", 100_000)
    (tmp_path / "review.json").write_bytes(b"x" * 20_000_000)
    tracemalloc.start()
    with pytest.raises(WinnerstaysError, match="line 1 is no JSON object"):
        list(reviews(tmp_path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000


def test_an_unreadable_file_gets_a_sentence(tmp_path):
    with pytest.raises(WinnerstaysError, match="cannot be read"):
        list(Lines(Path(tmp_path), {}))
