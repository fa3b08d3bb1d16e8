"""Which column of a table is what, by the names people give them; where that is not beyond doubt, it is asked.

Names are compared by their words: `Winner_Name`, `winnerName` and `winner name` are the same. `columns=` (on the
command line `--columns left=home,right=away,winner=result`) decides for some or all roles; a column is given by its
name, in quotes if that holds a comma, or by its number in a table without a header. A role that is given nothing
(`count=`) is not used.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.readers.vocabulary import (
    BELONGING,
    CHANCES,
    COUNTED_ALONE,
    COUNTS,
    ITEM_WORDS,
    ITEMS,
    KINDS_OF_NAMES,
    MAY_SAY_TIE,
    MEASURES,
    NOT_THE_RESULT,
    OUTCOMES,
    OWN_LOSSES,
    OWN_WINS,
    OWNERS,
    PENALTIES,
    RATINGS,
    SCORE_WORDS,
    SCORES,
    SIDES,
    TIES,
    USERS,
    WINNERS,
    WINS,
    Pair,
    pairs_of,
    words_of,
)

DUEL_ROLES = (
    "winner", "loser", "tie", "left", "right", "left_id", "right_id", "left_won", "right_won", "left_score",
    "right_score", "left_pens", "right_pens", "left_wins", "right_wins", "score", "status", "count",
)  # fmt: skip
RATING_ROLES = ("user", "item", "rating")
ROLES = (*DUEL_ROLES, *RATING_ROLES)

COLUMN = 'winner="Won, in the end"'
"""How a column is given for a role."""
Given = str | Mapping[str, str | int] | None


def _core(pair: Pair) -> tuple[str, ...]:
    """Return whom a pair of columns is about: `home_team`, `home_team_name` and `home_team_id` are about teams."""
    core = pair.stem[:-1] if pair.stem[-1:] in (("name",), ("id",)) else pair.stem
    return core[:-1] if pair.stem[-1:] == ("name",) and core[-1:] and core[-1] in KINDS_OF_NAMES else core


def _tier(pair: Pair, with_ids: Set[tuple[str, ...]]) -> int:
    """How surely a pair holds the items: 1 by a known word, 2 by the id of such, 3 by the name of who knows what."""
    core = _core(pair)
    if not core or core in with_ids or ITEM_WORDS.intersection(core):
        return 2 if pair.stem[-1:] == ("id",) else 1
    return 3 if pair.stem[-1:] == ("name",) else 4


def _plainest(pairs: Sequence[Pair], numbers: Set[int]) -> list[Pair]:
    """Return the pairs of fewest words, of which one that is called `name` stands for the same without it.

    Where these are numbers and others are texts, both may be meant.
    """
    if len({frozenset(pair.words) for pair in pairs}) > 1:
        return list(pairs)
    fewest = min(len(_core(pair)) for pair in pairs)
    best = [pair for pair in pairs if len(_core(pair)) == fewest]
    if any(OWNERS.issuperset(_core(pair)) for pair in best):
        best = [pair for pair in best if not BELONGING.intersection(_core(pair))]
    named = {_core(pair) for pair in best if pair.stem[-1:] == ("name",)}
    best = [pair for pair in best if pair.stem[-1:] == ("name",) or _core(pair) not in named]
    texts = [pair for pair in pairs if not {pair.first, pair.second} <= numbers]
    of_text = [pair for pair in best if pair in texts]
    return of_text or [*best, *texts]


def _items(header: Sequence[str], pairs: Sequence[Pair], roles: str, numbers: Set[int]) -> Pair | None:
    """Return the one pair that names the items; an error with the candidates if there are several."""
    able = [pair for pair in pairs if not MEASURES.intersection(pair.stem)]
    with_ids = {pair.stem[:-1] for pair in able if pair.stem[-1:] == ("id",)}
    tiers = [_tier(pair, with_ids) for pair in able]
    best = [pair for pair, tier in zip(able, tiers, strict=True) if tier == min(tiers)]
    best = _plainest(best, numbers) if best else []
    distinct = {frozenset((pair.first, pair.second)): pair for pair in reversed(best)}
    if len(distinct) > 1:
        named = [f"{header[one.first]} and {header[one.second]}" for one in best]
        first, second = header[best[0].first], header[best[0].second]
        one, other = roles.split()
        raise WinnerstaysError(
            f"the items may be {' or '.join(dict.fromkeys(named))}; say which with columns "
            f"(--columns {one}={first},{other}={second})."
        )
    return best[0] if best else None


def parse_columns(given: Given, header: Sequence[str]) -> dict[str, int | None]:
    """Return the place of each column that was given for a role; None where a role is given nothing."""
    found: dict[str, int | None] = {}
    lower = [name.strip().lower() for name in header]
    for role, text in entries(given, "columns", COLUMN):
        if role not in ROLES:
            raise unknown("role of a column", role, ROLES)
        if not text:
            found[role] = None
        elif text in header or text.lower() in lower:
            found[role] = list(header).index(text) if text in header else lower.index(text.lower())
        else:
            raise unknown("column", text, header)
    return found


def entries(given: Given, option: str, example: str) -> list[tuple[str, str]]:
    """Return what an option says of each key, from a mapping or from text such as `left=home,right="away, far"`."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [(str(key).strip(), str(value).strip()) for key, value in given.items()]
    found = []
    for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', given):
        key, equals, value = part.partition("=")
        if not equals:
            raise WinnerstaysError(
                f"{option} has {part.strip()!r}, which has no `=`; write it as {example}, in quotes where a comma "
                "belongs to a name."
            )
        found.append((key.strip(), value.strip().strip('"')))
    return found


