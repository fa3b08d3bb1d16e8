"""Rows in which more than two meet: items with their ranks or scores beside, or the best and the worst of those shown.

- `model_1, rank_1, model_2, rank_2, model_3, rank_3`: a ranking in each row; so with scores, the higher first;
- `item1, item2, item3, item4, best, worst`: the best beats all others that were shown, and these beat the worst.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.order_tables import in_order, ranked
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import RANKS, RATINGS, SCORES, words_of
from winnerstays.problems.readers.voting import Groups, Rankings

FEWEST = 3
GRADES = RANKS | SCORES | RATINGS
SAMPLE = 300
BEST, WORST = {("best",), ("most",)}, {("worst",), ("least",)}


def numbered_orders(table: Table) -> Rankings | None:
    """Return the rankings of rows that hold three or more items, each with a rank or a score; None if it has none."""
    contents = Contents(table)
    words = [words_of(name) for name in table.header]
    numbers = {word for some in words for word in some if word.isdecimal()}
    sides: list[tuple[int, int]] = []
    called: set[str] = set()
    for number in sorted(numbers, key=int):
        own = [k for k, some in enumerate(words) if some.count(number) == 1]
        grades = [k for k in own if k in contents.numbers and GRADES.intersection(words[k])]
        items = [k for k in own if k not in contents.numbers]
        if len(grades) == len(items) == 1:
            sides.append((items[0], grades[0]))
            called.update(GRADES.intersection(words[grades[0]]))
    by_rank = called <= RANKS
    if len(sides) < FEWEST or not (by_rank or called <= SCORES | RATINGS):
        return None

    def read(row: list[str]) -> Groups:
        graded = ((text_at(row, item), number_or_none(text_at(row, grade))) for item, grade in sides)
        return in_order({name: grade if by_rank else -grade for name, grade in graded if name and grade is not None})

    end = "1 is the best place" if by_rank else "the higher number wins"
    shown = ", ".join(f"{table.header[item]} by {table.header[grade]}" for item, grade in sides)
    return ranked(table, read, {place for side in sides for place in side}, f"{end} ({shown})")


def best_and_worst(table: Table) -> Table | None:
    """Return the duels of rows that say which of the items shown is the best and which the worst; None if none do."""
    words = [words_of(name) for name in table.header]
    best, worst = ([k for k, some in enumerate(words) if some in wanted] for wanted in (BEST, WORST))
    if len(best) != 1 or len(worst) != 1:
        return None
    rows = [row for _, row in islice(table.rows(), SAMPLE)]
    named = {text_at(row, k) for row in rows for k in (best[0], worst[0])} - {""}
    others = [k for k in range(len(words)) if k not in (best[0], worst[0])]
    shown = [k for k in others if any(text_at(row, k) in named for row in rows)]
    fits = all(
        {text_at(row, best[0]), text_at(row, worst[0])} <= {"", *(text_at(row, k) for k in shown)} for row in rows
    )
    if len(shown) < FEWEST or not fits:
        return None

    def duels() -> Iterator[Row]:
        for number, row in table.rows():
            top, last = text_at(row, best[0]), text_at(row, worst[0])
            there = [name for k in shown if (name := text_at(row, k))]
            yield from ((number, [top, name]) for name in there if top and name != top)
            yield from ((number, [name, last]) for name in there if last and name not in (top, last))

    names = ", ".join(table.header[k] for k in shown)
    said = f"of {names} the {table.header[best[0]]} beats all, and all beat the {table.header[worst[0]]}"
    note = "; ".join(filter(None, [said, table.note]))
    return replace(table, header=["winner", "loser"], rows=duels, remarks={}, note=note)
