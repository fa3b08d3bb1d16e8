"""`winnerstays research ...`: the paper again, exact values, bounds, and the league of all algorithms."""

from winnerstays.cli.research import exact, league, paper  # noqa: F401
