"""What the values of a winner's column mean, decided once for the whole file.

A value may name an item of its row, by its name or its id; it may be a word or a number that stands for a side; or a
score. Where items are called like sides (A and B, 1 and 2), one reading must fit all rows, or it is asked.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.likeness import folded, visible
from winnerstays.problems.readers.given import Given, entries
from winnerstays.problems.readers.result_sentences import named_in_a_sentence, side_in_a_sentence
from winnerstays.problems.readers.rows import Place, RowError, Share, text_at
from winnerstays.problems.readers.scores import Brackets, score_of
from winnerstays.problems.readers.side_words import (
    NO_SCORE,
    OWN_RESULTS,
    TIES,
    UNDECIDED,
    USUAL,
    Codes,
    plain,
    side_words,
)
from winnerstays.problems.readers.table import Table
from winnerstays.problems.readers.vocabulary import words_of
from winnerstays.wording import listed

MEANINGS = {"left": 1.0, "right": 0.0, "tie": 0.5, "none": None}
"""What a code may be said to mean."""
NUMBER = re.compile(r"-?\d+(\.\d+)?|x")
"""A number, or the x for a tie between 1 and 2."""
NOBODY = {"-", "\N{EN DASH}", "\N{EM DASH}", "n/a", "na", "nan", "null", "#n/a"}
"""What stands in place of a winner where there is none, unless somebody is called so."""
FEW_VALUES = 4
SHOWN = 6
FEW = 0.2
"""A share of rows that may be mistakes."""


def parse_codes(given: Given) -> Codes:
    """Return what each value was said to mean.

    >>> parse_codes("1=left,2=right,0=tie")
    {'1': 1.0, '2': 0.0, '0': 0.5}
    """
    found: Codes = {}
    for value, meaning in entries(given, "codes", "1=left"):
        if meaning not in MEANINGS:
            raise WinnerstaysError(f"codes says {value}={meaning}, but it must be one of {', '.join(MEANINGS)}.")
        found[plain(value)] = MEANINGS[meaning]
    return found


@dataclass
class WinnerColumn:
    """A winner's column: all its rows are shown to it (`see`), then it says who won (`decide`)."""

    table: Table
    roles: Mapping[str, int]
    given: Codes
    seen: dict[str, set[float | None]] = field(default_factory=dict)
    """What the items' names say of each value that may also stand for a side; None where it names no item."""
    lines: dict[str, int] = field(default_factory=dict)
    """Where each first names no item."""
    others_named: bool = False
    """Whether some rows name an item by a word that stands for no side."""
    rows: int = 0
    rows_of_numbers: int = 0
    rows_of_numbers_alone: int = 0
    empty: int = 0
    """Rows that name nobody."""
    unsaid: int = 0
    """Those where the result says why."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Values that are neither an item, nor a side, nor a score."""
    scored: bool = False
    brackets: Brackets = field(default_factory=Brackets)
    looked_up: bool = False
    respelled: dict[str, str] = field(default_factory=dict)
    sides_for_sure: set[str] = field(default_factory=set)
    """Values that stand for a side in every row, also where an item is called so."""

    def __post_init__(self) -> None:
        header, roles = self.table.header, self.roles
        self.place = roles["winner"]
        self.name, self.left, self.right = (header[roles[role]] for role in ("winner", "left", "right"))
        self.full, self.short = side_words(self.left, self.right)
        if words_of(self.name) in OWN_RESULTS:
            self.short |= {"w": 1.0, "l": 0.0, "d": 0.5, "t": 0.5}
        self.ids = Place(roles["left_id"], roles["right_id"]) if {"left_id", "right_id"} <= roles.keys() else None
        self.by_id = words_of(self.name)[-1:] == ("id",)

    def see(self, number: int, row: list[str]) -> None:
        """Take note of a row."""
        if self.is_empty(row):
            by_result = self.why_empty(row) in TIES | UNDECIDED
            self.unsaid += by_result
            self.empty += not by_result
            return
        if len(row) <= max(self.roles["left"], self.roles["right"]):
            return
        said = row[self.place]
        self.brackets.see(said)
        value, named = plain(said), self._named(row, row[self.roles["left"]], row[self.roles["right"]])
        if value in self.short or value in self.full or NUMBER.fullmatch(value):
            self.seen.setdefault(value, set()).add(named)
            if named is None:
                self.lines.setdefault(value, number)
            if NUMBER.fullmatch(value):
                self.rows_of_numbers += 1
                self.rows_of_numbers_alone += named is None
        elif named is not None:
            self.others_named = True
        elif score_of(said) is not None:
            self.scored = True
        elif side_in_a_sentence(value, self.full | self.short) is None and self._is_unknown(said):
            self.unknown[said] += 1
        self.rows += 1

    def _is_unknown(self, said: str) -> bool:
        """Tell a word that could stand for something."""
        value = plain(said)
        known = value in self.given or value in UNDECIDED or any(map(str.isdigit, said))
        return not known and len(self.unknown) <= FEW_VALUES

    def why_empty(self, row: list[str]) -> str:
        """Return what the result or the status says of a row that names nobody."""
        said = [plain(text_at(row, self.roles.get(role))) for role in ("result", "status")]
        return next((word for word in said if word in TIES | UNDECIDED), "")

    def is_empty(self, row: list[str]) -> bool:
        """Tell a row that names nobody."""
        said = text_at(row, self.place)
        if not said:
            return not self.scored
        return said.lower() in NOBODY and said not in (row[self.roles["left"]], row[self.roles["right"]])

    def _named(self, row: list[str], first: str, second: str) -> float | None:
        """Return what the winner's name or id says: 1 for the first item, 0 for the second, None for none of them."""
        said = row[self.place]
        if self.ids is not None and len(row) > max(self.ids):
            ids = [row[place] for place in self.ids]
            if self.by_id or said not in (first, second):
                found = _which(said, *ids)
                self.looked_up |= found is not None
                if found is not None or self.by_id:
                    return found
        if said in (first, second):
            return float(said == first)
        if (plain(said) in self.short or plain(said) in self.full) and visible(said) == said:
            return None
        if (found := named_in_a_sentence(said, first, second)) is not None:
            return found
        found = _which(said, first, second)
        if found is not None:
            self.respelled.setdefault(said, first if found else second)
        return found

    def decide(self, assumed: list[str]) -> Share:
        """Return who won a row; an error if what is seen leaves that open."""
        if 1 < len(self.unknown) <= FEW_VALUES and self.unknown.total() > self.rows / 2 and not self.by_id:
            raise self._unknown()
        codes = (
            dict.fromkeys(TIES, 0.5)
            if self.by_id
            else self._words(self.short, assumed) | self._words(self.full, assumed) | self._numbers(assumed)
        )
        codes |= self.given
        sides_for_sure = self.sides_for_sure | self.given.keys()
        if self.given:
            words = {share: word for word, share in MEANINGS.items()}
            said = [f"{value} is {words[share]}" for value, share in self.given.items()]
            assumed.append(f"in {self.name}, as codes says, {', '.join(said)}")
        if self.looked_up and self.ids is not None:
            assumed.append(f"{self.name} is looked up in {' and '.join(self.table.header[k] for k in self.ids)}")
        if self.respelled:
            said = [f"{one!r} for {other!r}" for one, other in self.respelled.items()]
            assumed.append(f"in {self.name}, {listed(said, 3)}")
        assumed += filter(None, [self.brackets.note])
        place, left, right = self.place, self.left, self.right

        def share(row: list[str], first: str, second: str) -> float | None:
            said = row[place]
            value = plain(said)
            if value not in sides_for_sure:
                named = self._named(row, first, second)
                if named is not None:
                    return named
            if value in codes:
                return codes[value]
            if value in UNDECIDED or said == "*" or (self.scored and value in NO_SCORE):
                return None
            found = None if self.by_id else self.brackets.score_of(said)
            if found is None:
                found = side_in_a_sentence(value, codes)
            if found is None:
                wanted = f"{left}, {right}, tie or one of the two items"
                if self.by_id:
                    wanted = f"one of the two items, or codes (--codes {value}=left) must say what it stands for"
                way_out = "" if self.by_id else f"; codes (--codes {shlex.quote(value)}=tie) says what it stands for"
                raise RowError(place, f"is {said[:40]!r}, but it must be {wanted}", way_out)
            return found

        return share

    def _words(self, words: Codes, assumed: list[str]) -> Codes:
        """Return these words, which stand for a side; where items are called so, all rows say which is meant."""
        sides = {value for value, share in words.items() if share != 0.5} - self.given.keys()
        used = {value: shares for value, shares in self.seen.items() if value in sides}
        twofold = [value for value, shares in used.items() if shares - {None, words[value]}]
        if not twofold:
            return words
        if not any(None in shares for shares in used.values()):
            assumed.append(f"in {self.name}, {_quoted(twofold)} is the item of that name, not a side")
        elif self.others_named:
            raise self._open(twofold, used, words)
        else:
            self.sides_for_sure |= set(used)
            assumed.append(f"in {self.name}, {_quoted(sorted(used))} stand for the sides, not for items of that name")
        return words

    def _open(self, twofold: list[str], used: Mapping[str, set[float | None]], words: Codes) -> WinnerstaysError:
        alone = min((self.lines[value], value) for value, shares in used.items() if None in shares)
        codes = ",".join(f"{value}={'left' if words[value] else 'right'}" for value in sorted(used))
        return WinnerstaysError(
            f"in the column {self.name}, {_quoted(twofold)} may be an item or a side: in {self.table.unit} {alone[0]}, "
            f"{alone[1]!r} is no item, and other rows name items; codes (--codes {codes}) says that they are sides; "
            "else name the winner."
        )

    def _numbers(self, assumed: list[str]) -> Codes:
        """Return what numbers stand for, if in some row they name no item; an error if that is open."""
        numbers = {value for value in self.seen if NUMBER.fullmatch(value)} - self.given.keys()
        alone = {value for value in numbers - {"x"} if None in self.seen[value]}
        if not alone:
            return {}
        few = self.rows_of_numbers_alone < FEW * self.rows_of_numbers
        if few and not numbers <= USUAL:
            return {}  # the column names items, and a few rows are wrong
        found = _meaning(numbers, self.name, self.left, self.right)
        twofold = found is not None and any(self.seen[value] - {None, found[0][value]} for value in numbers)
        if found is None or (twofold and few):
            raise self._unclear(numbers, alone)
        codes, said = found
        assumed.append(f"in {self.name}, {said}")
        self.sides_for_sure |= codes.keys()
        return codes

    def _unknown(self) -> WinnerstaysError:
        """The error for words that stand for something, but are no sides by their columns."""
        values = [*self.unknown]
        meanings = [
            f"{value}={meaning}" for value, meaning in zip(values, ("left", "right", "tie", "none"), strict=False)
        ]
        codes = ",".join(meanings)
        return WinnerstaysError(
            f"the column {self.name} holds {_quoted(values)}, but it must hold {self.left}, {self.right}, tie or one "
            "of the two items; say what they stand for with codes (--codes "
            f"{shlex.quote(codes)} if they mean that)."
        )

    def _unclear(self, numbers: set[str], alone: set[str]) -> WinnerstaysError:
        line, value = min((self.lines[value], value) for value in alone)
        shown = listed(sorted(numbers, key=_order), SHOWN)
        if not numbers <= USUAL:
            few = {"1", "2"} <= numbers and len(numbers) <= FEW_VALUES + 1
            codes = (
                f", or what they stand for by codes (--codes {_suggested(numbers)} if they mean that)" if few else ""
            )
            margin = f", or by --columns margin={self.name} if {self.left} won where it is positive"
            return WinnerstaysError(
                f"the column {self.name} holds {shown}: in {self.table.unit} {line}, {value} is no item of its row; "
                f"name the winner in it ({self.left}, {self.right}, tie), or say who won by --columns winner=COLUMN"
                f"{codes}{margin if any(number.startswith('-') for number in numbers) else ''}."
            )
        return WinnerstaysError(
            f"the column {self.name} holds {shown}, which may mean several things; say which with codes (--codes "
            f"{_suggested(numbers)} if they mean that), or name the winner in it ({self.left}, {self.right}, tie)."
        )


