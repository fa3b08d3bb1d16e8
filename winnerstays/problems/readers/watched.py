"""Columns of counts, flags and ids, of which all rows are looked at before the first is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.table import number_or_none
from winnerstays.problems.readers.vocabulary import words_of

ROW_NUMBERS = {("n",), ("num",)}
EARLIEST = 1e9
"""Seconds since 1970; nobody counts so many duels in one row."""
WEIGHTS, HEAVY = {"weight", "gewicht", "poids", "peso"}, (30, 400)
"""Words of counts that may also be kilograms or pounds, and how many."""
MANY = 6
"""Rows in which numbers that go up by one are hardly counts."""


@dataclass
class CountColumn:
    """A column that is called like a count: it may also number the rows, or be the sum of the wins beside."""

    name: str
    place: int
    wins: tuple[int | None, ...] = ()
    """The columns of wins, and of ties, beside it."""
    given: bool = False
    """Whether the user says that it counts."""
    rows: int = 0
    goes_up: bool = True
    first: float = 0.0
    step: float = 0.0
    """By how much it goes up in every row; 0 if not always by the same."""
    times_of_day: bool = True
    is_sum: bool = True
    before: float = 0.0
    line: int = 0
    """Where it is not the sum for the first time."""
    numbers: int = 0
    least: float = float("inf")
    most: float = 0.0

    def see(self, number: int, row: list[str]) -> None:
        """Take note of a row."""
        value = number_or_none(text_at(row, self.place))
        if value is None:
            self.goes_up, self.step, self.first, self.times_of_day = False, 0.0, float("nan"), False
            self.rows += 1
            return
        self.numbers += 1
        self.least, self.most = min(self.least, value), max(self.most, value)
        if self.rows == 0:
            self.first = value
        elif self.rows == 1:
            self.step = value - self.first
        elif value != self.before + self.step:
            self.step = 0.0
        self.goes_up &= value == self.before + 1 if self.rows else value in (0, 1)
        self.times_of_day &= value >= EARLIEST
        self.rows, self.before = self.rows + 1, value
        if self.wins and self.is_sum:
            won = sum(number_or_none(text_at(row, place)) or 0.0 for place in self.wins)
            self.is_sum = abs(won - value) <= 1e-9 * max(1.0, value)
            self.line = self.line if self.is_sum else number

    def decide(self, assumed: list[str]) -> bool:
        """Tell whether a row counts as often as this column says."""
        if not self.given and self.rows and not self.numbers:
            assumed.append(f"{self.name} holds no numbers and is not used")
            return False
        if not self.given and words_of(self.name)[0] in WEIGHTS and HEAVY[0] <= self.least <= self.most <= HEAVY[1]:
            raise WinnerstaysError(
                f"{self.name} may say how often a row counts, or how heavy somebody is; say it with columns (--columns "
                f"count={self.name}), or count= for neither."
            )
        if not self.given and self.goes_up and self.rows >= (2 if self.place == 0 else MANY):
            assumed.append(f"{self.name} numbers the rows and is not used (columns count={self.name} would count it)")
            return False
        if not self.given and self.rows and self.times_of_day and words_of(self.name) == ("times",):
            assumed.append(f"{self.name} holds times of day and is not used (columns count={self.name} would count it)")
            return False
        if not self.given and abs(self.step) == 1 and self.rows > 2 and words_of(self.name) in ROW_NUMBERS:
            if self.rows >= MANY or (self.place == 0 and self.step == 1):
                assumed.append(
                    f"{self.name} numbers the rows and is not used (columns count={self.name} would count it)"
                )
                return False
            if self.place == 0:
                raise WinnerstaysError(
                    f"{self.name} goes down by one in every row, and may number the rows or say how often each counts; "
                    f"say it with columns (--columns count={self.name}), or count= for none."
                )
        if not self.given and self.wins and self.is_sum:
            assumed.append(f"{self.name} is the sum of the wins and not used")
            return False
        if not self.given and self.wins:
            raise WinnerstaysError(
                f"how often each won is counted, and {self.name}, which is not their sum in line {self.line}, may say "
                f"how often a row counts; say so with columns (--columns count={self.name}), or count= for none."
            )
        assumed.append(f"each row counts {self.name} times")
        return True


@dataclass
class FlagColumn:
    """A column that says yes or no with 1 or 0; other numbers are no bad rows, but mean that it is something else."""

    name: str
    place: int
    role: str
    """`left_won`, or `tie`."""
    codes: set[str] = field(default_factory=set)

    def see(self, number: int, row: list[str]) -> None:
        """Take note of a row."""
        text = text_at(row, self.place)
        if number_or_none(text) not in (None, 0, 1):
            self.codes.add(text)

    def check(self) -> None:
        """Refuse numbers that cannot be yes or no."""
        if self.codes:
            what, other = "nobody", ""
            if self.role != "tie":
                what, other = (
                    "the first side",
                    f"if it says which side won, give it as winner (--columns winner={self.name}); ",
                )
            held = ", ".join(sorted(self.codes)[:5])
            raise WinnerstaysError(
                f"the column {self.name} holds {held}, where 0 or 1 would say whether {what} won; {other}--columns "
                f"{self.role}= leaves it aside."
            )


@dataclass
class IdColumns:
    """The ids beside the names of items: one name that has two of them may be two items."""

    places: Sequence[tuple[int, int]]
    """The column of the name, and that of the id, for both sides."""
    ids: dict[str, str] = field(default_factory=dict)
    several: dict[str, set[str]] = field(default_factory=dict)

    def see(self, number: int, row: list[str]) -> None:
        """Take note of a row."""
        for name, id_ in ((text_at(row, one), text_at(row, other)) for one, other in self.places):
            if name and id_ and self.ids.setdefault(name, id_) != id_:
                self.several.setdefault(name, {self.ids[name]}).add(id_)

    @property
    def note(self) -> str:
        """Say which names have several ids."""
        said = [f"{name!r} has the ids {', '.join(sorted(ids)[:3])}" for name, ids in list(self.several.items())[:3]]
        return f"{'; '.join(said)}: items of one name are taken for one" if said else ""
