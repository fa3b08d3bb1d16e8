"""Play the game of the pages to its end: how many duels it takes, and how often the favourite is right.

`python -m benchmarks game` writes results/game.csv. People play in an arena as the page serves it, with 16
or 8 items: people who never slip, people who choose the worse item one time in ten, people with tastes in common after
40 others have played. results/repeats.csv says what it costs that the page shows no pair three times in a row: the
weak regret of 60 duels of an arena whose pairs the algorithm chooses freely, by that rule alone, and as the page does.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import mean, median
from typing import NamedTuple

import numpy as np

from benchmarks._results import write_results
from winnerstays.arena import Arena, Ask, Duel
from winnerstays.arena.figures.likely import Likelihood
from winnerstays.web.game import goal_of, progress

DUELS = 60
"""Of each person, for the cost of not showing a pair three times in a row."""
ALGORITHMS = ("ws-w", "ws-root", "tastes")
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
        own = database.turn(arena.name, user).own
        now = progress(own, arena, before)
        if now.done:
            return Game(own.answers, _favourite(own) == best, jump, _in_a_row(pairs))
        jump = max(jump, now.left / before, before / now.left) if before else jump
        before = now.left
        duel = _ask(arena, user)
        pairs.append(frozenset((duel.left, duel.right)))
        arena.tell(duel, winner=choose(duel.left, duel.right))


def _ask(arena: Arena, user: str, *, on_page: bool = True) -> Duel:
    """Ask for a duel as the page does, or for the algorithm's own where the page's rule allows it."""
    turn = arena.arenas.database.turn(arena.name, user)
    among = turn.pair if turn.free and on_page else None
    (duel,) = arena.arenas.backend.execute([Ask(arena.name, user, among=among, avoid=turn.avoid, instead=turn.pair)])
    assert isinstance(duel, Duel)
    return duel


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


FREE, RULE, PAGE = "freely", "by the rule", "on the page"
"""The algorithm shows any pair; no pair three times in a row and no skipped one at once; as the page serves it."""


def repeats(algorithm: str, kind: Kind, people: int, how: str) -> tuple[np.ndarray, int]:
    """Return the weak regret of each person, and how often the same pair came in a row at most."""
    missed, longest = [], 0
    for seed in range(people):
        rng = np.random.default_rng(seed)
        items = [str(item) for item in range(kind.items)]
        best, choose = person(kind, np.zeros(kind.items), rng)
        pairs = []
        with Arena.open("memory:", items=items, algorithm=algorithm, seed=seed) as arena:
            for _ in range(DUELS):
                duel = arena.ask("ada") if how == FREE else _ask(arena, "ada", on_page=how == PAGE)
                pairs.append(frozenset((duel.left, duel.right)))
                arena.tell(duel, winner=choose(duel.left, duel.right))
        missed.append(sum(best not in pair for pair in pairs))
        longest = max(longest, _in_a_row(pairs))
    return np.array(missed), longest


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks game", description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--repeats", action="store_true", help="only what it costs to repeat no pair")
    given = parser.parse_args(words)
    if not given.repeats:
        write_games(given.people)
    write_repeats(given.people)


def write_games(people: int) -> None:
    lines = []
    for kind in KINDS:
        found = games(kind, people)
        with Arena.open("memory:", items=[str(item) for item in range(kind.items)]) as arena:
            goal = goal_of(arena)
        ends = [game.duels for game in found]
        lines.append((
            kind.name, kind.items, people, goal, median(ends), float(np.quantile(ends, 0.9)),
            100 * mean(game.right for game in found), max(game.jump for game in found),
            max(game.in_a_row for game in found),
        ))  # fmt: skip
        print(lines[-1], flush=True)
    columns = (
        "people who", "items", "people", "goal", "median duels", "90 % end within", "right %",
        "largest jump of duels left", "same pair in a row",
    )  # fmt: skip
    write_results("game", columns, lines)


def write_repeats(people: int) -> None:
    lines = []
    for kind in (KINDS[0], KINDS[1]):
        for algorithm in ALGORITHMS:
            free, freely = repeats(algorithm, kind, people, FREE)
            for how in (RULE, PAGE):
                found, longest = repeats(algorithm, kind, people, how)
                cost, error = float((found - free).mean()), float((found - free).std(ddof=1) / people**0.5)
                share = 100 / float(free.mean())
                lines.append((
                    kind.name, algorithm, people, how, float(free.mean()), freely, float(found.mean()), longest,
                    share * cost, share * error,
                ))  # fmt: skip
                print(lines[-1], flush=True)
    columns = (
        "people who", "algorithm", "people", "pairs", f"weak regret of {DUELS} duels", "same pair in a row",
        "with these pairs", "in a row then", "cost %", "s.e. of it",
    )  # fmt: skip
    write_results("repeats", columns, lines)
