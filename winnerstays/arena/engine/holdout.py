"""The control group: a share of the people gets pairs that nothing learned has chosen, so that learning can be judged.

A person is in the control group or not from the first duel on, by a number in [0, 1) that (seed of the arena, name)
gives; in an arena for everyone the name of whoever asks, or the duel's id, gives it. The row of each duel and of each
answer holds the arm, and what it adds to the sums of that arm (`Person.sums`), from which `uplift` is read.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from winnerstays.codec import pack, unpack_first
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng, below

LEARNER, RANDOM, FIXED = range(3)
ARMS = ("learner", "random", "fixed")
"""Who chose the pair: the learner, chance, or the list of the arena."""
TAUGHT_NOTHING = "shown to the control group, it teaches nothing"
MEASURES = ("favourite", "answered", "passed")
SCALE = 1 << 20
"""Shares are summed as whole numbers of this fraction: sums of them are the same in any order."""
ANSWERS = ("winner", "tie")
"""The outcomes that count as answered; the others as passed over."""


def draw(seed: int, who: str) -> float:
    """Return the number in [0, 1) that decides whether somebody is in the control group.

    >>> round(draw(7, "ada"), 3), round(draw(8, "ada"), 3)
    (0.161, 0.798)
    """
    digest = blake2b(f"{seed} {who}".encode(), digest_size=8, person=b"control group").digest()
    return int.from_bytes(digest, "big") / 2**64


def random_pair(items: Sequence[int], rng: Rng) -> tuple[int, int]:
    """Return two different items, each pair with the same chance."""
    first, second = below(rng, len(items)), below(rng, len(items) - 1)
    return int(items[first]), int(items[second + (second >= first)])


def fixed_pair(order: Sequence[int], turn: int) -> tuple[int, int]:
    """Return the pair of a fixed list at a turn: the first two, the next two, and from the beginning again.

    >>> [fixed_pair([4, 5, 6], turn) for turn in range(3)]
    [(4, 5), (6, 4), (5, 6)]
    """
    return order[2 * turn % len(order)], order[(2 * turn + 1) % len(order)]


class Person(NamedTuple):
    """What one person has seen and done since being drawn."""

    control: bool = False
    served: int = 0
    answered: int = 0
    passed: int = 0
    favourite: int = -1
    """The item that was chosen most often, of equals the one chosen last."""
    items: tuple[tuple[int, int, int], ...] = ()
    """(item, how often it was on the screen, how often it was chosen), by item."""

    def serve(self, first: int, second: int) -> "Person":
        """Return the person after another duel was served."""
        return self._replace(served=self.served + 1, items=self._counted({first: (1, 0), second: (1, 0)}))

    def answer(self, outcome: str, winner: int | None) -> "Person":
        """Return the person after an answer."""
        done = self._done(outcome, 1)
        if winner is None:
            return done
        items = self._counted({winner: (0, 1)})
        won = {item: times for item, _, times in items}
        favourite = winner if won[winner] >= won.get(self.favourite, 0) else self.favourite
        return done._replace(favourite=favourite, items=items)

    def take_back(self, outcome: str, winner: int | None) -> "Person":
        """Return the person after an answer was taken back; the duel was on the screen nevertheless."""
        done = self._done(outcome, -1)
        if winner is None:
            return done
        items = self._counted({winner: (0, -1)})
        item, _, won = max(items, key=lambda one: (one[2], one[0] == self.favourite))
        return done._replace(favourite=item if won else -1, items=items)

    def _done(self, outcome: str, times: int) -> "Person":
        if outcome in ANSWERS:
            return self._replace(answered=self.answered + times)
        return self._replace(passed=self.passed + times)

    def _counted(self, new: dict[int, tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
        found = {item: (shown, won) for item, shown, won in self.items}
        for item, (shown, won) in new.items():
            before = found.get(item, (0, 0))
            found[item] = (before[0] + shown, before[1] + won)
        return tuple((item, *found[item]) for item in sorted(found))

    def sums(self) -> tuple[int, ...]:
        """Return what this person is in the sums of an arm: 1, duels, and each share of them with its square.

        The shares are those of MEASURES: of the duels, how many had the favourite of now on the screen, were answered,
        were passed over.
        """
        if not self.served:
            return (0,) * (2 + 2 * len(MEASURES))
        on_screen = next((shown for item, shown, _ in self.items if item == self.favourite), 0)
        found = [1, self.served]
        for count in (on_screen, self.answered, self.passed):
            share = count * SCALE // self.served
            found += [share, share * share // SCALE]
        return tuple(found)

    def added_since(self, before: "Person") -> tuple[int, ...]:
        """Return what was added to the sums since a person was like this."""
        return tuple(new - old for new, old in zip(self.sums(), before.sums(), strict=True))

    def dump(self) -> bytes:
        flat = tuple(number for one in self.items for number in one)
        head = (int(self.control), self.served, self.answered, self.passed, self.favourite, len(self.items))
        return pack((*head, *flat))

    @classmethod
    def load(cls, data: bytes) -> tuple["Person", int]:
        """Return the person with whom these bytes begin, and where it ends."""
        (control, served, answered, passed, favourite, count), end = unpack_first(data, (0,) * 6)
        if not 0 <= 3 * count <= len(data):
            raise WinnerstaysError(f"The stored state is damaged: it cannot hold {count} items.")
        flat, more = unpack_first(data[end:], (0,) * (3 * count))
        items = tuple(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
        return cls(bool(control), served, answered, passed, favourite, items), end + more


def added_by_stranger(outcome: str | None) -> tuple[int, ...]:
    """Return what a duel (or an answer to it) adds to the sums where nobody is remembered: each duel counts for one."""
    if outcome is None:
        return (1, 1)
    return (0, 0, 0, 0, SCALE, SCALE, 0, 0) if outcome in ANSWERS else (0, 0, 0, 0, 0, 0, SCALE, SCALE)
