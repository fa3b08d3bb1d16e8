"""What to say of a table that is none of duels, rankings, ratings or a matrix by its header: which options may help."""

from itertools import islice

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.likely_ratings import rated_way
from winnerstays.problems.readers.survey import has_judges, item_columns
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.undecided import option
from winnerstays.problems.readers.vocabulary import words_of
from winnerstays.wording import listed

PAIR_NAMES = {
    ((one,), (other,))
    for one, other in (
        ("i", "j"), ("row", "col"), ("row", "column"), ("rows", "columns"), ("from", "to"),
        ("source", "target"),
    )
}  # fmt: skip
"""What the columns of two items are called where each pair has a row."""
PAIRS = 300
SHOWN = 8
MOST = 100
"""No grade is higher."""


def unknown_columns(table: Table) -> WinnerstaysError:
    """The error for a table that is neither a matrix nor, by its header, a table of duels, rankings or ratings."""
    named = listed([*map(repr, table.header)], SHOWN)
    counts = [k for k, cell in enumerate(table.header, start=1) if number_or_none(cell) is not None]
    count = f",count={counts[0]}" if len(counts) == 1 and counts[0] > 2 else ""
    start = "the columns are" if table.named else "the first row is"
    opening = (
        f"{start} {named}, of which no column is known as a winner and a loser, or as two items and who of them won"
    )
    totals = totals_of(table)
    if totals:
        return WinnerstaysError(f"{opening}; {totals} of each item do not say whom it met, and hold no duels.")
    rated = rated_way(table)
    survey = (
        " Where each column is an item, say --cells ranks (1 is the best) or --cells ratings (the higher, the better; "
        "cells= in Python); "
        "ranks-of-rows or ratings-of-rows where each row is one."
        if (len(item_columns(table)) > 1 or has_judges(table)) and not rated
        else ""
    )
    return WinnerstaysError(
        f"{opening}; say which is which: --columns {_proposed(table)}winner=NAME,loser=NAME (columns= in Python), or "
        f"winner=1,loser=2{count} where the first row is a duel, too.{rated} Rankings are read as a>b>c or from "
        f"columns 1st, 2nd, 3rd; a matrix has as many rows as columns.{survey}"
    )


def _on_one_scale(table: Table) -> bool:
    """Tell whether several columns may hold the grades of items: small numbers, of which some are in each."""
    contents = Contents(table)
    grades = [{number_or_none(value) for value in contents.values(place)} for place in item_columns(table)]
    known = [{number for number in some if number is not None} for some in grades]
    return len(known) > 1 and all(some and max(some) <= MOST for some in known) and bool(set.intersection(*known))


def totals_of(table: Table) -> str:
    """Return what the columns of wins and losses in all are called; nothing if there are none."""
    words = {word for name in table.header for word in words_of(name)}
    found = [some for some in (("wins", "losses"), ("won", "lost"), ("w", "l")) if words.issuperset(some)]
    return " and ".join(found[0]) if found else ""


def pair_list(table: Table) -> bool:
    """Tell a table of two items and a number of times: `i,j,n_ij`, `row,col,value`."""
    names = tuple(words_of(name) for name in table.header[:2])
    if len(table.header) != 3 or names not in PAIR_NAMES or words_of(table.header[2]) == ("k",):
        return False
    return 2 in Contents(table).numbers


def _proposed(table: Table) -> str:
    """Return what a list of pairs with numbers would mean, as an option; nothing if there is no such list."""
    if pair_list(table):
        first, second, third = table.header
        counts = [number_or_none(row[2]) for _, row in islice(table.rows(), PAIRS) if len(row) > 2]
        whole = all(number is None or (number >= 0 and number.is_integer()) for number in counts)
        given = option({"winner": first, "loser": second, "count": third})
        return f"{given} if {third} is how often {first} beat {second}, else " if whole else ""
    return ""
