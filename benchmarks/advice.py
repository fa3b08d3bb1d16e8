"""What `advise` says of a shop: 200 restaurants (ten come, ten go), 2,000 visitors with 3 to 17 clicks, zones."""

import argparse
from collections.abc import Sequence

from benchmarks._results import read_results, replace_part, table, write_results
from winnerstays.advice import TASTES, advise

COLUMNS = ("tastes", "way", "favourite shown", "error", "behind", "error behind", "seen", "best")


def main(words: Sequence[str]) -> None:
    """Play the four kinds of tastes, and write results/advice.csv."""
    parser = argparse.ArgumentParser("python -m benchmarks advice", description=__doc__)
    parser.add_argument("--error", type=float, default=3.0, help="the largest standard error, in points")
    parser.add_argument("--write", action="store_true", help="write results/advice.csv and the table of docs/arena.md")
    given = parser.parse_args(words)
    rows: list[Sequence[object]] = []
    for tastes in TASTES:
        advice = advise(200, 2000, (3, 17), tastes=tastes, change=10, zones=0.25, error=given.error)
        print(advice, flush=True)
        rows += [
            (tastes, one.way, one.share, one.error, one.behind, one.behind_error, one.seen, one == advice.best)
            for one in advice.outcomes
        ]
    if given.write:
        write_results("advice", COLUMNS, rows)
        replace_part("arena.md", "advice", page())


OFF_PAGE = ("each user, ws-root, alone", "Bradley-Terry of the crowd")


def page() -> str:
    """Return the table of docs/arena.md; results/advice.csv has all ways."""
    found = [row for row in read_results("advice") if row["way"] not in OFF_PAGE]
    ways = list(dict.fromkeys(row["way"] for row in found))
    cells = {(row["way"], row["tastes"]): row for row in found}

    def cell(way: str, tastes: str) -> str:
        row = cells[way, tastes]
        said = f"{float(row['favourite shown']):.1f} ± {float(row['error']):.1f}"
        return f"**{said}**" if row["best"] == "True" else said

    return table(("", *TASTES), [(way, *(cell(way, tastes) for tastes in TASTES)) for way in ways])
