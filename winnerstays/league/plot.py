"""Pictures of the league: how far everybody is from the best, and how long the tails are."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from winnerstays.files import write_whole
from winnerstays.league.cells import Cell
from winnerstays.league.report import power
from winnerstays.league.standing import AVERAGE, mean_ranks, ranking

SHOWN = 12
"""Algorithms in the map: those with the smallest ratios, where they reached the time."""
LEAST_REACHED = 0.25
"""The share of the problems on which an algorithm must have reached it; its other cells are empty."""
WORST_SHOWN = 8.0
LONGEST_NAME = 44
TAIL = ("mean", "p90", "p99", "worst")


def ratio_map(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> Figure:
    """Draw the ratio to the best mean, problem by problem, of the algorithms that are best on the whole."""
    ranks = mean_ranks(problems, regret, t)
    reached = [label for label, (_, _, count) in ranks.items() if count >= len(problems) * LEAST_REACHED]
    labels = sorted(reached, key=lambda label: ranks[label][1])[:SHOWN]
    ratios = np.full((len(problems), len(labels)), math.nan)
    for row, cells in enumerate(problems.values()):
        for place in ranking(cells, regret, t):
            if place.algorithm in labels:
                ratios[row, labels.index(place.algorithm)] = place.ratio
    figure = Figure(figsize=(4 + 0.62 * len(labels), 1.6 + 0.29 * len(problems)), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(ratios, norm=LogNorm(1, WORST_SHOWN, clip=True), cmap="YlOrBr", aspect="auto")
    for (row, column), ratio in np.ndenumerate(ratios):
        if not math.isnan(ratio):
            text = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
            weight = "bold" if ratio == 1 else "normal"
            axes.text(column, row, text, ha="center", va="center", fontsize=7, weight=weight,
                      color="white" if ratio > WORST_SHOWN / 2 else "black")  # fmt: skip
    axes.set_xticks(range(len(labels)), labels, rotation=40, ha="right", fontsize=8)
    axes.set_yticks(range(len(problems)), _names(problems), fontsize=7)
    axes.set_title(f"{regret} regret at {power(t)} duels, divided by the best", loc="left", fontsize=10)
    return figure


def tail_picture(problems: Mapping[str, Sequence[Cell]], labels: Sequence[str], t: int) -> Figure:
    """Draw mean, p90, p99 and worst run of some algorithms, divided by the mean of the first of them."""
    figure = Figure(figsize=(8, 1.5 + 0.36 * len(problems)), layout="constrained")
    axes = figure.add_subplot()
    colours = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
    for row, cells in enumerate(problems.values()):
        found = {cell.algorithm: cell.at(AVERAGE, t) for cell in cells}
        base = found.get(labels[0])
        for k, label in enumerate(labels):
            one = found.get(label)
            if base is None or one is None:
                continue
            height = row + 0.22 * (k - (len(labels) - 1) / 2)
            values = [getattr(one, name) / base.mean for name in TAIL]
            axes.plot(values, [height] * 4, "-", color=colours[k], linewidth=1)
            for value, mark in zip(values, "|.oD", strict=True):
                axes.plot(value, height, mark, color=colours[k], markersize=4)
    for k, label in enumerate(labels):
        axes.plot([], [], "-", color=colours[k], label=label)
    axes.set_xscale("log")
    axes.set_yticks(range(len(problems)), _names(problems), fontsize=7)
    axes.invert_yaxis()
    axes.set_title(f"{AVERAGE} regret at {power(t)}: mean |, p90 ·, p99 o, worst ◆; 1 is the mean of {labels[0]}",
                   loc="left", fontsize=9)  # fmt: skip
    axes.legend(fontsize=8, frameon=False)
    axes.grid(axis="x", alpha=0.3)
    return figure


def _names(problems: Mapping[str, Sequence[Cell]]) -> list[str]:
    """The names of problems, the ends of those that are too long, such as paths."""
    return [name if len(name) <= LONGEST_NAME else "..." + name[3 - LONGEST_NAME :] for name in problems]


def write_pictures(
    folder: Path, stem: str, problems: Mapping[str, Sequence[Cell]], about: str, times: Sequence[int], force: bool
) -> dict[str, str]:
    """Write the pictures beside the page; return file names by title."""
    figures = {f"ratio to the best at {power(t)}": (f"{stem}-{t}.png", ratio_map(problems, AVERAGE, t)) for t in times}
    labels = [about, *(label for label in ("dts", "ws-s") if label != about)]
    figures["tails"] = (f"{stem}-tails.png", tail_picture(problems, labels, times[-1]))
    for name, figure in figures.values():
        write_whole(folder / name, partial(figure.savefig, dpi=110), force=force)
    return {title: name for title, (name, _) in figures.items()}