def _which(said: str, first: str, second: str) -> float | None:
    """Return 1 if a text is the first of two names, 0 if the second; spelled alike will do for one of them."""
    if said in (first, second):
        return float(said == first)
    one, other = (folded(name) == folded(said) for name in (first, second))
    return float(one) if one != other else None


def _quoted(values: Iterable[str]) -> str:
    return listed([repr(value) for value in values], SHOWN)


def _order(value: str) -> tuple[bool, float]:
    return value == "x", 0.0 if value == "x" else float(value)


def _meaning(seen: set[str], name: str, left: str, right: str) -> tuple[Codes, str] | None:
    """Return what these numbers stand for, and say it; None if that is not beyond doubt."""
    numbered = [number for number in zip(words_of(left), words_of(right), strict=False) if number[0] != number[1]]
    of_sides = numbered[0] if len(numbered) == 1 else ("", "")
    if seen <= {"-1", "0", "1"} and "-1" in seen:
        return {"1": 1.0, "-1": 0.0, "0": 0.5}, f"1 is {left}, -1 is {right}, 0 a tie"
    if seen <= {"0", "0.5", "1"} and "0.5" in seen:
        return {"1": 1.0, "0": 0.0, "0.5": 0.5}, f"1 is {left}, 0 is {right}, 0.5 a tie"
    if seen <= {"1", "2", "x"} and ("2" in seen or of_sides == ("1", "2")):
        return {"1": 1.0, "2": 0.0, "x": 0.5}, f"1 is {left}, 2 is {right}"
    if seen <= {"0", "1", "2"} and "2" in seen and of_sides == ("1", "2"):
        return {"1": 1.0, "2": 0.0, "0": 0.5}, f"1 is {left}, 2 is {right}, 0 a tie"
    index = len(seen) == 2 and words_of(name)[:1] == ("winner",) and of_sides != ("1", "2")
    if seen <= {"0", "1"} and (index or of_sides == ("0", "1")):
        return {"0": 1.0, "1": 0.0}, f"0 is {left}, 1 is {right}"
    return None


def _suggested(seen: set[str]) -> str:
    """Return the commonest meaning of these numbers, as an example."""
    second = next((value for value in ("2", "-1", "0") if value in seen), "")
    known = {"1": "left", second: "right"}
    return ",".join(f"{value}={known.get(value, 'tie')}" for value in sorted(seen, key=_order))
