"""Tables of duels, one a row (or object), as arenas for language models publish them: who met whom, and who won.

Three layouts are known by their headers, whatever other columns there are:

- `winner`, `loser`, and optionally `tie` (1, true, yes, tie; or 0, false, no, nothing);
- `model_a`, `model_b` (or any two columns of the kind `..._a`, `..._b`; `a`, `b`; `left`, `right`; `first`,
  `second`) and `winner`: one of these two column names, `a`, `b`, one of the row's two items, or `tie`,
  `tie (bothbad)`, `draw`;
- `model_a`, `model_b`, `winner_model_a`, `winner_model_b`, and optionally `winner_tie`, each 0 or 1.

A tie is half a win for both. Duels of an item with itself say nothing and are left out; the problem's note counts both.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.table import check_items, column, file_errors, header_of, rows_of

YES = {"1", "1.0", "true", "yes", "tie", "draw"}
NO = {"", "0", "0.0", "false", "no"}

Outcome = tuple[str, str, float]
"""The two items, and what the first won: 1, 1/2 or 0."""


def read_duels(path: str | Path, *, prior: float = 1.0) -> Problem:
    """Preferences estimated from a CSV file of duels, or a JSON list of objects; see the layouts and rules above."""
    path = Path(path)
    with file_errors(path):
        if path.suffix.lower() == ".json":
            problem = from_records(json.loads(path.read_bytes()), prior)
        else:
            rows = rows_of(path)
            header = header_of(path)
            next(rows)
            problem = _estimate(header, ((f"line {line}", row) for line, row in rows), prior)
    problem.name = path.stem
    return problem


def from_records(records: Sequence[Mapping[str, Any]], prior: float = 1.0) -> Problem:
    """Preferences estimated from objects with the fields of a table of duels."""
    keys = list(dict.fromkeys(key for record in records[:1] for key in record))
    rows = ([str(record.get(key, "")) for key in keys] for record in records)
    return _estimate(
        [key.lower() for key in keys], ((f"record {number}", row) for number, row in enumerate(rows, start=1)), prior
    )


def _estimate(header: Sequence[str], rows: Iterable[tuple[str, list[str]]], prior: float) -> Problem:
    outcome = reader_of(header)
    if outcome is None:
        raise WinnerstaysError(
            f"the columns are {', '.join(header)}; a table of duels has winner and loser, or model_a, model_b "
            "and winner."
        )
    arms: dict[str, int] = {}
    won: Counter[tuple[int, int]] = Counter()  # twice the wins, so that a tie is whole
    tied: Counter[tuple[int, int]] = Counter()
    ties = alone = 0
    for place, row in rows:
        try:
            first, second, share = outcome(row)
        except _RowError as wrong:
            raise WinnerstaysError(f"{place} {wrong}") from None
        one, other = arms.setdefault(first, len(arms)), arms.setdefault(second, len(arms))
        if one == other:
            alone += 1
            continue
        ties += share == 0.5
        if share == 0.5:
            tied[min(one, other), max(one, other)] += 1
        won[one, other] += int(2 * share)
        won[other, one] += int(2 - 2 * share)
    check_items(len(arms))
    wins = np.zeros((len(arms), len(arms)))
    for pair, halves in won.items():
        wins[pair] = halves / 2
    note = f"{int(wins.sum())} duels"
    note += f", {ties} of them ties (half a win for both)" if ties else ""
    note += f"; {alone} of an item with itself left out" if alone else ""
    problem = Problem.from_counts(wins, prior=prior, items=list(arms), note=note)
    problem.ties = np.zeros_like(wins)
    for (one, other), times in tied.items():
        problem.ties[one, other] = problem.ties[other, one] = times
    return problem


class _RowError(Exception):
    """What is wrong with a row, as the end of a sentence that begins with its place."""


def reader_of(header: Sequence[str]) -> Callable[[list[str]], Outcome] | None:
    """How a row of a table with this header (in lower case) is read; None if it is no table of duels."""
    winner, loser = column(header, "winner"), column(header, "loser")
    if winner is not None and loser is not None:
        return _winner_loser(winner, loser, column(header, "tie", "draw"))
    sides = _sides(header)
    if sides is None:
        return None
    if winner is not None:
        return _named_winner(sides, winner, header)
    flags = [column(header, f"winner_{header[side]}") for side in sides]
    if flags[0] is not None and flags[1] is not None:
        return _flags(sides, (flags[0], flags[1]), column(header, "winner_tie"))
    return None


def _sides(header: Sequence[str]) -> tuple[int, int] | None:
    pairs = [("a", "b"), ("left", "right"), ("first", "second")]
    pairs += [(name, f"{name[:-2]}_b") for name in header if name.endswith("_a") and not name.startswith("winner_")]
    pairs.sort(key=lambda pair: pair[0] != "model_a")
    return next(((header.index(a), header.index(b)) for a, b in pairs if a in header and b in header), None)


def _cell(row: list[str], place: int, what: str) -> str:
    if place >= len(row) or not row[place]:
        raise _RowError(f"has no {what}.")
    return row[place]


def _flag(row: list[str], place: int) -> bool:
    cell = row[place].lower() if place < len(row) else ""
    if cell not in YES | NO:
        raise _RowError(f"says {cell[:40]!r} where 0 or 1 is expected.")
    return cell in YES


def _winner_loser(winner: int, loser: int, tie: int | None) -> Callable[[list[str]], Outcome]:
    def outcome(row: list[str]) -> Outcome:
        if len(row) <= max(winner, loser) or not row[winner] or not row[loser]:
            raise _RowError("has no winner or no loser.")
        return row[winner], row[loser], 0.5 if tie is not None and _flag(row, tie) else 1.0

    return outcome


def _named_winner(sides: tuple[int, int], winner: int, header: Sequence[str]) -> Callable[[list[str]], Outcome]:
    left, right = (header[side] for side in sides)
    for_left, for_right = ({name, name.removeprefix(f"{name[:-2]}_")} for name in (left, right))

    def outcome(row: list[str]) -> Outcome:
        first, second = _cell(row, sides[0], left), _cell(row, sides[1], right)
        said = _cell(row, winner, "winner")
        if said in (first, second):
            return first, second, float(said == first)
        said = said.lower()
        if said in for_left | for_right:
            return first, second, float(said in for_left)
        if said.startswith(("tie", "draw")) or said in ("both", "neither", "bothbad", "both_bad"):
            return first, second, 0.5
        raise _RowError(
            f"names {row[winner][:40]!r} as winner, but it must be {left}, {right}, tie or one of the two items."
        )

    return outcome


def _flags(sides: tuple[int, int], flags: tuple[int, int], tie: int | None) -> Callable[[list[str]], Outcome]:
    def outcome(row: list[str]) -> Outcome:
        first, second = _cell(row, sides[0], "first item"), _cell(row, sides[1], "second item")
        said = [_flag(row, flags[0]), _flag(row, flags[1]), tie is not None and _flag(row, tie)]
        if sum(said) != 1:
            raise _RowError("must have exactly one outcome.")
        return first, second, (1.0, 0.0, 0.5)[said.index(True)]

    return outcome
