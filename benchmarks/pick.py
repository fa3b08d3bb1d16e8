"""Count the judge's calls until `pick` is certain, beside other ways to choose pairs.

`python -m benchmarks.pick` prints the table; with `--write` it writes results/pick.md. Cases that are done are
kept in out/pick-league.json; `--next` does one more case and ends. `--coverage` counts wrong certificates, `--budgets`
compares what is lost with small budgets.
"""

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._pick_budgets import budgets
from benchmarks._pick_rivals import player
from benchmarks._pick_simulation import Judge, simulate_pick
from benchmarks._timing import row
from winnerstays import pick, problem
from winnerstays.files import write_whole
from winnerstays.picking.procedure import CERTIFIED, CYCLE, PLAYING

HEAD = """# Calls of `pick`, beside other ways to choose pairs

Written by `python -m benchmarks.pick --write`. Calls of the judge until the certificate at level .95, means ± standard
errors: `pick`, and how many more calls the others need with the same answers (the k-th duel of a pair ends alike for
all of them). `pick` and `ws-w` have 400 runs each, the slower ones 4 to 60. All but the first two others have the same
stopping rule.

"""
RESULTS = Path(__file__).parent.parent / "results" / "pick.md"
SAFE, LAST = "pick, cycles safe", "pick, cycles excluded"
OTHERS = (SAFE, LAST, "ws-w", "dts", "random pairs")
QUICK = ("pick", SAFE, LAST, "ws-w")
"""Ways that take milliseconds a run, and so can have RUNS; the others have as many as the case says."""
RUNS = 400
LEVEL, BUDGET, SEED = 0.95, 1_000_000, 0
Matrix = Any


def order(n_items: int, p: float, top: float | None = None) -> Matrix:
    """A total order: the better one wins with chance p, the best against the second with `top`."""
    wins = np.full((n_items, n_items), p)
    wins[np.tril_indices(n_items)] = 1 - p
    np.fill_diagonal(wins, 0.5)
    if top is not None:
        wins[0, 1], wins[1, 0] = top, 1 - top
    return wins


