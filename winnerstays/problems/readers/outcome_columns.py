"""Which columns of a table say who won: a winner, a score, wins, flags, or a result of either side."""

from collections.abc import Mapping, Sequence, Set

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.column_pairs import Pair
from winnerstays.problems.readers.contents import NEARLY, Contents
from winnerstays.problems.readers.side_words import USUAL, plain, side_words
from winnerstays.problems.readers.vocabulary import (
    CHANCES,
    EARLIER,
    FINAL,
    ITEM_WORDS,
    MAY_SAY_TIE,
    NOT_THE_RESULT,
    OPPONENTS,
    OUTCOMES,
    OWN_LOSSES,
    OWN_WINS,
    PENALTIES,
    RESULTS,
    SCORE_PAIRS,
    SCORE_WORDS,
    SCORES,
    TIES,
    WEAK_OUTCOMES,
    WINS,
    WON,
    counts_rows,
    same_sides,
    words_of,
)

NUMBERED = {"0", "1", "2"}
"""Numbers that may stand for a side in a column that is not surely about who won."""
Roles = dict[str, int]
Words = tuple[str, ...]
Two = tuple[int, int] | None
POINTS_WORDS = {"pts", "points"}
"""Words of scores that may also be points of a ranking."""
FEW_WORDS = 3
WINNING = {"won", "win", "wins", "better", "preferred", "chosen", "chose", "picked", "selected", "winner"}
"""Words that say of a side that it has won."""
POINTS = {"0", "0.5", "1"}
"""Results of either side that are points: 1 for a win, and half for a tie."""


def outcome_roles(
    header: Sequence[str], items: Pair, beside: Sequence[Pair], chosen: Mapping[str, int | None], contents: Contents
) -> Roles:
    """Return the columns that say who won, for two sides; `beside`: the pairs of columns that are about them."""
    roles: Roles = {}
    taken = {items.first, items.second, *chosen.values()}
    if not chosen.keys() & {"winner", "left_won", "score", "left_score", "margin"}:
        roles |= _winner(header, items, beside, taken, contents)
    wins = [pair for pair in beside if _counts_wins(pair, contents) and not _chance(header[pair.first])]
    if len(wins) == 1:
        roles |= {"left_wins": wins[0].first, "right_wins": wins[0].second}
    known = {"left": items.first, "right": items.second, **chosen}
    roles |= ids(beside, taken) | scores(header, beside, known, contents)
    by_score = bool(roles.keys() & {"left_score", "score"})
    if by_score and "left_id" not in roles and _margin(roles.get("winner"), items, contents):
        del roles["winner"]
    if not {"winner", "left_won"} & chosen.keys():
        of_all = _of_all(header, items, roles, taken, contents)
        roles |= of_all or _flags(header, items, beside, roles, contents) | _results(beside, taken, contents)
    if not {"winner", "left_wins"} <= roles.keys():
        roles |= tie(header, {*taken, *roles.values()})
    if "winner" in roles:
        roles |= result(header, {*taken, *roles.values()})
    return roles | (_record(header) if items.words[1] in OPPONENTS else {})


def _of_all(
    header: Sequence[str], items: Pair, known: Mapping[str, int], taken: Set[int | None], contents: Contents
) -> Roles:
    """Return how often the first side won, and of how many duels: `a_wins` of `n`."""
    counts = [k for k, name in enumerate(header) if counts_rows(name) and k not in taken]
    wins = [k for k, name in enumerate(header) if says_won(words_of(name), items.words[0], items)]
    wins = [k for k in wins if k in contents.numbers and not contents.holds_yes_or_no(k)]
    if len(counts) != 1 or len(wins) != 1 or known.keys() & {"winner", "left_wins", "left_score"}:
        return {}
    return {"left_wins": wins[0], "total": counts[0]} if contents.is_never_more(wins[0], counts[0]) else {}


