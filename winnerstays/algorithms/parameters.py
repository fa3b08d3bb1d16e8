"""Parameters of algorithms: what kind of value each takes, its default, its limits, and the check of what was given."""

import math
from dataclasses import dataclass

from winnerstays.errors import WinnerstaysError

Value = float | int | str

SMALLEST, LARGEST = 1e-100, 1e12
"""Sizes of real parameters, other than 0, with which formulas stay within what 64 bits hold."""


@dataclass(frozen=True)
class Number:
    """A real parameter with its default and its limits: `above` and `below` are excluded, `minimum` is allowed.

    `default=None` means that a value must be given.
    """

    default: float | None
    meaning: str
    above: float = -math.inf
    below: float = math.inf
    minimum: float = -math.inf

    def check(self, owner: str, name: str, value: object) -> float:
        """Return the value as a float, or raise an error that names the limits."""
        number = _as_float(value)
        if not (self.above < number < self.below and number >= self.minimum and math.isfinite(number)):
            raise WinnerstaysError(f"{owner}: {name} is {value}, but it must be {self.describe()}.")
        if number and not SMALLEST <= abs(number) <= LARGEST:
            raise WinnerstaysError(f"{owner}: {name} is {value}, but its size must be {SMALLEST:g} to {LARGEST:g}.")
        return number

    def describe(self) -> str:
        """Return the limits in words."""
        limits = {"above": self.above, "at least": self.minimum, "below": self.below}
        said = " and ".join(f"{word} {limit:g}" for word, limit in limits.items() if math.isfinite(limit))
        return f"a finite number {said}".strip()


@dataclass(frozen=True)
class Whole:
    """An integer parameter with its default, its smallest and its largest allowed value."""

    default: int
    meaning: str
    minimum: int = 1
    maximum: int = 2**31

    def check(self, owner: str, name: str, value: object) -> int:
        """Return the value as an int, or raise an error that names the limits."""
        number = _as_float(value)
        if not (self.minimum <= number <= self.maximum and number == int(number)):
            raise WinnerstaysError(f"{owner}: {name} is {value}, but it must be {self.describe()}.")
        return int(number)

    def describe(self) -> str:
        """Return the limits in words."""
        return f"a whole number from {self.minimum} to {self.maximum}"


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; the first is the default."""

    options: tuple[str, ...]
    meaning: str

    def __post_init__(self) -> None:
        words = self.options
        if isinstance(words, str) or not words or not all(isinstance(word, str) for word in words):
            raise WinnerstaysError(f"The words of a Choice are {words!r}, but they must be texts, as ('low', 'high').")

    @property
    def default(self) -> str:
        return self.options[0]

    def check(self, owner: str, name: str, value: object) -> str:
        """Return the word, or raise an error that names those allowed."""
        if value not in self.options:
            raise WinnerstaysError(f"{owner}: {name} is {value!r}, but it must be {self.describe()}.")
        return str(value)

    def describe(self) -> str:
        """Return the words that are allowed."""
        return "one of " + ", ".join(self.options)


Parameter = Number | Whole | Choice


def _as_float(value: object) -> float:
    """Return the value as a float, and nan where it is no number: no limit allows that."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan
