"""The contract of algorithms, as checks that anyone can run on their own code."""

from winnerstays.testing.algorithms import CHECKS, play, trace
from winnerstays.testing.report import check_contract

__all__ = ["CHECKS", "check_contract", "play", "trace"]
