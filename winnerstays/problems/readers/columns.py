"""Which column of a table is what, by the names people give them; where that is not beyond doubt, it is asked.

Names are compared by their words: `Winner_Name`, `winnerName` and `winner name` are the same. `columns=` (on the
command line `--columns left=home,right=away,winner=result`) decides for some or all roles; a column is given by its
name, or by its number in a table without a header. A role that is given nothing (`count=`) is not used.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from winnerstays.errors import WinnerstaysError, unknown

DUEL_ROLES = (
    "winner", "loser", "tie", "left", "right", "left_won", "right_won", "left_score", "right_score", "left_wins",
    "right_wins", "score", "count",
)  # fmt: skip
RATING_ROLES = ("user", "item", "rating")
ROLES = (*DUEL_ROLES, *RATING_ROLES)

WINNERS = (
    ("winner", "loser"), ("winning", "losing"), ("chosen", "rejected"), ("preferred", "rejected"), ("better", "worse"),
    ("w", "l"), ("won", "lost"), ("gewinner", "verlierer"), ("sieger", "verlierer"), ("vainqueur", "perdant"),
    ("gagnant", "perdant"), ("ganador", "perdedor"), ("vincitore", "perdente"),
)  # fmt: skip
COUNTED_ALONE = {"w", "won"}
"""Alone these are the columns of a table of standings: how many games a team has won."""
SIDES = (
    ("a", "b"), ("left", "right"), ("first", "second"), ("1", "2"), ("one", "two"), ("home", "away"),
    ("home", "visitor"), ("home", "guest"), ("host", "guest"), ("white", "black"), ("red", "blue"), ("blue", "red"),
    ("player", "opponent"), ("team", "opponent"), ("0", "1"), ("heim", "gast"), ("local", "visitante"),
    ("domicile", "exterieur"), ("domicile", "extérieur"), ("casa", "trasferta"),
)  # fmt: skip
ITEM_WORDS = {
    "model", "item", "player", "team", "option", "candidate", "arm", "ranker", "system", "username", "fighter", "club",
    "country", "movie", "product", "restaurant", "image", "page", "variant", "prompt", "response", "answer", "summary",
    "alternative", "sushi", "site", "brand", "name", "id", "x",
}  # fmt: skip
MEASURES = {
    "score", "scores", "points", "pts", "goals", "goal", "runs", "elo", "rating", "ratings", "rank", "ranking", "seed",
    "age", "ht", "height", "weight", "hand", "ioc", "wins", "win", "won", "votes", "prob", "probability", "odds",
    "tokens", "conversation", "conversations", "text", "time", "date", "count", "n", "result", "winner", "entry",
    "position", "order", "diff", "half", "shots", "corners", "fouls", "cards", "possession",
}  # fmt: skip
"""Words of columns that say something about an item, but are not its name."""
SCORES = {"score", "scores", "points", "pts", "goals", "goal", "runs"}
WINS = {"wins", "votes"}
OWN_WINS, OWN_LOSSES = {"wins", "won"}, {"losses", "lost", "defeats"}
"""How often one has won and lost against the opponent named beside."""
TIES = {"tie", "ties", "draw", "draws"}
"""How often nobody won, beside how often each did."""
OUTCOMES = (
    {"winner"},
    {"result", "outcome", "ftr", "verdict", "ergebnis", "resultat", "résultat", "resultado", "risultato"},
    {"choice", "preference", "preferred", "label", "vote", "answer", "clicked", "picked", "selected", "chosen"},
)  # fmt: skip
COUNTS = (
    "n", "count", "counts", "weight", "times", "votes", "freq", "frequency", "num", "number of duels", "anzahl",
    "gewicht", "fois", "poids", "veces", "peso",
)  # fmt: skip
USERS = {"user", "userid", "reviewer", "reviewerid", "person", "customer", "rater", "voter", "uid", "account"}
ITEMS = {
    "movie", "movieid", "item", "itemid", "business", "product", "productid", "asin", "book", "isbn", "anime", "song",
    "joke", "restaurant", "track", "artist", "recipe", "beer", "game", "title", "iid",
}  # fmt: skip
RATINGS = {"rating", "stars", "score", "overall", "grade"}

Given = str | Mapping[str, str | int] | None


class Pair(NamedTuple):
    """Two columns that say the same of the two sides: `team_a` and `team_b`."""

    stem: tuple[str, ...]
    first: int
    second: int
    words: tuple[str, str]


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, in lower case.

    >>> words_of("WTeamID"), words_of("team1"), words_of("home_team"), words_of("hometeam")
    (('w', 'team', 'id'), ('team', '1'), ('home', 'team'), ('home', 'team'))
    """
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)
    found = re.findall(r"[^\W\d_]+|\d+", text.lower())
    cut = [re.match(r"(home|away|white|black|winner|loser|left|right)(\w+)$", word) for word in found]
    return tuple(part for word, two in zip(found, cut, strict=True) for part in (two.groups() if two else (word,)))


