"""Logs of games that list each game twice, once from either side: `A,B,W` and `B,A,L`."""

from collections import Counter
from collections.abc import Sequence

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.rows import NoDuelError, Reader, RowError, text_at
from winnerstays.problems.readers.table import Table
from winnerstays.problems.readers.vocabulary import WHEN, words_of

GAMES = {"gameid", "matchid", "fixtureid", "duelid"}
OF_THE_GAME = WHEN | GAMES | {"game", "match", "event", "tournament", "fixture", "duel"}
"""Words of columns that are the same for both rows of a game."""
GAME_IDS = {("game", "id"), ("match", "id"), ("fixture", "id"), ("duel", "id")}
OPEN = 100_000
"""Rows that may wait for their twin before it is clear that they have none."""
NEARLY = 0.9


def has_games(header: Sequence[str]) -> bool:
    """Tell whether a column says which game a row is of: `game_id`, `MatchID`."""
    words = [words_of(name) for name in header]
    return any(some[-2:] in GAME_IDS or GAMES.intersection(some) for some in words)


def has_dates(header: Sequence[str]) -> bool:
    """Tell whether a column says when a game was."""
    return any(OF_THE_GAME.intersection(words_of(name)) for name in header)


def listed_twice(table: Table, read: Reader, sides: Sequence[str], scores: Sequence[int]) -> bool:
    """Tell whether every row has its twin, seen from the other side; an error if nearly every row has.

    `scores`: the columns of the scores of both sides, if there are any, which a twin has the other way round.
    """
    same = [place for place, name in enumerate(table.header) if OF_THE_GAME.intersection(words_of(name))]
    waiting: Counter[tuple[object, ...]] = Counter()
    rows = 0
    for _, row in table.rows():
        try:
            found = read(row)
        except (RowError, NoDuelError):
            continue
        if found is None or found.won + found.lost == 0:
            continue
        rows += 1
        when, score = ([text_at(row, place) for place in places] for places in (same, scores))
        twin = (found.second, found.first, found.lost, found.won, *reversed(score), *when)
        if waiting[twin] > 0:
            waiting[twin] -= 1
            if not waiting[twin]:
                del waiting[twin]
        else:
            del waiting[twin]
            waiting[found.first, found.second, found.won, found.lost, *score, *when] += 1
            if len(waiting) > OPEN:
                return False
    alone = waiting.total()
    if rows and 0 < alone <= (1 - NEARLY) * rows and same:
        raise WinnerstaysError(
            f"of {rows} rows all but {alone} have a twin that lists the same game from the other side; leave out one "
            f"of each two, or say with columns (--columns left={sides[0]},right={sides[1]}) that every row is a game."
        )
    return rows > 0 and not alone
