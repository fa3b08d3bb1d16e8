"""Let simulated teams vote: how often a poll names the right winner, and how calibrated its chance is.

`python -m benchmarks poll --teams 200` writes results/poll.csv. 12 people with tastes partly in common give 15 answers
each about 8 items, with logistic errors. The right winner has the highest mean utility of the team. The pairs of each
person are chosen as the page does, or at random; the winner is that of the group's model, or of a Bradley-Terry fit.
"""

import argparse
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchmarks._results import write_results
from winnerstays.arena.figures.likely import bradley_terry
from winnerstays.tastes import LOST, WON, Group, Person

PEOPLE, ITEMS, ANSWERS = 12, 8, 15
SPREAD = 2.0
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95)
RULES = ("favourite", "entropy-pursuit", "random")


class Vote(NamedTuple):
    """The winner of one poll: its chance by the model, whether it is right, and whether a Bradley-Terry fit is."""

    chance: float
    right: bool
    bradley_terry: bool


def vote(seed: int, rule: str) -> Vote:
    """Return the result of one team's poll."""
    rng = np.random.default_rng(seed)
    utilities = SPREAD * (rng.standard_normal(ITEMS) + rng.standard_normal((PEOPLE, ITEMS))) / np.sqrt(2)
    best = int(utilities.mean(axis=0).argmax())
    names, wins = [str(item) for item in range(ITEMS)], np.zeros((ITEMS, ITEMS))
    everything, group = list(combinations(names, 2)), Group(names)
    for who in range(PEOPLE):
        person = Person(names)
        for _ in range(ANSWERS):
            pair = everything[rng.integers(len(everything))] if rule == "random" else person.choose(rule)
            first, second = (pair[0], pair[1]) if rng.random() < 0.5 else (pair[1], pair[0])
            difference = utilities[who, int(first)] - utilities[who, int(second)]
            won = bool(rng.random() < 1 / (1 + np.exp(-difference)))
            person.tell(first, second, WON if won else LOST)
            group.tell(str(who), first, second, WON if won else LOST)
            wins[(int(first), int(second)) if won else (int(second), int(first))] += 1
    found = group.standing()
    return Vote(found.likely, found.favourite == str(best), int(bradley_terry(wins).argmax()) == best)


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks poll", description=__doc__)
    parser.add_argument("--teams", type=int, default=200)
    teams = parser.parse_args(words).teams
    lines = []
    for rule in RULES:
        votes = [vote(seed, rule) for seed in range(teams)]
        line: list[object] = [rule, teams, 100 * float(np.mean([one.right for one in votes]))]
        line += [
            100 * float(np.mean([one.bradley_terry for one in votes])),
            float(np.mean([one.chance for one in votes])),
        ]
        for level in LEVELS:
            said = [one.right for one in votes if one.chance >= level]
            line += [len(said), 100 * float(np.mean(said)) if said else float("nan")]
        lines.append(line)
        print(line, flush=True)
    columns = ["pairs by", "teams", "right %", "Bradley-Terry right %", "mean chance said"]
    columns += [name for level in LEVELS for name in (f"said {100 * level:.0f} %", f"right % at {100 * level:.0f} %")]
    write_results("poll", columns, lines)