def pairs_of(header: Sequence[str], opposites: Sequence[tuple[str, str]]) -> list[Pair]:
    """Return the pairs of columns whose names differ in one of these pairs of words alone."""
    names = {words_of(name): place for place, name in reversed(list(enumerate(header)))}
    found = []
    for one, other in opposites:
        for words, place in sorted(names.items(), key=lambda entry: entry[1]):
            if words.count(one) == 1:
                at = words.index(one)
                partner = names.get((*words[:at], other, *words[at + 1 :]))
                if partner is not None:
                    found.append(Pair((*words[:at], *words[at + 1 :]), place, partner, (one, other)))
    return found


def _tier(pair: Pair) -> int:
    """How surely a pair holds the items themselves: 0 and 1 by a name, 2 by an id, 3 who knows."""
    if not pair.stem:
        return 1
    if pair.stem[-1] == "name":
        return 0
    if pair.stem[-1] == "id":
        return 2
    return 1 if ITEM_WORDS.intersection(pair.stem) else 3


def _items(header: Sequence[str], pairs: Sequence[Pair], roles: str) -> Pair | None:
    """Return the one pair that names the items; an error with the candidates if there are several."""
    able = [pair for pair in pairs if not MEASURES.intersection(pair.stem)]
    best = [pair for pair in able if _tier(pair) == min(map(_tier, able))]
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
    if given is None:
        return {}
    entries = given.items() if isinstance(given, Mapping) else [part.partition("=")[::2] for part in given.split(",")]
    found: dict[str, int | None] = {}
    lower = [name.strip().lower() for name in header]
    for role, name in entries:
        role, text = str(role).strip(), str(name).strip()
        if role not in ROLES:
            raise unknown("role of a column", role, ROLES)
        if not text:
            found[role] = None
        elif text in header or text.lower() in lower:
            found[role] = list(header).index(text) if text in header else lower.index(text.lower())
        else:
            raise unknown("column", text, header)
    return found


def by_number(given: Given) -> bool:
    """Tell whether all columns are given by their numbers, so that the table has no header."""
    places = [] if given is None else [place for place in _places(given) if place]
    return bool(places) and all(place.isdigit() for place in places)


def _places(given: str | Mapping[str, str | int]) -> list[str]:
    if isinstance(given, Mapping):
        return [str(place).strip() for place in given.values()]
    return [part.partition("=")[2].strip() for part in given.split(",")]


def duel_columns(header: Sequence[str], given: Given = None) -> dict[str, int] | None:
    """Return the place of each role in a table of duels; None if this header is of no such table.

    >>> duel_columns(["id", "score_a", "score_b", "team_a", "team_b", "winner"])
    {'left': 3, 'right': 4, 'winner': 5, 'left_score': 1, 'right_score': 2}
    """
    chosen = parse_columns(given, header)
    if chosen.keys() & set(RATING_ROLES):
        return None
    fixed = {role: place for role, place in chosen.items() if place is not None}
    roles = dict(fixed)
    if not fixed.keys() & {"left", "right"}:
        roles = _winner_and_loser(header, chosen) | roles
    if "loser" not in roles:
        roles = _sides(header, chosen) | roles
    if not ({"winner", "loser"} <= roles.keys() or _decided(roles)):
        return None
    if "count" not in chosen:
        roles |= count_column(header, set(roles.values()))
    known = {role: place for role, place in roles.items() if place is not None}
    _check_once(header, known.values())
    return known


