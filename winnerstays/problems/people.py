"""One problem per person: a file of ratings, or a folder with Yelp's dataset."""

from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.lookup import rating_problems


def problems_of_people(path: str | Path, **options: Any) -> list[Problem]:
    """Return the problem of each person in a table of ratings, or in a folder with Yelp's files.

    Options are those of `rating_problems`; for Yelp `people`, `city`, `items` (restaurants), `min_ratings` (reviews).
    """
    path = Path(path)
    asked = {key: value for key, value in options.items() if value is not None}
    if not path.is_dir():
        known = (
            "people", "min_ratings", "noise", "shrink", "columns", "items", "skip_bad", "encoding", "delimiter", "limits",
        )  # fmt: skip
        _check(path, "a file of ratings", asked, known)
        return rating_problems(path, **asked)
    if not any(path.glob("*business.json*")):
        raise WinnerstaysError(f"{path} is a folder; give the name of a file, or a folder with Yelp's business.json.")
    _check(path, "a folder of Yelp's", asked, ("people", "city", "items", "min_ratings"))
    from winnerstays.problems.yelp import yelp_problems

    names = {"city": "city", "items": "restaurants", "min_ratings": "min_reviews"}
    data = yelp_problems(path, **{names[key]: value for key, value in asked.items() if key in names})
    people = asked.get("people", len(data.problems))
    if people < 1:
        raise WinnerstaysError(f"people is {people}, but it must be at least 1.")
    return data.problems[:people]


def _check(path: Path, what: str, asked: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in asked:
        if key not in known:
            raise WinnerstaysError(f"{path}: {key} does not apply to {what}, which takes {', '.join(known)}.")
