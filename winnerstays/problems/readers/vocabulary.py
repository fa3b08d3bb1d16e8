"""The words that people use in the names of columns, in several languages, and pairs of columns that differ in one."""

import re
from collections.abc import Sequence
from typing import NamedTuple

WINNERS = (
    ("winner", "loser"), ("winning", "losing"), ("chosen", "rejected"), ("preferred", "rejected"), ("better", "worse"),
    ("w", "l"), ("won", "lost"), ("gewinner", "verlierer"), ("sieger", "verlierer"), ("vainqueur", "perdant"),
    ("gagnant", "perdant"), ("ganador", "perdedor"), ("vincitore", "perdente"), ("vencedor", "perdedor"),
    ("winnaar", "verliezer"),
)  # fmt: skip
COUNTED_ALONE = {"w", "won"}
"""Alone these are the columns of a table of standings: how many games a team has won."""
SIDES = (
    ("a", "b"), ("left", "right"), ("first", "second"), ("1", "2"), ("one", "two"), ("home", "away"),
    ("home", "visitor"), ("home", "guest"), ("host", "guest"), ("white", "black"), ("red", "blue"), ("blue", "red"),
    ("player", "opponent"), ("team", "opponent"), ("0", "1"), ("heim", "gast"), ("local", "visitante"),
    ("domicile", "exterieur"), ("domicile", "extérieur"), ("casa", "trasferta"), ("casa", "fora"),
    ("mandante", "visitante"), ("thuis", "uit"),
)  # fmt: skip
THIRD = {("a", "b"): "c", ("first", "second"): "third", ("1", "2"): "3", ("one", "two"): "three", ("0", "1"): "2"}
"""What goes on like this names the places of a ranking, or more than two sides, and no duel."""
ITEM_WORDS = {
    "model", "item", "player", "team", "option", "candidate", "arm", "ranker", "system", "username", "fighter", "club",
    "country", "movie", "product", "restaurant", "image", "page", "variant", "prompt", "response", "answer", "summary",
    "alternative", "sushi", "site", "brand", "name", "id", "x",
}  # fmt: skip
BELONGING = {
    "club", "country", "brand", "site", "image", "page", "prompt", "response", "answer", "summary",
}  # fmt: skip
"""What a player or a model also has: beside `OWNERS` it is not the item."""
OWNERS = {"player", "fighter", "model", "username"}
KINDS_OF_NAMES = {"full", "display", "short"}
MEASURES = {
    "score", "scores", "points", "pts", "goals", "goal", "runs", "elo", "rating", "ratings", "rank", "ranking", "seed",
    "age", "ht", "height", "weight", "hand", "ioc", "wins", "win", "won", "votes", "prob", "probability", "odds",
    "tokens", "conversation", "conversations", "text", "time", "date", "count", "n", "result", "winner", "entry",
    "position", "order", "diff", "half", "shots", "corners", "fouls", "cards", "possession",
}  # fmt: skip
"""Words of columns that say something about an item, but are not its name."""
SCORES = {"score", "scores", "points", "pts", "goals", "goal", "runs"}
SCORE_WORDS = ITEM_WORDS | SCORES | {"final", "total", "full", "time", "ft", "end", "match", "game"}
"""What may stand beside the word for a score; `rank_points` are none."""
PENALTIES = {"pens", "pen", "penalties", "penalty", "pso", "shootout"}
WINS = {"wins", "votes"}
OWN_WINS, OWN_LOSSES = {"wins", "won"}, {"losses", "lost", "defeats"}
"""How often one has won and lost against the opponent named beside."""
CHANCES = {"odds", "prob", "probability", "chance", "rate", "pct", "percent"}
TIES = {"tie", "ties", "tied", "draw", "draws", "drawn"}
"""How often nobody won, beside how often each did."""
RESULTS = {
    "result", "outcome", "ftr", "verdict", "ergebnis", "resultat", "résultat", "resultado", "risultato", "uitslag",
}  # fmt: skip
OUTCOMES = (
    {"winner", "gewinner", "sieger", "vainqueur", "gagnant", "ganador", "vincitore", "vencedor", "winnaar",
     "victor", "winning team", "winning side", "winning player", "winning club", "winning model"},
    RESULTS,
    {"choice", "preference", "preferred", "label", "vote", "answer", "clicked", "picked", "selected", "chosen"},
)  # fmt: skip
NOT_THE_RESULT = {
    "toss", "coin", "blood", "predicted", "prediction", "expected", "projected", "forecast", "favorite", "favourite",
    "previous", "odds",
}  # fmt: skip
"""Words of columns whose winner won something else than the duel, or was only foreseen."""
MAY_SAY_TIE = RESULTS | {"label", "preference", "vote", "choice"}
"""Columns that may say beside a winner and a loser that there was none."""
COUNTS = (
    "n", "count", "counts", "weight", "times", "votes", "freq", "frequency", "num", "number of duels", "anzahl",
    "gewicht", "fois", "poids", "veces", "peso", "aantal",
)  # fmt: skip
USERS = {"user", "userid", "reviewer", "reviewerid", "person", "customer", "rater", "voter", "uid", "account"}
ITEMS = {
    "movie", "movieid", "item", "itemid", "business", "product", "productid", "asin", "book", "isbn", "anime", "song",
    "joke", "restaurant", "track", "artist", "recipe", "beer", "game", "title", "iid",
}  # fmt: skip
RANKS = {"rank", "ranking", "place", "position", "finish"}
"""Where an item stands: 1 is the best."""
RATINGS = {"rating", "stars", "score", "overall", "grade"}


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
    """Return the pairs of columns whose names differ in one of these pairs of words alone, and of which no third is."""
    names = {words_of(name): place for place, name in reversed(list(enumerate(header)))}
    found = []
    for one, other in opposites:
        for words, place in sorted(names.items(), key=lambda entry: entry[1]):
            if words.count(one) == 1:
                at = words.index(one)
                partner, third = (
                    names.get((*words[:at], word, *words[at + 1 :])) for word in (other, THIRD.get((one, other), ""))
                )
                if partner is not None and third is None:
                    found.append(Pair((*words[:at], *words[at + 1 :]), place, partner, (one, other)))
    return found
