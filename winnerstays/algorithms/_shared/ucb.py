"""Singleton bandit machines: the UCB bandits out of which Sparring, MultiSBM and Doubler are built.

A machine plays one arm at a time and is told a reward of 0 or 1. It picks the arm with the largest
mean + sqrt(alpha ln t / plays), t its own plays so far; arms it never played come first, ties are random.

As a function of s = sqrt(ln t) every arm's index is a line, mean + s width, and a play changes one line. So arms are
held in blocks that remember who leads and until which s nobody can overtake; a pick looks into the block that has
changed and compares the leaders of the others. That is the same pick as if all arms were compared, in O(sqrt N).
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.parameters import Number
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

ALPHA = Number(2.5, "width of the confidence bounds: the index is mean + sqrt(alpha ln t / plays)", above=0.0)
PAPER = "Ailon, Karnin & Joachims, ICML 2014"
ONE_BLOCK = 24
"""Up to this many arms, comparing all is quicker."""
SAFE = 1.0 - 1e-12
"""Rounding must not let a block keep its leader for too long."""


class Machines(NamedTuple):
    """One row per machine, one column per arm or per block."""

    mean: Floats  # infinite before the first play
    width: Floats  # sqrt(alpha / plays)
    plays: Ints
    wins: Ints
    total: Ints  # t of each machine
    leader: Ints  # of each block
    ties: Ints  # arms of the block that are equal to its leader
    until: Floats  # the s up to which the leader leads; -1: look anew
    alpha: float
    shift: int  # a block has 2**shift arms


def new_machines(count: int, n_arms: int, alpha: float) -> Machines:
    """Return this many machines before their first play."""
    shift = round(math.log2(n_arms) / 2) if n_arms > ONE_BLOCK else ONE_BLOCK.bit_length()
    blocks = count, (n_arms - 1 >> shift) + 1
    plays, wins = np.zeros((2, count, n_arms), np.int64)
    leader, ties = np.zeros((2, *blocks), np.int64)
    mean, width, total = np.full((count, n_arms), math.inf), np.zeros((count, n_arms)), np.zeros(count, np.int64)
    return Machines(
        mean=mean,
        width=width,
        plays=plays,
        wins=wins,
        total=total,
        leader=leader,
        ties=ties,
        until=np.full(blocks, -1.0),
        alpha=alpha,
        shift=shift,
    )


@kernel
def pick(machines: Machines, row: int, rng: Rng) -> int:
    """Return the arm that the machine wants to play."""
    s = math.sqrt(math.log(machines.total[row])) if machines.total[row] > 0 else 0.0
    if machines.leader.shape[1] == 1:
        return largest(machines, row, 0, machines.mean.shape[1], s, rng)[0]
    chosen, ties, most = 0, 0, -math.inf
    for block in range(machines.leader.shape[1]):
        if machines.until[row, block] < s:
            find_leader(machines, row, block, s, rng)
        arm = machines.leader[row, block]
        index = machines.mean[row, arm] + s * machines.width[row, arm]
        if index > most:
            chosen, ties, most = arm, machines.ties[row, block], index
        elif index == most:
            ties += machines.ties[row, block]
            if below(rng, ties) < machines.ties[row, block]:
                chosen = arm
    return chosen


@kernel
def largest(machines: Machines, row: int, start: int, end: int, s: float, rng: Rng) -> tuple[int, int]:
    """Draw one of the arms from `start` up to `end` with the largest index; return it and their number."""
    mean, width = machines.mean, machines.width
    chosen, ties, most = start, 1, mean[row, start] + s * width[row, start]
    for arm in range(start + 1, end):
        index = mean[row, arm] + s * width[row, arm]
        if index > most:
            chosen, ties, most = arm, 1, index
        elif index == most:
            ties += 1
            if below(rng, ties) == 0:
                chosen = arm
    return chosen, ties


@kernel
def find_leader(machines: Machines, row: int, block: int, s: float, rng: Rng) -> None:
    """Find the leader of a block, and an s up to which no other arm of the block can have a larger index."""
    start = block << machines.shift
    end = min(start + (1 << machines.shift), machines.mean.shape[1])
    arm, machines.ties[row, block] = largest(machines, row, start, end, s, rng)
    machines.leader[row, block] = arm
    machines.until[row, block] = s + SAFE * time_to_overtake(machines, row, arm, start, end, s)


@kernel
def time_to_overtake(machines: Machines, row: int, leader: int, start: int, end: int, s: float) -> float:
    """Return how much s can grow before a runner-up with the steepest line of the block would overtake the leader."""
    mean, width = machines.mean, machines.width
    own, most = width[row, leader], mean[row, leader] + s * width[row, leader]
    steepest, runner_up = own, -math.inf
    for arm in range(start, end):
        if width[row, arm] > own:
            index = mean[row, arm] + s * width[row, arm]
            runner_up = index if index > runner_up else runner_up
            steepest = width[row, arm] if width[row, arm] > steepest else steepest
    return (most - runner_up) / (steepest - own) if steepest > own else math.inf


@kernel
def reward(machines: Machines, row: int, arm: int, won: bool) -> None:
    """Give the machine the reward of its play: 1 if its arm won, else 0."""
    plays = machines.plays[row, arm] + 1
    wins = machines.wins[row, arm] + (1 if won else 0)
    machines.plays[row, arm], machines.wins[row, arm] = plays, wins
    machines.mean[row, arm] = wins / plays
    machines.width[row, arm] = math.sqrt(machines.alpha / plays)
    machines.total[row] += 1
    machines.until[row, arm >> machines.shift] = -1.0


@kernel
def reset(machines: Machines, row: int) -> None:
    """Set a machine back to before its first play."""
    machines.total[row] = 0
    for arm in range(machines.mean.shape[1]):
        machines.mean[row, arm], machines.width[row, arm] = math.inf, 0.0
        machines.plays[row, arm], machines.wins[row, arm] = 0, 0
    for block in range(machines.until.shape[1]):
        machines.until[row, block] = -1.0


@kernel
def most_played(machines: Machines) -> int:
    """Return the arm that all machines together played most."""
    chosen, most = 0, -1
    for arm in range(machines.plays.shape[1]):
        plays = 0
        for row in range(machines.plays.shape[0]):
            plays += machines.plays[row, arm]
        if plays > most:
            chosen, most = arm, plays
    return chosen
