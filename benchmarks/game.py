"""Play the game of the pages to its end: how many duels it takes, and how often the favourite is right.

`python -m benchmarks game --people 100` writes results/game.csv. People play in an arena as the page serves it, with 16
or 8 items: people who never slip, people who choose the worse item one time in ten, people with tastes in common after
40 others have played. The last columns compare the rule "no pair three times in a row" with the learner's own choice.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import mean, median
from typing import NamedTuple

import numpy as np

from benchmarks._results import write_results
from winnerstays.arena import Arena
from winnerstays.arena.figures.likely import Likelihood
from winnerstays.tastes import LOST, WON, Person
from winnerstays.web.game import goal_of, progress

DUELS = 60
"""Of each person, for the cost of not showing a pair three times in a row."""
OTHERS = 40
POPULATIONS = 5


class Kind(NamedTuple):
    """Some people: how often they choose the worse item, and how much of their tastes they have in common."""

    name: str
    items: int
    slips: float
    common: float = 0.0


KINDS = [
    Kind("consistent", 16, 0.0),
    Kind("10 % slips", 16, 0.1),
    Kind("consistent, with a crowd", 16, 0.0, 0.7),
    Kind("10 % slips, with a crowd", 16, 0.1, 0.7),
    Kind("consistent", 8, 0.0),
    Kind("10 % slips", 8, 0.1),
]


class Game(NamedTuple):
    """One person's game: its duels, whether the favourite is the best, the largest jump of the estimate, repeats."""

    duels: int
    right: bool
    jump: float
    in_a_row: int


Chooses = Callable[[str, str], str]


def person(kind: Kind, shared: np.ndarray, rng: np.random.Generator) -> tuple[str, Chooses]:
    """Return a person's favourite, and what they choose."""
    own = rng.standard_normal(kind.items)
    utilities = np.sqrt(kind.common) * shared + np.sqrt(1 - kind.common) * own
    liking = {str(item): utility for item, utility in enumerate(utilities)}

    def choose(left: str, right: str) -> str:
        worse, better = sorted((left, right), key=liking.__getitem__)
        return worse if rng.random() < kind.slips else better

    return max(liking, key=liking.__getitem__), choose


def play(arena: Arena, user: str, best: str, choose: Chooses) -> Game:
    """Play one game to its end, as the page does."""
    database, before, jump = arena.arenas.database, None, 1.0
    pairs: list[frozenset[str]] = []
    while True:
        own, pair = database.turn(arena.name, user)
        now = progress(own, arena, before)
        if now.done:
            return Game(own.answers, _favourite(own) == best, jump, _in_a_row(pairs))
        jump = max(jump, now.left / before, before / now.left) if before else jump
        before = now.left
        duel = arena.ask(user, among=pair)
        pairs.append(frozenset((duel.left, duel.right)))
        arena.tell(duel, winner=choose(duel.left, duel.right))


def _favourite(own: Likelihood) -> str:
    return own.places[0].item


def _in_a_row(pairs: Sequence[frozenset[str]]) -> int:
    """Return how often the same pair came in a row at most."""
    longest = run = 1
    for one, other in pairwise(pairs):
        run = run + 1 if one == other else 1
        longest = max(longest, run)
    return longest


def games(kind: Kind, people: int) -> list[Game]:
    """Return the games of people of one kind, of five populations with tastes of their own."""
    return [game for seed in range(POPULATIONS) for game in population(kind, people // POPULATIONS, seed)]


def population(kind: Kind, people: int, seed: int) -> list[Game]:
    """Return the games of people of one population."""
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal(kind.items)
    items = [str(item) for item in rng.permutation(kind.items)]
    with Arena.open("memory:", items=items, seed=seed, crowd=kind.common > 0) as arena:
        before = OTHERS if kind.common else 0
        found = [play(arena, f"person {who}", *person(kind, shared, rng)) for who in range(before + people)]
        return found[before:]


def weak_regret(kind: Kind, rng: np.random.Generator, limited: bool) -> int:
    """Return in how many duels of a person the favourite was not shown."""
    best, choose = person(kind, np.zeros(kind.items), rng)
    model, missed = Person([str(item) for item in range(kind.items)]), 0
    last: list[tuple[str, str]] = []
    for _ in range(DUELS):
        twice = len(last) > 1 and set(last[-1]) == set(last[-2])
        pair = model.choose(avoid=last[-1:] if limited and twice else [])
        last.append(pair)
        missed += best not in pair
        model.tell(*pair, WON if choose(*pair) == pair[0] else LOST)
    return missed


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks game", description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    people = parser.parse_args(words).people
    lines = []
    for kind in KINDS:
        found = games(kind, people)
        limited, free = (
            mean(weak_regret(kind, np.random.default_rng(seed), limit) for seed in range(people))
            for limit in (True, False)
        )
        with Arena.open("memory:", items=[str(item) for item in range(kind.items)]) as arena:
            goal = goal_of(arena)
        ends = [game.duels for game in found]
        lines.append((
            kind.name, kind.items, people, goal, median(ends), float(np.quantile(ends, 0.9)),
            100 * mean(game.right for game in found), max(game.jump for game in found),
            max(game.in_a_row for game in found), limited, free,
        ))  # fmt: skip
        print(lines[-1], flush=True)
    columns = (
        "people who", "items", "people", "goal", "median duels", "90 % end within", "right %",
        "largest jump of duels left", "same pair in a row", f"weak regret of {DUELS} duels", "with any pair any time",
    )  # fmt: skip
    write_results("game", columns, lines)