def cyclic_losers(n_items: int, p: float, losers: float) -> Matrix:
    """The best wins with chance p; each of the others beats the next half of them with chance `losers`."""
    wins = order(n_items, p)
    n_losers = n_items - 1
    ahead = (np.arange(n_losers)[None, :] - np.arange(n_losers)[:, None]) % n_losers
    wins[1:, 1:] = np.where(ahead == 0, 0.5, np.where(ahead <= n_losers // 2, losers, 1 - losers))
    return wins


def strengths(n_items: int, spread: float) -> Matrix:
    """Bradley-Terry: equally spaced strengths, `spread` from the first to the last."""
    worth = np.linspace(spread, 0, n_items)
    return 1 / (1 + np.exp(worth[None, :] - worth[:, None]))


CASES: dict[str, tuple[Matrix, int]] = {
    "3 items, order, p = .6": (order(3, 0.6), 60),
    "5 items, order, p = .55": (order(5, 0.55), 20),
    "5 items, order, p = .6": (order(5, 0.6), 40),
    "8 items, order, p = .7": (order(8, 0.7), 40),
    "10 items, order, p = .9": (order(10, 0.9), 60),
    "16 items, order, p = .6": (order(16, 0.6), 8),
    "20 items, order, p = .8": (order(20, 0.8), 16),
    "50 items, order, p = .7": (order(50, 0.7), 4),
    "8 items, near-tie at the top, .55, else .8": (order(8, 0.8, 0.55), 10),
    "6 items, best .6, losers in a cycle, .8": (cyclic_losers(6, 0.6, 0.8), 20),
    "10 items, best .65, losers in a cycle, .9": (cyclic_losers(10, 0.65, 0.9), 10),
    "10 items, Bradley-Terry, .58 to .95": (strengths(10, 3.0), 10),
    "4 items, the paper's cyclic matrix": (problem("cyclic").preferences, 20),
    "50 items, order, p = .9": (order(50, 0.9), 4),
    "20 items, near-tie at the top, .55, else .75": (order(20, 0.75, 0.55), 4),
    "4 items, order, p = .65": (order(4, 0.65), 60),
    "6 items, order, p = .75": (order(6, 0.75), 60),
    "12 items, order, p = .65": (order(12, 0.65), 20),
    "30 items, order, p = .75": (order(30, 0.75), 8),
    "40 items, order, p = .85": (order(40, 0.85), 8),
    "12 items, Bradley-Terry, .55 to .90": (strengths(12, 2.2), 8),
    "15 items, near-tie at the top, .57, else .7": (order(15, 0.7, 0.57), 8),
    "7 items, best .7, losers in a cycle, .75": (cyclic_losers(7, 0.7, 0.75), 20),
}
"""Name: (matrix, runs of the slow ways)."""
UNSEEN = list(CASES)[15:]
"""Cases that were not used to choose how much a test bets, and on whom."""
COVERED: dict[str, tuple[Matrix, int | None]] = {
    "2 items, .52": (order(2, 0.52), 0),
    "3 items, .55": (order(3, 0.55), 0),
    "5 items, near-tie at the top, .53, else .6": (order(5, 0.6, 0.53), 0),
    "8 items, .6": (order(8, 0.6), 0),
    "20 items, near-tie at the top, .53, else .7": (order(20, 0.7, 0.53), 0),
    "50 items, .7": (order(50, 0.7), 0),
    "6 items, best .55, losers in a cycle, .8": (cyclic_losers(6, 0.55, 0.8), 0),
    "3 in a cycle, .6": (cyclic_losers(4, 0.6, 0.6)[1:, 1:], None),
    "7 in a cycle, .65": (cyclic_losers(8, 0.6, 0.65)[1:, 1:], None),
}
"""Name: (matrix, its best item; None if there is none)."""
COVERAGE_RUNS, COVERAGE_BUDGET = 1200, 8000


def calls(wins: Matrix, strategy: str, runs: int, **options: Any) -> list[int]:
    """Return the calls of each run. Run k has the same answers, duel by duel of a pair, whatever the strategy."""
    judge = Judge(np.asarray(wins), np.zeros_like(wins))
    found = [
        simulate_pick(judge, player(strategy), level=LEVEL, budget=BUDGET, seed=SEED, run=k, **options)
        for k in range(runs)
    ]
    assert all(one.verdict != PLAYING for one in found), f"{strategy} did not end"
    return [one.calls for one in found]


def entry_of(name: str) -> dict[str, list[int]]:
    """Return the calls of each run of `pick`, of each algorithm and of random pairs in one case."""
    wins, runs = CASES[name]
    found = {}
    for way in ("pick", *OTHERS):
        name_of_way, _, cycles = way.partition(", cycles ")
        found[way] = calls(wins, name_of_way, RUNS if way in QUICK else runs, cycles=cycles or "detected")
    return found


def mean(values: Any) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def more_than_pick(entry: dict[str, list[int]], way: str) -> tuple[float, float]:
    """Return how many calls more than `pick` a way needs with the same answers: mean and standard error."""
    return mean(np.array(entry[way]) - np.array(entry["pick"][: len(entry[way])]))


def league(kept: Path, most: int) -> dict[str, dict[str, list[int]]]:
    """Return the entries of all cases, as far as they are kept or among the `most` new ones."""
    table: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    for name in [name for name in CASES if name not in table][:most]:
        table[name] = entry_of(name)
        words = ", ".join("{} {:+.0f} ± {:.0f}".format(way, *more_than_pick(table[name], way)) for way in OTHERS)
        print(f"{name}: pick {np.mean(table[name]['pick']):.0f}, {words}", file=sys.stderr, flush=True)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(table))
    return {name: table[name] for name in CASES if name in table}


def markdown(table: dict[str, dict[str, list[int]]]) -> str:
    """Return the league as a table for the documentation."""
    heads = ["case", "pick: calls", *(f"{way}: more calls" for way in OTHERS), "random pairs / pick"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    shares = {name: np.mean(entry["pick"]) / np.mean(entry[SAFE]) for name, entry in table.items()}
    for name, entry in table.items():
        own, more = mean(entry["pick"]), [more_than_pick(entry, way) for way in OTHERS]
        cells = [f"{own[0]:,.0f} ± {own[1]:,.0f}", *(f"{value:+,.0f} ± {error:,.0f}" for value, error in more)]
        lines.append(f"| {name} | {' | '.join(cells)} | {1 + more[-1][0] / own[0]:.1f} |")
    unseen = [share for name, share in shares.items() if name in UNSEEN]
    lines += [
        "",
        f'Calls of `pick` / calls with `cycles="safe"`, mean of all cases: {np.mean(list(shares.values())):.2f}',
    ]
    lines[-1] += f"; of the last {len(unseen)}, which were not used to choose the bets: {np.mean(unseen):.2f}." * bool(
        unseen
    )
    return "\n".join(lines)


def coverage() -> str:
    """Return how often a wrong item was certified or the best one was dropped, as a table."""
    lines = ["| case | 1 at once, level .9 | 16 at once, 5 % of calls fail, level .95 |", "|---|---|---|"]
    for name, (wins, best) in COVERED.items():
        cells = []
        for level, lanes, failures in ((0.9, 1, 0.0), (0.95, 16, 0.05)):
            judge = Judge(np.asarray(wins), np.zeros_like(wins), failures)
            options = {"level": level, "concurrency": lanes, "budget": COVERAGE_BUDGET, "seed": 5}
            found = [simulate_pick(judge, run=k, **options) for k in range(COVERAGE_RUNS)]
            wrong = sum(one.verdict == CERTIFIED and one.favourite != best for one in found)
            lost = sum(one.verdict == CYCLE for one in found) if best is not None else 0
            cells.append(f"{(wrong + lost) / COVERAGE_RUNS:.3f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    picks = 2 * len(COVERED) * COVERAGE_RUNS
    return "\n".join(
        [*lines, "", f"Shares of {COVERAGE_RUNS} picks each, {picks:,} in all; at most .1 and .05 is promised."]
    )


def overhead(n_items: int = 50) -> tuple[float, float]:
    """Return the microseconds that `pick` itself takes per call, of the processor and by the clock; store in memory."""
    rng = random.Random(0)
    draws = iter([rng.random() < 0.7 for _ in range(100_000)])

    def judge(left: str, right: str) -> str:
        return min(left, right) if next(draws) else max(left, right)

    items = [f"{number:02}" for number in range(n_items)]
    pick(items[:3], judge, seed=0, progress=False)
    begin, start = time.process_time(), time.perf_counter()
    result = pick(items, judge, seed=0, progress=False)
    spent = time.process_time() - begin, time.perf_counter() - start
    return spent[0] / result.calls * 1e6, spent[1] / result.calls * 1e6


def speed_up(concurrency: int = 8, seconds: float = 0.01) -> float:
    """Return by how much many calls at once shorten a pick whose judge takes 5 to 15 ms."""
    rng = random.Random(0)

    def judge(left: str, right: str) -> str:
        time.sleep(seconds * (0.5 + rng.random()))
        return min(left, right) if rng.random() < 0.7 else max(left, right)

    rates = []
    for lanes in (1, concurrency):
        begin = time.perf_counter()
        result = pick(
            [f"{number:02}" for number in range(10)], judge, concurrency=lanes, budget=400, level=0.999, seed=0
        )
        rates.append(result.calls / (time.perf_counter() - begin))
    return rates[1] / rates[0]


def throughput_with_errors(concurrency: int = 16, seconds: float = 0.1, errors: float = 0.05) -> float:
    """Return the calls per second with failed calls, as a share of those without; failures take as long."""
    rng = random.Random(0)

    def rate(share: float) -> float:
        def judge(left: str, right: str) -> str:
            time.sleep(seconds * (0.5 + rng.random()))
            if rng.random() < share:
                raise OSError("busy")
            return min(left, right) if rng.random() < 0.6 else max(left, right)

        begin = time.perf_counter()
        items = [f"{number:02}" for number in range(10)]
        result = pick(items, judge, concurrency=concurrency, budget=1500, level=0.999999, seed=0, progress=False)
        return result.calls / (time.perf_counter() - begin)

    rate(0.0)
    return rate(errors) / rate(0.0)


def rows() -> list[dict[str, Any]]:
    """One row for each target."""
    judges = (order(8, 0.7), order(10, 0.9))
    worst = max(float(np.divide(*(np.mean(calls(one, way, 40)) for way in ("pick", "random pairs")))) for one in judges)
    processor, clock = overhead()
    found = [
        row("pick: its own processor time per call, 50 items", processor, "us", "< 100", "store in memory"),
        row("pick: its own time per call by the clock, 50 items", clock, "us", "< 100", "store in memory"),
        row("pick: calls per second, 8 at once / 1", speed_up(), "x", "nearly 8", "a judge of 5 to 15 ms"),
        row(
            "pick: answers per second, 5 % of calls fail / none, 16 at once",
            throughput_with_errors(),
            "x",
            ">= 0.8",
            "a judge of 50 to 150 ms",
        ),
        row("pick: calls / calls of random pairs, 8 and 10 items", worst, "x", "<= 0.2", "same certificate"),
    ]
    for n_items, p, runs in ((5, 0.6, 200), (50, 0.7, 20)):
        one, many = (np.mean(calls(order(n_items, p), "pick", runs, concurrency=lanes)) for lanes in (1, 8))
        found.append(row(f"pick: calls, 8 at once / 1, {n_items} items p = {p}", float(many / one), "x", "<= 1.25"))
    return found


if __name__ == "__main__":
    if "--coverage" in sys.argv:
        print(coverage())
        sys.exit()
    if "--budgets" in sys.argv:
        print(budgets())
        sys.exit()
    entries = league(Path("out/pick-league.json"), 1 if "--next" in sys.argv else len(CASES))
    text = markdown(entries)
    print(text)
    if "--write" in sys.argv:
        text += f"\n\n## Wrong certificates and best items lost\n\n{coverage()}"
        measure = "The best item's chance against the chosen one, less 1/2; mean ± standard error."
        text += f"\n\n## What is lost with a small budget\n\n{measure}\n\n{budgets()}"
        whole = HEAD + text + "\n"
        write_whole(RESULTS, whole, force=True)
