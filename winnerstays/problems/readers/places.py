"""Columns that stand for the places of a ranking: `1st`, `rank 2`, `First choice`, `Platz 1`, `Mayor Choice 1 of 5`.

Columns whose names differ in the place alone are places if a word says so, in one of several languages, whatever else
stands around it; numbers alone (`1`, `#1`, `Q1[1]`) are places if their cells hold the same names, none twice in a row.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import WINNERS, words_of

MEDALS = ("gold", "silver", "bronze")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
PLACED = r"(?:choice|place|preference|pref|position|pick|rank|ranking|vote)"
PLACE = re.compile(
    rf"{PLACED}[\W_]*(\d+)|(\d+)(?:st|nd|rd|th|\.)[\W_]*[a-z]*|({'|'.join(ORDINALS)})(?:[\W_]+{PLACED})?", re.IGNORECASE
)
IN_A_SENTENCE = re.compile(rf"\b(?:(\d+)(?:st|nd|rd|th)|()({'|'.join(ORDINALS)}))[\W_]+{PLACED}\W*$", re.IGNORECASE)
"""As in `Your first choice?`."""
COUNTED = {"votes", "points", "count", "counts", "wins", "times"}
"""Words of columns that say how often an item was first, second or third."""
WORDS = (
    r"first|erste?[rnsm]?|premi(?:er|ère|ere)|primer[oa]?|prim[oa]|primeir[oa]|eerste",
    r"second[oea]?|zweite?[rnsm]?|deuxi[èe]me|segund[oa]|tweede",
    r"third|dritte?[rnsm]?|troisi[èe]me|tercer[oa]?|terz[oa]|terceir[oa]|derde",
    r"fourth|vierte?[rnsm]?|quatri[èe]me|cuart[oa]|quart[oa]|vierde",
    r"fifth|f(?:ü|ue)nfte?[rnsm]?|cinqui[èe]me|quint[oa]|vijfde",
    r"sixth|sechste?[rnsm]?|sixi[èe]me|sext[oa]|sest[oa]|zesde",
    r"seventh|siebte?[rnsm]?|septi[èe]me|s[ée]ptim[oa]|settim[oa]|zevende",
    r"eighth|achte?[rnsm]?|huiti[èe]me|octav[oa]|ottav[oa]|oitav[oa]|achtste",
    r"ninth|neunte?[rnsm]?|neuvi[èe]me|noven[oa]|non[oa]|negende",
    r"tenth|zehnte?[rnsm]?|dixi[èe]me|d[ée]cim[oa]|tiende",
)
JOINED = r"wahl|wunsch|platz|rang|präferenz"
ENDINGS = r"st|nd|rd|th|er|[èe]re|i?[èe]me|[eao](?=\W)|[\u00ba\u00aa\u00b0]|\.(?=\W*[^\W\d])"
MARK = re.compile(
    rf"(?<!\d)(?P<number>\d{{1,2}})(?P<ordinal>{ENDINGS})?(?![^\W_])"
    + "".join(rf"|(?<![^\W_])(?P<word{k}>{word})(?=[\W_]|$|{JOINED})" for k, word in enumerate(WORDS, start=1)),
    re.IGNORECASE,
)
"""A number or a word that may be a place."""
SAYS_PLACE = (
    r"choices?|places?|pref|preference|position|pick|rank|ranking|vote|top|favou?rite|priority"
    rf"|{JOINED}|priorität|choix|rang|préférence|priorité|elecci[oó]n|preferencia|lugar|puesto|posición|prioridad"
    r"|scelta|posto|preferenza|posizione|keuze|plaats|voorkeur|escolha|preferência|posi[cç][aã]o"
)
NEXT_TO = re.compile(rf"(?<![^\W_])(?:{SAYS_PLACE})[\W_]*(?:n[or]?[.°º]\s*)?\0|\0[\W_]*(?:{SAYS_PLACE})(?![^\W_])")
"""A word of a place right before or behind it; `Choice in pair 1` is none."""
CHOICE = re.compile(r"\0[\W_]*(?:opci[oó]n|op[cç][aã]o|opzione|option|optie)(?![^\W_])")
"""Words of a choice behind `first`, but of an item before a number: `Option 1`."""
NUMBERED = re.compile(r"\W*\0\W*|.*\[\W*\0\W*\]\W*")
"""A name that is a number alone, or one in brackets at its end."""
LETTER = re.compile(r"[^\W\d_]")
LONG_NUMBER = re.compile(r"\d{3,}")
NO_CANDIDATE = {
    "skipped", "skippedranking", "skippedrank", "overvote", "undervote", "writein", "writeins", "uwi", "exhausted",
    "exhaustedbyovervote", "undeclaredwritein", "undeclaredwriteins", "uncountedwritein",
}  # fmt: skip
"""What election offices write where a ballot names no candidate, without spaces and hyphens."""
FIRST_ALONE = {(pair[0],) for pair in WINNERS} - {("w",), ("won",), ("better",)}
FEWEST = 3
"""With fewer columns of numbers, or of `first`, they may be the sides of a duel."""
SAMPLE = 300
"""Rows that are looked at."""


def place_columns(table: Table) -> list[int]:
    """Return the columns of the places from the first on, such as 1st, 2nd, 3rd; none if the first is missing."""
    contents = Contents(table)
    medals = [words_of(name) for name in table.header]
    if all((medal,) in medals for medal in MEDALS):
        return [medals.index((medal,)) for medal in MEDALS]
    return [] if any(map(contents.holds_scores, found := _plain(table.header) or _around(table))) else found


def place_of(match: re.Match[str]) -> int:
    return 1 + ORDINALS.index(match[3].lower()) if match[3] else int(match[1] or match[2])


def _plain(header: Sequence[str]) -> list[int]:
    """Return the columns that are called like a place, and hardly anything else."""
    found = [(PLACE.fullmatch(name.strip()) or IN_A_SENTENCE.search(name), k) for k, name in enumerate(header)]
    places = sorted((place_of(match), k) for match, k in found if match and not COUNTED & {*words_of(header[k])})
    if len(places) < FEWEST and any(header[k].strip().lower() in ORDINALS for _, k in places):
        return []
    numbers = [place for place, _ in places]
    return [k for _, k in places] if numbers[:1] == [1] and len({*numbers}) == len(numbers) else []


def _around(table: Table) -> list[int]:
    """Return the columns whose names differ in the place alone; an error if there are several rankings."""
    header = table.header
    groups: dict[tuple[str, bool], dict[int, int]] = defaultdict(dict)
    for k, name in enumerate(header):
        for place, rest, ordinal in _marks(name):
            if not COUNTED & {*words_of(name)}:
                groups[rest, ordinal].setdefault(place, k)
    rows = [row for _, row in islice(table.rows(), SAMPLE)]
    found = []
    for (rest, ordinal), places in groups.items():
        whole = _with_first(places, rest, header)
        running = sorted(whole) == list(range(1, len(whole) + 1)) and len(whole) > 1
        if running and _are_places(rest, ordinal, [whole[place] for place in sorted(whole)], rows):
            found.append([whole[place] for place in sorted(whole)])
    if len({frozenset(some) for some in found}) > 1:
        names = " and from ".join(f"{header[some[0]]} to {header[some[-1]]}" for some in found[:3])
        raise WinnerstaysError(
            f"the file holds several rankings in its columns, from {names}; leave all but one out of the file."
        )
    return found[0] if found else []


def _marks(name: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each place that a name may hold, the name without it, and whether it is an ordinal."""
    for match in MARK.finditer(name):
        rest = f"{name[: match.start()]}\0{name[match.end() :]}".strip().lower()
        if match["number"]:
            yield int(match["number"]), LONG_NUMBER.sub("", rest), bool(match["ordinal"])
        else:
            yield next(k for k in range(1, len(WORDS) + 1) if match[f"word{k}"]), LONG_NUMBER.sub("", rest), True


