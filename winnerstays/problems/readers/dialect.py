"""How a text file cuts its lines into cells: by commas, semicolons, tabs, bars, `::` or spaces."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from winnerstays.errors import WinnerstaysError

WIDE, SPACES = "  ", " "
"""At least two spaces, so that names may hold one; any number of spaces."""
DELIMITERS = ("\t", ";", "|", "::", ",", WIDE, SPACES)
"""In the order in which they are tried: what is rare within a cell comes first."""
COMMENTS = ("#", "%", "//")
RULER = re.compile(r"\+[-=+]+\+")
"""A line of a table that a database's shell has printed."""

Row = tuple[int, list[str]]
"""The line on which a row begins, and its cells."""


def split(lines: Iterable[str], delimiter: str, *, whole: bool = False) -> Iterator[Row]:
    """Yield the rows that are not blank, with the number of the line on which each begins, from 1.

    In a whole file a quote that is opened must be closed: else the rest of the file would be one cell.
    """
    if delimiter in (WIDE, SPACES, "::"):
        for number, line in enumerate(lines, start=1):
            text = line.strip().strip('"') if delimiter == "::" else line.strip()
            if text:
                cut = re.split(r"\s{2,}", text) if delimiter == WIDE else text.split(delimiter.strip() or None)
                yield number, [cell.strip().strip('"') for cell in cut]
        return
    before = begin = quotes = 0

    def counted() -> Iterator[str]:
        nonlocal quotes
        for line in lines:
            quotes += line.count('"')
            yield line

    rows = csv.reader(counted(), delimiter=delimiter, skipinitialspace=delimiter != "\t")
    for row in rows:
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield before + 1, cells
        begin, before = before, rows.line_num
        unclosed = before - begin > 1 and quotes % 2 == 1
        quotes = 0
    if whole and before and unclosed:
        raise WinnerstaysError(f'in line {begin + 1} a quote (") is opened that is never closed.')


def is_ruler(line: str) -> bool:
    """Tell a line that only draws a table."""
    return RULER.fullmatch(line.strip()) is not None


def unruled(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, with a blank one in place of each that only draws the table."""
    return ("\n" if is_ruler(line) else line for line in lines)


def title_lines(lines: list[str]) -> int:
    """Return how many lines stand before a table as its title: a blank line parts them, and only the rest is a table.

    >>> title_lines(["Taste of 2024", "", "winner,loser", "a,b", "b,c"]), title_lines(["winner,loser", "", "a,b"])
    (2, 0)
    """
    blank = next((number for number, line in enumerate(lines) if not line.strip()), 0)
    before = [line for line in lines[:blank] if line.strip()]
    wide = _regular(lines[blank + 1 :], DELIMITERS[:-2])
    if not before or wide is None:
        return 0
    widths = {len(cells) for _, cells in split(before, wide)}
    return 0 if widths & {len(cells) for _, cells in split(lines[blank + 1 :], wide)} else blank + 1


def sniff(lines: list[str]) -> str:
    """Return the delimiter that cuts these lines into equally many cells, at least two.

    >>> sniff(["winner;loser", "a, the first;b"]), sniff(["0.5 0.7", "0.3 0.5"])
    (';', ' ')
    """
    found = _regular(lines, DELIMITERS)
    if found is not None:
        return found
    header = lines[0] if lines else ""
    return max((",", ";", "\t", "|", SPACES), key=lambda delimiter: (header.count(delimiter), delimiter != SPACES))


def _regular(lines: list[str], delimiters: Sequence[str]) -> str | None:
    """Return the first of these delimiters that cuts nearly all lines into equally many cells; None if none does."""
    for delimiter in delimiters:
        widths = [len(cells) for _, cells in split(lines, delimiter)]
        if not widths:
            return ","
        width, often = Counter(widths[1:] or widths).most_common(1)[0]
        regular = often >= 0.8 * max(1, len(widths) - 1)
        if width >= 2 and regular and widths[0] in (width, width - 1) and widths[0] > 1:
            return delimiter
    return None


def preamble(lines: Iterable[str]) -> tuple[int, str, str | None]:
    """Return how many lines stand before the table, the last comment among them, and a delimiter that they declare.

    >>> preamble(["# made by hand", "", "sep=;", "a;b"])
    (3, 'made by hand', ';')
    """
    count, comment, declared = 0, "", None
    for line in lines:
        text = line.strip()
        if match := re.fullmatch(r'"?sep=(.)"?', text):
            declared = match[1]
        elif text.startswith(COMMENTS) and not re.match(r"#\s*[,;\t|]", text):
            comment = text.lstrip("#%/").strip()
        elif text and not is_ruler(text):
            break
        count += 1
    return count, comment, declared


def is_comment(cells: list[str], width: int) -> bool:
    """Tell a comment between the rows: it begins with `# `, or with `#` and does not fit the table."""
    return cells[0].startswith("#") and (cells[0].startswith("# ") or len(cells) != width)
