"""Write the tables of docs/ that are made from results/, without measuring anything."""

from collections.abc import Sequence

from benchmarks import advice, algorithms, rankers, shop, traffic, uplift, ws_t
from benchmarks._results import replace_part

PAGES = {
    "algorithms.md": algorithms.PARTS,
    "arena.md": {"uplift": uplift.page, "advice": advice.page, "sites": shop.page},
    "rankers.md": rankers.PARTS, "traffic.md": traffic.PARTS, "ws-t.md": ws_t.PARTS,
}  # fmt: skip
"""By page, what makes each of its parts."""


def main(words: Sequence[str]) -> None:
    """Replace every part of every page."""
    for page, parts in PAGES.items():
        for name, make in parts.items():
            replace_part(page, name, make())
        print(f"written: docs/{page}")
