"""The pictures of the report: each algorithm has one colour in all of them."""

from matplotlib.figure import Figure

from winnerstays.paper.panels import Result
from winnerstays.simulation.plot import draw


def picture(result: Result) -> Figure:
    """Draw the panel: the paper's lines solid, other algorithms dashed, published values as circles."""
    panel = result.panel
    least, most = min(curve.runs for curve in result.curves), max(curve.runs for curve in result.curves)
    runs = f"{least:,} runs" if least == most else f"{least:,} to {most:,} runs a line"
    title = f"{panel.title}\n{runs}; bands: ± 2 standard errors"
    if panel.not_in_paper:
        title += "; dashed: not in the paper"
    if result.published:
        title += (
            f"\ncircles: read off the paper's figure{', ' + panel.scale.partition(', as')[0] if panel.scale else ''}"
        )
    if result.note:
        title += f"\n{result.note}"
    if result.rare:
        lines = ", ".join(curve.label for curve in result.rare)
        title += f"\nbands too narrow, as rare runs are very expensive: {lines}"
    dashed = {line.label for line in panel.not_in_paper}
    return draw(
        result.curves,
        title=title,
        logarithmic=panel.logarithmic,
        dashed=dashed,
        points=result.published,
    )
