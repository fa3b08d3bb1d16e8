"""Is learning worth it? People whose pairs the learner chooses, compared with the control group.

What is compared are people, because people were drawn: each counts once, by the share of their duels that had their
favourite on the screen, were answered, were passed over. A person's favourite is the item that this person chose most
often by now. Each arm's mean has an interval that holds at all times with (1 + level) / 2, so both do with `level`, and
with them their difference (`intervals.anytime`).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.holdout import LEARNER, MEASURES, SCALE
from winnerstays.arena.history import totals
from winnerstays.arena.stores.base import Reader
from winnerstays.arena.stores.totals import Key
from winnerstays.intervals import anytime

WORDS = {
    "favourite": ("The favourite was on the screen", "duels with the favourite on the screen"),
    "answered": ("Duels were answered (a choice or a tie)", "duels with a choice or a tie"),
    "passed": ("Duels were passed over", "duels passed over (skip, none of the two)"),
}


@dataclass(frozen=True)
class Mean:
    """A mean over people, with its interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """One measure in both arms: `favourite`, `answered` or `passed`. The difference is learner minus control."""

    measure: str
    learner: Mean
    control: Mean
    difference: float
    low: float
    high: float

    @property
    def told_apart(self) -> bool:
        """Whether the interval of the difference leaves 0 out."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        shares = (
            f"{WORDS[self.measure][0]} in {self.learner.share:.1%}, in the control group in {self.control.share:.1%}"
        )
        points = f"{100 * self.difference:+.1f} points ({100 * self.low:+.1f} to {100 * self.high:+.1f})"
        return f"{shares}: {points}" + ("." if self.told_apart else "; that may be chance.")


@dataclass(frozen=True)
class Group:
    """How many people an arm has, and how many duels they were served; where nobody is remembered, each duel is one."""

    people: int
    duels: int


@dataclass(frozen=True)
class Uplift:
    """What learning changed, as far as the data tell, at a confidence `level` that holds however often one looks."""

    arena: str
    holdout: float
    """The share of people in the control group, as it is set now."""
    unit: str
    """What counts for one: a `person`; in an arena for everyone, which remembers nobody, a `duel`."""
    level: float
    learner: Group
    control: Group
    comparisons: tuple[Comparison, ...]

    def __getitem__(self, measure: str) -> Comparison:
        return next(one for one in self.comparisons if one.measure == measure)

    def __str__(self) -> str:
        units = "people" if self.unit == "person" else "duels"
        if not self.control.people or not self.learner.people:
            found = f"{self.control.people} {units} in the control group"
            return f"Nothing to compare yet: {found}, and holdout is {self.holdout:g}."
        head = f"{self.learner.people} {units} with what was learned, {self.control.people} in the control group:"
        return "\n".join([head, *map(str, self.comparisons)])


def uplift(reader: Reader, arena: ArenaRuntime, best: int | None, level: float) -> Uplift:
    """Compare the people of an arena with its control group; `best` is the favourite where all have one learner."""
    sums = totals.read(reader, arena.id, "arm")
    shown = Counter[Key]() if best is None else totals.read(reader, arena.id, "shown", best)
    groups = by_group({(int(key.label), key.first): count for key, count in sums.items()})
    screens = by_group({(int(key.label), 0): count for key, count in shown.items() if key.first == best})
    learner, control = (
        Sums.of(group, None if best is None else screen.get(0, 0))
        for group, screen in zip(groups, screens, strict=True)
    )
    unit = "duel" if arena.shared else "person"
    return compare(arena.name, arena.holdout, unit, learner, control, level)


class Sums(NamedTuple):
    """The sums of one arm (`Visit.sums`)."""

    people: int = 0
    duels: int = 0
    shares: tuple[tuple[float, float], ...] = ((0.0, 0.0),) * len(MEASURES)
    """Of each measure: the sum of the shares, and of their squares."""

    @classmethod
    def of(cls, sums: Mapping[int, int], shown: int | None) -> "Sums":
        """Return the sums given by their places; `shown` stands for the favourite where each duel counts for one."""
        shares = [(sums.get(2 + 2 * k, 0) / SCALE, sums.get(3 + 2 * k, 0) / SCALE) for k in range(len(MEASURES))]
        if shown is not None:
            shares[0] = (shown, shown)
        return cls(sums.get(0, 0), sums.get(1, 0), tuple(shares))

    def mean(self, measure: int, level: float) -> Mean:
        total, squares = self.shares[measure]
        return Mean(total / self.people if self.people else 0.0, *anytime(self.people, total, squares, level))


def by_group(found: Mapping[tuple[int, int], int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return {place: sum} of the learner's people and of the control group, given {(arm, place): sum}."""
    learner: dict[int, int] = {}
    control: dict[int, int] = {}
    for (arm, place), count in found.items():
        group = learner if arm == LEARNER else control
        group[place] = group.get(place, 0) + count
    return learner, control


def compare(arena: str, holdout: float, unit: str, learner: Sums, control: Sums, level: float) -> Uplift:
    """Compare two arms."""
    each = (1 + level) / 2
    comparisons = []
    for place, measure in enumerate(MEASURES):
        one, other = learner.mean(place, each), control.mean(place, each)
        difference = one.share - other.share if learner.people and control.people else 0.0
        comparisons.append(Comparison(measure, one, other, difference, one.low - other.high, one.high - other.low))
    groups = Group(learner.people, learner.duels), Group(control.people, control.duels)
    return Uplift(arena, holdout, unit, level, *groups, tuple(comparisons))
