"""The words that people use in the names of columns, in several languages."""

import re
from functools import lru_cache

Family = tuple[tuple[str, str], ...]


def _pairs(text: str) -> Family:
    return tuple((one, other) for one, _, other in (pair.partition("/") for pair in text.split()))


WINNERS = _pairs(
    """
    winner/loser winning/losing chosen/rejected preferred/rejected better/worse selected/rejected accepted/rejected
    picked/rejected chosen/unchosen preferred/unpreferred selected/unselected picked/unpicked clicked/unclicked
    best/worst preferred/dispreferred winner/runnerup champion/runnerup w/l won/lost gewinner/verlierer sieger/verlierer
    vainqueur/perdant gagnant/perdant ganador/perdedor vincitore/perdente vencedor/perdedor winnaar/verliezer
    """
)
HOME = _pairs(
    """
    home/away home/visitor home/guest host/guest home/road h/a h/v home/vis hosts/visitors heim/gast heim/auswärts
    heim/auswaerts heim/gäste local/visitante local/visita domicile/exterieur domicile/extérieur domicile/visiteur
    dom/ext casa/trasferta casa/ospite casa/ospiti casa/fora mandante/visitante thuis/uit gospodarz/gość
    gospodarze/goście gospodarz/gosc hemma/borta hjemme/borte hjemme/ude koti/vieras хозяева/гости ev/deplasman
    ホーム/アウェイ 主队/客队 홈/원정
    """
)
COUNTED_ALONE = {"w", "won"}
"""Alone these may be the columns of a table of standings: how many games a team has won."""
OWN = _pairs(
    """
    player/opponent team/opponent club/opponent fighter/opponent model/opponent player/opp team/opp tm/opp
    spieler/gegner team/gegner mannschaft/gegner joueur/adversaire equipe/adversaire équipe/adversaire equipo/rival
    jugador/rival squadra/avversario giocatore/avversario jogador/adversário speler/tegenstander for/against
    model/baseline own/opponent own/opp my/opponent my/opp
    """
)
"""One side's own view: a log of games of a team, with the points for it and against it."""
OPPONENTS = {other for _, other in OWN}
NO_ITEMS = {"for", "against", "own", "my"}
"""Words of sides that say whose a number is, but never name an item."""
FAMILIES = (
    _pairs("a/b"),
    _pairs("left/right l/r links/rechts gauche/droite izquierda/derecha"),
    _pairs("first/second"),
    _pairs("1/2"),
    _pairs("one/two"),
    HOME,
    _pairs("white/black weiß/schwarz weiss/schwarz blancs/noirs blancas/negras"),
    _pairs("red/blue blue/red r/b b/r"),
    OWN,
    _pairs("0/1"),
)
"""Words for the two sides; those of one family may be mixed: `home`, `visitor`, `PTS_home`, `PTS_away`."""
SIDES = tuple(pair for family in FAMILIES for pair in family)

