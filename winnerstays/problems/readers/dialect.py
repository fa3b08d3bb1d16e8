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
RULER = re.compile(r"[\s|+:\u2500-\u257f]*(?:[-=\u2500-\u257f]{3,}[\s|+:]*)+|\x1a")
"""A line that only draws the table that a database's shell has printed, and the mark of the end in old files."""
FOOTER = re.compile(r"\(?\d+ rows?\)?(?: (?:in set|affected|selected|returned)\b.*)?\.?", re.IGNORECASE)
"""What a database's shell prints below a table."""
BARS = str.maketrans({"\u2502": "|", "\u2503": "|", "\u2551": "|"})
"""Bars that are drawn as lines."""
FORMULA = re.compile(r'="(.*)"')
"""A text as spreadsheet programs are told not to take it for a number."""

MOST_TITLES = 8
WORDS = re.compile(r"[^\W\d_]{2}")

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
    guarded = False

    def counted() -> Iterator[str]:
        nonlocal quotes, guarded
        for line in lines:
            if '"' in line:
                quotes += line.count('"')
                guarded = guarded or '="' in line
            yield line

    rows = csv.reader(counted(), delimiter=delimiter, skipinitialspace=delimiter != "\t")
    for row in rows:
        cells = [cell.strip() for cell in row]
        if any(cells):
            if guarded:
                cells = [FORMULA.sub(r"\1", cell) for cell in cells]
            yield before + 1, cells
        begin, before = before, rows.line_num
        unclosed = before - begin > 1 and quotes % 2 == 1
        quotes = 0
    if whole and before and unclosed:
        raise WinnerstaysError(f'in line {begin + 1} a quote (") is opened that is never closed.')


def is_ruler(line: str) -> bool:
    """Tell a line that only draws a table, or ends it."""
    text = line.strip()
    return RULER.fullmatch(text) is not None or FOOTER.fullmatch(text) is not None


def unruled(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, with a blank one in place of each that only draws the table."""
    for line in lines:
        if line.isascii():
            yield line if line[:1].isalpha() or not is_ruler(line) else "\n"
        else:
            yield "\n" if is_ruler(line) else line.translate(BARS)


def title_lines(lines: list[str]) -> int:
    """Return how many lines stand before a table as its title.

    A blank line parts them from the table and they are cut otherwise, or each of them has words in one cell alone.

    >>> title_lines(["Taste of 2024", "", "winner,loser", "a,b", "b,c"]), title_lines(["winner,loser", "", "a,b"])
    (2, 0)
    >>> title_lines(["League 2023,,", ",,", "home,away,score", "a,b,2-1"]), title_lines(["0.5,,", "0.3,0.5,"])
    (2, 0)
    """
    blank = next((number for number, line in enumerate(lines) if not line.strip()), 0)
    before = [line for line in lines[:blank] if line.strip()]
    after = [line for line in lines[blank + 1 :] if line.strip()]
    wide = _regular(after, DELIMITERS[:-2]) if len(after) >= max(2, len(before)) else None
    if before and wide is not None:
        widths = {len(cells) for _, cells in split(before, wide)}
        if not widths & {len(cells) for _, cells in split(after, wide)}:
            return blank + 1
    return _lone_cells(lines)


def _lone_cells(lines: list[str]) -> int:
    """Return how many lines before a table hold words in one cell alone, or nothing."""
    whole = _regular(lines, DELIMITERS[:-2])
    if whole is not None and sum(bool(cell) for cell in next(split(lines, whole), (0, []))[1]) > 1:
        return 0  # the first line is cut like all others, though some cells hold other delimiters
    for count in range(1, min(MOST_TITLES, len(lines) - 2) + 1):
        mark = _regular(lines[count:], DELIMITERS[:-2])
        if mark is None:
            continue
        cells = [[cell for cell in row if cell] for _, row in split(lines[:count], mark)]
        lone = cells and all(len(row) == 1 and WORDS.search(row[0]) for row in cells)
        header = next((row for _, row in split(lines[count : count + 1], mark)), [])
        if lone and len([cell for cell in header if cell]) > 1:
            return count
    return 0


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


def comments_that_fit(lines: Iterable[str], delimiter: str, width: int) -> int:
    """Count the comments that would be rows of the table, were it not for `# `."""
    return sum(len(cells) == width > 1 for _, cells in split((line for line in lines if line[:2] == "# "), delimiter))
