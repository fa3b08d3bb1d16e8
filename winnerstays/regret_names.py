"""The names of the regrets; `winnerstays.simulation.regret` says what each is."""

REGRETS = ("weak-binary", "strong-binary", "weak-utility", "strong-utility", "strong-average")
COPELAND_REGRETS = ("weak-copeland", "strong-copeland", "weak-borda", "strong-borda")
"""Defined for every problem; recorded by default where there is no Condorcet winner."""
ALL_REGRETS = REGRETS + COPELAND_REGRETS
