"""Regret curves as a table on the screen."""

from typing import TYPE_CHECKING

import numpy as np
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import out
from winnerstays.cli.tables.fitting import print_table
from winnerstays.simulation.curve import figure
from winnerstays.wording import counted

if TYPE_CHECKING:
    from winnerstays.simulation import Curve, Simulation

BARS = "▁▂▃▄▅▆▇█"


def show(result: "Simulation", regret: str) -> None:
    """Print a table with the regret at every decade and a small curve."""
    curves = sorted(result.of_regret(regret), key=lambda curve: float(curve.mean[-1]))
    at = decades(result.times)
    title = f"{result.name}: cumulative {regret} regret, mean ± standard error"
    table = Table("algorithm", title=title, title_justify="left", box=SIMPLE)
    top = max(float(curve.mean.max()) for curve in curves)
    for k in at:
        table.add_column(f"t={short(int(result.times[k]))}", justify="right")
    table.add_column("over log t")
    for curve in curves:
        cells = [f"{figure(curve.mean[k])} ± {figure(curve.sem[k])}" for k in at]
        table.add_row(curve.label, *cells, sparkline(curve, top))
    print_table(table)
    runs = sorted({curve.runs for curve in curves})
    spread = ("" if runs[0] == runs[-1] else f"{runs[0]} to ") + counted(runs[-1], "run")
    out.print(f"{result.problem.n_arms} arms, {spread}, seed {result.seed}")


def decades(times: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[int]:
    """Places of the last two powers of ten before the end, or of what was recorded next, and of the end."""
    last = int(times[-1])
    powers = [10**k for k in range(len(str(last))) if 10**k < last]
    return list(dict.fromkeys(int(np.searchsorted(times, t)) for t in [*powers[-2:], last]))


def short(number: int) -> str:
    """
    >>> short(4000), short(10**6), short(123)
    ('4k', '1M', '123')
    """
    for size, letter in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size and number % (size // 10) == 0:
            return f"{number / size:g}{letter}"
    return str(number)


def sparkline(curve: "Curve", top: float, width: int = 14) -> str:
    """The mean over logarithmic time, as bars that share one scale."""
    places = np.searchsorted(curve.t, np.geomspace(1, curve.t[-1], width), side="right") - 1
    heights = curve.mean[np.maximum(places, 0)] / (top or 1.0) * (len(BARS) - 1)
    return "".join(BARS[int(np.ceil(height))] for height in heights)
