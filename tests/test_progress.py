"""How long the rest will take."""

import re
from types import SimpleNamespace

import pytest

from winnerstays import progress, simulate
from winnerstays.progress import Forecast, progress_bar


def test_a_forecast_counts_seconds_not_turns(monkeypatch):
    """Two workers; 10 cheap turns took 1 s, 2 dear ones 8 s of a worker's time, when 5 s have passed."""
    now = [100.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    forecast = Forecast(2)
    forecast.expect(0, 10)
    forecast.expect(1, 6)
    assert forecast.fraction == 0
    forecast.add(0, 10, 1.0)
    now[0] = 105.0
    assert forecast.fraction == pytest.approx(5 / (5 + 6 * 0.1 / 2))  # the second line has not begun
    forecast.add(1, 2, 8.0)
    assert forecast.fraction == pytest.approx(5 / (5 + 4 * 4.0 / 2))
    forecast.add(1, 4, 16.0)
    assert forecast.fraction == 1
    forecast.expect(1, 5)
    assert forecast.fraction == pytest.approx(5 / (5 + 5 * 4.0 / 2))


def test_the_bar_shows_the_stage_and_the_time_left(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    now = [100.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with progress_bar(True) as show:
        show("reading", 0.0)
        now[0] = 130.0
        show("reading", 0.25)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert "reading" in shown and "25%" in shown and "left: 0:01:30" in shown


def test_output_that_goes_to_a_file_has_words(monkeypatch, capsys):
    """Every few seconds, and not at all if it is soon over."""
    now = [100.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with progress_bar(True) as show:
        for now[0], stage, fraction in [(101, "compiling", 0), (104, "runs", 0), (106, "runs", 0.1), (107, "runs", 0.2),
                                        (112, "runs", 0.5), (113, "runs", 1)]:  # fmt: skip
            show(stage, fraction)
    assert capsys.readouterr().err == "runs: 10% done, left: 0:00:18\nruns: 50% done, left: 0:00:08\n"


def test_a_simulation_tells_how_far_it_is(monkeypatch):
    told = []

    class Bar:
        def __init__(self, wanted):
            assert wanted

        def __enter__(self):
            return lambda stage, fraction: told.append(fraction) if stage.startswith("runs of") else None

        def __exit__(self, *error):
            pass

    monkeypatch.setattr("winnerstays.simulation.api.progress_bar", Bar)
    simulate(
        ["mslr", "cyclic"],
        ["ws-w", "ws-s"],
        horizon=100,
        runs=300,
        precision=0.1,
        precision_regrets=["weak-binary"],
        progress=True,
    )
    assert told[0] == 0 < told[1] < 1 == told[-1]