def by_number(given: Given) -> bool:
    """Tell whether all columns are given by their numbers, so that the table has no header."""
    places = [place for _, place in entries(given, "columns", COLUMN) if place]
    return bool(places) and all(place.isdigit() for place in places)


def duel_columns(header: Sequence[str], given: Given = None, numbers: Set[int] = frozenset()) -> dict[str, int] | None:
    """Return the place of each role in a table of duels; None if this header is of no such table.

    `numbers`: the columns that hold numbers alone.

    >>> duel_columns(["id", "score_a", "score_b", "team_a", "team_b", "winner"])
    {'left': 3, 'right': 4, 'winner': 5, 'left_score': 1, 'right_score': 2}
    """
    chosen = parse_columns(given, header)
    if chosen.keys() & set(RATING_ROLES):
        return None
    fixed = {role: place for role, place in chosen.items() if place is not None}
    roles = dict(fixed)
    if not fixed.keys() & {"left", "right"}:
        roles = _winner_and_loser(header, chosen, numbers) | roles
    if "loser" not in roles:
        roles = _sides(header, chosen, numbers) | roles
    roles = {role: place for role, place in roles.items() if chosen.get(role, place) is not None}
    if not ({"winner", "loser"} <= roles.keys() or _decided(roles)):
        return None
    if "count" not in chosen:
        roles |= count_column(header, set(roles.values()))
    known = {role: place for role, place in roles.items() if place is not None}
    _check_once(header, known.values())
    return known


def _check_once(header: Sequence[str], used: Iterable[int]) -> None:
    """Refuse a column whose name another one has, too, if it is not known which of them is meant."""
    names, used = [words_of(name) for name in header], set(used)
    for place in used:
        same = [k for k, words in enumerate(names) if words == names[place]]
        if not used.issuperset(same):
            raise WinnerstaysError(f"{len(same)} columns are called {header[place]}; rename all but one.")


def _decided(roles: Mapping[str, int]) -> bool:
    """Whether sides are known, and something that says who won."""
    known = roles.keys()
    if not {"left", "right"} <= known:
        return False
    pairs = ({"left_score", "right_score"}, {"left_wins", "right_wins"})
    return bool(known & {"winner", "left_won", "score"}) or any(pair <= known for pair in pairs)


