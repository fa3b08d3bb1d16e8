"""What the first rows of a table say of its columns: which hold numbers, the same names, scores, or a winner."""

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, islice

from winnerstays.problems.readers.rows import NO, YES, text_at
from winnerstays.problems.readers.scores import score_of
from winnerstays.problems.readers.table import SAMPLE_LINES, Table, number_or_none

ROWS = 2000
"""Rows that are looked at for names, which come back later than numbers do."""
NEARLY = 0.8
SELDOM = 0.05
SHARED = 0.3
"""The least part of the names of one column that another has, too, if both name the same items."""


class Contents:
    """The cells of the first rows; of no table nothing is known."""

    def __init__(self, table: Table | None = None) -> None:
        self.table = table
        self._values: dict[int, frozenset[str]] = {}

    @cached_property
    def rows(self) -> list[list[str]]:
        """The first rows."""
        return [] if self.table is None else [row for _, row in islice(self.table.rows(), ROWS)]

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The columns that hold numbers alone."""
        texts: set[int] = set()
        numbers: set[int] = set()
        for row in self.rows[:SAMPLE_LINES]:
            for place, cell in enumerate(row):
                if cell and place not in texts:
                    (texts if number_or_none(cell) is None else numbers).add(place)
        return frozenset(numbers - texts)

    def holds_yes_or_no(self, place: int) -> bool:
        """Tell a column of flags."""
        return {value.lower() for value in self.values(place)} <= YES | NO

    def values(self, place: int) -> frozenset[str]:
        """Return what stands in a column."""
        if place not in self._values:
            self._values[place] = frozenset(text for row in self.rows if (text := text_at(row, place)))
        return self._values[place]

    def are_equal(self, one: int, other: int) -> bool:
        """Tell whether two columns are the same in every row."""
        return bool(self.rows) and all(text_at(row, one) == text_at(row, other) for row in self.rows)

    def are_often_equal(self, one: int, other: int) -> bool:
        """Tell two columns that say the same in more rows than items would meet themselves."""
        met = [(text_at(row, one), text_at(row, other)) for row in self.rows]
        met = [pair for pair in met if all(pair)]
        return sum(first == second for first, second in met) > SELDOM * len(met)

    def pairs_one_to_one(self, *columns: tuple[int, int]) -> int:
        """Return how many pairs two columns hold, or several such, if each cell goes with one other; 0 if not."""
        cells = ((text_at(row, one), text_at(row, other)) for row in self.rows for one, other in columns)
        met = {pair for pair in cells if all(pair)}
        return len(met) if len({one for one, _ in met}) == len({other for _, other in met}) == len(met) else 0

    def share_of_names(self, *places: int) -> float:
        """Return how many different names there are in columns, for each cell that has one."""
        cells = [text for row in self.rows for place in places if (text := text_at(row, place))]
        return len({*cells}) / len(cells) if cells else 1.0

    def is_never_more(self, one: int, other: int) -> bool:
        """Tell whether the numbers of a column are nowhere more than those of another."""
        numbers = [[number_or_none(text_at(row, place)) for place in (one, other)] for row in self.rows]
        return all(a is not None and b is not None and 0 <= a <= b for a, b in numbers)

    def holds_shares(self, place: int) -> bool:
        """Tell a column of shares of 1: some are fractions, and none is more than 1."""
        numbers = [number for value in self.values(place) if (number := number_or_none(value)) is not None]
        return any(0 < number < 1 for number in numbers) and all(0 <= number <= 1 for number in numbers)

    def holds_scores(self, place: int) -> bool:
        """Tell a column whose cells are scores such as 2-1."""
        cells = [text for row in self.rows if (text := text_at(row, place))]
        return bool(cells) and sum(score_of(text) is not None for text in cells) >= NEARLY * len(cells)

    def names_one_of(self, place: int, first: int, second: int) -> bool:
        """Tell a column whose cells name one of the two items of their row, now one and now the other."""
        found = [(text, row) for row in self.rows if (text := text_at(row, place))]
        which = [
            text == text_at(row, first) for text, row in found if text in (text_at(row, first), text_at(row, second))
        ]
        return len(which) >= NEARLY * len(found) and len({*which}) == 2

    def meetings(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of columns that hold the same names, but never in one row."""
        width = len(self.table.header) if self.table is not None else 0
        texts = [place for place in range(width) if place not in self.numbers]
        values = {place: self.values(place) for place in texts}
        names = [place for place in texts if len(values[place]) > 1 and not self.holds_yes_or_no(place)]
        for one, other in combinations(names, 2):
            few = min(len(values[one]), len(values[other]))
            shared = len(values[one] & values[other]) >= max(1, SHARED * few)
            if shared and not self.are_often_equal(one, other):
                yield one, other
