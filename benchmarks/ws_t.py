"""WS-T beside a tuned WS-S on near-ties, its wrong incumbents over time, third arms, its trade-off of mean and tail.

`python -m benchmarks.ws_t` prints the tables (about ten minutes on two idle cores; runs are kept in out/ws-t);
with `--write` it replaces those of docs/ws-t.md, and the picture. The targets there are those of docs/league.md.
"""

import sys
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from benchmarks._docs import DOCS, replace_part
from benchmarks._timing import row
from winnerstays import algorithm
from winnerstays.files import write_whole
from winnerstays.league.ablation import Row, measure, variant
from winnerstays.league.problems import SETS, league_problems
from winnerstays.league.report import number, power, table
from winnerstays.simulation.colours import COLOURS

SEED, KEPT = 18, "out/ws-t"
HORIZON = 10**6
CLOSE = (0.501, 0.505, 0.51, 0.52, 0.55, 0.6, 0.8)
BETAS = (1.02, 1.1, 1.5)
CAUTIONS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
DEFAULT = 3.0
TRADED = ("sushi", "total-order:n_arms=4,p=0.52", "total-order:n_arms=6,p=0.53", "attack-ties")
"""Where the tail of WS-T is longest beside that of D-TS."""


def played(label: str, name: str, times: Sequence[int], runs: int) -> Row:
    """Measure one algorithm on one problem."""
    given, _, value = label.partition(":")
    params = dict([value.split("=")]) if value else {}
    one = algorithm(given, **{key: float(text) for key, text in params.items()})
    print(f"{label} on {name}: {runs:,} runs to {times[-1]:,}", file=sys.stderr)
    return measure(one, label, league_problems([name])[name], tuple(times), runs, SEED, KEPT)


def near_ties(runs: int = 400) -> str:
    """Return four arms, each beating the later ones with p: WS-T beside WS-S with several beta."""
    lines = []
    for p in CLOSE:
        labels = ("ws-t", *(f"ws-s:beta={beta}" for beta in BETAS))
        found = [played(label, f"total-order:n_arms=4,p={p}", (HORIZON,), runs).stats[HORIZON] for label in labels]
        best = min(one.mean for one in found[1:])
        cells = [f"{number(one.mean)} ± {number(one.sem)}" for one in found]
        lines.append((p, *cells, f"{found[0].mean / best:.2f}"))
    return table(("p", "`ws-t`", *(f"`ws-s`, beta = {beta}" for beta in BETAS), "`ws-t` / best beta"), lines)


def locks(runs: int = 4000) -> str:
    """Return how often a wrong incumbent reigns, over time."""
    times = tuple(10**k for k in range(3, 9))
    lines = []
    for name in ("mslr", "sushi", "total-order:n_arms=4,p=0.52"):
        found = played("ws-t", name, times, runs)
        lines.append((f"`{name}`", *(f"{found.locked[t]:.3%}" for t in times)))
    return table(("problem", *map(power, times)), lines)


def third_arms(runs: int = 1000) -> str:
    """Return what third arms are worth on the problems on which their constants were chosen, and RMED2 there."""
    kinds = {"no third arms": variant(third="never"), "known": variant(third="known"), "tried": variant(third="tried")}
    lines = []
    for name, where in league_problems(SETS["tuning"]).items():
        print(f"third arms on {name}", file=sys.stderr)
        found = {
            label: measure(one, label, where, (HORIZON,), runs, SEED, KEPT).stats[HORIZON]
            for label, one in {**kinds, "rmed2": algorithm("rmed2")}.items()
        }
        none, tried = found["no third arms"], found["tried"]
        cells = (f"{number(one.mean)} ± {number(one.sem)}" for one in found.values())
        lines.append((f"`{name}`", *cells, f"{tried.mean / none.mean:.2f}", f"{tried.p99 / none.p99:.2f}"))
    header = ("problem", *kinds, "`rmed2`", "tried / none: mean", "p99")
    return table(header, lines)


def league_targets() -> str:
    """Return the table of targets that `winnerstays league --markdown docs/league.md` wrote."""
    page = (DOCS / "league.md").read_text(encoding="utf-8")
    return page.split("## Targets of ws-t\n\n")[1].split("\n\n")[0]


def trade_off(runs: int = 1000) -> dict[str, dict[str, Row]]:
    """Return by problem WS-T with more and less caution, and D-TS."""
    labels = ("dts", *(f"ws-t:caution={caution}" for caution in CAUTIONS))
    return {name: {label: played(label, name, (HORIZON,), runs) for label in labels} for name in TRADED}


def traded_table(found: dict[str, dict[str, Row]]) -> str:
    """Return mean, p99 and worst run, divided by those of D-TS."""
    lines = []
    for name, rows in found.items():
        base = rows["dts"].stats[HORIZON]
        for label, one in rows.items():
            here = one.stats[HORIZON]
            ratios = (f"{getattr(here, what) / getattr(base, what):.2f}" for what in ("mean", "p99", "worst"))
            lines.append((f"`{name}`", f"`{label}`", f"{number(here.mean)} ± {number(here.sem)}", *ratios))
    return table(("problem", "algorithm", "mean", "mean / `dts`", "p99 / `dts`", "worst / `dts`"), lines)


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


def rows() -> list[dict[str, Any]]:
    """One row for the tail at the default, where it is longest."""
    found = {label: played(label, "sushi", (HORIZON,), 200).stats[HORIZON] for label in ("ws-t", "dts")}
    ratios = {what: getattr(found["ws-t"], what) / getattr(found["dts"], what) for what in ("mean", "p99")}
    return [
        row("ws-t: mean strong regret / D-TS's, sushi, 10^6", ratios["mean"], "x", "<= 1", "200 runs each"),
        row("ws-t: p99 / D-TS's, sushi, 10^6", ratios["p99"], "x", "<= 1.2", "200 runs each"),
    ]


if __name__ == "__main__":
    traded = trade_off()
    parts = {
        "targets": league_targets(),
        "near-ties": near_ties(),
        "locks": locks(),
        "third-arms": third_arms(),
        "trade-off": traded_table(traded),
    }
    for heading, text in parts.items():
        print(f"\n{heading}\n\n{text}")
        if "--write" in sys.argv:
            replace_part("ws-t.md", heading, text)
    if "--write" in sys.argv:
        picture = DOCS / "ws-t-trade-off.png"
        write_whole(picture, lambda draft: traded_picture(traded).savefig(draft, format="png", dpi=120), force=True)
