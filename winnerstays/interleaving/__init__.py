"""Interleaving: compare rankers by the clicks on one list that is made of both (docs/rankers.md)."""

from winnerstays.interleaving.clicks import CLICK_MODELS, ClickModel, simulate_clicks
from winnerstays.interleaving.corpus import Corpus, generated_corpus, read_letor
from winnerstays.interleaving.interleaved import RULES, Interleaved, Outcome, Result
from winnerstays.interleaving.methods import (
    METHODS,
    balanced,
    interleave,
    multileave,
    optimized,
    probabilistic,
    team_draft,
)

__all__ = [
    "CLICK_MODELS", "METHODS", "RULES", "ClickModel", "Corpus", "Interleaved", "Outcome", "Result", "balanced",
    "generated_corpus", "interleave", "multileave", "optimized", "probabilistic", "read_letor", "simulate_clicks",
    "team_draft",
]  # fmt: skip
