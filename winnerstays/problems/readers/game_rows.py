"""Tables with two rows for each game, one for either side: `game_id,team,score` or `match_id,player,result`.

A column called like a game's id must have every value exactly twice. Who won is said by a result (W, L, D) or by the
higher score.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.side_words import LOSS, TIES, WIN, plain
from winnerstays.problems.readers.table import SAMPLE_LINES, Table, number_or_none
from winnerstays.problems.readers.vocabulary import ITEM_WORDS, RESULTS, SCORES, words_of

GAMES = {
    "game", "match", "fixture", "duel", "battle", "bout", "contest", "comparison", "gameid", "matchid", "fixtureid",
    "duelid",
}  # fmt: skip
OUTCOMES = RESULTS | {"won", "win", "winner", "wl"}
SHARES = {
    **dict.fromkeys(WIN | {"w", "1", "true", "yes", "y"}, 1.0),
    **dict.fromkeys(LOSS | {"l", "0", "false", "no", "n"}, 0.0),
    **dict.fromkeys(TIES | {"d", "t", "0.5"}, 0.5),
}
MOSTLY = 0.8
"""This share of the cells must be results or scores; others are mistakes."""


class _Roles(NamedTuple):
    game: int
    item: int
    said: int  # the result, or the score
    scored: bool


def games_in_one_row(table: Table) -> Table | None:
    """Return the table with both rows of a game in one; None if its columns are others."""
    roles = _roles(table)
    if roles is None:
        return None
    header = table.header
    rows = Counter(text_at(row, roles.game) for _, row in table.rows())
    odd = next((game for game, number in rows.items() if number != 2 or not game), None)
    if odd is not None:
        game, item, said = (header[k] for k in roles[:3])
        number = f"{rows[odd]} rows" if rows[odd] > 1 else "one row"
        ways = f"; say --columns user={game},item={item},rating={said} if the higher {said} wins among all of a {game}"
        raise WinnerstaysError(
            f"{game} {odd!r} has {number}, and the two sides of a game have one each{ways if roles.scored else ''}."
        )
    unused = [name for k, name in enumerate(header) if k not in roles[:3] and name]
    note = f"the two rows of each {header[roles.game]} are one game" + (
        f", {', '.join(unused[:5])} left out" if unused else ""
    )
    result = ["left_score", "right_score"] if roles.scored else ["winner"]
    return replace(
        table, header=["left", "right", *result], rows=lambda: _games(table, roles), remarks={},
        note="; ".join(filter(None, [note, table.note])),
    )  # fmt: skip


def _roles(table: Table) -> _Roles | None:
    words = [words_of(name) for name in table.header]
    games = [k for k, some in enumerate(words) if GAMES.intersection(some) and {*some} <= GAMES | {"id", "number"}]
    items = [k for k, some in enumerate(words) if ITEM_WORDS.intersection(some) and {*some} <= ITEM_WORDS]
    items = [k for k in items if "id" not in words[k]] or items
    rows = [row for _, row in islice(table.rows(), SAMPLE_LINES)]
    results = [k for k, some in enumerate(words) if OUTCOMES.intersection(some) and _mostly(rows, k, _share)]
    scores = [k for k, some in enumerate(words) if some and some[-1] in SCORES and _mostly(rows, k, number_or_none)]
    said = results or [k for k in scores if len(words[k]) == min(len(words[one]) for one in scores)]
    if not rows or not len(games) == len(items) == len(said) == 1:
        return None
    return _Roles(games[0], items[0], said[0], not results)


def _mostly(rows: Sequence[Sequence[str]], place: int, read: Callable[[str], float | None]) -> bool:
    """Tell whether nearly all cells of a column that are not empty can be read so."""
    cells = [cell for row in rows if (cell := text_at(row, place))]
    return bool(cells) and sum(read(cell) is not None for cell in cells) >= MOSTLY * len(cells)


def _share(cell: str) -> float | None:
    return SHARES.get(plain(cell))


def _games(table: Table, roles: _Roles) -> Iterator[Row]:
    waiting: dict[str, list[str]] = {}
    for number, row in table.rows():
        game, *side = (text_at(row, k) for k in roles[:3])
        first = waiting.pop(game, None)
        if first is None:
            waiting[game] = side
        elif roles.scored:
            yield number, [first[0], side[0], first[1], side[1]]
        else:
            yield number, [first[0], side[0], _winner(first, side)]


def _winner(one: Sequence[str], other: Sequence[str]) -> str:
    """Return who won of two sides with their results; these themselves if they contradict each other."""
    shares = _share(one[1]), _share(other[1])
    if None in shares or sum(filter(None, shares)) != 1:
        return f"{one[1]} and {other[1]}"
    return "tie" if shares[0] == 0.5 else one[0] if shares[0] else other[0]
