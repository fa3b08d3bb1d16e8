"""Yelp's files as people download them: one JSON object a line, gigabytes long, read a line at a time."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any, TextIO

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.rating_table import RatingTable, RatingTableBuilder
from winnerstays.problems.readers.source import file_errors
from winnerstays.progress import Progress

MAX_LINE = 4_000_000
"""Bytes of the longest line, so that a file without line ends does not fill the memory."""
LINES_PER_REPORT = 5_000

_WORD = re.compile(r"[^\W\d_]{2,30}")


@dataclass
class Lines:
    """The objects in a file, each with the wanted fields."""

    path: Path
    fields: dict[str, Any]
    progress: Progress | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        number = 0
        with file_errors(self.path), self.path.open("rb") as file:
            size = self.path.stat().st_size
            while line := file.readline(MAX_LINE):
                number += 1
                if not line.isspace():
                    yield self._entry(line, number)
                if self.progress and number % LINES_PER_REPORT == 0:
                    self.progress(f"reading {self.path.name}", file.tell() / size)

    def _entry(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if isinstance(entry, dict) and all(isinstance(entry.get(key), type_) for key, type_ in self.fields.items()):
            return entry
        raise WinnerstaysError(
            f"line {number} is no JSON object with {', '.join(self.fields)}; it must be a file of Yelp's academic "
            "dataset, as downloaded."
        )


def find(directory: Path, kind: str) -> Path:
    """`business` or `review` in the folder, under the names that Yelp has given them."""
    if not directory.is_dir():
        raise WinnerstaysError(f"{directory} is no folder; give the folder with Yelp's business.json and review.json.")
    names = [f"{kind}.json", f"yelp_academic_dataset_{kind}.json"]
    for name in names:
        if (directory / name).is_file():
            return directory / name
    raise WinnerstaysError(f"{directory}: there is no {names[0]} or {names[1]} in it; unpack Yelp's dataset there.")


def businesses(directory: Path, progress: Progress | None = None) -> Lines:
    return Lines(
        find(directory, "business"), {"business_id": str, "name": str, "city": str, "review_count": int}, progress
    )


def reviews(directory: Path, progress: Progress | None = None) -> Lines:
    return Lines(
        find(directory, "review"),
        {"user_id": str, "business_id": str, "stars": int | float, "text": str, "date": str},
        progress,
    )


def most_reviewed(lines: Lines, city: str, restaurants: int) -> dict[str, str]:
    """The names of the city's most reviewed restaurants by their ids, in that order (then by id)."""
    cities: Counter[str] = Counter()

    def here() -> Iterator[tuple[int, str, str]]:
        for entry in lines:
            if "Restaurants" in _categories(entry.get("categories")):
                cities[entry["city"].strip()] += 1
                if entry["city"].strip().casefold() == city.strip().casefold():
                    yield -entry["review_count"], entry["business_id"], entry["name"].strip()

    chosen = {business: name for _, business, name in nsmallest(restaurants, here())}
    if len(chosen) < restaurants:
        most = ", ".join(f"{name} ({number})" for name, number in cities.most_common(5)) or "none at all"
        raise WinnerstaysError(
            f"{lines.path}: {city} has {len(chosen)} restaurants, but {restaurants} are wanted; ask for fewer, or for "
            f"another city (most restaurants: {most})."
        )
    return chosen


def _categories(value: object) -> list[str]:
    """Yelp has written them as a list, later as one string with commas, and where unknown as null."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return [str(part) for part in value] if isinstance(value, list) else []


def gather(lines: Lines, arms: dict[str, int], max_tokens: int, spill: TextIO) -> tuple[RatingTable, list[int]]:
    """Everybody's stars for these restaurants, and how many tokens each restaurant's document has.

    The documents go to `spill`: a line per review, the restaurant's number and then the review's words, until a
    restaurant has `max_tokens`. What stays in memory is 24 bytes a rating and the names of those who rated.
    """
    builder, tokens = RatingTableBuilder(), [0] * len(arms)
    for entry in lines:
        arm = arms.get(entry["business_id"])
        if arm is None:
            continue
        if not 1 <= entry["stars"] <= 5:
            raise WinnerstaysError(f"{lines.path}: a review has {entry['stars']} stars, but it must be 1 to 5.")
        builder.add(entry["user_id"], arm, entry["stars"], _moment(entry["date"]))
        words = _WORD.findall(entry["text"].lower())[: max_tokens - tokens[arm]]
        if words:
            tokens[arm] += len(words)
            spill.write(f"{arm} {' '.join(words)}\n")
    return builder.sorted(), tokens


def _moment(date: str) -> int:
    """A date, with or without the time of day, as a number that grows with it."""
    digits = "".join(character for character in date if character in "0123456789")
    return int(digits[:14].ljust(14, "0"))
