"""Algorithms x problem x seeds -> regret curves."""

from winnerstays.simulation.result import Curve, Simulation
from winnerstays.simulation.run import simulate

__all__ = ["Curve", "Simulation", "simulate"]
