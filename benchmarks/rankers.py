"""Interleaving: sessions per second; and which algorithm finds the best of eight rankers (with --write).

`python -m benchmarks rankers --write` plays searchers with informational clicks on the generated corpus, and writes
results/rankers.csv and the table of docs/rankers.md. The rows of tests compare all pairs evenly until they are certain.
"""

import argparse
import math
import random
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks._results import read_results, replace_part, table, write_results
from benchmarks._timing import best_seconds, row
from winnerstays import Arena, algorithm
from winnerstays._types import Floats, Ints
from winnerstays.algorithms import Algorithm
from winnerstays.compiling import specialise
from winnerstays.evidence import log_evidence
from winnerstays.interleaving import CLICK_MODELS, generated_corpus, optimized, probabilistic
from winnerstays.interleaving.clicks import add_clicks
from winnerstays.interleaving.tournament import count_outcomes
from winnerstays.randomness import Rng, below, shuffle, stream, uniform

LEARNERS = ("ws-t", "ws-root", "dts", "rmed1", "ws-s")
CLICKS, LENGTH, LEVEL, CHECK_EVERY = "informational", 10, 0.95, 50
FIRST, SECOND, TIE = range(3)
COLUMNS = ("algorithm", "open", "strong", "strong_sem", "right", "certified", "wrong", "sessions", "runs")

steps: Any = None
"""The algorithm's functions: `_bound` makes a copy of `play` in which this name is bound to them."""


def play(
    state: Any,
    outcomes: Floats,
    best: int,
    horizon: int,
    queue: Ints,
    wins: Ints,
    found: Ints,
    any_pair: bool,
    cost: int,
    level: float,
    rng: Rng,
    spare: Rng,
    world: Rng,
) -> Any:
    """Play sessions, of which some are open at a time and close in random order; return the state.

    outcomes[first, second] are the chances that either wins, and of a tie. found: sessions that show more than the
    best ranker's own list, sessions without it, when a ranker is certified, that ranker; `cost` sessions make a duel.
    """
    n, held, answered = wins.shape[0], 0, 0
    for t in range(0, horizon, cost):
        first, second = steps.choose(state, rng)
        found[0] += cost * (first != best or second != best)
        found[1] += cost * (first != best and second != best)
        state = steps.show(state, first, second)
        queue[0, held], queue[1, held], queue[2, held] = first, second, answered
        held += 1
        if held < queue.shape[1]:
            continue
        held -= 1
        pick = below(world, held + 1)
        first, second, served = queue[0, pick], queue[1, pick], queue[2, pick]
        for field in range(3):
            queue[field, pick] = queue[field, held]
        drawn = uniform(world)
        won = drawn < outcomes[first, second, FIRST]
        decided = won or drawn < outcomes[first, second, FIRST] + outcomes[first, second, SECOND]
        if first == second:  # its own list: nothing to compare
            decided = won = True
        elif decided:
            wins[first, second] += won
            wins[second, first] += not won
        if found[2] == 0 and t % CHECK_EVERY < cost:
            for arm in range(n):
                least = math.inf
                for other in range(n):
                    if other != arm:
                        least = min(least, log_evidence(wins[arm, other], wins[other, arm]))
                if least >= math.log((n - 1) / (1.0 - level)):
                    found[2], found[3] = t + cost, arm
        current = any_pair or served == answered
        if not current:
            spare[0], spare[1] = rng[0], rng[1]
            one, other = steps.choose(state, spare)
            current = (one == first and other == second) or (one == second and other == first)
        if not decided or not current:
            state = steps.pass_(state, first, second)
            continue
        answered += 1
        state = steps.update(state, first, second, won, rng)
    return state


@cache
def _bound(chosen: Algorithm) -> Any:
    bound: Any = ModuleType(f"steps of {chosen.name}")
    serving = chosen.serving
    bound.choose, bound.update, bound.best, bound.show = chosen.choose, chosen.update, chosen.best, serving.show
    bound.pass_ = serving.pass_
    return specialise(play, bound, f"{chosen.name}_rankers", compiled=chosen.compiled)


