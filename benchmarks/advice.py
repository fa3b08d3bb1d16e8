"""Print what to expect of an arena for common numbers of items and people."""

from collections.abc import Sequence

from benchmarks._results import table
from winnerstays.advice import advise

COMMON_SIZES = [(10, 1000, 20), (50, 1000, 20), (50, 1000, 100), (200, 10_000, 17), (1000, 10_000, 17)]
"""Items, visitors, answers each."""


def main(words: Sequence[str]) -> None:
    """Play every size, with tastes that have much in common and with tastes that have nothing in common."""
    lines = []
    for items, visitors, answers in COMMON_SIZES:
        for correlated in (True, False):
            best = advise(items, visitors, answers, correlated=correlated).best
            tastes = "much in common" if correlated else "nothing in common"
            within = "-" if best.answers_until_seen is None else best.answers_until_seen
            shown = f"{best.on_screen:.1%} ± {best.error:.1%}"
            cells = (f"{items:,}", f"{visitors:,}", answers, tastes, best.way, shown, f"{best.seen:.0%}", within)
            lines.append((*cells, f"{2 / items:.1%}"))
    header = (
        "items", "visitors", "answers each", "tastes", "take", "favourite shown", "seen by", "half within",
        "random pairs",
    )  # fmt: skip
    print(table(header, lines))
