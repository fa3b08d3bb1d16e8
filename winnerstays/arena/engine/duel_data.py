"""What the row of a duel holds besides its columns, as JSON, so that a learner's rows alone give its state again.

The row of a served duel holds what was done to the learner first: items came or went, duels were given up, the crowd
was believed. The rows of served duels and of answers hold what they add to the sums of an arm (holdout.py).
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple


class DuelData(NamedTuple):
    """What is done before a pair is chosen, in this order; among which items it is chosen; what the row adds."""

    known: int = 0
    """The change of the arena's items up to which the learner knows them; 0: nothing is new."""
    items: int = 0
    """How many items there are then, retired ones included."""
    join: tuple[int, ...] = ()
    leave: tuple[int, ...] = ()
    prior: tuple[tuple[int, int], ...] = ()
    """(item, points in 1/1024): what a new learner starts with."""
    passed: tuple[tuple[int, int], ...] = ()
    """Pairs that were served and will not be answered."""
    closed: int = 0
    """How many of the duels that a user held open, the oldest of them, can no longer be answered."""
    up_to: int = 0
    """The row up to which duels of everyone were looked through for such pairs; 0: they were not."""
    eligible: tuple[int, ...] | None = None
    """The items of which two may be shown; None: all."""
    adds: tuple[int, ...] = ()
    """What the row adds to the sums of the arm."""
    model: tuple[int, ...] = ()
    """The version of the model that chooses, and the place of the visitor's group in it."""
    drawn: int = 0
    """The number of items from which a random pair, or the random item of a probe, was drawn; 0: none was."""

    def to_json(self) -> str | None:
        """Return what a row holds in `data`; None if there was nothing to do."""
        found: dict[str, Any] = {}
        if self.adds:
            found["adds"] = self.adds
        if self.model:
            found["model"] = self.model
        if self.known:
            found |= {"changes": self.known, "items": self.items}
        for name, arms in (("join", self.join), ("leave", self.leave), ("eligible", self.eligible)):
            if arms:
                found[name] = to_ranges(arms)
        for name, pairs in (("prior", self.prior), ("passed", self.passed)):
            if pairs:
                found[name] = pairs
        for name, number in (("closed", self.closed), ("up_to", self.up_to), ("drawn", self.drawn)):
            if number:
                found[name] = number
        return json.dumps(found, separators=(",", ":")) if found else None

    @classmethod
    def of(cls, data: str | None) -> "DuelData":
        """Return what a row holds in `data`."""
        if data is None:
            return cls()
        found = json.loads(data)
        return cls(
            known=found.get("changes", 0),
            items=found.get("items", 0),
            join=from_ranges(found.get("join", "")),
            leave=from_ranges(found.get("leave", "")),
            prior=tuple((arm, points) for arm, points in found.get("prior", ())),
            passed=tuple((first, second) for first, second in found.get("passed", ())),
            closed=found.get("closed", 0),
            up_to=found.get("up_to", 0),
            eligible=from_ranges(found["eligible"]) if "eligible" in found else None,
            adds=tuple(found.get("adds", ())),
            model=tuple(found.get("model", ())),
            drawn=found.get("drawn", 0),
        )


def to_ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order as text, those that follow each other as a range.

    >>> to_ranges([7, 0, 1, 2])
    '0-2,7'
    """
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)


def from_ranges(text: str) -> tuple[int, ...]:
    """Return the numbers that `to_ranges` wrote.

    >>> from_ranges("0-2,7")
    (0, 1, 2, 7)
    """
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition("-")
        numbers += range(int(low), int(high or low) + 1)
    return tuple(numbers)