def interleaved_outcomes(sessions: int) -> tuple[Floats, Floats]:
    """Return the chances of each outcome of each pair: of interleaved sessions, and of an A/B test's two sessions.

    In an A/B test each searcher sees one ranker's own list; of two searchers, the one who clicks higher up wins.
    """
    corpus, model = generated_corpus(), CLICK_MODELS[CLICKS]
    lists = corpus.rankings(LENGTH)
    n = len(lists)
    mixed, apart = np.zeros((n, n, 3)), np.zeros((n, n, 3))
    for first, second in combinations(range(n), 2):
        queries = np.stack([lists[first], lists[second]], axis=1)
        rng = stream(0, first, second)
        counts = count_outcomes(queries, corpus.grades, model, "team_draft", "clicks", sessions, rng)
        mixed[first, second] = counts[:3] / sessions
        mixed[second, first] = mixed[first, second, [SECOND, FIRST, TIE]]
    for arm in range(n):
        mixed[arm, arm, TIE] = 1.0
    clicked = np.array([first_clicks(lists[arm], corpus.grades, arm, sessions) for arm in range(n)])
    for first, second in np.ndindex(n, n):
        both = np.outer(clicked[first], clicked[second])
        apart[first, second] = np.triu(both, 1).sum(), np.tril(both, -1).sum(), np.trace(both)
    return mixed, apart


