"""Tables on a screen of any width: words wrap, numbers never do."""

import re

from rich.cells import cell_len
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from winnerstays.cli.app import out, printable

NUMBERS = re.compile(r"(?:[-+±.,:%/()\d\s∞]|e[-+]\d|\bto\b|\bof\b|\binf\b|\bnan\b)*[kMGT]?")
MAX_WORD = 20
"""Words up to this length are not broken."""


def print_table(table: Table) -> None:
    """Print a table. Where the screen is narrow words wrap, then headers; then lines are too long, and no digit is cut.

    Columns of which every cell is a number (an interval, a time) are numbers.
    """
    headers = [_plain(column.header) for column in table.columns]
    cells = [[_plain(cell) for cell in column.cells] for column in table.columns]
    widths = [max(map(_width, [header, *texts])) for header, texts in zip(headers, cells, strict=True)]
    frame = Measurement.get(out, out.options.update(width=10_000), table).maximum - sum(widths)
    excess = sum(widths) + frame - out.width
    numbers = [any(texts) and all(map(NUMBERS.fullmatch, texts)) for texts in cells]
    least = [_least(*column) for column in zip(headers, cells, numbers, strict=True)]
    for kind in (False, True):
        shrinks = [k for k, number in enumerate(numbers) if number is kind]
        while excess > 0 and (room := [(widths[k], k) for k in shrinks if widths[k] > least[k]]):
            widths[max(room)[1]] -= 1
            excess -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width, column.no_wrap, column.overflow = width, False, "fold"
    table.width = sum(widths) + frame
    out.print(table, crop=False)


def _plain(cell: object) -> str:
    return cell.plain if isinstance(cell, Text) else printable(str(cell))


def _width(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def _least(header: str, texts: list[str], number: bool) -> int:
    """Return the width below which a header's words, a number, or a word that is not very long would be broken."""
    words = (min(cell_len(word), MAX_WORD) for text in texts for word in text.split())
    return max([*map(cell_len, header.split()), *(map(_width, texts) if number else words)], default=0)
