"""The ranks of the league, and its picture: how far each algorithm is from the best, problem by problem."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from benchmarks._results import power
from winnerstays.league.cells import Cell, ranking

SHOWN = 12
"""Algorithms in the map: those with the smallest ratios, where they reached the time."""
LEAST_REACHED = 0.25
"""The share of the problems on which an algorithm must have reached it; its other cells are empty."""
WORST_SHOWN = 8.0
LONGEST_NAME = 44


def mean_ranks(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> dict[str, tuple[float, float, int]]:
    """Return by algorithm its mean rank, the geometric mean of its ratio to the best, and on how many problems.

    An algorithm that did not reach the time on a problem is not ranked there.
    """
    places: dict[str, list[tuple[int, float]]] = {}
    for cells in problems.values():
        for rank, place in enumerate(ranking(cells, regret, t), 1):
            places.setdefault(place.algorithm, []).append((rank, place.ratio))
    ranks = {
        label: (
            sum(rank for rank, _ in at) / len(at),
            math.exp(sum(math.log(ratio) for _, ratio in at) / len(at)),
            len(at),
        )
        for label, at in places.items()
    }
    return dict(sorted(ranks.items(), key=lambda item: (-item[1][2], item[1][1])))


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


def _names(problems: Mapping[str, Sequence[Cell]]) -> list[str]:
    """The names of problems, the ends of those that are too long, such as paths."""
    return [name if len(name) <= LONGEST_NAME else "..." + name[3 - LONGEST_NAME :] for name in problems]
