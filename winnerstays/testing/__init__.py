"""Contracts as checks that anyone can run on their own code: of algorithms, of stores, of arenas."""

from winnerstays.testing.algorithms import CHECKS, play, trace

__all__ = ["CHECKS", "play", "trace"]