def _winner_and_loser(header: Sequence[str], chosen: Mapping[str, int | None], numbers: Set[int]) -> dict[str, int]:
    if "winner" in chosen and "loser" not in chosen:
        return {}
    pairs = [pair for pair in pairs_of(header, WINNERS) if pair.stem or pair.words[0] not in COUNTED_ALONE]
    found = None if "winner" in chosen else _items(header, pairs, "winner loser", numbers)
    roles = {} if found is None else {"winner": found.first, "loser": found.second}
    if not roles and "winner" not in chosen:
        return {}
    taken = {*roles.values(), *chosen.values()}
    named = {place: words_of(name) for place, name in enumerate(header) if place not in taken}
    says = [place for place, words in named.items() if len(words) == 1 and words[0] in MAY_SAY_TIE]
    roles |= _tie(header, taken) | ({"result": says[0], "score": says[0]} if says else {})
    return roles | _ids(pairs, taken) | _scores(header, pairs, {**roles, **chosen})


def _sides(header: Sequence[str], chosen: Mapping[str, int | None], numbers: Set[int]) -> dict[str, int]:
    pairs = pairs_of(header, SIDES)
    if {"left", "right"} <= chosen.keys():
        own = {chosen["left"], chosen["right"]}
        words = next((pair.words for pair in pairs if {pair.first, pair.second} == own), None)
        roles: dict[str, int] = {}
    else:
        items = _items(header, pairs, "left right", numbers)
        if items is None:
            return {}
        roles, words = {"left": items.first, "right": items.second}, items.words
    beside = [pair for pair in pairs if words is None or pair.words == words]
    taken = {*roles.values(), *chosen.values()}
    winner = None if "winner" in chosen or "left_won" in chosen else _outcome(header, beside, taken)
    if winner is not None:
        roles["winner"] = winner
    wins = [pair for pair in beside if WINS.intersection(pair.stem) and not _chance(header[pair.first])]
    if len(wins) == 1:
        roles |= {"left_wins": wins[0].first, "right_wins": wins[0].second}
    roles |= _ids(beside, taken) | _scores(header, beside, {**roles, **chosen})
    flags = [
        pair for pair in beside if {"winner", "won", "win"}.intersection(pair.stem) and not _chance(header[pair.first])
    ]
    if len(flags) == 1:
        roles |= {"left_won": flags[0].first, "right_won": flags[0].second}
    elif words is not None and "left_wins" not in roles:
        flag = [k for k, name in enumerate(header) if _says_won(words_of(name), words) and not _chance(name)]
        roles |= {"left_won": flag[0]} if len(flag) == 1 else {}
    if not {"winner", "left_wins"} <= roles.keys():
        roles |= _tie(header, {*taken, *roles.values()})
    if words is not None and words[1] == "opponent":
        roles |= _record(header)
    return roles


def _tie(header: Sequence[str], taken: set[int] | set[int | None]) -> dict[str, int]:
    """Return the column that says that nobody won, or how often."""
    named = {place: words_of(name) for place, name in enumerate(header) if place not in taken}
    found = [k for k, words in named.items() if words and words[-1] in TIES and not CHANCES.intersection(words)]
    return {"tie": found[0]} if len(found) == 1 else {}


def _ids(pairs: Sequence[Pair], taken: set[int | None]) -> dict[str, int]:
    """Return the columns of the ids of two items that are given by their names."""
    found = [pair for pair in pairs if pair.stem[-1:] == ("id",) and not {pair.first, pair.second} & taken]
    return {"left_id": found[0].first, "right_id": found[0].second} if len(found) == 1 else {}


def _scores(header: Sequence[str], pairs: Sequence[Pair], known: Mapping[str, int | None]) -> dict[str, int]:
    """Return the columns of scores: one for each side, or one for both, and what is said of a game as a whole."""
    roles: dict[str, int] = {}
    for role, words in (("score", SCORES), ("pens", PENALTIES)):
        found = [
            pair for pair in pairs if words.intersection(pair.stem) and SCORE_WORDS.issuperset({*pair.stem} - words)
        ]
        found = [pair for pair in found if len(pair.stem) == min(len(one.stem) for one in found)]
        if len(found) == 1:
            roles |= {f"left_{role}": found[0].first, f"right_{role}": found[0].second}
    named = [words_of(name) for name in header]
    if ("fthg",) in named and ("ftag",) in named:
        roles |= {"left_score": named.index(("fthg",)), "right_score": named.index(("ftag",))}
    single = [place for place, words in enumerate(named) if len(words) == 1 and words[0] in SCORES]
    if len(single) == 2 and named[single[0]] == named[single[1]]:  # Team 1, Score, Team 2, Score
        places = [known.get(role) or 0 for role in (("winner", "loser") if "loser" in known else ("left", "right"))]
        roles |= dict(zip(("left_score", "right_score"), single[:: -1 if places[0] > places[1] else 1], strict=True))
    elif ("score",) in named:
        roles["score"] = named.index(("score",))
    status = [place for place, words in enumerate(named) if words[-1:] == ("status",)]
    return roles | ({"status": status[0]} if len(status) == 1 else {})


