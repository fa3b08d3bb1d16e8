"""Who won, from the cells of a row: a name, a side, a score, a flag."""

import re
from collections.abc import Mapping, Set
from functools import partial
from typing import NamedTuple, Protocol

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.given import Given
from winnerstays.problems.readers.rows import (
    NoDuelError,
    Outcome,
    Reader,
    RowError,
    Share,
    cell,
    flag,
    number_at,
    open_point,
    positive,
    text_at,
)
from winnerstays.problems.readers.scores import Brackets, compare
from winnerstays.problems.readers.side_words import LOSS, NO_SCORE, OWN_RESULTS, TIES, UNDECIDED, WIN, plain
from winnerstays.problems.readers.table import POINTS_OF_THREE, Table, number_or_none
from winnerstays.problems.readers.twins import has_dates, has_games, listed_twice
from winnerstays.problems.readers.vocabulary import OPPONENTS, words_of
from winnerstays.problems.readers.watched import CountColumn, FlagColumn, IdColumns
from winnerstays.problems.readers.winner_column import WinnerColumn, parse_codes
from winnerstays.wording import counted

NOT_PLAYED = UNDECIDED | {
    "scheduled", "timed", "not started", "ns", "upcoming", "pending", "suspended", "in play", "in progress", "live",
    "tbd", "to be played", "delayed", "rescheduled", "fixture", "walkover pending", "open",
}  # fmt: skip
NOBODY = {"bye"}
NOT_SAID = -1.0
CHESS = {"1-0", "0-1", "1/2-1/2", "½-½", "0.5-0.5", "*", "1 - 0", "0 - 1", "1/2 - 1/2"}


class Watcher(Protocol):
    """Something that is decided once for the whole file: it sees all rows first."""

    def see(self, number: int, row: list[str]) -> None:
        """Take note of a row."""


class Layout(NamedTuple):
    """How a row is read, and what was assumed."""

    read: Reader
    assumed: str


def layout_of(table: Table, roles: Mapping[str, int], given: Set[str] = frozenset(), codes: Given = None) -> Layout:
    """Return how the rows of a table of duels are read; `given`: the roles that the user has said."""
    assumed: list[str] = []
    header = table.header
    first, second = ("winner", "loser") if "loser" in roles else ("left", "right")
    decide, count = _decided(table, roles, given, codes, assumed)
    ties, status, by_scores = roles.get("tie"), roles.get("status"), _by_scores(table, roles)
    total = roles.get("total")
    rates = total is not None and Contents(table).holds_shares(roles["left_wins"])
    times_in = partial(positive, open_points=table.open_points)
    left, right, left_wins, right_wins = (roles.get(role, 0) for role in (first, second, "left_wins", "right_wins"))

    def read(row: list[str]) -> Outcome:
        if status is not None and plain(text_at(row, status)) in NOT_PLAYED:
            if not (text_at(row, left) and text_at(row, right)):
                raise NoDuelError("games that were not played")
            return Outcome(row[left], row[right], 0.0, 0.0)
        one, other = cell(row, left, header), cell(row, right, header)
        if one.lower() in NOBODY or other.lower() in NOBODY:
            raise NoDuelError("byes")
        times = 1.0 if count is None else times_in(row, count)
        if decide is None:
            half = 0.0 if ties is None else times_in(row, ties) / 2
            won = times_in(row, left_wins) * (times_in(row, total) if rates and total is not None else 1.0) + half
            lost = times_in(row, right_wins) + half if total is None else times_in(row, total) - won
            if lost < 0:
                raise RowError(left_wins, f"is {row[left_wins]}, but of {row[total or 0]} duels no more can be won")
            return Outcome(one, other, times * won, times * lost, 2 * times * half)
        share = decide(row, one, other)
        if share is None:
            return Outcome(one, other, 0.0, 0.0)
        score = None if by_scores is None else _or_none(by_scores, row)
        return Outcome(one, other, times * share, times * (1 - share), times if share == 0.5 else 0.0, score)

    sides = header[left], header[right]
    scores = [roles[role] for role in ("left_score", "right_score") if role in roles]
    said = words_of(header[roles["winner"]]) if "winner" in roles else ()
    own = (OPPONENTS.intersection(words_of(sides[1])) or said in OWN_RESULTS) and not {"left", "right"} <= given
    dated = has_dates(header) and {"left_won", "right_won"} <= roles.keys()
    games = (has_games(header) or dated) and "loser" not in roles and not {"left", "right"} <= given
    if (own or games) and listed_twice(table, read, sides, scores):
        if not own and not scores:
            raise WinnerstaysError(
                "every row has a twin that lists the same game from the other side; leave out one of each two, or say "
                f"with columns (--columns left={sides[0]},right={sides[1]}) that every row is a game."
            )
        assumed.append("each game is listed from both sides and counted once")
        return Layout(lambda row: _halved(read(row)), "; ".join(assumed))
    return Layout(read, "; ".join(assumed))


