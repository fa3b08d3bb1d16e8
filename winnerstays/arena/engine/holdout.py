"""The control group, and what both groups are compared by: probes, answers and rewards.

A person is in the control group or not from the first duel on, by a number in [0, 1) that (seed of the arena, name)
gives; in an arena for everyone the name of whoever asks, or the duel's id, gives it. The control group gets pairs that
nothing learned has chosen.

A *probe* is a duel of one item that is recommended to the person and a random other one. Who recommends is what is
compared: the learner, or what the control group would get instead (a random item, or the first of the arena's list).
Which duels of a person are probes is drawn in advance by (seed, name, turn), in both groups alike, and sides by a coin.
So whatever people do who like nothing better than anything else, the recommended item wins half of the decided probes.

The row of each duel, answer and reward holds what it adds to the sums of its group (`Sums`), from which `uplift` is
read.
"""

import math
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from winnerstays.codec import pack, unpack_first
from winnerstays.randomness import Rng, below, uniform

LEARNER, RANDOM, FIXED = range(3)
ARMS = ("learner", "random", "fixed")
"""Who chose the pair: the learner, chance, or the list of the arena."""
PROBE = len(ARMS)
"""This is added to the arm of a duel that is a probe; `first` is its recommended item."""
TAUGHT_NOTHING = "shown for the comparison with the control group, it teaches nothing"
SCALE = 1 << 20
"""Shares are summed as whole numbers of this fraction: sums of them are the same in any order."""
REWARD_SCALE = 1000
"""Rewards are summed as whole numbers of this fraction of 1."""
ANSWERS = ("winner", "tie")
"""The outcomes that count as answered; the others as passed over."""


def chooser(arm: int | None) -> int | None:
    """Return who chose the pair, of a probe who recommended."""
    return None if arm is None else arm % PROBE


def is_probe(arm: int | None) -> bool:
    return arm is not None and arm >= PROBE


def chance(arm: int | None, drawn: int, count: int = 2) -> float | None:
    """Return the chance with which so many items of those drawn from came out, or the random item of a probe."""
    if drawn < 2:
        return None
    return 1 / math.comb(drawn, count) if chooser(arm) == RANDOM else 1 / (drawn - 1)


def draws(arm: int | None) -> bool:
    """Whether an item of the duel is drawn at random."""
    return chooser(arm) == RANDOM or is_probe(arm)


def draw(seed: int, who: str, what: bytes = b"control group") -> float:
    """Return the number in [0, 1) that decides whether somebody is in the control group, or a duel is a probe.

    >>> round(draw(7, "ada"), 3), round(draw(8, "ada"), 3)
    (0.161, 0.798)
    """
    digest = blake2b(f"{seed} {who}".encode(), digest_size=8, person=what).digest()
    return int.from_bytes(digest, "big") / 2**64


def draw_probe(seed: int, who: str, turn: int) -> float:
    """Return the number in [0, 1) that decides whether the duel of somebody at a turn is a probe."""
    return draw(seed, f"{turn} {who}", b"probe")


def choose_arm(control: bool, fixed: bool, seed: int, who: str, turn: int, probes: float) -> int:
    """Return the arm of a duel of somebody at a turn; `fixed` if the control group gets pairs of a list."""
    arm = LEARNER if not control else FIXED if fixed else RANDOM
    return arm + PROBE * (draw_probe(seed, who, turn) < probes)


def random_pair(items: Sequence[int], rng: Rng) -> tuple[int, int]:
    """Return two different items, each pair with the same chance."""
    first, second = below(rng, len(items)), below(rng, len(items) - 1)
    return int(items[first]), int(items[second + (second >= first)])


def random_other(items: Sequence[int], first: int, rng: Rng) -> int:
    """Return one of the items other than the first, each with the same chance."""
    while True:
        other = int(items[below(rng, len(items))])
        if other != first:
            return other


def shuffled(items: Sequence[int], rng: Rng) -> list[int]:
    """Return the items in random order."""
    return [item for _, item in sorted((uniform(rng), item) for item in items)]


