"""Cells of text files: digits in groups, decimals behind a comma, and what programs write around texts."""

import re

from winnerstays.problems.readers.cells import composed
from winnerstays.problems.readers.dialect import split
from winnerstays.problems.readers.opening import Source

GROUPS_OF_THREE = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
SPACED = re.compile(r"[1-9]\d{0,2}([ '\u2019\xa0\u202f]\d{3})+([.,]\d+)?|[1-9]\d{0,2}(\.\d{3}){2,}")
"""Digits in groups that a space, an apostrophe or several points part."""
DECIMAL_COMMA = re.compile(r"-?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d+)")
"""A comma that cannot stand between thousands."""
THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d+)?|,\d{3}\.\d+)")
"""Commas that can stand nowhere else."""
NULL = r"\N"
"""Nothing, as databases write it."""
FORMULA = re.compile(r'="(.*)"')
"""Text as spreadsheet programs guard it."""


def decimal_commas(source: Source, delimiter: str) -> frozenset[int]:
    """Return the columns where commas stand before decimals, though they also part the cells.

    A file has one way to write numbers: where a comma stands before decimals for sure, it does so in every column,
    unless some number has commas between thousands for sure. Then each column is looked at by itself.
    """
    if delimiter != ",":
        return frozenset()
    quoted = re.compile(f'"{DECIMAL_COMMA.pattern}"')
    with source.text() as file:
        if not any('"' in line and quoted.search(line) for line in file):
            return frozenset()
    with source.text() as file:
        places: dict[re.Pattern[str], set[int]] = {DECIMAL_COMMA: set(), THOUSANDS: set(), GROUPS_OF_THREE: set()}
        commas = ((k, cell) for _, row in split(file, delimiter) for k, cell in enumerate(row) if "," in cell)
        for k, cell in commas:
            for pattern, found in places.items():
                if pattern.fullmatch(cell):
                    found.add(k)
    either = set() if places[THOUSANDS] else places[GROUPS_OF_THREE]
    return frozenset(places[DECIMAL_COMMA] | either)


def clean(cell: str, grouped: bool, decimal: bool) -> str:
    """Return a cell with its letters composed and its digits in no groups.

    Commas within numbers group digits where they also stand between the cells (`grouped`), but not in a column where
    some of them stand before decimals.
    """
    if cell[:1].isalpha():
        return composed(cell)
    if cell.isdigit():
        return cell
    if cell == NULL:
        return ""
    if cell.startswith("=") and (formula := FORMULA.fullmatch(cell)):
        return formula[1].strip()
    if decimal and GROUPS_OF_THREE.fullmatch(cell) and cell.count(",") == 1 and "." not in cell:
        return cell.replace(",", ".")
    if grouped:
        cell = ungrouped(cell)
    return re.sub(r"[ '.\u2019\xa0\u202f](?=\d{3})", "", cell) if SPACED.fullmatch(cell) else composed(cell)


def ungrouped(cell: str) -> str:
    """Return a cell of a table with commas between its cells: there a comma within a number groups digits.

    >>> ungrouped("1,200"), ungrouped("0,125"), ungrouped("ramen, hot")
    ('1200', '0,125', 'ramen, hot')
    """
    return cell.replace(",", "") if GROUPS_OF_THREE.fullmatch(cell) else cell