def _counts_wins(pair: Pair, contents: Contents) -> bool:
    """Tell how often each side won from whether it did."""
    if WINS.intersection(pair.stem):
        return True
    flags = all(contents.holds_yes_or_no(place) for place in pair.places)
    return "win" in pair.stem and pair.places <= contents.numbers and not flags


def is_decided(roles: Mapping[str, int]) -> bool:
    """Whether sides are known, and something that says who won."""
    known = roles.keys()
    pairs = (
        {"left_score", "right_score"}, {"left_wins", "right_wins"}, {"left_wins", "total"},
        {"left_result", "right_result"},
    )  # fmt: skip
    return {"left", "right"} <= known and (
        bool(known & {"winner", "left_won", "right_won", "score", "margin"}) or any(pair <= known for pair in pairs)
    )


def tie(header: Sequence[str], taken: Set[int | None]) -> Roles:
    """Return the column that says that nobody won, or how often."""
    named = {place: words_of(name) for place, name in enumerate(header) if place not in taken}
    found = [k for k, words in named.items() if words and words[-1] in TIES and not CHANCES.intersection(words)]
    return {"tie": found[0]} if len(found) == 1 else {}


def result(header: Sequence[str], taken: Set[int | None]) -> Roles:
    """Return the column that may say beside a winner that there was none."""
    named = {place: words_of(name) for place, name in enumerate(header) if place not in taken}
    found = [place for place, words in named.items() if len(words) == 1 and words[0] in MAY_SAY_TIE]
    return {"result": found[0]} if found else {}


def ids(pairs: Sequence[Pair], taken: Set[int | None]) -> Roles:
    """Return the columns of the ids of two items that are given by their names."""
    found = [pair for pair in pairs if pair.stem[-1:] == ("id",) and not pair.places & taken]
    return {"left_id": found[0].first, "right_id": found[0].second} if len(found) == 1 else {}


def scores(header: Sequence[str], pairs: Sequence[Pair], known: Mapping[str, int | None], contents: Contents) -> Roles:
    """Return the columns of scores: one for each side, or one for both, and what is said of a game as a whole."""
    named = [words_of(name) for name in header]
    both = _single(named, contents)
    own = _score_pair(pairs, SCORES) or _own_scores(named, pairs) or _abbreviated(named) or _repeated(named, known)
    if own and both and POINTS_WORDS.intersection(named[own[0]]) and contents.holds_scores(both["score"]):
        own = None  # the points are those of a ranking
    roles = both if own is None else {"left_score": own[0], "right_score": own[1]}
    pens = _score_pair(pairs, PENALTIES)
    roles |= {} if pens is None else {"left_pens": pens[0], "right_pens": pens[1]}
    status = [place for place, words in enumerate(named) if words[-1:] in (("status",), ("state",))]
    return roles | ({"status": status[0]} if len(status) == 1 else {})


def _score_pair(pairs: Sequence[Pair], words: Set[str]) -> Two:
    """Return the one pair of columns of scores, by the fewest words; one that is called so goes before others."""
    found = [pair for pair in pairs if _is_score(pair.stem, words)]
    fewest = min((len(pair.stem) for pair in found), default=0)
    found = [pair for pair in found if len(pair.stem) == fewest]
    found = [pair for pair in found if "score" in pair.stem] or found
    return (found[0].first, found[0].second) if len(found) == 1 else None


def _own_scores(named: Sequence[Words], pairs: Sequence[Pair]) -> Two:
    """Return the points of a team and, called by the opponent, those against it: `pts` and `opp_pts`."""
    if not any(pair.words[1] in OPPONENTS for pair in pairs):
        return None
    own = [words for words in named if words and {*words} <= SCORES]
    found = [(words, (other, *words)) for words in own for other in OPPONENTS if (other, *words) in named]
    return (named.index(found[0][0]), named.index(found[0][1])) if len(found) == 1 else None


