"""Who won by a score that stands in one cell: 2-1, 1½-½, 6-4 3-6 7-5, 0-2 (aet), 1-1 (4-3 pens)."""

import re
from functools import lru_cache

SCORE = re.compile(r"(\d+(?:[.,]\d+)?)\s*[-:\u2013\u2014\u2212]\s*(\d+(?:[.,]\d+)?)")
IN_BRACKETS = re.compile(r"[(\[][^a-z()\[\]]*[)\]]", re.IGNORECASE)
"""Brackets without a word: the points of a tie-break, or the score at half-time."""
EXTRA_TIME = {"aet", "et", "ot", "ft", "f", "after", "extra", "time", "overtime", "nv", "n", "v", "a", "e", "t"}
PENALTIES = {"p", "pen", "pens", "penalty", "penalties", "pso", "so", "shootout", "ie", "i"}
FORFEITS = {"+--": 1.0, "+:-": 1.0, "+/-": 1.0, "+-": 1.0, "--+": 0.0, "-:+": 0.0, "-/+": 0.0, "-+": 0.0}
"""Who came, and who did not."""
JOINING = {"on", "by", "in", "win", "wins", "won"}


class Brackets:
    """What a score in brackets is, `2:1 (1:0)`: beside a decided score it is no penalty, but that at half-time.

    All rows are shown to it; then a draw such as `1:1 (0:1)` is one, if no side had more at half-time than in the end.
    """

    def __init__(self) -> None:
        self.decided = self.draws = False
        self.fits = True

    def see(self, text: str) -> None:
        """Take note of a score."""
        if "(" not in text and "[" not in text:
            return
        found = _with_brackets(text)
        if found is not None:
            end, before = found
            self.fits &= end[0] == end[1] or (before[0] <= end[0] and before[1] <= end[1])
            self.decided |= end[0] != end[1]
            self.draws |= end[0] == end[1]

    def score_of(self, text: str) -> float | None:
        """Return what the first side won by a score, as `score_of` does."""
        share = score_of(text)
        if share is None and (found := _with_brackets(text)):
            end, before = found
            earlier = before[0] <= end[0] and before[1] <= end[1]
            known = (self.decided and self.fits) or before[0] == before[1]  # which penalties never are
            return 0.5 if known and earlier and end[0] == end[1] else None
        return share

    @property
    def note(self) -> str:
        """Say what was assumed."""
        if not (self.decided and self.draws and self.fits):
            return ""
        return "scores in brackets are those at half-time, since they also stand beside scores that are not equal"


def _with_brackets(text: str) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return the numbers of a score and of the one in brackets behind it; None if there are no such two."""
    found = re.fullmatch(rf"{SCORE.pattern}\s*[(\[]\s*{SCORE.pattern}\s*[)\]]", text.strip())
    if found is None:
        return None
    one, other, *before = (float(number.replace(",", ".")) for number in found.groups())
    return (one, other), tuple(before)


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
    if "+" in text and (bare := text.replace(" ", "")) in FORFEITS:
        return FORFEITS[bare]
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
