"""Who won by a score that stands in one cell: 2-1, 1½-½, 6-4 3-6 7-5, 0-2 (aet), 1-1 (4-3 pens)."""

import re
from functools import lru_cache

SCORE = re.compile(r"(\d+(?:[.,]\d+)?)\s*[-:\u2013\u2014\u2212]\s*(\d+(?:[.,]\d+)?)")
IN_BRACKETS = re.compile(r"[(\[][^a-z()\[\]]*[)\]]", re.IGNORECASE)
"""Brackets without a word: the points of a tie-break, or the score at half-time."""
EXTRA_TIME = {"aet", "et", "ot", "ft", "after", "extra", "time", "overtime", "nv", "n", "v", "a", "e", "t"}
PENALTIES = {"p", "pen", "pens", "penalty", "penalties", "pso", "so", "shootout", "ie", "i"}
JOINING = {"on", "by", "in", "win", "wins", "won"}


def compare(one: float, other: float) -> float:
    """Return what the first side won by two numbers."""
    return 1.0 if one > other else 0.0 if one < other else 0.5


@lru_cache(10_000)
def score_of(text: str) -> float | None:
    """Return what the first side won by a score; None if it is none, or leaves open who won.

    >>> score_of("1-0"), score_of("1/2-1/2"), score_of("2 : 3"), score_of("well")
    (1.0, 0.5, 0.0, None)
    >>> score_of("6-4 3-6 7-6(5)"), score_of("1-1 (pens 3-2)"), score_of("0-2 (aet)"), score_of("1-1 (3-2)")
    (1.0, 1.0, 0.0, None)
    """
    text = re.sub(r"(\d)½", r"\1.5", text).replace("½", "0.5")
    text = re.sub(r"(?<![\d.])1/2(?![\d.])", "0.5", text).strip()
    begin = SCORE.match(text)
    if begin is None:
        return None
    bare = IN_BRACKETS.sub(" ", text)
    words = set(re.findall(r"[^\W\d_]+", bare.lower()))
    scores = [compare(*(float(part.replace(",", ".")) for part in found.groups())) for found in SCORE.finditer(bare)]
    if not words and not re.sub(r"[\s,;/|]+", "", SCORE.sub("", bare)):
        if len(scores) > 1:  # sets: who won more of them
            sets = compare(scores.count(1.0), scores.count(0.0))
            return sets if sets != 0.5 else None
        return scores[0] if scores[0] != 0.5 or bare.strip() == text else None
    if not words or re.search(r"\d", SCORE.sub("", bare)):
        return None
    if len(scores) == 2 and words & PENALTIES and words <= PENALTIES | EXTRA_TIME | JOINING:
        return scores[0] if scores[0] != 0.5 else scores[1]
    if len(scores) != 1 or not words <= EXTRA_TIME | PENALTIES:
        return None
    return None if scores[0] == 0.5 and words & PENALTIES else scores[0]
