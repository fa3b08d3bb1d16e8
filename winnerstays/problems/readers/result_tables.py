"""Tables of results, the home team in the row and the guest in the column: each cell is the score of a game."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from winnerstays.problems.readers.crosstable import OWN
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.scores import score_of
from winnerstays.problems.readers.table import Table

FEWEST = 3
"""Of two teams, cells that do not fit may also be a mistake."""
NO_GAME = OWN | {"", "-", "\N{EN DASH}", "\N{EM DASH}", "a", "p", "v"}
"""What stands on the diagonal, and where no game was played."""


def results_by_teams(table: Table) -> Table | None:
    """Return a row for each game of a table whose rows and columns are teams; None if it is no such table."""
    teams = table.header[1:]
    below = [row for _, row in islice(table.rows(), len(teams) + 1)]
    if (
        len(teams) < FEWEST
        or len(below) != len(teams)
        or len({*teams}) < len(teams)
        or {row[0] for row in below} != {*teams}
    ):
        return None
    scores = {
        (row[0], team): cell
        for row in below
        for team, cell in zip(teams, row[1:], strict=False)
        if cell.lower() not in NO_GAME
    }
    games = [score_of(cell) for (team, other), cell in scores.items() if team != other]
    if not games or None in games or any(team == other for team, other in scores) or _mirrored(scores):
        return None

    def rows() -> Iterator[Row]:
        for number, row in table.rows():
            for team, cell in zip(teams, row[1:], strict=False):
                if cell.lower() not in NO_GAME:
                    yield number, [row[0], team, cell]

    note = "each cell is a game of its row against its column, the row's number first"
    return replace(
        table, header=["home", "away", "score"], rows=rows, remarks={}, note="; ".join(filter(None, [note, table.note]))
    )


def _mirrored(scores: dict[tuple[str, str], str]) -> bool:
    """Tell wins and losses, which stand the other way round in the opposite cell, from games at home."""
    turned = {pair: cell for pair, cell in scores.items() if pair[::-1] in scores}
    return bool(turned) and all(_sides(cell) == _sides(scores[pair[::-1]])[::-1] for pair, cell in turned.items())


def _sides(cell: str) -> list[str]:
    digits = "".join(sign if sign.isdigit() else " " for sign in cell)
    return digits.split()