def _halved(outcome: Outcome) -> Outcome:
    return outcome._replace(won=outcome.won / 2, lost=outcome.lost / 2, tied=outcome.tied / 2)


def _decided(
    table: Table, roles: Mapping[str, int], given: Set[str], codes: Given, assumed: list[str]
) -> tuple[Share | None, int | None]:
    """Return who won a row (None where wins are counted) and the column that says how often it counts."""
    header = table.header
    winner = count = ids = None
    if "winner" in roles and "loser" not in roles:
        winner = WinnerColumn(table, roles, parse_codes(codes))
    elif codes is not None:
        raise WinnerstaysError("codes says what stands in a winner's column beside two sides, but here there is none.")
    decisive = roles.keys() & {"winner", "left_won", "right_won"}
    wins = "left_wins" in roles and not decisive
    asked = ["tie"] * bool(decisive) + [*decisive] * (len(decisive) == 1 and decisive != {"winner"})
    flags = [FlagColumn(header[roles[role]], roles[role], role) for role in asked if role in roles]
    if "count" in roles:
        summed = tuple(roles.get(role) for role in ("left_wins", "right_wins", "tie")) if wins else ()
        count = CountColumn(header[roles["count"]], roles["count"], summed, "count" in given)
    if {"left_id", "right_id"} <= roles.keys():
        names = ("winner", "loser") if "loser" in roles else ("left", "right")
        ids = IdColumns([(roles[name], roles[id_]) for name, id_ in zip(names, ("left_id", "right_id"), strict=True)])
    watchers: list[Watcher] = [one for one in (winner, *flags, count, ids) if one is not None]
    if watchers:
        for number, row in table.rows():
            for one in watchers:
                one.see(number, row)
    for flag_column in flags:
        flag_column.check()
    if winner is not None:
        decide: Share | None = _by_winner(table, roles, given, winner, assumed)
    elif "loser" in roles:
        decide = _winner_loser(table, roles)
    elif roles.keys() & {"left_won", "right_won"}:
        decide = _flags(table, roles)
    elif {"left_result", "right_result"} <= roles.keys():
        decide = _by_results(table, roles, assumed)
    else:
        decide = _counted_or_scored(table, roles, given, assumed)
    counts = count is not None and count.decide(assumed)
    assumed += filter(None, ["" if ids is None else ids.note])
    return decide, roles["count"] if counts else None


def _or_none(share: Share, row: list[str]) -> float | None:
    try:
        return share(row, "", "")
    except RowError:
        return None


