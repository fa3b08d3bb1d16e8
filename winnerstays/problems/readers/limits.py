"""What reading a file may cost at most. The defaults are generous; a service sets its own."""

import math
from dataclasses import dataclass

from winnerstays.errors import WinnerstaysError


@dataclass(frozen=True)
class Limits:
    """Bounds that are checked before memory of that size is used.

    >>> Limits(rows=1000).check("rows", 2000)
    Traceback (most recent call last):
    winnerstays.errors.WinnerstaysError: there are 2000 rows or more, but at most 1000 are read.
    """

    bytes: int = 1 << 40
    """Of a file that is read row by row, after decompression."""
    whole: int = 1 << 31
    """Bytes of what is held in memory at once: a JSON document, a NumPy array, a compressed Parquet file."""
    line: int = 1 << 26
    """Bytes of a line, and characters of a cell."""
    rows: int = 1 << 33
    items: int = 1_000_000
    ranked: int = 10_000
    """Items in one ranking, which decides each pair of them."""
    seconds: float = math.inf

    def check(self, what: str, number: int) -> None:
        """Refuse more of something than is read."""
        most = getattr(self, what)
        if number > most:
            words = {"line": "characters in one line", "whole": "bytes", "ranked": "items in one ranking"}
            raise WinnerstaysError(f"there are {number} {words.get(what, what)} or more, but at most {most} are read.")


LOCAL = Limits()
