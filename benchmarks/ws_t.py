"""Study WS-T: beside others, on near-ties, wrong incumbents, attacks.

`python -m benchmarks ws_t --write` plays all of it (about an hour on two idle cores, most of it for the attacks) and
writes results/ws-t/; with names of parts (`near-ties locks --write`) only those. Runs are kept in out/ws-t. Without
`--write`, its tail on sushi is measured.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks._problems import find_problems
from benchmarks._results import read_results, replace_part, table, write_results
from benchmarks._timing import row
from benchmarks.ablation import Row, measure
from benchmarks.attack import Search, search
from winnerstays import algorithm
from winnerstays.simulation.curve import figure as number

SEED, KEPT = 18, "out/ws-t"
EARLY, HORIZON = 10**5, 10**6
CLOSE = (0.501, 0.505, 0.51, 0.52, 0.55, 0.6, 0.8)
BETAS = (1.02, 1.1, 1.5)
COMPARED = ("ws-t", "self-sparring", "dts", "ws-s", "rmed1")
SHOWN = (
    "sushi", "mslr", "cyclic", "fifty", "total-order:n_arms=4,p=0.52", "linear-utilities:n_arms=10,link=logit,seed=2",
)  # fmt: skip
"""The algorithms and problems in the table of docs/ws-t.md."""
RIVALS = ("dts", "ws-s", "rmed1", "rmed2", "self-sparring")
SEARCHED, SEARCHES = range(3, 9), (3, 4)
"""Numbers of arms, and seeds, of the searches for bad matrices."""


def played(label: str, name: str, times: Sequence[int], runs: int) -> Row:
    """Measure one algorithm on one problem."""
    given, _, value = label.partition(":")
    params = dict([value.split("=")]) if value else {}
    one = algorithm(given, **{key: float(text) for key, text in params.items()})
    print(f"{label} on {name}: {runs:,} runs to {times[-1]:,}", file=sys.stderr)
    return measure(one, label, find_problems([name])[name], tuple(times), runs, SEED, KEPT)


Line = tuple[object, ...]


def compared(runs: int = 100) -> list[Line]:
    """Return WS-T beside others after 10^5 duels."""
    lines: list[Line] = []
    for name in SHOWN:
        for label in COMPARED:
            one = played(label, name, (EARLY,), runs).stats[EARLY]
            lines.append((name, label, one.mean, one.sem, one.p99))
    return lines


def near_ties(runs: int = 400) -> list[Line]:
    """Return four arms, each beating the later ones with p: WS-T beside WS-S with several beta."""
    lines: list[Line] = []
    for p in CLOSE:
        for label in ("ws-t", *(f"ws-s:beta={beta}" for beta in BETAS)):
            one = played(label, f"total-order:n_arms=4,p={p}", (HORIZON,), runs).stats[HORIZON]
            lines.append((p, label, one.mean, one.sem))
    return lines


def locks(runs: int = 4000) -> list[Line]:
    """Return how often a wrong incumbent reigns, over time."""
    times = tuple(10**k for k in range(3, 9))
    lines: list[Line] = []
    for name in ("mslr", "sushi", "total-order:n_arms=4,p=0.52"):
        found = played("ws-t", name, times, runs)
        lines += [(name, t, found.locked[t]) for t in times]
    return lines


def attacks() -> list[Line]:
    """Return how bad WS-T looks beside each rival on the worst matrices that a search finds."""
    lines: list[Line] = []
    for rival in RIVALS:
        for seed in SEARCHES:
            plan = Search(algorithm("ws-t"), algorithm(rival), steps=40, seed=seed)
            for n_arms in SEARCHED:
                found = search(plan, n_arms)
                print(f"attack beside {rival}, seed {seed}, {n_arms} arms: {found.ratio:.2f}", file=sys.stderr)
                lines.append((rival, seed, n_arms, found.ratio, found.ratio * found.error))
    return lines


def rows() -> list[dict[str, Any]]:
    """One row for the tail at the default, where it is longest."""
    found = {label: played(label, "sushi", (HORIZON,), 200).stats[HORIZON] for label in ("ws-t", "dts")}
    ratios = {what: getattr(found["ws-t"], what) / getattr(found["dts"], what) for what in ("mean", "p99")}
    return [
        row("ws-t: mean strong regret / D-TS's, sushi, 10^6", ratios["mean"], "x", "<= 1", "200 runs each"),
        row("ws-t: p99 / D-TS's, sushi, 10^6", ratios["p99"], "x", "<= 1.2", "200 runs each"),
    ]


STUDIES: dict[str, tuple[tuple[str, ...], Callable[[], list[Line]]]] = {
    "compared": (("problem", "algorithm", "mean", "sem", "p99"), compared),
    "near-ties": (("p", "algorithm", "mean", "sem"), near_ties),
    "locks": (("problem", "t", "locked"), locks),
    "attacks": (("rival", "seed", "arms", "ratio", "error"), attacks),
}  # fmt: skip
"""By the name of its file in results/ws-t/: the columns, and what makes the lines."""


def page_table() -> str:
    """Return the table of docs/ws-t.md: means, the lowest in bold, and the 99th percentile beside that of D-TS."""
    rows = {(row["problem"], row["algorithm"]): row for row in read_results("ws-t/compared")}
    lines = []
    for name in SHOWN:
        here = [rows[name, label] for label in COMPARED]
        best = min(float(row["mean"]) for row in here)
        means = [number(float(row["mean"])) for row in here]
        means = [f"**{text}**" if float(row["mean"]) == best else text for text, row in zip(means, here, strict=True)]
        lines.append((f"`{name}`", *means, f"{float(rows[name, 'ws-t']['p99']) / float(rows[name, 'dts']['p99']):.2f}"))
    return table(("problem", *(f"`{label}`" for label in COMPARED), "p99 / that of `dts`"), lines)


PARTS: dict[str, Callable[[], str]] = {"compared": page_table}
"""By name, what makes each part of docs/ws-t.md."""


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks ws_t", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these of {', '.join(STUDIES)}")
    parser.add_argument("--write", action="store_true", required=True, help="write results/ws-t/ and the page")
    for name in parser.parse_args(words).parts or STUDIES:
        if name not in STUDIES:
            sys.exit(f"There is no part {name!r}. Known: {', '.join(STUDIES)}.")
        columns, play = STUDIES[name]
        write_results(f"ws-t/{name}", columns, play())
    for name, make in PARTS.items():
        replace_part("ws-t.md", name, make())