def _abbreviated(named: Sequence[Words]) -> Two:
    """Return the scores that are called by letters, `FTHG` and `FTAG`."""
    found = [(one, other) for one, other in SCORE_PAIRS if (one,) in named and (other,) in named]
    return (named.index((found[0][0],)), named.index((found[0][1],))) if found else None


def _repeated(named: Sequence[Words], known: Mapping[str, int | None]) -> Two:
    """Return two columns of one name, each that of the side it follows: `Team 1`, `Score`, `Team 2`, `Score`."""
    single = [place for place, words in enumerate(named) if len(words) == 1 and words[0] in SCORES]
    said = any(len(words) == 1 and words[0] in RESULTS for words in named)
    if len(single) != 2 or named[single[0]] != named[single[1]] or said:
        return None
    sides = [known.get(role) or 0 for role in (("winner", "loser") if "loser" in known else ("left", "right"))]
    return (single[1], single[0]) if sides[0] > sides[1] else (single[0], single[1])


def _is_score(stem: Sequence[str], words: Set[str]) -> bool:
    """Tell the words of a score: `goals`, `final_score`, and `ft` alone, but not `goals_half_time`."""
    rest = {*stem} - words
    final = words is SCORES and bool(FINAL.intersection(stem))
    return (final or rest != {*stem}) and SCORE_WORDS.issuperset(rest) and not EARLIER.intersection(stem)


def _single(named: Sequence[Words], contents: Contents) -> Roles:
    """Return the one column that holds the scores of both sides."""
    if ("score",) in named and named.index(("score",)) not in contents.numbers:
        return {"score": named.index(("score",))}
    found = [k for k, words in enumerate(named) if _is_score(words, SCORES) and contents.holds_scores(k)]
    fewest = min((len(named[k]) for k in found), default=0)
    found = [k for k in found if len(named[k]) == fewest]
    return {"score": found[0]} if len(found) == 1 else {}


def _chance(name: str) -> bool:
    """Tell a column of percentages or chances, such as `Win %`."""
    return "%" in name or bool(CHANCES.intersection(words_of(name)))


def _flags(
    header: Sequence[str], items: Pair, beside: Sequence[Pair], known: Mapping[str, int], contents: Contents
) -> Roles:
    """Return the columns that say by yes or no whether a side won."""
    pairs = [pair for pair in beside if WON.intersection(pair.stem) and not _chance(header[pair.first])]
    if pairs and not all(contents.holds_yes_or_no(place) for pair in pairs for place in pair.places):
        if known.keys() & {"winner", "left_score", "score"} or all(pair.places <= contents.numbers for pair in pairs):
            return {}
        raise _several(header, sorted(place for pair in pairs for place in pair.places))
    if len(pairs) == 1:
        return {"left_won": pairs[0].first, "right_won": pairs[0].second}
    if "left_wins" in known or (items.words[1] in OPPONENTS and _record(header)):
        return {}
    for role, side in zip(("left_won", "right_won"), items.words, strict=True):
        found = [k for k, name in enumerate(header) if says_won(words_of(name), side, items) and not _chance(name)]
        if len(found) == 1:
            return {role: found[0]}
    return {}


def says_won(words: tuple[str, ...], side: str, items: Pair) -> bool:
    """Tell a flag for a side: `home_win`, `a_better`, and `won` of a player beside an opponent."""
    if items.words[1] in OPPONENTS and side == items.words[0] and words in (("won",), ("win",)):
        return True
    family = {pair[items.words.index(side)] for pair in same_sides(items.words[0], items.family)} | {side}
    short = {word for word in words if word in family or word not in ITEM_WORDS | {"is", "was", "has"}}
    return len(short) == 2 and bool(short & family) and bool(short & WINNING)


