"""WS-T beside tuned WS-S on near-ties, beside Self-Sparring; wrong incumbents, third arms, trade-offs, attacks.

`python -m benchmarks.ws_t` prints the tables (about an hour on two idle cores, most of it for the attacks; runs are
kept in out/ws-t), and with names of parts (`near-ties locks`) only those; with `--write` it replaces those of
docs/ws-t.md, and their pictures. The targets there are those of docs/league.md.
"""

import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from benchmarks._docs import DOCS, replace_part
from benchmarks._timing import row
from winnerstays import algorithm
from winnerstays.files import write_whole
from winnerstays.league.ablation import Row, measure, smallest_slope, variant
from winnerstays.league.problems import SETS, league_problems
from winnerstays.league.report import number, power, table
from winnerstays.league.search import Search, search
from winnerstays.simulation.colours import COLOURS

SEED, KEPT = 18, "out/ws-t"
HORIZON = 10**6
CLOSE = (0.501, 0.505, 0.51, 0.52, 0.55, 0.6, 0.8)
BETAS = (1.02, 1.1, 1.5)
CAUTIONS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
DEFAULT = 3.0
TRADED = ("sushi", "total-order:n_arms=4,p=0.52", "total-order:n_arms=6,p=0.53", "attack-ties")
"""Where the tail of WS-T is longest beside that of D-TS."""
SPARRED = (
    "sushi", "mslr", "fifty", "total-order:n_arms=20,p=0.7", "linear-utilities:n_arms=10,link=logit,seed=2",
    "linear-utilities:n_arms=50,link=logit,seed=2", "random-condorcet:n_arms=10,seed=2",
    "random-order:n_arms=10,seed=2", "three-types",
)  # fmt: skip
"""Where WS-T is compared with Self-Sparring, which is ahead of it on some of them."""
COMPARED = ("ws-t", "self-sparring", "dts")
RIVALS = ("dts", "ws-s", "rmed1", "rmed2", "self-sparring")
SEARCHED, SEARCHES = range(3, 9), (3, 4)
"""Numbers of arms, and seeds, of the searches for bad matrices."""


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


def sparring(runs: int = 1000) -> dict[str, dict[str, Row]]:
    """Return by problem WS-T, Self-Sparring and D-TS."""
    times = (HORIZON // 100, HORIZON // 10, HORIZON)
    return {name: {label: played(label, name, times, runs) for label in COMPARED} for name in SPARRED}


def sparring_table(found: dict[str, dict[str, Row]]) -> str:
    """Return means at three times, the growth with ln T beside the smallest possible, the tail and the locked runs."""
    lines = []
    for name, here in found.items():
        smallest = number(smallest_slope(league_problems([name])[name]))
        for label in COMPARED[:2]:
            early, before, last = here[label].stats.values()
            means = (f"{number(one.mean)} ± {number(one.sem)}" for one in (early, before, last))
            growth = number((last.mean - before.mean) / math.log(10))
            locked = f"{here[label].locked[HORIZON]:.1%}"
            lines.append((f"`{name}`", f"`{label}`", *means, growth, smallest, number(last.p99), locked))
    header = ("problem", "algorithm", *map(power, (HORIZON // 100, HORIZON // 10, HORIZON)))
    return table((*header, "growth", "smallest", "p99", "locked"), lines)


def sparring_picture(found: dict[str, dict[str, Row]]) -> Figure:
    """Draw where WS-T and Self-Sparring stand on each problem: mean against p99, both over those of D-TS."""
    figure = Figure(figsize=(7, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, here) in enumerate(found.items()):
        colour = COLOURS[place % len(COLOURS)]
        base, *ends = (here[label].stats[HORIZON] for label in ("dts", *COMPARED[:2]))
        across, up = [one.mean / base.mean for one in ends], [one.p99 / base.p99 for one in ends]
        axes.plot(across, up, ":", color=colour, linewidth=1)
        axes.plot(across[0], up[0], "o", color=colour, markersize=6, label=name)
        axes.plot(across[1], up[1], "X", color=colour, markersize=8)
    for line in (axes.axhline, axes.axvline):
        line(1.0, color="grey", linestyle="-", linewidth=0.6)
    ticks = [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 500]
    for axis, set_ticks in (("x", axes.set_xticks), ("y", axes.set_yticks)):
        getattr(axes, f"set_{axis}scale")("log")
        low, high = getattr(axes, f"get_{axis}lim")()
        set_ticks([one for one in ticks if low <= one <= high], [f"{one:g}" for one in ticks if low <= one <= high])
    axes.minorticks_off()
    axes.set(xlabel="mean strong regret at 10^6 duels / D-TS's", ylabel="p99 / D-TS's")
    axes.set_title("Circles: WS-T. Crosses: Self-Sparring. One colour, one problem", loc="left", fontsize=10)
    axes.legend(fontsize=7, frameon=False)
    return figure


def attacks() -> str:
    """Return how bad WS-T looks beside each rival on the worst matrices that a search finds."""
    lines = []
    for rival in RIVALS:
        for seed in SEARCHES:
            plan = Search(algorithm("ws-t"), algorithm(rival), steps=40, seed=seed)
            found = []
            for n_arms in SEARCHED:
                found.append(search(plan, n_arms))
                print(f"attack beside {rival}, seed {seed}, {n_arms} arms: {found[-1].ratio:.2f}", file=sys.stderr)
            lines.append((f"`{rival}`", seed, *(f"{one.ratio:.2f} ± {one.ratio * one.error:.2f}" for one in found)))
    return table(("beside", "seed", *(f"{n_arms} arms" for n_arms in SEARCHED)), lines)


def rows() -> list[dict[str, Any]]:
    """One row for the tail at the default, where it is longest."""
    found = {label: played(label, "sushi", (HORIZON,), 200).stats[HORIZON] for label in ("ws-t", "dts")}
    ratios = {what: getattr(found["ws-t"], what) / getattr(found["dts"], what) for what in ("mean", "p99")}
    return [
        row("ws-t: mean strong regret / D-TS's, sushi, 10^6", ratios["mean"], "x", "<= 1", "200 runs each"),
        row("ws-t: p99 / D-TS's, sushi, 10^6", ratios["p99"], "x", "<= 1.2", "200 runs each"),
    ]


PARTS: dict[str, Callable[[], str | tuple[str, str, Figure]]] = {
    "targets": league_targets,
    "near-ties": near_ties,
    "locks": locks,
    "third-arms": third_arms,
    "trade-off": lambda: (traded_table(found := trade_off()), "ws-t-trade-off.png", traded_picture(found)),
    "sparring": lambda: (sparring_table(found := sparring()), "ws-t-self-sparring.png", sparring_picture(found)),
    "attacks": attacks,
}
"""What makes each table, and the picture that goes with it."""


def main(words: Sequence[str]) -> None:
    asked = [word for word in words if word != "--write"]
    for word in asked:
        if word not in PARTS:
            sys.exit(f"There is no part {word!r}. Known: {', '.join(PARTS)}.")
    for heading in asked or PARTS:
        made = PARTS[heading]()
        text, picture, figure = made if isinstance(made, tuple) else (made, "", None)
        print(f"\n{heading}\n\n{text}")
        if "--write" in words:
            replace_part("ws-t.md", heading, text)
            if figure is not None:
                write_whole(DOCS / picture, partial(figure.savefig, format="png", dpi=120), force=True)


if __name__ == "__main__":
    main(sys.argv[1:])
