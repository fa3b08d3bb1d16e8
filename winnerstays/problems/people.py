"""One problem per person: a file of ratings, or a folder with Yelp's dataset."""

from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.rating_problems import problems_by_person
from winnerstays.problems.readers.columns import RATINGS, layout_of
from winnerstays.problems.readers.files import content_of, opened
from winnerstays.problems.readers.limits import LOCAL
from winnerstays.problems.readers.table import Table

OF_RATINGS = (
    "people", "min_ratings", "noise", "shrink", "columns", "items", "skip_bad", "encoding", "delimiter", "limits",
)  # fmt: skip
OF_YELP = {"city": "city", "items": "restaurants", "min_ratings": "min_reviews"}
"""What `yelp_problems` calls the options."""


def problems_of_people(path: str | Path, **options: Any) -> list[Problem]:
    """Return the problem of each person in a table of ratings, or in a folder with Yelp's files.

    Those who rated most come first, at most `people` of them, with at least `min_ratings` ratings of the `items` most
    rated items (reviews and restaurants of a `city`, for Yelp). For a table, `noise` is that of a choice, in grades;
    `shrink` says how far grades are drawn towards everybody's mean; `columns`, `skip_bad`, `encoding`, `delimiter` and
    `limits` are as of `load`.
    """
    path = Path(path)
    asked = {key: value for key, value in options.items() if value is not None and value is not False}
    if asked.get("people", 1) < 1:
        raise WinnerstaysError(f"people is {asked['people']}, but it must be at least 1.")
    if path.is_dir() and not any(path.glob("*business.json*")):
        raise WinnerstaysError(f"{path} is a folder; give the name of a file, or a folder with Yelp's business.json.")
    known = ("people", *OF_YELP) if path.is_dir() else OF_RATINGS
    for key in asked:
        if key not in known:
            what = "a folder of Yelp's" if path.is_dir() else "a file of ratings"
            raise WinnerstaysError(f"{path}: {key} does not apply to {what}, which takes {', '.join(known)}.")
    if path.is_dir():
        from winnerstays.problems.yelp import yelp_problems

        data = yelp_problems(path, **{OF_YELP[key]: value for key, value in asked.items() if key in OF_YELP})
        return data.problems[: asked.get("people", len(data.problems))]
    columns, encoding, delimiter = (asked.pop(key, None) for key in ("columns", "encoding", "delimiter"))
    with opened(path, encoding, asked.get("limits", LOCAL)) as source:
        table = content_of(source, delimiter)
        if not isinstance(table, Table):
            raise WinnerstaysError("the file is no table of ratings.")
        return problems_by_person(table, layout_of(table.header, columns, RATINGS).places, source.stem, **asked)