def _results(beside: Sequence[Pair], taken: Set[int | None], contents: Contents) -> Roles:
    """Return the results of either side, such as win and resigned."""
    found = [pair for pair in beside if RESULTS.intersection(pair.stem) and not pair.places & taken]
    if len(found) != 1 or not contents.rows:
        return {}
    pair = found[0]
    if {plain(value) for place in pair.places for value in contents.values(place)} <= POINTS:
        return {"left_score": pair.first, "right_score": pair.second}
    return {} if pair.places & contents.numbers else {"left_result": pair.first, "right_result": pair.second}


def _record(header: Sequence[str]) -> Roles:
    """Return the columns of `wins`, `losses` and `draws` of a player against the opponent beside."""
    places = {words_of(name): place for place, name in enumerate(header) if not _chance(name)}
    found = [
        next((places[(word,)] for word in sorted(some) if (word,) in places), None)
        for some in (OWN_WINS, OWN_LOSSES, TIES)
    ]
    if found[0] is None or found[1] is None:
        return {}
    roles = {"left_wins": found[0], "right_wins": found[1]}
    return roles if found[2] is None else {**roles, "tie": found[2]}


def _winner(
    header: Sequence[str], items: Pair, pairs: Sequence[Pair], taken: Set[int | None], contents: Contents
) -> Roles:
    """Return the column that says who won; an error with the candidates if there are several."""
    paired = {place for pair in pairs for place in pair.places} | taken
    named = {k: words_of(name) for k, name in enumerate(header) if k not in paired}
    named = {
        k: words
        for k, words in named.items()
        if not NOT_THE_RESULT & {*words}
        and not _same_question(words, words_of(header[items.first]))
        and not _is_flag(k, contents)
        and words[:1] != ("is",)
        and not any(says_won(words, side, items) for side in items.words)
    }
    for likely in (*OUTCOMES, WEAK_OUTCOMES):
        exact = [k for k, words in named.items() if " ".join(words) in likely]
        found = exact or [k for k, words in named.items() if likely & {*words} and not {"tie", "draw"} & {*words}]
        found = [k for k in found if not (len(named[k]) > 1 and named[k][-1] in ("score", "id", "elo"))] or found
        if likely is WEAK_OUTCOMES:
            found = [k for k in found if _says_side(header, k, items, contents)]
        if len(found) > 1:
            found = [k for k in found if _says_side(header, k, items, contents)] or found
        if len(found) > 1:
            raise _several(header, found)
        if found:
            return {"winner": found[0]}
    return {}


def _same_question(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell names that differ in one of several words: the same was asked again, and none of them is about others."""
    return len(one) == len(other) > FEW_WORDS and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _is_flag(place: int, contents: Contents) -> bool:
    values = {value.lower() for value in contents.values(place)}
    return bool(values) and values <= {"true", "false", "yes", "no"}


def _several(header: Sequence[str], places: Sequence[int]) -> WinnerstaysError:
    names = " or ".join(header[k] for k in places)
    return WinnerstaysError(f"who won may be in {names}; say which (--columns winner={header[places[0]]}).")


def _margin(place: int | None, items: Pair, contents: Contents) -> bool:
    """Tell a column of numbers that stand for no side, such as by how many points a game was won."""
    if place is None or place not in contents.numbers or items.places & contents.numbers:
        return False
    return not {plain(value) for value in contents.values(place)} <= USUAL


def _says_side(header: Sequence[str], place: int, items: Pair, contents: Contents) -> bool:
    """Tell whether nearly all cells of a column name a side, or an item of their row."""
    if contents.names_one_of(place, items.first, items.second):
        return True
    full, short = side_words(header[items.first], header[items.second])
    values = [plain(row[place]) for row in contents.rows if len(row) > place and row[place]]
    values = [head if (head := value.partition("-")[0]).isalpha() else value for value in values]
    known = full.keys() | short.keys() | (NUMBERED if "won" not in words_of(header[place]) else set())
    return bool(values) and sum(value in known for value in values) >= NEARLY * len(values)