def _by_winner(
    table: Table, roles: Mapping[str, int], given: Set[str], winner: WinnerColumn, assumed: list[str]
) -> Share:
    """Who won is said by a winner's column; where it is empty, by the score if there is one."""
    if winner.scored:
        _check_order(table, roles, given, roles["winner"])
    named, scores, place, tie = winner.decide(assumed), _by_scores(table, roles), roles["winner"], roles.get("tie")
    empty = winner.given.get("", NOT_SAID)
    if scores is not None and winner.empty:
        assumed.append(f"{counted(winner.empty, 'row')} without {winner.name} by their score")
    if winner.unsaid:
        why = " or ".join(table.header[roles[role]] for role in ("result", "status") if role in roles)
        assumed.append(f"{counted(winner.unsaid, 'row')} without {winner.name} by their {why}")
    if {"left_wins", "right_wins"} <= roles.keys():
        unused = " and ".join(table.header[roles[role]] for role in ("left_wins", "right_wins"))
        assumed.append(f"{unused} are not used, since {winner.name} says who won")

    def share(row: list[str], first: str, second: str) -> float | None:
        if tie is not None and flag(row, tie):
            return 0.5
        if winner.is_empty(row):
            said = winner.why_empty(row)
            if said in UNDECIDED or said in TIES:
                return None if said in UNDECIDED else 0.5
            if scores is not None:
                return scores(row, first, second)
            if empty != NOT_SAID:
                return empty
            raise RowError(place, f"has no {winner.name}", "; codes (--codes =tie) says that nobody won there")
        return named(row, first, second)

    return share


def _winner_loser(table: Table, roles: Mapping[str, int]) -> Share:
    """The winner, unless another column says that there was none."""
    tie, result, scores = roles.get("tie"), roles.get("result"), _by_scores(table, roles)

    def share(row: list[str], first: str, second: str) -> float | None:
        if tie is not None and text_at(row, tie):
            return 0.5 if flag(row, tie) else 1.0
        said = plain(text_at(row, result))
        if said in UNDECIDED:
            return None
        if said in TIES or said == "0.5" or (scores is not None and _or_none(scores, row) == 0.5):
            return 0.5
        return 1.0

    return share


def _counted_or_scored(table: Table, roles: Mapping[str, int], given: Set[str], assumed: list[str]) -> Share | None:
    header = table.header
    if "left_wins" in roles and "total" in roles:
        assumed.append(
            f"{header[roles['left_wins']]} of {header[roles['total']]} is how often {header[roles['left']]} won"
        )
        return None
    if "left_wins" in roles and "right_wins" in roles:
        assumed.append(f"{header[roles['left_wins']]} and {header[roles['right_wins']]} are how often each won")
        if "tie" in roles:
            assumed.append(f"{header[roles['tie']]} how often nobody did, half a win for each")
        return None
    if "margin" in roles:
        assumed.append(f"{header[roles['left']]} has won where {header[roles['margin']]} is positive")
    elif "left_score" in roles and "right_score" in roles:
        one, other = header[roles["left_score"]], header[roles["right_score"]]
        assumed.append(f"the higher of {one} and {other} wins")
        if one == other:
            assumed.append(f"the first {one} is that of the side that stands first")
        if "left_pens" in roles:
            assumed.append(f"equal scores by {header[roles['left_pens']]} and {header[roles['right_pens']]}")
    else:
        assumed.append(f"the higher side of {header[roles['score']]} wins")
        _check_order(table, roles, given, roles["score"])
        assumed += filter(None, [_brackets(table, roles["score"]).note])
    return _by_scores(table, roles)


def _check_order(table: Table, roles: Mapping[str, int], given: Set[str], place: int) -> None:
    """Ask whose number comes first in a score where the second side stands before the first."""
    if roles["left"] > roles["right"] and not {"left", "right"} <= given:
        left, right, score = (table.header[k] for k in (roles["left"], roles["right"], place))
        if "white" in words_of(left) and Contents(table).values(place) <= CHESS:
            return  # where White's points always come first
        role = "score" if roles.get("score") == place else "winner"
        raise WinnerstaysError(
            f"{right} stands before {left}, so that the first number in {score} may be of either; say whose it is with "
            f"columns (--columns left={right},right={left},{role}={score} if it is that of {right})."
        )


