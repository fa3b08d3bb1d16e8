"""Algorithms x problem x seeds -> regret curves."""

from winnerstays.simulation.experiment import simulate
from winnerstays.simulation.result import Curve, Simulation

__all__ = ["Curve", "Simulation", "simulate"]