def _check_once(header: Sequence[str], used: Iterable[int]) -> None:
    """Refuse a column whose name another one has, too: it is not known which of them is meant."""
    names = [words_of(name) for name in header]
    for place in used:
        if names.count(names[place]) > 1:
            raise WinnerstaysError(
                f"{names.count(names[place])} columns are called {header[place]}; rename all but one."
            )


def _decided(roles: Mapping[str, int]) -> bool:
    """Whether sides are known, and something that says who won."""
    known = roles.keys()
    if not {"left", "right"} <= known:
        return False
    pairs = ({"left_score", "right_score"}, {"left_wins", "right_wins"})
    return bool(known & {"winner", "left_won", "score"}) or any(pair <= known for pair in pairs)


def _winner_and_loser(header: Sequence[str], chosen: Mapping[str, int | None]) -> dict[str, int]:
    if "winner" in chosen and "loser" not in chosen:
        return {}
    pairs = [pair for pair in pairs_of(header, WINNERS) if pair.stem or pair.words[0] not in COUNTED_ALONE]
    found = None if "winner" in chosen else _items(header, pairs, "winner loser")
    roles = {} if found is None else {"winner": found.first, "loser": found.second}
    ties = [place for place, name in enumerate(header) if words_of(name)[-1:] in (("tie",), ("draw",), ("tied",))]
    if ties and "tie" not in chosen and (roles or "winner" in chosen):
        roles["tie"] = ties[0]
    return roles


def _sides(header: Sequence[str], chosen: Mapping[str, int | None]) -> dict[str, int]:
    pairs = pairs_of(header, SIDES)
    if {"left", "right"} <= chosen.keys():
        own = {chosen["left"], chosen["right"]}
        words = next((pair.words for pair in pairs if {pair.first, pair.second} == own), None)
        roles: dict[str, int] = {}
    else:
        items = _items(header, pairs, "left right")
        if items is None:
            return {}
        roles, words = {"left": items.first, "right": items.second}, items.words
    beside = [pair for pair in pairs if words is None or pair.words == words]
    taken = {*roles.values(), *chosen.values()}
    winner = None if "winner" in chosen or "left_won" in chosen else _outcome(header, beside, taken)
    if winner is not None:
        roles["winner"] = winner
    for kind, wanted in (("wins", WINS), ("score", SCORES)):
        found = [pair for pair in beside if wanted.intersection(pair.stem)]
        if len(found) == 1:
            roles |= {f"left_{kind}": found[0].first, f"right_{kind}": found[0].second}
    lower = [name.lower() for name in header]
    if "fthg" in lower and "ftag" in lower:
        roles |= {"left_score": lower.index("fthg"), "right_score": lower.index("ftag")}
    flags = [pair for pair in beside if {"winner", "won", "win"}.intersection(pair.stem)]
    if len(flags) == 1:
        roles |= {"left_won": flags[0].first, "right_won": flags[0].second}
        ties = [place for place, name in enumerate(header) if {"tie", "draw"}.intersection(words_of(name))]
        roles |= {"tie": ties[0]} if ties else {}
    elif "left_wins" in roles:
        ties = [place for place, name in enumerate(header) if TIES.intersection(words_of(name)) and place not in taken]
        roles |= {"tie": ties[0]} if len(ties) == 1 and "winner" not in roles else {}
    elif words is not None:
        flag = [k for k, name in enumerate(header) if _says_won(words_of(name), words)]
        roles |= {"left_won": flag[0]} if len(flag) == 1 else {}
    if words is not None and words[1] == "opponent":
        roles |= _record(header)
    score = [place for place, name in enumerate(header) if words_of(name) == ("score",)]
    roles |= {"score": score[0]} if score else {}
    return roles


def _says_won(words: tuple[str, ...], sides: tuple[str, str]) -> bool:
    """Tell a flag for the first side: `home_win`, `a_better`, and `won` of a player beside an opponent."""
    if sides[1] == "opponent" and words in (("won",), ("win",)):
        return True
    return len(words) == 2 and words[0] == sides[0] and words[1] in ("won", "win", "wins", "better", "preferred")


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
        exact = [k for k, words in named.items() if len(words) == 1 and words[0] in likely]
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
