"""Pictures: labels stay within the axes, and few times are not joined on straight axes."""

import numpy as np
import pytest

from winnerstays import WinnerstaysError, simulate
from winnerstays.simulation import Curve
from winnerstays.simulation.colours import COLOUR
from winnerstays.simulation.plot import _apart, draw


def curve(times, label="a"):
    values = np.tile(np.asarray(times, dtype=float), (3, 1)) + np.arange(3)[:, None]
    return Curve(label, label, {}, "weak-binary", np.asarray(times), values)


@pytest.mark.parametrize("heights", [[0.5] * 12, [0.0, 0.0, 0.01], [1.0, 0.99, 0.98, 0.2], [0.3]])
def test_labels_stay_within_the_axes_and_apart(heights):
    placed = np.sort(_apart(np.array(heights), 0.05))
    assert placed.min() >= 0.025 - 1e-12 and placed.max() <= 0.975 + 1e-12
    assert (np.diff(placed) >= 0.05 - 1e-12).all()


def test_forty_labels_fit_too():
    placed = _apart(np.full(40, 0.9), 0.05)
    assert placed.min() >= 0 and placed.max() <= 1 + 1e-12 and len(set(placed)) == 40


@pytest.mark.parametrize(("times", "scale"), [([1, 10, 100, 1000], "log"), (list(range(50, 1001, 50)), "linear")])
def test_axes_are_straight_where_times_are_dense(times, scale):
    assert draw([curve(times)], title="").axes[0].get_xscale() == scale


def test_an_algorithm_has_its_colour_wherever_it_stands():
    for labels in (["ws-w", "rucb"], ["a", "rucb", "ws-w"], ["rucb"]):
        lines = draw([curve([1, 2], label) for label in labels], title="").axes[0].get_lines()
        shown = dict(zip(labels, (line.get_color() for line in lines), strict=True))
        assert all(shown[label] == COLOUR[label] for label in labels if label != "a")
        assert len(set(shown.values())) == len(labels)


def test_axes_of_ones_own_and_several_regrets():
    from matplotlib.figure import Figure

    result = simulate("mslr", "ws-w", horizon=50, runs=3, seed=1)
    figure = Figure()
    axes = figure.add_subplot()
    assert result.plot(ax=axes) is figure and axes.lines
    both = result.plot(regret=["weak-binary", "strong-average"])
    assert [one.get_ylabel() for one in both.axes] == [
        "cumulative weak-binary regret", "cumulative strong-average regret",
    ]  # fmt: skip
    with pytest.raises(WinnerstaysError, match="name at least one regret"):
        result.plot(regret=["weak-binary", "strong-average"], ax=axes)
