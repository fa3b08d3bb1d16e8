"""Compare ws-root with ws-w as the default for single users, on a fixed list of cases.

`python -m benchmarks single_user --table` prints the table and the count that decides. The list was fixed before it was
played: people alone who give few answers and many, few and many items, near ties, data, several duels open, items that
come and go, silence, and people with tastes in common.
"""

import argparse
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import crowd
from benchmarks._results import table
from benchmarks._timing import row
from benchmarks._traffic import Traffic, weak_regrets
from benchmarks.traffic import Case, Laboratory
from winnerstays import Problem, algorithm

RUNS = 400
CLEAR = 2.0
"""Standard errors by which two means must differ to be told apart."""
CASES = [
    Case("3 items, 20 answers", "order 3 .8", duels=20),
    Case("10 items, 20 answers", "order 10 .8", duels=20),
    Case("50 items, 17 answers", "fifty .8", duels=17),
    Case("200 items, 17 answers", "order 200 .8", duels=17),
    Case("50 items, 200 answers", "fifty .8", duels=200),
    Case("50 items, p = .6, 200 answers", "fifty .6", duels=200),
    Case("200 items, 1,000 answers", "order 200 .8", duels=1000, runs=200),
    Case("50 items, 10,000 answers", "fifty .8"),
    Case("near ties: 10 items, p = .52, 2,000 answers", "order 10 .52", duels=2000),
    Case("near ties: 3 items, p = .51, 2,000 answers", "order 3 .51", duels=2000),
    Case("sushi, 200 answers", "sushi", duels=200),
    Case("sushi, 10,000 answers", "sushi"),
    Case("mslr, 1,000 answers", "mslr", duels=1000),
    Case("cyclic, 1,000 answers", "cyclic", duels=1000),
    Case("no total order: random-condorcet, 20 items, 1,000 answers", "random-condorcet:n_arms=20", duels=1000),
    Case("linear utilities, 1,000 answers", "linear-utilities", duels=1000),
    Case("5 duels open, 50 items, 200 answers", "fifty .8", Traffic(open_duels=5), 200),
    Case("10 duels open, 50 items, 200 answers", "fifty .8", Traffic(open_duels=10), 200),
    Case("25 items, one more each 20 answers, 400", "fifty .8", Traffic(start=25, join_every=20), 400),
    Case("the best retired each 100 answers, 1,000", "fifty .8", Traffic(retire_every=100), 1000),
    Case("half of the duels not answered, 50 items, 200", "fifty .8", Traffic(unanswered=0.5), 200),
]


def with_crowd(taste: crowd.Tastes) -> tuple[Any, Any]:
    """Return the regrets of people with such tastes: ws-root as it starts from the crowd, ws-w, which cannot."""
    seeds = range(crowd.POPULATIONS)
    root = np.array([crowd.population(taste, seed, crowd.with_crowd)[0] for seed in seeds])
    alone = np.array([_ws_w(taste, seed) for seed in seeds])
    return root, alone


def _ws_w(taste: crowd.Tastes, seed: int) -> float:
    """Return the mean regret of the same people, each alone with ws-w."""
    one = algorithm("ws-w")
    utilities = crowd.utilities(taste, seed)[crowd.USERS // 2 :]
    chances = (1 / (1 + np.exp(utility[None, :] - utility[:, None])) for utility in utilities)
    return float(
        np.mean([weak_regrets(one, Problem(each), Traffic(), crowd.DUELS, [k]) for k, each in enumerate(chances)])
    )


def compared(laboratory: Laboratory, cases: Iterable[Case]) -> list[tuple[str, Any, Any]]:
    found = []
    for case in cases:
        case = case._replace(runs=RUNS if case.runs == Case("").runs else case.runs)
        found.append((case.name, laboratory.regrets(case, "ws-root"), laboratory.regrets(case, "ws-w")))
    for taste in (crowd.CASES[0], crowd.CASES[2], crowd.CASES[3]):
        found.append((f"500 people, 50 items, 200 answers each, tastes in common: {taste.name}", *with_crowd(taste)))
    return found


def verdict(root: Any, ws_w: Any) -> str:
    """Return whose mean is lower by more than 2 standard errors; none if nobody's."""
    error = math.sqrt(root.var(ddof=1) / len(root) + ws_w.var(ddof=1) / len(ws_w))
    gain = float(ws_w.mean() - root.mean())
    return "ws-root" if gain > CLEAR * error else "ws-w" if gain < -CLEAR * error else "-"


def rows() -> list[dict[str, Any]]:
    return [
        row(f"{name}: {who}", float(found.mean()), "duels", "", f"lower: {verdict(root, ws_w)}")
        for name, root, ws_w in compared(Laboratory(None), CASES)
        for who, found in (("ws-root", root), ("ws-w", ws_w))
    ]


def text(found: list[tuple[str, Any, Any]]) -> str:
    lines = []
    for name, root, ws_w in found:
        cells = [f"{each.mean():.1f} ± {each.std(ddof=1) / math.sqrt(len(each)):.1f}" for each in (root, ws_w)]
        lines.append([name, *cells, verdict(root, ws_w)])
    won = [sum(line[-1] == name for line in lines) for name in ("ws-root", "ws-w", "-")]
    shown = table(("case", "`ws-root`", "`ws-w`", "lower"), lines)
    return f"{shown}\n\nws-root is lower on {won[0]}, ws-w on {won[1]}, {won[2]} cannot be told apart."


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", required=True, help="print the table")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep simulated runs here, and take those there")
    print(text(compared(Laboratory(parser.parse_args(words).cache), CASES)))
