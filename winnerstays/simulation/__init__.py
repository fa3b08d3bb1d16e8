"""Algorithms x problem x seeds -> regret curves."""

from winnerstays.simulation.api import simulate
from winnerstays.simulation.curve import Curve
from winnerstays.simulation.result import Simulation

__all__ = ["Curve", "Simulation", "simulate"]