def _by_scores(table: Table, roles: Mapping[str, int]) -> Share | None:
    """Who has the higher score, by penalties if it is equal; None if there are no scores."""
    known = roles.keys()
    if "margin" in known:
        return partial(_by_margin, roles["margin"])
    if not ({"left_score", "right_score"} <= known or "score" in known):
        return None
    one, other, single = roles.get("left_score"), roles.get("right_score"), roles.get("score", 0)
    pens = [roles[role] for role in ("left_pens", "right_pens") if role in roles]
    brackets = _brackets(table, single) if one is None or other is None else Brackets()

    def share(row: list[str], first: str, second: str) -> float | None:
        if one is None or other is None:
            found = _score(row, single, table.open_points, brackets)
        elif plain(text_at(row, one)) in NO_SCORE and plain(text_at(row, other)) in NO_SCORE:
            return None
        else:
            found = compare(*(number_at(row, place, table.open_points) for place in (one, other)))
        if found == 0.5 and len(pens) == 2:
            shot = [number_or_none(text_at(row, place)) for place in pens]
            return found if shot[0] is None or shot[1] is None else compare(shot[0], shot[1])
        return found

    return share


def _by_margin(place: int, row: list[str], first: str, second: str) -> float | None:
    """Who has won by the difference of the scores."""
    return None if plain(text_at(row, place)) in NO_SCORE else compare(number_at(row, place), 0.0)


def _brackets(table: Table, place: int) -> Brackets:
    found = Brackets()
    for _, row in table.rows():
        found.see(text_at(row, place))
    return found


def _score(row: list[str], place: int, open_points: bool, brackets: Brackets) -> float | None:
    text = text_at(row, place)
    for part in re.split(r"[-:\s]+", text) if open_points and "." in text else ():
        if POINTS_OF_THREE.fullmatch(part):
            raise RowError(place, open_point(part, f"{text[:40]!r}, where {part}"))
    if plain(text) in NO_SCORE:
        return None
    share = brackets.score_of(text)
    if share is None:
        raise RowError(place, f"is {text[:40]!r}, but it must be a score such as 2-1")
    return share


def _flags(table: Table, roles: Mapping[str, int]) -> Share:
    """Who won by yes or no; where neither side is said to have, by the score if there is one."""
    left, right, tie = (roles.get(role) for role in ("left_won", "right_won", "tie"))
    scores = _by_scores(table, roles)

    def share(row: list[str], first: str, second: str) -> float | None:
        if tie is not None and flag(row, tie):
            return 0.5
        said = [place is not None and flag(row, place) for place in (left, right)]
        if left is not None and right is not None and sum(said) != 1:
            if any(said) or scores is None:
                raise RowError(left, "must have exactly one outcome in its row")
            return scores(row, first, second)
        return float(said[0] if left is not None else not said[1])

    return share


def _by_results(table: Table, roles: Mapping[str, int], assumed: list[str]) -> Share:
    """Who has won by the results of either side, such as win and resigned; where both are the same, nobody."""
    one, other = roles["left_result"], roles["right_result"]
    assumed.append(f"who has won by {table.header[one]} and {table.header[other]}; equal results are ties")

    def share(row: list[str], first: str, second: str) -> float | None:
        said = [plain(text_at(row, place)) for place in (one, other)]
        if all(word in NO_SCORE for word in said):
            return None
        won = [word in WIN | {"w"} for word in said]
        lost = [word in LOSS | {"l"} for word in said]
        if won[0] != won[1] and not (won[0] and lost[0]):
            return float(won[0])
        if lost[0] != lost[1] and not any(won):
            return float(lost[1])
        if said[0] == said[1] and not any(won + lost):
            return 0.5
        raise RowError(
            one,
            f"is {text_at(row, one)[:40]!r} and {table.header[other]} {text_at(row, other)[:40]!r}; one must have won",
        )

    return share
