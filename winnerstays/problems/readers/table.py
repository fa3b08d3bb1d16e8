"""What all readers share: errors that name the file, and tables that are read row by row."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from winnerstays.errors import WinnerstaysError

MAX_CELL = 10_000_000
MAX_ITEMS = 5_000
"""Items up to which preferences are estimated pair by pair (200 MB a table)."""

Row = tuple[int, list[str]]


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence that begins with the file."""
    longest = csv.field_size_limit(MAX_CELL)
    try:
        yield
    except WinnerstaysError as error:
        raise WinnerstaysError(f"{path}: {error}") from None
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror}).") from None
    except (ValueError, EOFError, BadZipFile, KeyError, TypeError, csv.Error, RecursionError) as error:
        raise WinnerstaysError(
            f"{path}: the file is damaged or not what its name says ({error or type(error).__name__})."
        ) from None
    finally:
        csv.field_size_limit(longest)


def rows_of(path: Path) -> Iterator[Row]:
    """Yield the rows of a CSV file that are not blank, each with its line number."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        for row in rows:
            cells = list(map(str.strip, row))
            if any(cells):
                yield rows.line_num, cells


def header_of(path: Path) -> list[str]:
    """Return the first row of a CSV file, in lower case."""
    _, header = next(rows_of(path), (0, []))
    if not header:
        raise WinnerstaysError("the file is empty.")
    return [cell.lower() for cell in header]


def column(header: Sequence[str], *names: str) -> int | None:
    """Return the place of the first of these names that the header has."""
    return next((header.index(name) for name in names if name in header), None)


def check_items(number: int) -> None:
    """Refuse fewer than two items, and more than a table of pairs can hold."""
    if not 2 <= number <= MAX_ITEMS:
        raise WinnerstaysError(f"there are {number} items to compare; it must be 2 to {MAX_ITEMS}.")
