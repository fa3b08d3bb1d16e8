"""Play learners under real traffic: many open duels, items that come and go, drift, silence.

`python -m benchmarks traffic --write` plays all cases, and writes results/traffic/ and the table of docs/traffic.md.
With `--cache FILE`, what was simulated before is taken from there, so that the work can be done in parts. Without
`--write`, the cost of an ask and a tell of ws-root is measured.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._results import read_results, replace_part, table, write_results
from benchmarks._timing import best_seconds, one_run, row
from benchmarks._traffic import Traffic, weak_regrets
from winnerstays import Learner, Problem, algorithm, problem
from winnerstays.files import write_whole
from winnerstays.problems import total_order
from winnerstays.randomness import stream
from winnerstays.simulation.loop import loop_of
from winnerstays.simulation.regret import ALL_REGRETS, arm_losses, no_duels

DUELS, RUNS = 10_000, 100
ONE = ("fifty .8", "fifty .6", "sushi", "mslr", "cyclic")
UNSEEN = (
    "random-condorcet:n_arms=20", "three-types:per_type=8", "three-types:per_type=8,p=0.6", "linear-utilities",
)  # fmt: skip
"""Problems on which nothing was tuned."""


class Case(NamedTuple):
    """One line of a table: what is played, and how often."""

    name: str
    where: str = "fifty .8"
    traffic: Traffic = Traffic()
    duels: int = DUELS
    runs: int = RUNS


def find_problem(name: str) -> Problem:
    if name.startswith("fifty "):
        return total_order(50, float(name.split()[1]))
    if name.startswith("order "):
        n_arms, p = name.split()[1:]
        return total_order(int(n_arms), float(p))
    return problem(name)


OPEN = [
    Case(f"p = {p}, {count} open", f"fifty {p}", Traffic(open_duels=count))
    for p in (".8", ".6")
    for count in (1, 5, 20, 100, 1000)
]
PROBLEMS = [Case(name, name, runs=200) for name in (*ONE, *UNSEEN)]
SIZES = [
    Case("200 items, 1 open", "order 200 .8", runs=50),
    Case("200 items, 100 open", "order 200 .8", Traffic(open_duels=100), runs=50),
    Case("1000 items, 1 open, 30,000 duels", "order 1000 .8", duels=30_000, runs=12),
]
ITEMS = [
    Case("25 items, one more each 400 duels", traffic=Traffic(start=25, join_every=400)),
    Case("the best is retired each 500 duels", traffic=Traffic(retire_every=500)),
    Case(
        "30 items, one more each 500, the best retired each 1000",
        traffic=Traffic(start=30, join_every=500, retire_every=1000),
    ),
    Case("the same, 20 open", traffic=Traffic(start=30, join_every=500, retire_every=1000, open_duels=20)),
]
ELIGIBLE = [
    Case("each item eligible with chance .9 at each ask", traffic=Traffic(eligible=0.9), runs=50),
    Case("each item eligible with chance .5 at each ask", traffic=Traffic(eligible=0.5), runs=50),
    Case("the same, 20 open", traffic=Traffic(eligible=0.5, open_duels=20), runs=50),
    Case("4 countries, 60 % of the items in each", traffic=Traffic(eligible=0.6, countries=4), runs=100),
]
DRIFT = [
    Case("all tastes shuffled each 2000 duels", traffic=Traffic(drift_every=2000)),
    Case("the same, p = .6", "fifty .6", Traffic(drift_every=2000)),
    Case("the best swaps with a random item each 1000", traffic=Traffic(drift_every=1000, drift="best")),
    Case("two neighbours in rank swap each 10", traffic=Traffic(drift_every=10, drift="neighbours"), runs=100),
    Case("shuffled once, at 50,000 of 100,000", traffic=Traffic(drift_every=50_000), duels=100_000, runs=30),
]
PEOPLE = [
    Case("half of the duels never answered", traffic=Traffic(unanswered=0.5)),
    Case("the same, 20 open", traffic=Traffic(unanswered=0.5, open_duels=20)),
    Case("nobody answers duels 500 to 2500, 20 open", traffic=Traffic(silence=(500, 2500), open_duels=20)),
]
TIES = [
    Case(f"{share:.0%} ties, {how}, {count} open", traffic=Traffic(ties=share, ties_teach=how, open_duels=count))
    for share in (0.2, 0.5)
    for count in (1, 20)
    for how in ("nothing", "coin", "halves")
]
NONES = [
    Case(
        f"{where}: {how}, {count} open",
        traffic=Traffic(nones=share, good=good, nones_teach=how, open_duels=count),
    )
    for where, share, good in (
        ("none of the two, where both are of the worse half", 1.0, 0.5),
        ("where neither is of the best tenth", 1.0, 0.1),
        ("half of the time, where neither is of the best tenth", 0.5, 0.1),
        ("one duel in five, whatever the two", 0.2, 0.0),
    )
    for count in (1, 20)
    for how in ("nothing", "coin", "losses")
]
ALL = Traffic(
    open_duels=20, start=30, join_every=500, retire_every=2500, eligible=0.8, unanswered=0.3, ties=0.1,
    drift_every=5000, drift="best",
)  # fmt: skip
TOGETHER = [Case("all of it", traffic=ALL), Case("the same, p = .6", "fifty .6", ALL)]
LONG = [
    Case(f"{name}, {duels:,} duels", name, duels=duels, runs=30)
    for name in ("fifty .8", "sushi", "cyclic")
    for duels in (10_000, 100_000, 10**6)
]
STILL = [Case(name, name, duels=50_000, runs=40) for name in ("fifty .8", "fifty .6", "sushi")]

CHANGES = tuple(f"ws-root:change={change}" for change in (0, 1, 2, 3, 6))


BOTH = ("ws-root", "ws-w")
SECTIONS: list[tuple[str, list[Case], tuple[str, ...]]] = [
    ("Many open duels", OPEN, BOTH),
    ("One open duel", PROBLEMS, BOTH),
    ("One open duel", SIZES, BOTH),
    ("Items come and go", ITEMS, BOTH),
    ("Eligible items", ELIGIBLE, BOTH),
    ("Tastes drift", DRIFT, ("ws-root", "ws-root:change=0", "ws-w")),
    ("People do not answer, or cannot decide", PEOPLE, BOTH),
    ("People do not answer, or cannot decide", TIES, BOTH),
    ("People do not answer, or cannot decide", NONES, ("ws-root",)),
    ("All of it together", TOGETHER, BOTH),
    ("What is proved", LONG, ("ws-root",)),
    ("What the change test costs when nothing changes", STILL, CHANGES),
]
"""What is compared: the name, the cases, the algorithms."""
SHOWN = (
    ("Many open duels", "p = .8, 1 open"),
    ("Many open duels", "p = .8, 20 open"),
    ("One open duel", "sushi"),
    ("Items come and go", "30 items, one more each 500, the best retired each 1000"),
    ("Eligible items", "4 countries, 60 % of the items in each"),
    ("Tastes drift", "all tastes shuffled each 2000 duels"),
    ("People do not answer, or cannot decide", "half of the duels never answered"),
    ("All of it together", "all of it"),
)
"""The cases in the table of docs/traffic.md."""


class Laboratory:
    """Simulates cases, and remembers them in a file."""

    def __init__(self, cache: Path | None) -> None:
        self.cache = cache
        self.known: dict[str, list[float]] = {}
        if cache is not None and cache.exists():
            self.known = json.loads(cache.read_text())

    def regrets(self, case: Case, name: str) -> Any:
        key = json.dumps([name, case.where, asdict(case.traffic), case.duels, case.runs])
        if key not in self.known:
            start = time.perf_counter()
            found = weak_regrets(_algorithm(name), find_problem(case.where), case.traffic, case.duels, range(case.runs))
            self.known[key] = found.tolist()
            print(f"{name:30} {case.name:60} {found.mean():8.1f}  {time.perf_counter() - start:.1f} s", flush=True)
            if self.cache is not None:
                text = json.dumps(self.known)
                write_whole(self.cache, text, force=True)
        return np.array(self.known[key])


def _algorithm(name: str) -> Any:
    known, _, settings = name.partition(":")
    return algorithm(known, **dict(pair.split("=") for pair in settings.split(",") if pair))


def after(n_items: int, answers: int) -> Any:
    """Return the arrays of a learner after answers, the better item winning 8 of 10; its other numbers are fresh."""
    one, rng, luck = algorithm("ws-root"), stream(1), stream(2)
    where = total_order(n_items, 0.8, dimension=1)
    state = one.reserve(one.start(n_items, rng), answers)
    label, times, record = np.arange(n_items, dtype=np.uint32), np.array([answers]), np.zeros((1, len(ALL_REGRETS)))
    losses, stop = arm_losses(where), np.zeros(1, np.uint8)
    met = np.zeros((0, 0), np.int64)
    loop_of(one)(state, where.chances, losses, no_duels(n_items), label, times, record, rng, luck, stop, met)
    return state


def ready(n_items: int, answers: int) -> Any:
    """Return a learner after answers, with room for many more."""
    state = after(n_items, answers)
    return algorithm("ws-root").reserve(state._replace(met=pairs_in(state)), 10_000)


class Cost(NamedTuple):
    """Microseconds of an ask and a tell."""

    compiled: float
    learner: float  # Learner.ask and Learner.tell, one duel open
    steps: float  # choose, show, reserve and update one by one, as in an arena


def cost(n_items: int, answers: int) -> Cost:
    """Return what an ask and a tell cost after some answers."""
    one, where = algorithm("ws-root"), total_order(n_items, 0.8, dimension=1)
    duels = max(answers, 2_000_000 // n_items)
    compiled = best_seconds(one_run(where, one, duels), 3, time.process_time)
    state, rng = ready(n_items, answers), stream(3)

    def steps() -> None:
        nonlocal state
        for _ in range(1000):
            first, second = one.choose(state, rng)
            state = one.serving.show(state, first, second)
            state = one.update(one.reserve(state, 1), first, second, first < second, rng)

    learner = Learner(one, [str(arm) for arm in range(n_items)], seed=3)
    learner.state = ready(n_items, answers)

    def asked_and_told() -> None:
        for _ in range(1000):
            duel = learner.ask()
            learner.tell(duel, min(duel.first, duel.second, key=int))

    seconds = [best_seconds(work, 5, time.process_time) for work in (asked_and_told, steps)]
    return Cost(compiled / duels * 1e6, *(each / 1000 * 1e6 for each in seconds))


def size(n_items: int, answers: int) -> tuple[int, int]:
    """Return the bytes of a learner, and how many pairs met."""
    state = after(n_items, answers)
    return len(algorithm("ws-root").dump(state)), pairs_in(state)


def pairs_in(state: Any) -> int:
    return int(np.count_nonzero(state.table[0]))


def rows() -> list[dict[str, Any]]:
    found = []
    for n_items, target in ((50, ""), (200, "<= 5"), (10_000, "<= 50")):
        for how, microseconds in cost(n_items, 1000)._asdict().items():
            found.append(row(f"ws-root, {n_items} items: ask and tell, {how}", microseconds, "us", target))
    return found


def write(laboratory: Laboratory) -> None:
    """Play all cases, and write the results and the table of the page."""
    lines = []
    for section, cases, names in SECTIONS:
        for case in cases:
            for name in names:
                found = laboratory.regrets(case, name)
                error = float(found.std(ddof=1) / np.sqrt(len(found)))
                tail = (float(np.median(found)), float(np.quantile(found, 0.9)), float(found.max()))
                lines.append((section, case.name, name, float(found.mean()), error, *tail, case.runs))
    columns = ("section", "case", "algorithm", "mean", "sem", "median", "p90", "worst", "runs")
    write_results("traffic/regret", columns, lines)
    numbers = (50, 200, 1000, 10_000)
    write_results(
        "traffic/cost",
        ("items", "compiled_us", "learner_us", "steps_us"),
        [(n_items, *cost(n_items, 1000)) for n_items in numbers],
    )
    write_results(
        "traffic/size",
        ("items", "answers", "bytes", "pairs"),
        [(n_items, answers, *size(n_items, answers)) for n_items in numbers for answers in (100, 10_000, 10**6)],
    )
    for name, make in PARTS.items():
        replace_part("traffic.md", name, make())


def page_table() -> str:
    """Return the table of docs/traffic.md: some cases, with both algorithms."""
    found = {(row["section"], row["case"], row["algorithm"]): row for row in read_results("traffic/regret")}
    lines = []
    for section, case in SHOWN:
        rows_ = [found[section, case, name] for name in BOTH]
        lines.append((case, *(f"{float(one['mean']):,.0f} ± {float(one['sem']):,.0f}" for one in rows_)))
    return table(("case", *(f"`{name}`" for name in BOTH)), lines)


PARTS: dict[str, Callable[[], str]] = {"cases": page_table}
"""By name, what makes each part of docs/traffic.md."""


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks traffic", description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help="write results/traffic/ and the page")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep simulated runs here, and take those there")
    write(Laboratory(parser.parse_args(words).cache))
