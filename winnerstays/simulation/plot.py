"""Draw regret curves as a picture for a talk or a paper."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

from winnerstays._types import Floats
from winnerstays.simulation.colours import COLOURS, different_colours
from winnerstays.simulation.curve import Curve

STYLES = ("-", "--", ":")
DENSE = 15
"""A curve looks smooth on linear axes if no gap between recorded times is larger than horizon / DENSE."""


def draw(
    *panels: Sequence[Curve],
    title: str,
    ax: Axes | None = None,
    logarithmic: bool | None = None,
    dashed: Collection[str] = (),
    points: Mapping[str, Mapping[int, float]] | None = None,
) -> Figure:
    """Mean curves with bands of two standard errors, labelled at their ends; `points` are drawn as circles.

    Each panel is a list of curves of one regret. A label fixes the colour. By default the axes are logarithmic if the
    recorded times are too sparse to give a smooth line on linear axes.
    """
    if ax is not None:
        all_axes, figure = [ax], ax.get_figure(root=True)
        assert figure is not None
    else:
        figure = Figure(figsize=(7.2 * len(panels), 4.5), layout="constrained")
        all_axes = [figure.add_subplot(1, len(panels), k + 1) for k in range(len(panels))]
    for k, (axes, curves) in enumerate(zip(all_axes, panels, strict=True)):
        draw_on(axes, curves, logarithmic=logarithmic, dashed=dashed, points=points)
        axes.set_title(title if k == 0 else "", loc="left", fontsize=11)
    return figure


def draw_on(
    axes: Axes,
    curves: Sequence[Curve],
    *,
    logarithmic: bool | None,
    dashed: Collection[str],
    points: Mapping[str, Mapping[int, float]] | None,
) -> None:
    """Draw the curves of one regret."""
    if logarithmic is None:
        logarithmic = bool(np.diff(curves[0].t, prepend=0).max() > curves[0].t[-1] / DENSE)
    start, horizon = int(curves[0].t[0]), int(curves[0].t[-1])
    chosen = different_colours([curve.label for curve in curves])
    for k, (curve, colour) in enumerate(zip(curves, chosen, strict=True)):
        style = "--" if curve.label in dashed else STYLES[k // len(COLOURS) % len(STYLES)]
        single = "o" if start == horizon else None
        axes.plot(curve.t, curve.mean, style, color=colour, linewidth=1.8, marker=single, clip_on=single is None)
        low, high = curve.mean - 2 * curve.sem, curve.mean + 2 * curve.sem
        axes.fill_between(curve.t, low, high, color=colour, alpha=0.18, linewidth=0)
        for t, value in (points or {}).get(curve.label, {}).items():
            if start <= t <= horizon:
                axes.plot(t, value, "o", color=colour, markerfacecolor="none", markersize=5, clip_on=False)
    if logarithmic:
        axes.set_xscale("log")
        positive = [float(mean) for curve in curves for mean in curve.mean if mean > 0]
        if positive:
            axes.set_yscale("log")
            axes.set_ylim(bottom=min(positive) / 1.5)
    axes.set_xlim(0 if not logarithmic else start if start < horizon else min(1, horizon / 2), horizon)
    if not logarithmic:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("duels")
    axes.set_ylabel(f"cumulative {curves[0].regret} regret")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    ends = axes.transData.transform([(horizon, max(float(curve.mean[-1]), axes.get_ylim()[0])) for curve in curves])
    heights = _apart(axes.transAxes.inverted().transform(ends)[:, 1], 0.05)
    for curve, colour, height in zip(curves, chosen, heights, strict=True):
        place = (1.01, height)
        axes.annotate(curve.label, place, xycoords="axes fraction", color=colour, va="center", annotation_clip=False)


def _apart(heights: Floats, distance: float) -> Floats:
    """Move heights apart so that labels do not overlap, as little as possible (least squares)."""
    order = np.argsort(heights)
    half = distance / 2  # a label is so high above and below its middle
    distance = min(distance, (1.0 - distance) / max(1, heights.size - 1))
    steps = distance * np.arange(heights.size)
    placed = np.empty_like(heights)
    placed[order] = np.clip(isotonic_regression(heights[order] - steps).x, half, 1.0 - half - steps[-1]) + steps
    return placed
