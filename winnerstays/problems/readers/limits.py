"""Limits for reading a file. The defaults are generous; a service sets its own."""

import math
from dataclasses import dataclass

from winnerstays.errors import WinnerstaysError

WORDS = {"line": "bytes in one line", "whole": "bytes to be held at once", "ranked": "items in one ranking"}


@dataclass(frozen=True)
class Limits:
    """Bounds that are checked before memory of that size is used.

    >>> Limits(rows=1000).check("rows", 2000)
    Traceback (most recent call last):
    winnerstays.errors.WinnerstaysError: there are at least 2000 rows, but at most 1000 are read.
    """

    bytes: int = 1 << 40  # after decompression
    whole: int = 1 << 31  # bytes of a JSON document, a NumPy file, or a gzipped Parquet file
    line: int = 1 << 26
    rows: int = 1 << 33
    items: int = 1_000_000
    ranked: int = 10_000
    seconds: float = math.inf

    def check(self, what: str, number: int) -> None:
        """Raise an error if a number is above its limit."""
        if number > (most := getattr(self, what)):
            raise WinnerstaysError(f"there are at least {number} {WORDS.get(what, what)}, but at most {most} are read.")


LOCAL = Limits()