def first_clicks(ranked: Ints, grades: Ints, arm: int, sessions: int) -> Floats:
    """Return how likely the first click on a ranker's own list is at each place; the last entry is for no click."""
    rng, clicks = stream(1, arm), np.empty(LENGTH, np.int64)
    counts = np.zeros(LENGTH + 1)
    for _ in range(sessions // 10):
        results = ranked[below(rng, len(ranked))]
        clicked = add_clicks(CLICK_MODELS[CLICKS], grades[results], LENGTH, clicks, rng)
        counts[clicks[0] if clicked else LENGTH] += 1
    return counts / counts.sum()


def run(name: str, outcomes: Floats, opened: int, horizon: int, seed: int, cost: int = 1) -> tuple[Ints, bool]:
    """Play one run; return what was found, and whether the favourite at its end is the best ranker."""
    chosen, n = algorithm(name), len(outcomes)
    rng, world, label = stream(seed, 0), stream(seed, 1), np.arange(n)
    shuffle(label, world)  # arm -> ranker; ranker 0 is the best
    state = chosen.reserve(chosen.start(n, rng, horizon=horizon), horizon)
    found, best = np.zeros(4, np.int64), int(np.flatnonzero(label == 0)[0])
    state = _bound(chosen)(
        state, outcomes[np.ix_(label, label)], best, horizon, np.zeros((3, opened), np.int64),
        np.zeros((n, n), np.int64), found, chosen.serving.any_pair, cost, LEVEL, rng, rng.copy(), world,
    )  # fmt: skip
    if found[2]:
        found[3] = label[found[3]]
    return found, chosen.best(state) == best


def measure(runs: int, horizon: int) -> None:
    """Write the results of all learners, and of all-pairs tests."""
    mixed, apart = interleaved_outcomes(1_000_000)
    lines: list[Sequence[object]] = []
    cases = [(name, opened, mixed, 1, name) for name in LEARNERS for opened in (1, 100)]
    tests = [("random", 100, mixed, 1, "interleaved test"), ("random", 100, apart, 2, "A/B test")]
    for name, opened, outcomes, cost, label in [*cases, *tests]:
        test = name == "random"  # ends when some ranker is certified
        longest = 10 * horizon if test else horizon
        played = [run(name, outcomes, opened, longest, seed, cost) for seed in range(runs)]
        ends = np.array([found[2] if found[2] else longest for found, _ in played])
        strong = ends if test else np.array([found[0] for found, _ in played])
        wrong = sum(bool(found[2]) and found[3] != 0 for found, _ in played)
        certified = sum(bool(found[2]) for found, _ in played)
        lines.append((
            label, opened, float(strong.mean()), float(strong.std(ddof=1) / math.sqrt(runs)),
            sum(right for _, right in played) / runs, certified / runs, wrong / runs, float(np.median(ends)), runs,
        ))  # fmt: skip
    write_results("rankers", COLUMNS, lines)
    replace_part("rankers.md", "learners", page_table())


def page_table() -> str:
    """Return the table of the page."""
    known = {(one["algorithm"], one["open"]): one for one in read_results("rankers")}
    lines = []
    for name in dict.fromkeys(name for name, _ in known):
        one, many = known.get((name, "1")), known[name, "100"]
        regrets = (
            f"{float(each['strong']):,.0f} ± {float(each['strong_sem']):,.0f}" if each else "" for each in (one, many)
        )
        lines.append((name if "test" in name else f"`{name}`", *regrets, f"{float(many['sessions']):,.0f}"))
    return table(("", "strong regret, 1 open", "strong regret, 100 open", "certified after, 100 open"), lines)


PARTS = {"learners": page_table}


def rows() -> list[dict[str, Any]]:
    """Return the speed of each method."""
    corpus = generated_corpus()
    lists = corpus.rankings(LENGTH)
    queries, model, found = np.stack([lists[0], lists[1]], axis=1), CLICK_MODELS[CLICKS], []
    for method, target in (("team_draft", "100,000/s"), ("probabilistic", "10,000/s with credit")):
        seconds = best_seconds(
            lambda method=method: count_outcomes(  # type: ignore[misc]
                queries, corpus.grades, model, method, "clicks", 100_000, stream(0)
            )
        )
        found.append(row(f"{method}, simulated sessions of {LENGTH}", 100_000 / seconds, "/s", target, "one core"))
    one, other = list(range(40)), list(range(40))
    random.Random(0).shuffle(other)
    credited = best_seconds(lambda: [probabilistic(one, other, seed=k).credit([1, 4]) for k in range(300)]) / 300
    found.append(row("probabilistic and its credit, from Python", 1 / credited, "/s", "10,000/s"))
    start = time.perf_counter()
    optimized(one, other, LENGTH, seed=1)
    found.append(row(f"optimized, a new pair of {LENGTH}", 1e3 * (time.perf_counter() - start), "ms"))
    cached = best_seconds(lambda: [optimized(one, other, LENGTH, seed=k) for k in range(100)]) / 100
    found.append(row("optimized, its plan cached", 1e3 * cached, "ms", "at most 5"))
    share = session_rate()
    found.append(row("durable sessions of an arena, one by one", share, "of plain duels", "0.8 or more"))
    return found


def session_rate(times: int = 100) -> float:
    """Return the rate of sessions of an arena in a file, divided by that of plain duels."""
    rankings = {f"ranker {k}": [f"document {k}.{place}" for place in range(LENGTH)] for k in range(8)}
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/rankers.db"
        with Arena.open(file, items=[*rankings], audience="everyone", regret="strong", seed=1) as arena:

            def duels() -> None:
                for _ in range(times):
                    duel = arena.ask()
                    arena.tell(duel, winner=duel.left)

            def sessions() -> None:
                for _ in range(times):
                    session = arena.session(None, rankings)
                    session.clicked(1)
                    session.close()

            in_turns = [(best_seconds(duels, 1), best_seconds(sessions, 1)) for _ in range(11)]
            return float(np.median([of_duels / of_sessions for of_duels, of_sessions in in_turns]))


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks rankers", description=__doc__)
    parser.add_argument("--write", action="store_true", help="play, and write results/rankers.csv and the page")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--horizon", type=int, default=100_000)
    given = parser.parse_args(words)
    if given.write:
        measure(given.runs, given.horizon)