def _chance(name: str) -> bool:
    """Tell a column of percentages or chances, such as `Win %`."""
    return "%" in name or bool(CHANCES.intersection(words_of(name)))


def _says_won(words: tuple[str, ...], sides: tuple[str, str]) -> bool:
    """Tell a flag for the first side: `home_win`, `a_better`, and `won` of a player beside an opponent."""
    if sides[1] == "opponent" and words in (("won",), ("win",)):
        return True
    short = (*words[:1], *(word for word in words[1:] if word not in ITEM_WORDS))
    return len(short) == 2 and short[0] == sides[0] and short[1] in ("won", "win", "wins", "better", "preferred")


def _record(header: Sequence[str]) -> dict[str, int]:
    """Return the columns of `wins`, `losses` and `draws` of a player against the opponent beside."""
    places = {words_of(name): place for place, name in enumerate(header)}
    found = [
        next((places[(word,)] for word in sorted(some) if (word,) in places), None)
        for some in (OWN_WINS, OWN_LOSSES, TIES)
    ]
    if found[0] is None or found[1] is None:
        return {}
    roles = {"left_wins": found[0], "right_wins": found[1]}
    return roles if found[2] is None else {**roles, "tie": found[2]}


def _outcome(header: Sequence[str], pairs: Sequence[Pair], taken: set[int | None]) -> int | None:
    """Return the column that says who won; an error with the candidates if there are several."""
    paired = {place for pair in pairs for place in (pair.first, pair.second)} | taken
    for likely in OUTCOMES:
        named = {k: words_of(name) for k, name in enumerate(header) if k not in paired}
        named = {k: words for k, words in named.items() if not NOT_THE_RESULT & {*words}}
        exact = [k for k, words in named.items() if " ".join(words) in likely]
        found = exact or [k for k, words in named.items() if likely & {*words} and not {"tie", "draw"} & {*words}]
        found = [k for k in found if not (len(named[k]) > 1 and named[k][-1] in ("score", "id", "elo"))] or found
        if len(found) > 1:
            names = " or ".join(header[k] for k in found)
            raise WinnerstaysError(f"who won may be in {names}; say which (--columns winner={header[found[0]]}).")
        if found:
            return found[0]
    return None


def count_column(header: Sequence[str], taken: set[int]) -> dict[str, int]:
    """Return the column that says how often a row counts, if there is one; an error if there are several."""
    found = [k for k, name in enumerate(header) if " ".join(words_of(name)) in COUNTS and k not in taken]
    if len(found) > 1:
        names = " or ".join(header[k] for k in found)
        raise WinnerstaysError(
            f"how often a row counts may be in {names}; say which (--columns count={header[found[0]]}), or count= for "
            "none."
        )
    return {"count": found[0]} if found else {}


def rating_columns(header: Sequence[str], given: Given = None) -> dict[str, int] | None:
    """Return the places of user, item and rating; None if this header is of no table of ratings.

    >>> rating_columns(["userId", "movieId", "rating", "timestamp"])
    {'user': 0, 'item': 1, 'rating': 2}
    """
    roles = {role: place for role, place in parse_columns(given, header).items() if place is not None}
    if roles.keys() & set(DUEL_ROLES):
        return None
    for role, likely in (("user", USERS), ("item", ITEMS), ("rating", RATINGS)):
        taken = set(roles.values())
        named = [(k, set(words_of(name))) for k, name in enumerate(header) if k not in taken]
        found = [k for k, words in named if likely & words and words <= likely | {"id", "book", "name"}]
        if role not in roles and found:
            roles[role] = found[0]
    return {role: roles[role] for role in RATING_ROLES} if {*RATING_ROLES} <= roles.keys() else None