THIRD = {("a", "b"): "c", ("first", "second"): "third", ("1", "2"): "3", ("one", "two"): "three", ("0", "1"): "2"}
"""What goes on like this names the places of a ranking, or more than two sides, and no duel."""
ITEM_WORDS = {
    "model", "item", "player", "team", "option", "candidate", "arm", "ranker", "system", "username", "fighter", "club",
    "country", "movie", "product", "restaurant", "image", "page", "variant", "prompt", "response", "answer", "summary",
    "alternative", "sushi", "site", "brand", "name", "id", "x", "p", "title", "generator", "agent", "bot", "engine",
    "method", "algorithm", "participant", "contestant", "competitor", "athlete", "deck", "hero", "school", "nation",
    "party", "logo", "headline", "statement", "stimulus", "photo", "picture", "video", "design", "mannschaft",
    "spieler", "verein", "equipo", "jugador", "equipe", "équipe", "joueur", "squadra", "giocatore", "jogador", "speler",
    "ploeg", "lag", "spelare", "drużyna", "zawodnik", "команда", "игрок", "팀",
}  # fmt: skip
ATTRIBUTES = {
    "country", "nation", "nationality", "city", "state", "region", "color", "colour", "league", "division",
    "conference", "sponsor", "captain", "formation", "form", "language",
}  # fmt: skip
"""What many have in common: it is the item only where nothing else can be."""
BELONGING = {
    "club", "brand", "site", "image", "page", "prompt", "response", "answer", "summary",
}  # fmt: skip
"""What a player or a model also has: beside `OWNERS` it is not the item."""
OWNERS = {"player", "fighter", "model", "username"}
KINDS_OF_NAMES = {"full", "display", "short"}
SCORES = {
    "score", "scores", "points", "pts", "goals", "goal", "runs", "sets", "frames", "legs", "maps", "tore", "punkte",
    "sätze", "buts", "goles", "puntos", "gol", "reti", "punti", "gols", "pontos", "placar", "doelpunten", "punten",
    "mål", "bramki", "gole", "punkty", "голы", "очки", "marcador", "punteggio", "счет", "счёт", "scoreline",
    "スコア", "得点", "比分", "득점", "skóre", "skor",
}  # fmt: skip
MEASURES = SCORES | {
    "elo", "rating", "ratings", "rank", "ranking", "seed",
    "age", "ht", "height", "weight", "hand", "ioc", "wins", "win", "won", "votes", "prob", "probability", "odds",
    "tokens", "conversation", "conversations", "text", "time", "date", "count", "n", "result", "winner", "entry",
    "position", "order", "diff", "half", "shots", "corners", "fouls", "cards", "possession", "coach", "manager",
    "qb", "pitcher", "stance",
}  # fmt: skip
"""Words of columns that say something about an item, but are not its name."""
FINAL = {"ft", "full", "fulltime", "final", "end", "endstand"}
"""Words of the score that counts, where there is another at half-time."""
EARLIER = {
    "ht", "half", "halftime", "halbzeit", "hz", "1h", "2h", "quarter", "period", "inning", "innings", "first", "q",
    "proj", "projected", "predicted", "expected", "xg",
}  # fmt: skip
"""Words of a score that does not count: at half-time, of a part of the game, or foreseen."""
SCORE_WORDS = ITEM_WORDS | SCORES | FINAL | {
    "total", "time", "match", "game", "count", "number", "num", "scored", "of", "the", "int", "teams", "players",
    "clubs",
}  # fmt: skip
"""What may stand beside the word for a score; `rank_points` are none."""
SCORE_PAIRS = (("fthg", "ftag"), ("hg", "ag"), ("hs", "as"), ("gf", "ga"), ("pf", "pa"), ("rs", "ra"))
"""Scores of the first and of the second side, abbreviated."""
PENALTIES = {"pens", "pen", "penalties", "penalty", "pso", "shootout"}
WINS = {"wins", "votes"}
OWN_WINS, OWN_LOSSES = {"wins", "won", "win"}, {"losses", "lost", "defeats", "loss"}
"""How often one has won and lost against the opponent named beside."""
CHANCES = {"odds", "prob", "probability", "chance", "rate", "pct", "percent"}
TIES = {"tie", "ties", "tied", "draw", "draws", "drawn"}
"""How often nobody won, beside how often each did."""
RESULTS = {
    "result", "outcome", "ftr", "res", "verdict", "ergebnis", "resultat", "résultat", "resultado", "risultato",
    "uitslag", "wl", "w l", "wynik", "tulos", "výsledek", "результат",
}  # fmt: skip
OUTCOMES = (
    {"winner", "gewinner", "sieger", "vainqueur", "gagnant", "ganador", "vincitore", "vencedor", "winnaar",
     "victor", "winning team", "winning side", "winning player", "winning club", "winning model"},
    RESULTS,
    {"choice", "preference", "preferred", "label", "vote", "answer", "clicked", "picked", "selected", "chosen"},
)  # fmt: skip
WEAK_OUTCOMES = {
    "prefer", "pick", "picks", "better", "best", "favourite", "favorite", "choose", "chose", "like", "liked", "won",
    "decision", "judgment", "judgement", "response",
}  # fmt: skip
"""Words of columns that say who won if their cells name a side or an item: `Which do you prefer?`."""
WON = {"winner", "won", "win"}
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
WHEN = {"date", "time", "timestamp", "datetime", "day", "year", "season", "week", "round", "created", "at"}
"""Words of columns that say when something was."""
USERS = {
    "user", "userid", "reviewer", "reviewerid", "person", "customer", "rater", "voter", "uid", "account", "username",
    "profilename", "taster", "judge", "juror", "critic", "nutzer", "benutzer", "verkoster", "utilisateur", "usuario",
    "utente", "gebruiker", "befragter", "teilnehmer", "votante", "juge", "juez", "giudice", "kiezer", "listener",
}  # fmt: skip
ITEMS = {
    "movie", "movieid", "item", "itemid", "business", "product", "productid", "asin", "asins", "book", "bookid",
    "isbn", "anime", "song", "joke", "restaurant", "track", "artist", "recipe", "beer", "beerid", "game", "title",
    "iid", "marke", "opci\u00f3n", "candidato", "partij", "partei", "produkt", "produit", "producto", "prodotto",
    "film", "wine", "wein", "vin", "vino", "hotel", "dish", "gericht", "gmap",
}  # fmt: skip
RANKS = {
    "rank", "ranking", "place", "position", "finish", "rang", "platz", "platzierung", "classement", "puesto",
    "posici\u00f3n", "posizione", "posi\u00e7\u00e3o", "plaats", "voorkeur",
}  # fmt: skip
"""Where an item stands: 1 is the best."""
RATINGS = {
    "rating", "ratings", "stars", "score", "overall", "grade", "bewertung", "valoraci\u00f3n", "puntuaci\u00f3n",
    "valutazione", "beoordeling", "avalia\u00e7\u00e3o",
}  # fmt: skip


