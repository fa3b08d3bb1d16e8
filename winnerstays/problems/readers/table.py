"""What all doors for data share: errors that name the file, and tables that are read row by row."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from winnerstays.errors import WinnerstaysError

LONGEST_CELL = 10_000_000
MOST_ITEMS = 5_000
"""Items up to which preferences are estimated pair by pair (200 MB a table)."""

Row = tuple[int, list[str]]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever goes wrong inside becomes one sentence that begins with the file."""
    longest = csv.field_size_limit(LONGEST_CELL)
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
    """The rows of a CSV file that are not blank, each with its line number, without reading all of it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        for row in rows:
            cells = list(map(str.strip, row))
            if any(cells):
                yield rows.line_num, cells


def header_of(path: Path) -> list[str]:
    """The first row of a CSV file, in lower case."""
    _, header = next(rows_of(path), (0, []))
    if not header:
        raise WinnerstaysError("the file is empty.")
    return [cell.lower() for cell in header]


def column(header: Sequence[str], *names: str) -> int | None:
    """Where the first of these names that is there stands."""
    return next((header.index(name) for name in names if name in header), None)


def check_items(number: int, *, least: int = 2) -> None:
    if not least <= number <= MOST_ITEMS:
        raise WinnerstaysError(f"there are {number} items to compare; it must be {least} to {MOST_ITEMS}.")
