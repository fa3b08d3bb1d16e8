"""From Yelp's files to one problem per person, as in the paper's second experiment.

Las Vegas' 100 most reviewed restaurants are the arms. doc2vec makes 20 features of each restaurant's reviews; the
people with at least 20 reviews among them are the users; ridge regression of a user's stars on the features gives
utilities u_i and a residual variance sigma^2; faced with two restaurants, the user perceives either utility with
that variance and takes the larger: P = Phi((u_i - u_j) / (sigma sqrt 2)).
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.item_names import distinct_names
from winnerstays.problems.problem import Floats, Problem
from winnerstays.problems.yelp.city import GENERATED, MARK, write_city
from winnerstays.problems.yelp.embedding import TOKENS, embed, load_doc2vec
from winnerstays.problems.yelp.files import businesses, gather, most_reviewed, reviews
from winnerstays.problems.yelp.tastes import Taste, fit
from winnerstays.progress import Progress


@dataclass(frozen=True)
class YelpData:
    """One problem per user, on the same restaurants in the same order."""

    problems: list[Problem]
    users: list[str]
    tastes: list[Taste]
    generated: bool
    source: str
    """What pictures and tables must say about where the data are from."""


def yelp_problems(
    directory: str | Path | None = None,
    *,
    city: str = "Las Vegas",
    restaurants: int = 100,
    min_reviews: int = 20,
    seed: int = 1,
    progress: Progress | None = None,
) -> YelpData:
    """The users of a folder with Yelp's `business.json` and `review.json`; without one, of a generated city.

    `seed` names the generated city and starts doc2vec. Memory stays below 1 GB however large the files are. Users come
    in the order of their number of ratings; those who gave everything the same stars are left out.
    """
    if restaurants < 2:
        raise WinnerstaysError(f"restaurants is {restaurants}, but at least 2 are needed to choose from.")
    if min_reviews < 3:
        raise WinnerstaysError(f"min_reviews is {min_reviews}, but a taste cannot be seen in fewer than 3.")
    load_doc2vec()  # before files are read
    with tempfile.TemporaryDirectory(prefix="winnerstays-") as scratch:
        if directory is None:
            if progress:
                progress("generating a city", 0.0)
            write_city(scratch, seed=seed)
        return _read(Path(directory or scratch), Path(scratch), city, restaurants, min_reviews, seed, progress)


def _read(
    directory: Path,
    scratch: Path,
    city: str,
    restaurants: int,
    min_reviews: int,
    seed: int,
    progress: Progress | None,
) -> YelpData:
    places, reviewed = businesses(directory, progress), reviews(directory, progress)
    chosen = most_reviewed(places, city, restaurants)
    arms = {business: arm for arm, business in enumerate(chosen)}
    documents = scratch / "documents.txt"
    with documents.open("w", encoding="utf-8") as spill:
        ratings, tokens = gather(reviewed, arms, TOKENS, spill)
    silent = [name for name, words in zip(chosen.values(), tokens, strict=True) if not words]
    if silent:
        raise WinnerstaysError(
            f"{reviewed.path}: {len(silent)} of the {restaurants} restaurants have no reviews in it, {silent[0]!r} for "
            "one; is the file complete?"
        )
    rated = np.diff(ratings.start)
    if rated.max() < min_reviews:
        raise WinnerstaysError(
            f"{reviewed.path}: nobody reviewed {min_reviews} of the {restaurants} restaurants (most: {rated.max()}); "
            "lower min_reviews or take more restaurants."
        )
    features = embed(documents, restaurants, seed, progress)
    generated = any(business.startswith(MARK) for business in chosen)
    source = GENERATED if generated else "Yelp academic dataset"
    items = distinct_names(chosen)
    problems, users, tastes = [], [], []
    for number in np.argsort(-rated, kind="stable")[: int((rated >= min_reviews).sum())]:
        where, stars = ratings.of(int(number))
        if np.ptp(stars) == 0:
            continue
        taste = fit(features, features[where], stars)
        users.append(ratings.users[number])
        tastes.append(taste)
        name = f"{'generated' if generated else 'yelp'}-user-{len(users)}"
        problems.append(_problem(taste, features, items, name, source))
    if not problems:
        raise WinnerstaysError(f"{reviewed.path}: all users gave everything the same stars.")
    return YelpData(problems, users, tastes, generated, source)


def _problem(taste: Taste, features: Floats, items: list[str], name: str, source: str) -> Problem:
    problem = Problem.from_utilities(
        taste.utilities, taste.sigma, features=features, items=items, name=name,
        note=f"{source}: {taste.ratings} ratings, {taste.used:.1f} degrees of freedom used, sigma {taste.sigma:.2f} "
        f"stars, {100 * taste.explained:.0f} % of the variance explained",
    )  # fmt: skip
    problem.features = features  # one table for all users, not a copy for each
    return problem