CUT_ANYWHERE = re.compile(r"(home|away|white|black|winner|loser|left|right)(\w+)$")
KNOWN = (ITEM_WORDS | MEASURES | SCORES | {"id", "placar"}) - {"x", "p", "n", "ht", "age"}
SIDE_WORDS = {word for pair in (*SIDES, *WINNERS) for word in pair if not word.isdigit()}


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, in lower case.

    >>> words_of("WTeamID"), words_of("team1"), words_of("home_team"), words_of("hometeam")
    (('w', 'team', 'id'), ('team', '1'), ('home', 'team'), ('home', 'team'))
    >>> words_of("Heimmannschaft"), words_of("vruns"), words_of("ptsw"), words_of("not_selected")
    (('heim', 'mannschaft'), ('v', 'runs'), ('pts', 'w'), ('unselected',))
    """
    text = re.sub(r"([^\W\d_A-Z])([A-Z])", r"\1 \2", name)
    text = re.sub(r"(\d)([A-Z])", r"\1 \2", text)
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)
    text = re.sub(r"\b(?:not|non)\W+(?=[^\W\d_])", "un", text.lower().replace("_", " "))
    text = re.sub(r"\brunners?\W*up\b", "runnerup", text)
    words = tuple(part for word in re.findall(r"[^\W\d_]+|\d+", text) for part in _cut(word))
    again = next((n for n in range(len(words) // 2, 0, -1) if words[:n] == words[n : 2 * n]), 0)
    return words[again:]  # `home_team.home_team_name` says the same twice


@lru_cache(10_000)
def _cut(word: str) -> tuple[str, ...]:
    """Cut a side's word off another one that is known: `hometeam`, `uitscore`, `ptsw`."""
    if word in KNOWN or word in SIDE_WORDS:
        return (word,)
    anywhere = CUT_ANYWHERE.match(word)
    if anywhere:
        return anywhere.groups()
    for at in range(1, len(word)):
        one, other = word[:at], word[at:]
        if (one in SIDE_WORDS and other in KNOWN) or (one in KNOWN and other in SIDE_WORDS):
            return one, other
    return (word,)


def same_sides(first: str, family: Family) -> list[tuple[str, str]]:
    """Return the pairs of a family that call the first side what `first` calls it, where it may be either.

    >>> same_sides("r", (("red", "blue"), ("blue", "red"), ("r", "b"), ("b", "r")))
    [('red', 'blue'), ('r', 'b')]
    """
    return [(one, other) for one, other in family if (other, one) not in family or one[0] == first[0]]


def counts_rows(name: str) -> bool:
    """Tell a column that is called like one that says how often its row counts."""
    return " ".join(words_of(name)) in COUNTS