def fixed_items(order: Sequence[int], turn: int, count: int = 2) -> tuple[int, ...]:
    """Return so many items of a fixed list at a turn: the first two, the next two, and from the beginning again.

    >>> [fixed_items([4, 5, 6], turn) for turn in range(3)]
    [(4, 5), (6, 4), (5, 6)]
    """
    return tuple(order[(count * turn + place) % len(order)] for place in range(count))


class Sums(NamedTuple):
    """The sums of a group over its people: of their shares (in units of 1/SCALE), and of the squares of these."""

    people: int = 0
    duels: int = 0
    answered: int = 0
    answered_squares: int = 0
    passed: int = 0
    passed_squares: int = 0
    probed: int = 0
    """People who decided a probe; the next two are sums over these."""
    chosen: int = 0
    chosen_squares: int = 0
    converted: int = 0
    """People who were rewarded."""
    reward: int = 0
    """In units of 1/REWARD_SCALE, as its squares."""
    reward_squares: int = 0

    def minus(self, other: "Sums") -> tuple[int, ...]:
        """Return the differences, without zeros at the end."""
        differences = [one - two for one, two in zip(self, other, strict=True)]
        while differences and not differences[-1]:
            differences.pop()
        return tuple(differences)


def _share(count: int, of: int) -> tuple[int, int]:
    share = count * SCALE // of
    return share, share * share // SCALE


class Person(NamedTuple):
    """What one person has seen and done since being drawn."""

    control: bool = False
    served: int = 0
    answered: int = 0
    passed: int = 0
    probes: int = 0
    """Probes in which one of the two was chosen."""
    chosen: int = 0
    """Probes in which the recommended item was chosen."""
    reward: int = 0
    """The sum of the rewards, in units of 1/REWARD_SCALE."""
    rewards: int = 0

    def serve(self) -> "Person":
        """Return the person after another duel was served."""
        return self._replace(served=self.served + 1)

    def answer(self, outcome: str, chosen: bool | None, times: int = 1) -> "Person":
        """Return the person after an answer; with -1 times, after it was taken back.

        `chosen` says of a decided probe whether the recommended item won.
        """
        answered = outcome in ANSWERS
        return self._replace(
            answered=self.answered + times * answered,
            passed=self.passed + times * (not answered),
            probes=self.probes + times * (chosen is not None),
            chosen=self.chosen + times * bool(chosen),
        )

    def add_reward(self, value: float) -> "Person":
        return self._replace(reward=self.reward + round(value * REWARD_SCALE), rewards=self.rewards + 1)

    def sums(self) -> Sums:
        """Return what this person is in the sums of the group."""
        if not self.served:
            return Sums()
        answered, passed = _share(self.answered, self.served), _share(self.passed, self.served)
        probes = (1, *_share(self.chosen, self.probes)) if self.probes else (0, 0, 0)
        reward = int(self.rewards > 0), self.reward, self.reward * self.reward // REWARD_SCALE
        return Sums(1, self.served, *answered, *passed, *probes, *reward)

    def added_since(self, before: "Person") -> tuple[int, ...]:
        """Return what was added to the sums since a person was like this."""
        return self.sums().minus(before.sums())

    def dump(self) -> bytes:
        return pack(tuple(map(int, self)))

    @classmethod
    def load(cls, data: bytes) -> tuple["Person", int]:
        """Return the person with whom these bytes begin, and where it ends."""
        (control, *counts), end = unpack_first(data, (0,) * len(cls._fields))
        return cls(bool(control), *counts), end


def chosen_in_probe(arm: int | None, first: int, outcome: str, winner: int | None) -> bool | None:
    """Return whether the recommended item won; None if the duel is no probe, or was not decided."""
    return winner == first if is_probe(arm) and outcome == "winner" else None


def added_by_stranger(outcome: str | None, chosen: bool | None) -> tuple[int, ...]:
    """Return what a duel (or an answer to it) adds to the sums where nobody is remembered: each duel counts for one."""
    if outcome is None:
        return (1, 1)
    person = Person(served=1)
    return person.answer(outcome, chosen).added_since(person)
