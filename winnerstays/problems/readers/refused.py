"""Formats that are known but not read: each is answered with what to do."""

import re

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.opening import Source

GRAPHS = {".pwg", ".wmg", ".wmd", ".tog", ".mjg"}
"""PrefLib's files of graphs."""
DUMP = re.compile(
    r"\s*--.*(?:\bdump\b|\bSQL\b)|^\s*(?:INSERT\s+INTO|CREATE\s+TABLE|DROP\s+TABLE)\s+\S", re.IGNORECASE | re.MULTILINE
)
NETFLIX = re.compile(r"\s*\d+:\s*\n\s*\d+,\d(?:\.\d+)?(?:,\d{4}-\d\d?-\d\d?)?\s*\n")
"""The id of a film, and below it a customer, a rating and a date in each line."""


def refuse(source: Source) -> None:
    """Say what to do with a file in a format that is not read."""
    start = source.beginning
    if source.suffix in GRAPHS and not start.lstrip().startswith(("{", "[")):
        raise WinnerstaysError(
            f"PrefLib's graphs ({source.suffix}) are not read; take the orders of the same data (.soc, .soi, .toc, "
            ".toi), or write the pairs as a table with the columns winner,loser,count."
        )
    if source.suffix in (".sql", ".txt", ".dump") and DUMP.search(start[:20_000]):
        raise WinnerstaysError(
            "the file is a dump of a database in SQL; load it there and export the table as CSV with a header."
        )
    if NETFLIX.match(start):
        raise WinnerstaysError(
            "in the form of the Netflix Prize, with the id of a film on a line of its own (1:), ratings are not read; "
            "write the film into every row, below the header user,movie,rating,date."
        )
