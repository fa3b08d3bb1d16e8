"""Regret curves as a picture one could put in a talk."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from winnerstays.simulation.result import Simulation

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
"""Okabe & Ito's colours, which colour-blind people can tell apart."""


def draw(result: "Simulation", regret: str) -> Figure:
    """Mean curves with bands of two standard errors, labelled at their ends."""
    curves = result.of_regret(regret)
    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    axes = figure.add_subplot()
    logarithmic = result.horizon > 20_000
    for k, curve in enumerate(curves):
        colour, style = COLOURS[k % len(COLOURS)], ("-", "--", ":")[k // len(COLOURS) % 3]
        axes.plot(curve.t, curve.mean, style, color=colour, linewidth=1.8)
        axes.fill_between(
            curve.t, curve.mean - 2 * curve.sem, curve.mean + 2 * curve.sem, color=colour, alpha=0.18, linewidth=0
        )
    if logarithmic:
        axes.set_xscale("log")
        if any((curve.mean > 0).any() for curve in curves):
            axes.set_yscale("log")
    axes.set_xlim(1 if logarithmic else 0, result.horizon)
    if not logarithmic:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("duels")
    axes.set_ylabel(f"cumulative {regret} regret")
    axes.set_title(
        f"{result.problem.name}: {result.problem.n_arms} arms, {result.runs} runs (bands: ± 2 standard errors)",
        loc="left",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    figure.draw_without_rendering()
    heights = axes.transAxes.inverted().transform(
        axes.transData.transform([(result.horizon, curve.mean[-1]) for curve in curves])
    )[:, 1]
    for k, height in enumerate(_apart(heights, 0.05)):
        axes.annotate(
            curves[k].label,
            (1.01, height),
            xycoords="axes fraction",
            color=COLOURS[k % len(COLOURS)],
            va="center",
            annotation_clip=False,
        )
    return figure


def _apart(heights: "np.ndarray[tuple[int], np.dtype[np.float64]]", distance: float) -> list[float]:
    """Heights moved as little as a simple sweep can so that labels do not overlap."""
    order = np.argsort(heights)
    placed = heights[order].copy()
    for k in range(1, placed.size):
        placed[k] = max(placed[k], placed[k - 1] + distance)
    placed -= max(0.0, placed[-1] - 1.0) if placed.size else 0.0
    for k in range(placed.size - 2, -1, -1):
        placed[k] = min(placed[k], placed[k + 1] - distance)
    return [float(placed[int(np.where(order == k)[0][0])]) for k in range(placed.size)]
