"""Study WS-T: near-ties, wrong incumbents, third arms, caution, attacks.

`python -m benchmarks ws_t --write` plays all of it (about an hour on two idle cores, most of it for the attacks) and
writes results/ws-t/; with names of parts (`near-ties locks --write`) only those. Runs are kept in out/ws-t. Without
`--write`, its tail on sushi is measured.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from benchmarks._problems import TUNING, find_problems
from benchmarks._results import DOCS, read_results, replace_part, table, write_results
from benchmarks._timing import row
from benchmarks.ablation import Row, measure, variant
from benchmarks.attack import Search, search
from winnerstays import algorithm
from winnerstays.files import write_whole
from winnerstays.simulation.colours import COLOURS
from winnerstays.simulation.curve import figure as number

SEED, KEPT = 18, "out/ws-t"
HORIZON = 10**6
CLOSE = (0.501, 0.505, 0.51, 0.52, 0.55, 0.6, 0.8)
BETAS = (1.02, 1.1, 1.5)
CAUTIONS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
DEFAULT = 3.0
TRADED = ("sushi", "total-order:n_arms=4,p=0.52", "total-order:n_arms=6,p=0.53", "attack-one-close")
"""Where the tail of WS-T is longest beside that of D-TS."""
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


def third_arms(runs: int = 1000) -> list[Line]:
    """Return what third arms are worth on the problems on which their constants were chosen, and RMED2 there."""
    kinds = {f"ws-t:third={how}": variant(third=how) for how in ("never", "known", "tried")}
    lines: list[Line] = []
    for name, where in find_problems(TUNING).items():
        print(f"third arms on {name}", file=sys.stderr)
        for label, one in {**kinds, "rmed2": algorithm("rmed2")}.items():
            found = measure(one, label, where, (HORIZON,), runs, SEED, KEPT).stats[HORIZON]
            lines.append((name, label, found.mean, found.sem))
    return lines


def trade_off(runs: int = 1000) -> list[Line]:
    """Return mean, p99 and worst run of WS-T with more and less caution beside those of D-TS; draw the picture."""
    labels = ("dts", *(f"ws-t:caution={caution}" for caution in CAUTIONS))
    found = {name: {label: played(label, name, (HORIZON,), runs) for label in labels} for name in TRADED}
    lines: list[Line] = []
    for name, rows in found.items():
        base = rows["dts"].stats[HORIZON]
        for label, one in rows.items():
            here = one.stats[HORIZON]
            ratios = (getattr(here, what) / getattr(base, what) for what in ("mean", "p99", "worst"))
            lines.append((name, label, here.mean, here.sem, *ratios))
    figure = traded_picture(found)
    write_whole(DOCS / "ws-t-trade-off.png", partial(figure.savefig, format="png", dpi=120), force=True)
    return lines


def traded_picture(found: dict[str, dict[str, Row]]) -> Figure:
    """Draw for each problem the curve along which caution moves WS-T: mean against p99, both over those of D-TS."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for colour, (name, rows) in zip(COLOURS, found.items(), strict=False):
        base = rows["dts"].stats[HORIZON]
        here = {label: one.stats[HORIZON] for label, one in rows.items() if label != "dts"}
        across = [one.mean / base.mean for one in here.values()]
        up = [one.p99 / base.p99 for one in here.values()]
        axes.plot(across, up, "o-", color=colour, markersize=4, label=name)
        for caution, x, y in zip(CAUTIONS, across, up, strict=True):
            axes.annotate(f"{caution:g}", (x, y), xytext=(3, 4), textcoords="offset points", fontsize=7, color=colour)
            if caution == DEFAULT:
                axes.plot(x, y, "o", color=colour, markersize=10, fillstyle="none")
    axes.axhline(1.2, color="grey", linestyle=":", linewidth=1)
    axes.annotate("target: 1.2", (1, 1.2), xycoords=("axes fraction", "data"), xytext=(-4, 3),
                  textcoords="offset points", ha="right", fontsize=7, color="grey")  # fmt: skip
    axes.set(xlabel="mean strong regret at 10^6 duels / D-TS's", ylabel="p99 / D-TS's", yscale="log")
    axes.set_yticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    axes.minorticks_off()
    axes.set_title("WS-T by caution (numbers); circles: the default", loc="left", fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    return figure


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
    "near-ties": (("p", "algorithm", "mean", "sem"), near_ties),
    "locks": (("problem", "t", "locked"), locks),
    "third-arms": (("problem", "algorithm", "mean", "sem"), third_arms),
    "trade-off": (
        ("problem", "algorithm", "mean", "sem", "mean_ratio", "p99_ratio", "worst_ratio"), trade_off,
    ),
    "attacks": (("rival", "seed", "arms", "ratio", "error"), attacks),
}  # fmt: skip
"""By the name of its file in results/ws-t/: the columns, and what makes the lines."""
SHOWN = (
    "sushi", "mslr", "cyclic", "fifty", "total-order:n_arms=4,p=0.52", "linear-utilities:n_arms=10,link=logit,seed=2",
    "random-condorcet:n_arms=30,seed=2", "attack-dts-5",
)  # fmt: skip
"""The problems in the table of docs/ws-t.md."""


def page_table() -> str:
    """Return the table of docs/ws-t.md, made from the league: means, and the tail beside that of D-TS."""
    found = {(row["problem"], row["algorithm"]): row for row in read_results("league/tails")}
    lines = []
    for name in SHOWN:
        ours, theirs, fixed, oldest = (found[name, label] for label in ("ws-t", "dts", "ws-s", "rmed1"))
        means = [number(float(row["mean"])) for row in (ours, theirs, fixed, oldest)]
        ratios = [f"{float(ours[what]) / float(theirs[what]):.2f}" for what in ("p99", "worst")]
        lines.append((f"`{name}`", *means, *ratios))
    header = ("problem", "`ws-t`", "`dts`", "`ws-s`", "`rmed1`", "p99 / that of `dts`", "worst run / that of `dts`")
    return table(header, lines)


PARTS: dict[str, Callable[[], str]] = {"league": page_table}
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