def _with_first(places: Mapping[int, int], rest: str, header: Sequence[str]) -> dict[int, int]:
    """Return the places with a first one that is called without its number: `Favorite`, or `Winner` before `2nd`."""
    if 1 in places or 2 not in places:
        return dict(places)
    bare = re.sub(r"\W+", " ", rest.replace("\0", "")).strip()
    alone = [k for k, name in enumerate(header) if bare and re.sub(r"\W+", " ", name.lower()).strip() == bare]
    placed = not bare or re.fullmatch(SAYS_PLACE, bare)
    won = [k for k, name in enumerate(header) if placed and words_of(name) in FIRST_ALONE]
    return {1: (alone or won)[0], **places} if len(alone or won) == 1 else dict(places)


def _are_places(rest: str, ordinal: bool, columns: Sequence[int], rows: Sequence[Sequence[str]]) -> bool:
    """Tell places from other columns that are numbered: by a word, or by what they hold."""
    cells = [[text for k in columns if (text := text_at(row, k))] for row in rows]
    named = any(number_or_none(text) is None for row in cells for text in row)
    if not named or 2 * sum(map(_repeats, cells)) >= len(cells):
        return False
    if NEXT_TO.search(rest) or (ordinal and CHOICE.search(rest)):
        return True
    if len(columns) < FEWEST or not NUMBERED.fullmatch(rest) or not _same_names(columns, rows):
        return False
    return ordinal or rest == "#\0" or len({text for row in cells for text in row}) == len(columns)


def _repeats(names: Sequence[str]) -> bool:
    """Tell a row that names one candidate twice."""
    held = [name for name in names if not is_no_candidate(name)]
    return len({*held}) < len(held)


def is_no_candidate(cell: str) -> bool:
    return re.sub(r"[\W_]", "", cell.lower()) in NO_CANDIDATE


def _same_names(columns: Sequence[int], rows: Sequence[Sequence[str]]) -> bool:
    """Tell columns that hold the same names, none of them twice in one row."""
    cells = [[text_at(row, k) for k in columns] for row in rows]
    lettered = [LETTER.search(text) is not None for row in cells for text in row if text]
    if 2 * sum(lettered) < len(lettered) or any(_repeats([*filter(None, row)]) for row in cells):
        return False
    held = Counter(name for k in range(len(columns)) for name in {row[k] for row in cells} - {""})
    return bool(held) and 2 * sum(columns > 1 for columns in held.values()) >= len(held)
