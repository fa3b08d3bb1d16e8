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
from winnerstays.progress import Progress

MAX_LINE = 4_000_000
"""Bytes after which a line is given up as damaged, so that a file without line ends does not fill the memory."""
LINES_PER_REPORT = 5_000

_WORD = re.compile(r"[^\W\d_]{2,30}")


@dataclass
class Lines:
    """The objects in a file that have the wanted fields; others are skipped and counted."""

    path: Path
    fields: dict[str, Any]
    progress: Progress | None = None
    read: int = 0
    skipped: int = 0
    first_skipped: int = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.read = self.skipped = self.first_skipped = 0
        try:
            size = self.path.stat().st_size or 1
            with self.path.open("rb") as file:
                for line in _bounded(file):
                    self.read += 1
                    entry = self._entry(line)
                    if entry is not None:
                        yield entry
                    if self.progress and self.read % LINES_PER_REPORT == 0:
                        self.progress(f"reading {self.path.name}", file.tell() / size)
        except OSError as error:
            raise WinnerstaysError(f"{self.path}: the file cannot be read ({error.strerror}).") from None
        if self.read == self.skipped:
            raise WinnerstaysError(
                f"{self.path}: none of its {self.read} lines is a JSON object with {', '.join(self.fields)}; "
                "it must be a file of Yelp's academic dataset, as downloaded."
            )

    def _entry(self, line: bytes | None) -> dict[str, Any] | None:
        if line is not None:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = None
            if isinstance(entry, dict) and all(isinstance(entry.get(key), type_) for key, type_ in self.fields.items()):
                return entry
        self.skip()
        return None

    def skip(self) -> None:
        """Count the last entry as damaged."""
        self.skipped += 1
        self.first_skipped = self.first_skipped or self.read

    def __str__(self) -> str:
        damage = f", {self.skipped} damaged and skipped (the first is entry {self.first_skipped})"
        return f"{self.path.name}: {self.read} entries" + (damage if self.skipped else "")


def _bounded(file: Any) -> Iterator[bytes | None]:
    """The lines that are not blank; None for one that is too long."""
    while line := file.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            yield None
        elif not line.isspace():
            yield line


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
            lines.skip()
            continue
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
