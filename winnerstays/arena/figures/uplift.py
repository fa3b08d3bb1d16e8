"""Is learning worth it? People whose pairs the learner chooses, compared with the control group.

What is compared was not made by the learner: which item wins a probe (engine/holdout.py), whether people answer, and
what the site rewards. What is compared are people, because people were drawn: each counts once, by a share or a sum.
The mean of each group has an interval that holds at all times with (1 + level) / 2, so both do with `level`, and with
them their difference (`intervals.anytime`).
"""

import math
from collections import Counter
from dataclasses import dataclass

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.holdout import FIXED, LEARNER, REWARD_SCALE, SCALE, Sums
from winnerstays.arena.history import totals
from winnerstays.arena.stores.base import Reader
from winnerstays.intervals import anytime

WORDS = {
    "chosen": ("The recommended item was chosen", "choices of the recommended item over a random one"),
    "answered": ("Duels were answered (a choice or a tie)", "duels with a choice or a tie"),
    "passed": ("Duels were passed over", "duels passed over (skip, none of the two)"),
    "converted": ("People were rewarded", "people with a reward"),
    "reward": ("Reward per person", "reward per person"),
}
MEANINGS = {
    "chosen": "How often a person chooses the item that would be recommended to them over a random one; ties and skips "
    "are left out.",
    "answered": "The share of a person's duels that ended with a choice or a tie.",
    "passed": "The share of a person's duels that ended with a skip or none of the two.",
    "converted": "The share of people whom the site rewarded at least once.",
    "reward": "The sum of a person's rewards.",
}
"""What each number means."""
BY_DESIGN = 0.5
"""Of two random items the one that counts as recommended is chosen this often, whatever people like."""


@dataclass(frozen=True)
class Mean:
    """A mean over people, with its interval."""

    people: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """One measure (a key of `MEANINGS`) in both groups. The difference is learner minus control."""

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

    def show(self, value: float, sign: str = "") -> str:
        """Return a value of this measure as people read it."""
        return f"{value:{sign}.3f}" if self.measure == "reward" else f"{100 * value:{sign}.1f}"

    def __str__(self) -> str:
        unit, points = ("", "") if self.measure == "reward" else (" %", " points")
        means = [self.show(group.mean) + unit for group in (self.learner, self.control)]
        low, high = (self.show(end, "+") for end in (self.low, self.high))
        gain = f"{self.show(self.difference, '+')}{points} ({low} to {high})"
        said = f"{WORDS[self.measure][0]}: {means[0]}, in the control group {means[1]}; {gain}"
        return said + ("." if self.told_apart else ", which may be chance.")


@dataclass(frozen=True)
class Group:
    """How many people a group has, and how many duels they saw; where nobody is remembered, each duel is one."""

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
    """Of what was seen: without a decided probe there is no `chosen`, without rewards no `reward`."""

    def __getitem__(self, measure: str) -> Comparison:
        return {comparison.measure: comparison for comparison in self.comparisons}[measure]

    def __str__(self) -> str:
        units = "people" if self.unit == "person" else "duels"
        if not self.comparisons:
            size = f"{self.control.people} {units} in the control group"
            return f"Nothing to compare yet: {size}, and holdout is {self.holdout:g}."
        head = f"{self.learner.people} {units} with what was learned, {self.control.people} in the control group:"
        return "\n".join([head, *(f"{comparison} {MEANINGS[comparison.measure]}" for comparison in self.comparisons)])


def uplift(reader: Reader, arena: ArenaRuntime, level: float) -> Uplift:
    """Compare the people of an arena with its control group."""
    sums: dict[int, Counter[int]] = {}
    for key, count in totals.read(reader, arena.id, "arm").items():
        sums.setdefault(int(key.label), Counter())[key.first] += count
    control = sum((found for arm, found in sums.items() if arm != LEARNER), Counter())
    random = not arena.control and not any(sums.get(FIXED, {}).values())
    unit = "duel" if arena.shared else "person"
    return compare(arena.name, arena.holdout, unit, _sums(sums.get(LEARNER, Counter())), _sums(control), random, level)


def _sums(found: Counter[int]) -> Sums:
    return Sums(*(found[place] for place in range(len(Sums._fields))))


def compare(arena: str, holdout: float, unit: str, learner: Sums, control: Sums, random: bool, level: float) -> Uplift:
    """Compare two groups; `random` if the control group got random pairs only."""
    comparisons: list[Comparison] = []
    each = (1 + level) / 2

    def add(measure: str, one: Mean, other: Mean) -> None:
        difference = one.mean - other.mean
        comparisons.append(Comparison(measure, one, other, difference, one.low - other.high, one.high - other.low))

    if learner.probed and random:
        half = Mean(control.probed, BY_DESIGN, BY_DESIGN, BY_DESIGN)
        add("chosen", _mean(learner.probed, learner.chosen, learner.chosen_squares, level), half)
    elif learner.probed and control.probed:
        add("chosen", *(_mean(group.probed, group.chosen, group.chosen_squares, each) for group in (learner, control)))
    if learner.people and control.people:
        both = learner, control
        add("answered", *(_mean(group.people, group.answered, group.answered_squares, each) for group in both))
        add("passed", *(_mean(group.people, group.passed, group.passed_squares, each) for group in both))
        if learner.reward or control.reward:
            add(
                "converted",
                *(_mean(group.people, group.converted * SCALE, group.converted * SCALE, each) for group in both),
            )
            usual = (learner.reward_squares + control.reward_squares) / (learner.reward + control.reward)
            add("reward", *(_reward(group, usual, each) for group in both))
    groups = Group(learner.people, learner.duels), Group(control.people, control.duels)
    return Uplift(arena, holdout, unit, level, *groups, tuple(comparisons))


def _mean(people: int, total: int, squares: int, level: float) -> Mean:
    return Mean(people, total / SCALE / people, *anytime(people, total / SCALE, squares / SCALE, level))


def _reward(group: Sums, usual: float, level: float) -> Mean:
    """Return the mean of sums of rewards; `usual` is about as large as that of a person who has one."""
    total, squares = group.reward / REWARD_SCALE, group.reward_squares / REWARD_SCALE
    low, high = anytime(group.people, total / usual, squares / usual**2, level, most=math.inf)
    return Mean(group.people, total / group.people, low * usual, high * usual)
