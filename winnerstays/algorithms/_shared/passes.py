"""Passes through lists of what should duel, after every pair has had the duels that are due: RMED and ECW-RMED.

A pass goes through the list L_C of arms or pairs. L_R holds those of it that are still to come, L_N those that the data
ask for meanwhile; at the end of a pass L_C = L_R = L_N, and L_N is empty. Before a pass goes on, pairs that lack duels
meet. Arms are numbered inside in a random order, fixed at the start, so that the first of equals may be taken.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared.counts import mean, played, time_before
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle

REMAINING = 0
"""The status of an entry of L_R; each algorithm has its own two codes for the others."""


class Numbering(NamedTuple):
    """The arm of each inside number, and the inside number of each arm."""

    arm: Ints
    place: Ints


class Lists(NamedTuple):
    current: Ints  # L_C, its first `n_current` entries
    following: Ints  # L_N, its first `n_following` entries
    status: Ints  # REMAINING for entries of L_R
    n_current: int
    n_following: int
    at: int  # where the pass is in L_C


class Pair(NamedTuple):
    """The next duel, by inside numbers."""

    first: int
    second: int
    listed: bool  # from L_C; else it lacks duels


class Schedule(NamedTuple):
    t: int  # duels so far
    due: int  # duels that every pair must have had by now
    due_until: int  # nothing more is due before this duel
    row: int  # from this pair on, duels may be lacking
    column: int


def random_numbering(n_arms: int, rng: Rng) -> Numbering:
    """Number the arms in random order."""
    arm = np.arange(n_arms)
    shuffle(arm, rng)
    return Numbering(arm=arm, place=np.argsort(arm))


@kernel
def arms_of(numbering: Numbering, pair: Pair) -> tuple[int, int]:
    """Return the arms whose inside numbers are in the pair."""
    return numbering.arm[pair.first], numbering.arm[pair.second]


@kernel
def add(lists: Lists, entry: int, status: int) -> Lists:
    """Put an entry into L_N."""
    lists.status[entry] = status
    lists.following[lists.n_following] = entry
    return lists._replace(n_following=lists.n_following + 1)


@kernel
def go_on(lists: Lists) -> Lists:
    """Go on to the next entry of L_C, or to the first of the next pass."""
    if lists.at + 1 < lists.n_current:
        return lists._replace(at=lists.at + 1)
    for k in range(lists.n_following):
        lists.current[k] = lists.following[k]
        lists.status[lists.following[k]] = REMAINING
    return lists._replace(n_current=lists.n_following, n_following=0, at=0)


@kernel
def alone_in_pass(lists: Lists, pair: Pair) -> bool:
    """Whether an arm meets itself and nothing else is in the list."""
    return pair.first == pair.second and lists.n_current == 1


@kernel
def duels_before(schedule: Schedule, t: int) -> int:
    """Count the duels up to time t, or up to the last one before more are due."""
    return max(min(t, schedule.due_until - 2) - schedule.t, 0)


@kernel
def demand(schedule: Schedule, due: int, log_t: float) -> Schedule:
    """Ask for this many duels of every pair; more will be due at time exp(log_t)."""
    until = time_before(log_t)
    if due > schedule.due:
        return schedule._replace(due=due, due_until=until, row=0, column=1)
    return schedule._replace(due_until=until)


@kernel
def lacks(schedule: Schedule, wins: Ints, i: int, j: int, margin: float) -> bool:
    """Whether the pair must meet now: it had too few duels, or its share of wins is within the margin of 1/2."""
    return played(wins, i, j) < schedule.due or (margin > 0.0 and abs(mean(wins, i, j) - 0.5) < margin)


@kernel
def find_lacking(schedule: Schedule, wins: Ints, margin: float) -> tuple[int, int]:
    """Return the first pair that lacks duels; the first number is N - 1 if there is none."""
    n_arms, i, j = wins.shape[0], schedule.row, schedule.column
    while i < n_arms - 1 and not lacks(schedule, wins, i, j, margin):
        j += 1
        if j == n_arms:
            i, j = i + 1, i + 2
    return i, j
